// Our normalizers and those of Hugging Face `tokenizers`, side by side.
import { createRequire } from 'node:module'
import binding from '../../binding.cjs'
import { readTokenizerJson } from '../../src/load/tokenizer-json.js'
import { pipelineInput } from '../../src/tokenizer/pipeline-input.js'
import { mulberry32 } from './shared.js'

/** What we use of `tokenizers`. */
interface Reference {
  Tokenizer: { fromString(json: string): ReferenceTokenizer }
}
interface ReferenceTokenizer {
  getNormalizer(): { normalizeString(text: string): string }
  encodeBatch(
    texts: string[],
    options: { addSpecialTokens: boolean },
  ): Promise<{ getOffsets(): [number, number][] }[]>
}
export type Step = binding.NativeNormalizerStep

const { Tokenizer } = createRequire(import.meta.url)('tokenizers') as Reference

function json(step: Step): object {
  if (step[0] === 'Strip') return { type: 'Strip', strip_left: step[1], strip_right: step[2] }
  if (step[0] === 'Replace') return { type: 'Replace', pattern: { String: step[1] }, content: step[2] }
  if (step[0] === 'Prepend') return { type: 'Prepend', prepend: step[1] }
  return { type: step[0] }
}

export function nameOf(steps: readonly Step[]): string {
  return steps
    .map(([kind, ...rest]) => [kind, ...rest.map((part) => JSON.stringify(part))].join(' '))
    .join(', ')
}

/** A file in which each character is a token, so that the reference tells the offsets of each. */
function fileOf(normalizers: readonly object[]): string {
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'Sequence', normalizers },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', vocab: { '<unk>': 0 }, merges: [], unk_token: '<unk>', fuse_unk: false },
  })
}

/** The same normalizers twice. */
export class NormalizerPair {
  private readonly ours: binding.NativeNormalizer
  private readonly theirs: ReferenceTokenizer

  constructor(steps: readonly Step[], theirs: string = fileOf(steps.map(json))) {
    this.ours = new binding.NativeNormalizer(steps)
    this.theirs = Tokenizer.fromString(theirs)
  }

  /** With ours as they are read from the file. */
  static ofJson(...normalizers: readonly object[]): NormalizerPair {
    const file = fileOf(normalizers)
    const { native } = pipelineInput(
      readTokenizerJson(new TextEncoder().encode(file), '<test>'),
      'structural',
    )
    return new NormalizerPair((native as binding.NativePipelineSpec).normalizers, file)
  }

  /** What ours makes of a text. */
  normalize(text: string): string {
    return this.ours.normalize(text)
  }

  /** Texts joined by `|`, which no step changes or composes; the first differences. */
  differences(parts: readonly string[]): string[] {
    const normalizer = this.theirs.getNormalizer()
    const found: string[] = []
    for (let i = 0; i < parts.length && found.length < 5; i += 4096) {
      const chunk = parts.slice(i, i + 4096)
      const text = chunk.join('|')
      const ours = this.ours.normalize(text)
      const theirs = normalizer.normalizeString(text)
      if (ours === theirs) continue
      const [a, b] = [ours.split('|'), theirs.split('|')]
      chunk.forEach((part, k) => {
        if (a[k] !== b[k]) found.push(`${hex(part)}: ${hex(a[k] ?? '')} not ${hex(b[k] ?? '')}`)
      })
    }
    return found
  }

  /** Each text by itself, with the offsets of its characters. */
  async differencesWithOffsets(texts: readonly string[]): Promise<string[]> {
    const normalizer = this.theirs.getNormalizer()
    const encodings = await this.theirs.encodeBatch(
      texts.map((text) => text.toWellFormed()),
      { addSpecialTokens: false },
    )
    const found: string[] = []
    texts.forEach((text, i) => {
      const ours = this.ours.normalizeWithOffsets(text)
      const expected = normalizer.normalizeString(text.toWellFormed())
      const offsets = (encodings[i]?.getOffsets() ?? []).map(([begin, end]) => `${begin}-${end}`).join(' ')
      if (ours.text !== expected) found.push(`${hex(text)}: ${hex(ours.text)} not ${hex(expected)}`)
      else if (characterOffsets(text.toWellFormed(), ours) !== offsets) {
        found.push(`${hex(text)} -> ${hex(expected)}: ${characterOffsets(text, ours)} not ${offsets}`)
      }
      if (this.ours.normalize(text) !== expected) found.push(`${hex(text)}: differs without offsets`)
      if (!ours.changed && expected !== text.toWellFormed()) found.push(`${hex(text)}: said to be as it was`)
    })
    return found
  }
}

function hex(text: string): string {
  return Array.from(text, (character) => (character.codePointAt(0) as number).toString(16)).join(' ')
}

function utf8Length(character: string): number {
  const c = character.codePointAt(0) as number
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4
}

/** The offsets of each character of the result, counted in characters of the text. */
function characterOffsets(text: string, result: { text: string; offsets: Uint32Array }): string {
  const characterAt = new Map<number, number>([[0, 0]])
  let byte = 0
  Array.from(text).forEach((character, i) => {
    byte += utf8Length(character)
    characterAt.set(byte, i + 1)
  })
  let at = 0
  return Array.from(result.text, (character) => {
    const length = utf8Length(character)
    const begin = result.offsets[2 * at]
    const end = result.offsets[2 * at + 1]
    for (let i = 1; i < length; i++) {
      const same = result.offsets[2 * (at + i)] === begin && result.offsets[2 * (at + i) + 1] === end
      if (!same) return 'bytes of one character differ'
    }
    at += length
    return `${characterAt.get(begin as number)}-${characterAt.get(end as number)}`
  }).join(' ')
}

export const CHARACTERS: readonly string[] = Array.from({ length: 0x110000 }, (_, c) => c)
  .filter((c) => c < 0xd800 || c > 0xdfff)
  .map((c) => String.fromCodePoint(c))
/** Combining marks of the newest Unicode that Node knows: many are newer than the tables of the reference. */
export const MARKS: readonly string[] = CHARACTERS.filter((character) => /\p{M}/u.test(character))
/** What composes with something behind it, and some characters of other kinds. */
export const STARTERS: readonly string[] = [
  ...new Set(
    CHARACTERS.filter((character) => !/\p{Script=Hangul}/u.test(character)).flatMap((character) => {
      const parts = Array.from(character.normalize('NFD'))
      return parts.length < 2 ? [] : [parts.slice(0, -1).join('').normalize('NFC')]
    }),
  ),
  ...[
    '1',
    '\u1100',
    '가',
    '각',
    '\u1161',
    'ﬁ',
    '①',
    'ｶ',
    'Å',
    '\u0958',
    '豈',
    '\u0344',
    '\u0e33',
    '\ufdfa',
    '\u{1d15e}',
    '😀',
  ],
]
export const SECONDS: readonly string[] = [
  ...new Set(CHARACTERS.flatMap((character) => Array.from(character.normalize('NFD')).slice(1))),
]

/** Texts that are hard to normalize. */
export function hardTexts(seed: number, count: number): string[] {
  const random = mulberry32(seed)
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(list: ArrayLike<T>): T => list[below(list.length)] as T
  const some = (most: number, one: () => string) => Array.from({ length: 1 + below(most) }, one).join('')
  const between = (low: number, high: number) => String.fromCodePoint(low + below(high - low))
  const kinds: (() => string)[] = [
    () => pick('aAeEiIoOuUwWyYnNΑαΙιΩωΣςİıſßẞЙй'),
    () => pick(STARTERS) + some(4, () => pick(SECONDS)),
    () => pick(STARTERS) + some(6, () => pick(MARKS)),
    () => some(3, () => between(0x300, 0x370)),
    () => some(40, () => pick(MARKS)),
    () => some(5, () => between(0x1100, 0x1200)),
    () => between(0x1100, 0x1113) + between(0x1161, 0x1176) + (below(2) ? between(0x11a7, 0x11c3) : ''),
    () => between(0xac00, 0xd7a4) + (below(2) ? between(0x11a7, 0x11c3) : ''),
    () => some(3, () => between(0x3200, 0x3400)),
    () => some(3, () => between(0xfb00, 0xfe00)),
    () => some(3, () => between(0xfe10, 0x10000)),
    () => some(3, () => between(0xf900, 0xfb00)),
    () => some(2, () => between(0x1d000, 0x1d800)),
    () => some(2, () => between(0x2f800, 0x2fa20)),
    () =>
      pick([
        '\u{1f16c}',
        '\u{1e030}',
        '\u{1e06d}',
        '\u{10781}',
        '\u{1fbf3}',
        '\u32ff',
        '\uab69',
        '\u{16ea0}',
      ]),
    () =>
      some(4, () => pick(['\u1df6', '\u1df9', '\u1ac0', '\u1ace', '\u1abf', '\u0898', '\u0316', '\u0301'])),
    () => pick(CHARACTERS),
    () => pick(['👩‍👩‍👧‍👦', '1️⃣', '🇩🇪', '👍🏽', '🏳️‍🌈']),
    () => pick([' ', '  ', '\t', '\n', '\u00a0', '\u3000', '\u0085', '\u2028', '▁', '\u180e', '\ufeff']),
    () => pick(['hello', ' World', 'ABC', 'été', 'Ürümqi', '你好', 'ГОРОД', 'aa', 'aaa', 'ab', '', '\0']),
    () => pick(['\ud800', '\udfff', '\ufffd', '\ufffe']),
  ]
  return Array.from({ length: count }, () => some(below(3) === 0 ? 16 : 5, () => pick(kinds)()))
}
