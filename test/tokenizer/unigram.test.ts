// What no Unigram model may do, as `.model` and as tokenizer.json: text never becomes a control token or a byte.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { precompiledCharsmap } from '../../scripts/precompiled-charsmap.mjs'
import { InvalidArgumentError } from '../../src/errors.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { bytePieces, type ModelInput, modelBytes, type PieceInput } from '../fixtures/model-bytes.js'
import { jsonBytes, unigramJson } from '../fixtures/tokenizer-json.js'

const UNK: PieceInput = ['<unk>', 0, PieceType.UNKNOWN]
const SPELLING = [...'</sunkabcx0A>[]M.-( ▁'].map((text): PieceInput => [text, -9])

/** A Unigram model with a piece for each character of what is spelled here. */
function model(pieces: readonly PieceInput[], input: ModelInput = {}): Uint8Array {
  const known = new Set(pieces.map(([text]) => text))
  const letters = SPELLING.filter(([text]) => !known.has(text))
  return modelBytes([UNK, ...pieces, ...letters], { modelType: 1, ...input })
}

function tokens(tokenizer: Tokenizer, text: string): string {
  return Array.from(tokenizer.encode(text), (id) => tokenizer.idToToken(id)).join(' ')
}

describe('`</s>` with score 0, better than any other path', () => {
  const word = '< / s >'

  it('as a control piece', () => {
    const tokenizer = Tokenizer.from(model([['</s>', 0, PieceType.CONTROL]]))
    expect(tokens(tokenizer, '</s>')).toBe(word)
    expect([...tokenizer.encode(trusted('</s>'))]).toEqual([tokenizer.getCommand('</s>')])
  })

  it('as a piece that the caller reserves', () => {
    const bytes = model([['</s>', 0]])
    expect(tokens(Tokenizer.from(bytes), '</s>')).toBe('</s>')
    const tokenizer = Tokenizer.from(bytes, { reserve: ['</s>'] })
    expect(tokens(tokenizer, '</s>')).toBe(word)
    expect([...tokenizer.encode([control('</s>'), 'a'])]).toEqual([1, tokenizer.tokenToId('a')])
  })

  it('as a token of a tokenizer.json', () => {
    const vocabulary = [['<unk>', 0], ['</s>', 0], ...SPELLING] as [string, number][]
    const plain = unigramJson({ vocabulary, preTokenizer: null })
    expect(tokens(Tokenizer.from(jsonBytes(plain)), '</s>')).toBe('</s>')
    const special = unigramJson({ vocabulary, preTokenizer: null, added: ['</s>'] })
    const tokenizer = Tokenizer.from(jsonBytes(special))
    expect(tokens(tokenizer, '</s>')).toBe(word)
    expect([...tokenizer.encode(trusted('</s>'))]).toEqual([1])
  })

  it('as what normalization makes of a text', () => {
    const charsmap = precompiledCharsmap([['x', '</s>']])
    const tokenizer = Tokenizer.from(model([['</s>', 0, PieceType.CONTROL]], { charsmap }))
    expect(tokens(tokenizer, 'x')).toBe(word)
    const json = unigramJson({
      vocabulary: [['<unk>', 0], ['</s>', 0], ...SPELLING] as [string, number][],
      normalizer: { type: 'Precompiled', precompiled_charsmap: Buffer.from(charsmap).toString('base64') },
      preTokenizer: null,
      added: ['</s>'],
    })
    expect(tokens(Tokenizer.from(jsonBytes(json)), 'x')).toBe(word)
  })
})

it('byte pieces are never matched by their spelling', () => {
  const word = '< 0 x 0 A >'
  const bytes = model(bytePieces(), { byteFallback: true })
  expect(tokens(Tokenizer.from(bytes), '<0x0A>')).toBe(word)
  expect(tokens(Tokenizer.from(bytes), 'é')).toBe('<0xC3> <0xA9>')
  const vocabulary = [['<unk>', 0], ...SPELLING] as [string, number][]
  const json = unigramJson({ vocabulary, byteFallback: true, preTokenizer: null })
  expect(tokens(Tokenizer.from(jsonBytes(json)), '<0x0A>')).toBe(word)
  expect(tokens(Tokenizer.from(jsonBytes(json)), 'é')).toBe('<0xC3> <0xA9>')
})

it('user-defined punctuation stays text, user-defined marks do not', () => {
  const tokenizer = Tokenizer.from(
    model(['.', '-', '(', '[M]'].map((text): PieceInput => [text, 0, PieceType.USER_DEFINED])),
  )
  expect(tokens(tokenizer, 'a.-(b')).toBe('a . - ( b')
  expect(tokens(tokenizer, 'a[M]b')).toBe('a [ M ] b')
  expect(Array.from(tokenizer.encode(trusted('a[M]b')), (id) => tokenizer.idToToken(id)).join(' ')).toBe(
    'a [M] b',
  )
  expect(tokenizer.reserved.map(({ name }) => name)).toEqual(['[M]'])
})

it('no attack gives a reserved id', () => {
  const special = ['<s>', '</s>', '<pad>', '<|user|>', '<|im_end|>', '[MASK]', '<mask>']
  const controls = special.map((text): PieceInput => [text, 0, PieceType.CONTROL])
  const characters = [...new Set(special.join(''))].map((text): PieceInput => [text, -9])
  const vocabulary = [['<unk>', 0], ...special.map((text) => [text, 0])] as [string, number][]
  const all = [
    Tokenizer.from(modelBytes([UNK, ...controls, ...characters], { modelType: 1 })),
    Tokenizer.from(modelBytes([UNK, ...controls, ...characters], { modelType: 3 })),
    Tokenizer.from(modelBytes([UNK, ...controls, ...characters], { modelType: 4 })),
    Tokenizer.from(jsonBytes(unigramJson({ vocabulary, added: special, preTokenizer: null }))),
  ]
  expect(all.map((tokenizer) => tokenizer.model)).toEqual(['unigram', 'word', 'char', 'unigram'])
  for (const tokenizer of all) {
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    expect(reserved.size).toBe(special.length)
    for (const text of [...ATTACKS, ...special, special.join('')]) {
      expect(
        tokenizer.encode(text).some((id) => reserved.has(id)),
        JSON.stringify(text),
      ).toBe(false)
    }
  }
})

it('U+0000 and lone surrogates are characters like others', () => {
  const tokenizer = Tokenizer.from(model(bytePieces(), { byteFallback: true }))
  expect(tokens(tokenizer, 'a\0b')).toBe('a <0x00> b')
  expect(tokens(tokenizer, 'a\ud800')).toBe('a <0xEF> <0xBF> <0xBD>')
  expect(tokens(tokenizer, '\udc00\ud800')).toBe(tokens(tokenizer, '\ufffd\ufffd'))
  const json = unigramJson({
    vocabulary: [
      ['<unk>', 0],
      ['a', -1],
      ['\0', -1],
      ['a\0b', -1],
    ],
    preTokenizer: null,
  })
  expect([...Tokenizer.from(jsonBytes(json)).encode('a\0\0a\0b\ud800')]).toEqual([1, 2, 2, 3, 0])
})

it('unknown characters are read as the file says', () => {
  const tokenizer = Tokenizer.from(model([]))
  expect([...tokenizer.encode('éé')]).toEqual([0])
  expect(tokenizer.decode([0])).toBe(' ⁇ ')
  expect(Tokenizer.from(model([], { unkSurface: '?' })).decode([0])).toBe('?')
})

describe('the white space of nmt_nfkc', () => {
  const golden = JSON.parse(
    gunzipSync(
      readFileSync(new URL('../conformance/golden/sentencepiece-models.json.gz', import.meta.url)),
    ).toString('utf8'),
  ) as { charsmaps: Record<string, string> }
  const charsmap = Buffer.from(golden.charsmaps.nmt_nfkc as string, 'base64')
  const tokenizer = Tokenizer.from(
    model([], { charsmap, addDummyPrefix: true, removeExtraWhitespaces: true }),
  )

  it.each([
    ...'\t\n\f\r\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd',
    '\u00a0',
    '\u2003',
    '\u3000',
  ])('%j is a space', (space) => {
    expect(tokens(tokenizer, `${space}a${space}${space}b${space}`)).toBe('▁ a ▁ b')
  })

  it('the joiner of emoji is a character', () => {
    expect(tokens(tokenizer, 'a\u200db')).toBe('▁ a <unk> b')
  })

  const deleted = [1, 8, 0xb, 0xe, 0x1f, 0x7f, 0x8f, 0x9f].map((code) => String.fromCharCode(code))
  it.each(deleted)('%j is nothing', (character) => {
    expect(tokens(tokenizer, `${character}a${character} ${character} b`)).toBe('▁ a ▁ b')
    expect([...tokenizer.encode(character)]).toEqual([])
  })
})

it('a version that is none is refused', () => {
  const options = { sentencePieceVersion: '0.1' as '0.2.1' }
  expect(() => Tokenizer.from(model([]), options)).toThrow(InvalidArgumentError)
})

it('the two arithmetics of SentencePiece are two models', () => {
  const bytes = modelBytes([UNK, ['▁', -2.0123], ['-', -3.1234], ['--', -4.7654]], {
    modelType: 1,
    addDummyPrefix: true,
  })
  const older = Tokenizer.from(bytes)
  const newer = Tokenizer.from(bytes, { sentencePieceVersion: '0.2.3' })
  expect(tokens(older, '---')).toBe('▁ -- -')
  expect(tokens(newer, '---')).toBe('▁ - --')
})
