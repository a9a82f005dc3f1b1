// I3 and I4 for every real tokenizer: harmless text in parts has the ids of the whole text, and text comes back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, trusted } from '../../src/prompt/parts.js'
import { TRICKY } from './random-texts.js'
import { TOKENIZERS } from './tokenizers.js'

/** Their normalizers or prefixes change text. */
const LOSSY = [
  ...['qwen3', 'claude', 'llama2', 'llama2-legacy', 'gemini', 'bert'],
  ...['albert', 'albert-model', 'smart-model', 'spm_test-model', 'spm_ja-model'],
]

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TRICKY),
      fc.constantFrom(...TRICKY),
      fc.constantFrom(
        'hello',
        ' world',
        'the quick brown fox ',
        '<|user|>',
        '\n\n\n\n',
        '      ',
        '你好世界',
        '1234567',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((texts) => texts.join('').toWellFormed())

/** The text in parts, alternately trusted and data, some of them empty. */
function inParts(text: string, cuts: readonly number[], trustedFirst: boolean): Part[] {
  const characters = Array.from(text)
  const ends = [...cuts.map((cut) => cut % (characters.length + 1)), characters.length].sort((a, b) => a - b)
  let start = 0
  return ends.map((end, i) => {
    const part = characters.slice(start, end).join('')
    start = end
    return (i % 2 === 0) === trustedFirst ? trusted(part) : part
  })
}

describe.each(TOKENIZERS)('$name', { timeout: 60_000 }, ({ name, read, load, reference }) => {
  const bytes = read()

  it.skipIf(bytes === undefined)(
    'parts have the ids of the whole text, which are the reference’s',
    async () => {
      const tokenizer = load(bytes as Uint8Array)
      const theirs = reference(bytes as Uint8Array)
      const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
      let harmless = 0
      await fc.assert(
        fc.asyncProperty(
          anyText,
          fc.array(fc.nat(), { maxLength: 6 }),
          fc.boolean(),
          async (text, cuts, first) => {
            const [expected = []] = await theirs.encode([text])
            if (expected.some((id) => reserved.has(id))) return
            harmless++
            expect([...tokenizer.encode(inParts(text, cuts, first))]).toEqual(expected)
          },
        ),
        { numRuns: 400 },
      )
      expect(harmless).toBeGreaterThan(300)
    },
  )

  it.skipIf(bytes === undefined || LOSSY.includes(name))('text comes back', () => {
    const tokenizer = load(bytes as Uint8Array)
    fc.assert(
      fc.property(anyText, (text) => {
        const ids = tokenizer.encode(text)
        expect(tokenizer.decode(ids)).toBe(text)
        const stream = tokenizer.decodeStream()
        expect([...ids].map((id) => stream.push(id)).join('') + stream.end()).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })
})
