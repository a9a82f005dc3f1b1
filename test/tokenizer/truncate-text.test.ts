// countUpTo and truncate: what they say of a text is what encode says of it.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { DisposedError, InvalidArgumentError } from '../../src/errors.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import type { TextTruncation } from '../../src/tokenizer/truncate-text.js'
import { ATTACKS } from '../attacks.js'
import { byteFallbackJson, byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'
import { wordPieceJson } from '../fixtures/word-models.js'

const NFKD = { type: 'Sequence', normalizers: [{ type: 'NFKD' }, { type: 'Lowercase' }] }
const ADDED = ['<|u|>', { content: '  ', special: false }, { content: '<|N|>', normalized: true }]
const from = (json: unknown): Tokenizer => Tokenizer.from(jsonBytes(json as never))
const tokenizers: [string, () => Tokenizer][] = [
  ['byte-level BPE', () => from(byteLevelJson({ added: ADDED }))],
  ['BPE with a normalizer', () => from(byteLevelJson({ added: ADDED, normalizer: NFKD }))],
  ['BPE with byte fallback', () => from(byteFallbackJson({ added: ADDED }))],
  ['WordPiece', () => from(wordPieceJson())],
  ['SentencePiece', () => sentencePiece],
]
let sentencePiece: Tokenizer
beforeAll(async () => {
  sentencePiece = await Tokenizer.load(defaultModelPath())
})

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...ATTACKS,
        'hello world',
        ' ',
        '\n\n',
        '你好世界',
        '👩‍👩‍👧‍👦',
        'e\u0301',
        '🇩🇪🇫🇷',
        '<|n|>',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
        .map((units) => String.fromCharCode(...units)),
    ),
    { maxLength: 8 },
  )
  .map((texts) => texts.join(''))

describe.each(tokenizers)('%s', (_, make) => {
  it('counts no further than to the limit', () => {
    const tokenizer = make()
    fc.assert(
      fc.property(anyText, fc.nat(60), (text, limit) => {
        const count = tokenizer.encode(text).length
        expect(tokenizer.countUpTo(text, limit)).toBe(count <= limit ? count : undefined)
        expect(tokenizer.count(text)).toBe(count) // also right behind a count that ended early
      }),
      { numRuns: 300 },
    )
  })

  it('cuts texts so that they have at most so many tokens', () => {
    const tokenizer = make()
    const options = fc.record<TextTruncation>({
      side: fc.constantFrom('left', 'right', 'middle'),
      marker: fc.constantFrom('', '…', ' [cut] '),
      graphemes: fc.boolean(),
    })
    fc.assert(
      fc.property(anyText, fc.nat(40), options, (text, most, options) => {
        const { side = 'right', marker = '', graphemes } = options
        if (tokenizer.count(text) <= most) {
          expect(tokenizer.truncate(text, most, options)).toBe(text)
          return
        }
        if (tokenizer.count(marker) > most) {
          expect(() => tokenizer.truncate(text, most, options)).toThrow(InvalidArgumentError)
          return
        }
        const cut = tokenizer.truncate(text, most, options)
        expect(tokenizer.count(cut)).toBeLessThanOrEqual(most)
        const [head, tail] = kept(cut, text, side, marker)
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
        expect(isBorder(text, head.length) && isBorder(text, text.length - tail.length)).toBe(true)
        if (graphemes) {
          const borders = new Set([text.length, ...Array.from(segmenter.segment(text), ({ index }) => index)])
          expect(borders.has(head.length) && borders.has(text.length - tail.length)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('cuts long texts where it would cut them if it looked at all of them', () => {
    const tokenizer = make()
    const words = ['hello', 'world', 'you', '你好', 'and', '👋', 'x']
    const text = Array.from({ length: 5000 }, (_, i) => words[(i * i) % words.length]).join(' ')
    const { ids, offsets } = tokenizer.encode(text, { offsets: true })
    for (const most of [10, 100, 1000]) {
      const head = tokenizer.truncate(text, most)
      const tail = tokenizer.truncate(text, most, { side: 'left' })
      const middle = tokenizer.truncate(text, most, { side: 'middle', marker: ' … ' })
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      for (const cut of [head, tail, middle]) expect(tokenizer.count(cut)).toBeLessThanOrEqual(most)
      if (most < 100) continue
      expect(tokenizer.count(head)).toBeGreaterThan(most - 9)
      expect(tokenizer.count(tail)).toBeGreaterThan(most - 9)
      expect(tokenizer.count(middle)).toBeGreaterThan(most - 18)
      expect(offsets.includes(head.length)).toBe(true)
      expect(offsets.includes(text.length - tail.length)).toBe(true)
      expect(ids.length).toBeGreaterThan(most)
    }
  })

  it('keeps all it can of plain words', () => {
    const tokenizer = make()
    const text = 'hello world, hello world, hello world.'
    const all = tokenizer.count(text)
    for (let most = 1; most < all; most++) {
      for (const side of ['left', 'right', 'middle'] as const) {
        expect(tokenizer.count(tokenizer.truncate(text, most, { side }))).toBeGreaterThanOrEqual(most - 2)
      }
    }
  })
})

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** What is kept of the beginning and of the end. */
function kept(cut: string, text: string, side: string, marker: string): [string, string] {
  if (side === 'right') return [cut.slice(0, cut.length - marker.length), '']
  if (side === 'left') return ['', cut.slice(marker.length)]
  for (let at = 0; at + marker.length <= cut.length; at++) {
    const [head, tail] = [cut.slice(0, at), cut.slice(at + marker.length)]
    if (cut.startsWith(marker, at) && text.startsWith(head) && text.endsWith(tail)) {
      if (isBorder(text, at) && isBorder(text, text.length - tail.length)) return [head, tail]
    }
  }
  return [cut, '']
}

/** Whether a place parts no surrogate pair. */
function isBorder(text: string, at: number): boolean {
  return !(/[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? ''))
}

it('counts parts', () => {
  const input = [control('<|user|>'), trusted('\n'), 'hello', control('<|assistant|>')]
  const count = sentencePiece.encode(input).length
  expect(sentencePiece.countUpTo(input, count)).toBe(count)
  expect(sentencePiece.countUpTo(input, count - 1)).toBeUndefined()
  expect(sentencePiece.countBatch(['a', input])).toEqual([sentencePiece.count('a'), count])
})

it('has the same in other threads', async () => {
  const text = 'hello world '.repeat(500)
  const count = sentencePiece.count(text)
  expect(await sentencePiece.countAsync(text)).toBe(count)
  expect(await sentencePiece.countUpToAsync(text, count)).toBe(count)
  expect(await sentencePiece.countUpToAsync(text, count - 1)).toBeUndefined()
  for (const side of ['left', 'right', 'middle'] as const) {
    const options = { side, marker: '…' }
    expect(await sentencePiece.truncateAsync(text, 100, options)).toBe(
      sentencePiece.truncate(text, 100, options),
    )
  }
  expect(await sentencePiece.truncateAsync('hi', 100)).toBe('hi')
})

it('cuts several texts', () => {
  expect(sentencePiece.truncateBatch(['hello hello hello', 'a'], 2)).toEqual([
    sentencePiece.truncate('hello hello hello', 2),
    'a',
  ])
})

it('refuses what makes no sense', async () => {
  expect(() => sentencePiece.countUpTo('a', -1)).toThrow('limit: a number of tokens was expected, not -1')
  await expect(sentencePiece.countUpToAsync('a', 0.5)).rejects.toThrow(InvalidArgumentError)
  expect(() => sentencePiece.truncate('a', Number.NaN)).toThrow(InvalidArgumentError)
  expect(() => sentencePiece.truncate(1 as never, 1)).toThrow(InvalidArgumentError)
  expect(() => sentencePiece.truncate('a', 1, { side: 'top' as never })).toThrow(
    "side: 'left', 'right' or 'middle'",
  )
  expect(() => sentencePiece.truncate('a', 1, { marker: 1 as never })).toThrow('marker: a text')
  expect(() => sentencePiece.truncate('hello hello', 1, { marker: '[cut]' })).toThrow(
    'and there may be 1 in all',
  )
})

it('does not count with a tokenizer that is gone', async () => {
  const gone = from(byteLevelJson({ added: ['<|gone|>'] }))
  gone.dispose()
  expect(() => gone.countUpTo('a', 1)).toThrow(DisposedError)
  await expect(gone.countAsync('a')).rejects.toThrow(DisposedError)
})
