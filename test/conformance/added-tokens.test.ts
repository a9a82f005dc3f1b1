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
  ...[' ', '  ', '\t', '\r\n', '\u0085', '\u00a0', '\u3000', '\u200b', '\ufeff', '▁', 'x', 'X', '_', '1', '-', '.'],
  ...['FOO', 'foo bar', 'fooq', 'abq', 'q', '語', 'é', 'e\u0301', '\u0301', '\u0338', '<', '>', '|u|', '＜X＞', '<x>', 'hello'],
  ...['\u200d', '\u2160', '\u203f', '\u0661', '²', 'ª', '\ud83d'],
]

function texts(seed: number, count: number): string[] {
  const random = mulberry32(seed)
  const below = (n: number) => Math.floor(random() * n)
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(7) }, () => FRAGMENTS[below(FRAGMENTS.length)]).join(''),
  )
}

/**
 * The tokens of a tokenizer that has these flags. What is left out is different from the reference on purpose, or too
 * odd to be reproduced:
 * - reserved tokens are found as they are spelled, not as the normalizer spells them;
 * - white space that is a token, beside tokens that absorb it from both sides or after normalization.
 */
function namesFor(flags: Flags, hasNormalizer: boolean): string[] {
  const strips = flags.lstrip || flags.rstrip
  const noWhiteSpace = (flags.lstrip && flags.rstrip) || (strips && flags.normalized)
  const noReserved = flags.normalized && hasNormalizer
  if (noReserved && flags.special) return []
  return NAMES.filter((name) => {
    if (noWhiteSpace && name.trim() === '') return false
    return !(noReserved && name.startsWith('<'))
  })
}

describe.each(PIPELINES)('%s', { timeout: 60_000 }, (_, make) => {
  const cases = COMBINATIONS.flatMap((flags) => {
    const names = namesFor(flags, make({}).normalizer !== null)
    const label = FLAGS.filter((flag) => flags[flag]).join(', ') || 'no flags'
    return names.length === 0 ? [] : [[label, names.map((content) => ({ ...flags, content }))] as const]
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
})
