// Added tokens with every flag, against `tokenizers` itself: in trusted text, and as text that holds none of them.
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import {
  type AddedTokenJson,
  byteFallbackJson,
  byteLevelJson,
  jsonBytes,
  type TokenizerJson,
  type TokenizerJsonOptions,
} from '../fixtures/tokenizer-json.js'
import { mulberry32 } from './random-texts.js'
import { offsetDifference, offsetsOf } from './reference-offsets.js'
import { huggingFace, type ReferenceEncoding } from './tokenizers.js'

const SEED = 20261130
const FLAGS = ['single_word', 'lstrip', 'rstrip', 'normalized', 'special'] as const
type Flags = Pick<AddedTokenJson, (typeof FLAGS)[number]>
const COMBINATIONS = Array.from({ length: 2 ** FLAGS.length }, (_, bits) =>
  Object.fromEntries(FLAGS.map((flag, i) => [flag, (bits & (1 << i)) !== 0])),
) as Flags[]
const NAMES = ['<X>', '<|u|>', 'foo', 'Foo Bar', 'ab', '  ', '\n', '\n\n', 'é']

const PIPELINES: readonly [string, (options: TokenizerJsonOptions) => TokenizerJson][] = [
  ['byte-level', byteLevelJson],
  ['byte-level, prefix space', (options) => byteLevelJson({ ...PREFIX_SPACE, ...options })],
  ['byte-level, NFC', (options) => byteLevelJson({ normalizer: { type: 'NFC' }, ...options })],
  ['byte-level, NFKC, lower case', (options) => byteLevelJson({ normalizer: LOWER, ...options })],
  ['byte fallback, Prepend', byteFallbackJson],
  ['byte fallback, Replace only', (options) => byteFallbackJson({ normalizer: REPLACE, ...options })],
]
const REPLACE = { type: 'Replace', pattern: { String: ' ' }, content: '▁' }
const LOWER = { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] }
const PREFIX_SPACE = {
  preTokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
}

const FRAGMENTS = [
  ...NAMES,
  ...[
    ' ',
    '  ',
    '\t',
    '\r\n',
    '\u0085',
    '\u00a0',
    '\u3000',
    '\u200b',
    '\ufeff',
    '▁',
    'x',
    'X',
    '_',
    '1',
    '-',
    '.',
  ],
  ...[
    'FOO',
    'foo bar',
    'fooq',
    'abq',
    'q',
    '語',
    'é',
    'e\u0301',
    '\u0301',
    '\u0338',
    '<',
    '>',
    '|u|',
    '＜X＞',
    '<x>',
    'hello',
  ],
  ...['\u200d', '\u2160', '\u203f', '\u0661', '²', 'ª', '\ud83d'],
]

const spellsName = (text: string): boolean => NAMES.some((name) => text.includes(name))
const HARMLESS = FRAGMENTS.filter((fragment) => !spellsName(fragment))

function joined(random: () => number, list: readonly string[], most: number): string {
  const below = (n: number) => Math.floor(random() * n)
  return Array.from({ length: below(most + 1) }, () => list[below(list.length)])
    .join('')
    .toWellFormed()
}

function texts(seed: number, count: number): string[] {
  const random = mulberry32(seed)
  return Array.from({ length: count }, () => joined(random, FRAGMENTS, 7))
}

describe.each(PIPELINES)('%s', { timeout: 60_000 }, (_, make) => {
  const cases = COMBINATIONS.map((flags) => {
    const label = FLAGS.filter((flag) => flags[flag]).join(', ') || 'no flags'
    return [label, NAMES.map((content) => ({ ...flags, content }))] as const
  })

  it.each(cases)('%s', async (_, added) => {
    const json = make({ added })
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const inputs = texts(SEED, 600)
    const theirs = await huggingFace(json).encodings(inputs)
    const wrong = inputs.flatMap((text, i) => {
      const { ids: expected, offsets } = theirs[i] as ReferenceEncoding
      const ours = tokenizer.encode(trusted(text), { offsets: true })
      const data = [...tokenizer.encode(text)]
      const harmless = !expected.some((id) => reserved.has(id))
      const right =
        String([...tokenizer.encode(trusted(text))]) === String(expected) &&
        String([...ours.ids]) === String(expected) &&
        !data.some((id) => reserved.has(id)) &&
        (!harmless || String(data) === String(expected))
      const difference = offsetDifference(ours, text, offsets)
      return right && difference === undefined ? [] : [{ text, ours, data, expected, difference }]
    })
    wrong.sort((a, b) => a.text.length - b.text.length)
    expect(wrong.slice(0, 3)).toEqual([])
  })

  it.each(cases)('parts: %s', async (_, added) => {
    const json = make({ added })
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const random = mulberry32(SEED)
    const inputs = Array.from({ length: 300 }, () => [
      joined(random, FRAGMENTS, 4),
      joined(random, HARMLESS, 3),
      joined(random, FRAGMENTS, 4),
    ])
    const theirs = await huggingFace(json).encodings(inputs.map((parts) => parts.join('')))
    const wrong: object[] = []
    let compared = 0
    inputs.forEach(([before = '', data = '', after = ''], i) => {
      const { ids: expected, offsets } = theirs[i] as ReferenceEncoding
      const parts = [trusted(before), data, trusted(after)]
      const ours = tokenizer.encode(parts, { offsets: true })
      expect(tokenizer.encode(parts)).toEqual(ours.ids)
      const text = before + data + after
      const controls = (ids: Iterable<number>, ranges: ArrayLike<number>) =>
        [...ids].flatMap((id, k) => (reserved.has(id) ? [[id, ranges[2 * k], ranges[2 * k + 1]]] : []))
      const found = controls(ours.ids, ours.offsets)
      // Else the data would be a part of a reserved token, or keep one from being what it is in trusted text alone.
      if (spellsName(data)) return
      if (String(found) !== String(controls(expected, offsetsOf(text, offsets).offsets))) return
      // Prepend stands before each run when it is normalized alone, but not before the second one in the whole text.
      const border = before.length + data.length
      const at = ([_, start = 0, end = 0]: (number | undefined)[]) => start <= border && end > border
      if (make === byteFallbackJson && added[0]?.normalized && found.some(at)) return
      compared++
      const difference = offsetDifference(ours, text, offsets)
      if (String([...ours.ids]) !== String(expected) || difference !== undefined) {
        wrong.push({ before, data, after, ours: [...ours.ids], expected, difference })
      }
    })
    expect(wrong.slice(0, 3)).toEqual([])
    expect(compared).toBeGreaterThan(150)
  })
})
