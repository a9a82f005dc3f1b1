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
import { huggingFace } from './tokenizers.js'

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

/**
 * The tokens of a tokenizer that has these flags. Tokens of white space that absorb white space from both sides absorb
 * each other in the reference, which then drops those of which nothing is left. No real tokenizer has such tokens.
 */
function namesFor(flags: Flags): string[] {
  return flags.lstrip && flags.rstrip ? NAMES.filter((name) => name.trim() !== '') : [...NAMES]
}

describe.each(PIPELINES)('%s', { timeout: 60_000 }, (_, make) => {
  const cases = COMBINATIONS.map((flags) => {
    const label = FLAGS.filter((flag) => flags[flag]).join(', ') || 'no flags'
    return [label, namesFor(flags).map((content) => ({ ...flags, content }))] as const
  })

  it.each(cases)('%s', async (_, added) => {
    const json = make({ added })
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const inputs = texts(SEED, 600)
    const theirs = await huggingFace(json).encode(inputs)
    const wrong = inputs.flatMap((text, i) => {
      const expected = theirs[i] as number[]
      const ours = [...tokenizer.encode(trusted(text))]
      const data = [...tokenizer.encode(text)]
      const harmless = !expected.some((id) => reserved.has(id))
      const right =
        String(ours) === String(expected) &&
        !data.some((id) => reserved.has(id)) &&
        (!harmless || String(data) === String(expected))
      return right ? [] : [{ text, ours, data, expected }]
    })
    wrong.sort((a, b) => a.text.length - b.text.length)
    expect(wrong.slice(0, 3)).toEqual([])
  })

  // A reserved token that is normalized is found as it is spelled where data are about.
  it.each(cases.filter(([, added]) => !added.some(({ normalized }) => normalized)))(
    'parts: %s',
    async (_, added) => {
      const json = make({ added })
      const tokenizer = Tokenizer.from(jsonBytes(json))
      const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
      const random = mulberry32(SEED)
      const inputs = Array.from({ length: 300 }, () => [
        joined(random, FRAGMENTS, 4),
        joined(random, HARMLESS, 3),
        joined(random, FRAGMENTS, 4),
      ])
      const theirs = await huggingFace(json).encode(inputs.map((parts) => parts.join('')))
      const wrong: object[] = []
      let compared = 0
      inputs.forEach(([before = '', data = '', after = ''], i) => {
        const expected = theirs[i] as number[]
        const ours = [...tokenizer.encode([trusted(before), data, trusted(after)])]
        // Else the data would be a part of a reserved token, or keep one from being a single word.
        const controls = (ids: number[]) => String(ids.filter((id) => reserved.has(id)))
        if (spellsName(data) || controls(ours) !== controls(expected)) return
        compared++
        if (String(ours) !== String(expected)) wrong.push({ before, data, after, ours, expected })
      })
      expect(wrong.slice(0, 3)).toEqual([])
      expect(compared).toBeGreaterThan(150)
    },
  )
})
