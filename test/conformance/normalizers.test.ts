// The normalizers against Hugging Face `tokenizers` itself: text, and offsets for each character.
import { describe, expect, it } from 'vitest'
import binding from '../../binding.cjs'
import {
  CHARACTERS,
  hardTexts,
  MARKS,
  NormalizerPair,
  nameOf,
  SECONDS,
  STARTERS,
  type Step,
} from './normalizer-pair.js'
import { mulberry32, randomTexts } from './shared.js'

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
const SEED = 20260311

const PATTERNS = [
  ' ',
  'a',
  'aa',
  'ab',
  '\u0301',
  '▁',
  'é',
  '\n',
  '你',
  '.',
  '\\',
  '\0',
  'e\u0301',
  'not in any of these texts',
]
const CONTENTS = ['', '▁', 'a', 'É', '\u0301', '$0 $1 \\1', ' ', '你好', 'a\u0327']

/** A random step. A prefix is never empty: after that, the reference panics. */
function randomStep(random: () => number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  return pick<() => Step>([
    () => [pick(FORMS)],
    () => [pick(FORMS)],
    () => ['Lowercase'],
    () => ['StripAccents'],
    () => ['ByteLevel'],
    () => ['Strip', random() < 0.6, random() < 0.6],
    () => ['Replace', pick(PATTERNS), pick(CONTENTS)],
    () => ['Replace', pick(PATTERNS), pick(CONTENTS)],
    () => ['Prepend', pick(CONTENTS.slice(1))],
  ])()
}

describe('every code point', { timeout: 60_000 }, () => {
  const pipelines: Step[][] = [
    ...FORMS.map((form): Step[] => [[form]]),
    [['Lowercase']],
    [['StripAccents']],
    [['ByteLevel']],
    [['NFD'], ['StripAccents'], ['Lowercase']],
    [['NFKC'], ['Lowercase'], ['NFD']],
    [['Lowercase'], ['NFKD'], ['StripAccents'], ['ByteLevel']],
  ]
  it.each(pipelines.map((steps) => [nameOf(steps), steps] as const))('%s', (_, steps) => {
    expect(new NormalizerPair(steps).differences(CHARACTERS)).toEqual([])
  })
})

describe('white space at the ends of a text', () => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
  ])('Strip %s %s', async (left, right) => {
    const pair = new NormalizerPair([['Strip', left, right]])
    const near = CHARACTERS.filter((character) => character < '\u3100')
    expect(
      await pair.differencesWithOffsets(near.flatMap((c) => [c, `${c}é${c}`, ` ${c}${c}a b${c} ${c}`])),
    ).toEqual([])
  })

  it('is White_Space, of all code points', () => {
    const ours = new binding.NativeNormalizer([['Strip', true, true]])
    const space = CHARACTERS.filter((character) => ours.normalize(character) === '')
    expect(space).toEqual(CHARACTERS.filter((character) => /\p{White_Space}/u.test(character)))
  })
})

describe('pairs', { timeout: 60_000 }, () => {
  it.each(FORMS)('%s of each starter with each mark', (form) => {
    const pair = new NormalizerPair([[form]])
    const seconds = [...new Set([...MARKS, ...SECONDS])]
    for (const starter of STARTERS) {
      expect(pair.differences(seconds.map((second) => starter + second))).toEqual([])
    }
  })

  it.each(FORMS)('%s of marks in both orders', (form) => {
    const pair = new NormalizerPair([[form]])
    const others = [...MARKS.filter((_, i) => i % 40 === 0), ...SECONDS]
    for (const other of others) {
      expect(pair.differences(MARKS.flatMap((mark) => [`a${mark}${other}`, `a${other}${mark}`]))).toEqual([])
    }
  })

  it('replaces every ASCII character as text, not as a pattern', async () => {
    const ascii = Array.from({ length: 128 }, (_, c) => String.fromCharCode(c))
    for (const character of ascii) {
      const pair = new NormalizerPair([['Replace', character, '<é>']])
      expect(await pair.differencesWithOffsets([ascii.join(''), `${character}${character}a`])).toEqual([])
    }
  })
})

describe('random texts', { timeout: 60_000 }, () => {
  const texts = [...hardTexts(SEED, 20_000), ...randomTexts(SEED, 5_000)]

  it.each(FORMS)('%s', async (form) => {
    expect(await new NormalizerPair([[form]]).differencesWithOffsets(texts)).toEqual([])
  })

  const others: Step[] = [
    ['Lowercase'],
    ['StripAccents'],
    ['ByteLevel'],
    ['Strip', true, true],
    ['Replace', ' ', '▁'],
    ['Replace', '', 'x'],
    ['Prepend', '▁'],
  ]
  it.each(others.map((step) => [nameOf([step]), step] as const))('%s', async (_, step) => {
    expect(await new NormalizerPair([step]).differencesWithOffsets(texts)).toEqual([])
  })

  it('sequences of one to five normalizers', async () => {
    const random = mulberry32(SEED)
    for (let round = 0; round < 250; round++) {
      const steps = Array.from({ length: 1 + Math.floor(random() * 5) }, () => randomStep(random))
      const texts = hardTexts(SEED + round, 100)
      expect(await new NormalizerPair(steps).differencesWithOffsets(texts), nameOf(steps)).toEqual([])
    }
  })
})

describe('single cases', () => {
  const normalize = (text: string, ...steps: Step[]) => new binding.NativeNormalizer(steps).normalize(text)

  it('leaves what it need not change', () => {
    for (const text of ['', 'plain', 'été', '한글', '你好', 'שָׁלוֹם']) {
      const { changed } = new binding.NativeNormalizer([['NFC'], ['StripAccents']]).normalizeWithOffsets(text)
      expect(changed).toBe(text === 'שָׁלוֹם')
    }
  })

  it('makes text well-formed without any steps', () => {
    expect(normalize('Any\ud800')).toBe('Any\ufffd')
    expect(normalize('')).toBe('')
  })

  it('prepends to text only', () => {
    expect(normalize('', ['Prepend', '▁'])).toBe('')
    expect(normalize('  ', ['Strip', true, true], ['Prepend', '▁'])).toBe('')
    expect(normalize('a', ['Prepend', ''])).toBe('a')
  })

  it('knows no step of another name', () => {
    expect(() => new binding.NativeNormalizer([['NFX'] as unknown as Step])).toThrow(
      'there is no normalizer NFX',
    )
  })
})
