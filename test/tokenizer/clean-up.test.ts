import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { Tokenizer } from '../../src/index.js'
import { CleanUpStream, cleanUp } from '../../src/tokenizer/clean-up.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'

describe('cleaning up', () => {
  // Values of PreTrainedTokenizerBase.clean_up_tokenization, transformers 5.23.0.
  it.each([
    ["a . b ? c ! d , e ' f n't g 'm h 's i 've j 're k", "a. b? c! d, e'fn't g'm h's i've j're k"],
    ['  .', ' .'],
    [" ' ' ' ", "'''"],
    [" ' .", " '."],
    [" . ' 's", ".''s"],
    ["don 't", "don 't"],
    ['', ''],
  ])('%j becomes %j', (text, clean) => {
    expect(cleanUp(text)).toBe(clean)
  })

  it('may go step by step', () => {
    const letters = fc.constantFrom(' ', ' ', '.', ',', "'", "'", 'n', 't', 's', 'm', 'v', 'r', 'e', '?')
    const stream = new CleanUpStream()
    fc.assert(
      fc.property(fc.array(fc.array(letters, { maxLength: 6 })), (pieces) => {
        const texts = pieces.map((piece) => piece.join(''))
        const steps = texts.map((text) => stream.push(text))
        expect(steps.join('') + stream.end()).toBe(cleanUp(texts.join('')))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('decoding', () => {
  const folders = new ModelFolders()
  afterAll(() => folders.remove())
  const text = "hello . it 's"

  it('cleans up when it is told to, and by itself where a folder says so', async () => {
    const json = jsonBytes(byteLevelJson())
    const bare = Tokenizer.from(json)
    const ids = bare.encode(text)
    expect(bare.decode(ids)).toBe(text)
    expect(bare.decode(ids, { cleanUpTokenizationSpaces: true })).toBe("hello. it's")
    const config = {
      clean_up_tokenization_spaces: true,
      clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: true,
    }
    const place = folders.make({ 'tokenizer.json': json, 'tokenizer_config.json': config })
    const tokenizer = await Tokenizer.load(place)
    expect(tokenizer.decode(ids)).toBe("hello. it's")
    expect(tokenizer.decode(ids, { cleanUpTokenizationSpaces: false })).toBe(text)
    expect((await Tokenizer.load(`${place}/tokenizer.json`)).decode(ids)).toBe(text)
  })

  it('cleans up in streams too', () => {
    const tokenizer = Tokenizer.from(jsonBytes(byteLevelJson()))
    const ids = tokenizer.encode(text)
    const stream = tokenizer.decodeStream({ cleanUpTokenizationSpaces: true })
    const texts = Array.from(ids, (id) => stream.push(id))
    expect(texts.join('') + stream.end()).toBe("hello. it's")
    expect(texts).toContain('') // a space is held back
  })
})
