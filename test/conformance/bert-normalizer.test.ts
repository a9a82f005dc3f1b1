// BertNormalizer and Nmt against Hugging Face `tokenizers` itself: text, and offsets for each character.
import { describe, expect, it } from 'vitest'
import { CHARACTERS, hardTexts, NormalizerPair } from './normalizer-pair.js'
import { mulberry32, randomTexts } from './shared.js'

const SEED = 20261201
const OFF = { clean_text: false, handle_chinese_chars: false, strip_accents: false, lowercase: false }
const bert = (flags: object = {}): object => ({ type: 'BertNormalizer', ...OFF, ...flags })
const NMT = { type: 'Nmt' }
const UNCASED = bert({ clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true })

/** Every combination of flags. */
const ALL = [true, false].flatMap((clean_text) =>
  [true, false].flatMap((handle_chinese_chars) =>
    [true, false, null].flatMap((strip_accents) =>
      [true, false].map((lowercase) => bert({ clean_text, handle_chinese_chars, strip_accents, lowercase })),
    ),
  ),
)
const flagsOf = (normalizer: object): string => Object.values(normalizer).join(' ')
const named = (normalizers: readonly object[]) => normalizers.map((one) => [flagsOf(one), one] as const)

describe('every code point', { timeout: 60_000 }, () => {
  const alone = [
    { clean_text: true },
    { handle_chinese_chars: true },
    { strip_accents: true },
    { lowercase: true },
  ]
  it.each(named([...alone.map(bert), UNCASED, NMT]))('%s', (_, normalizer) => {
    const pair = NormalizerPair.ofJson(normalizer)
    expect(pair.differences(CHARACTERS)).toEqual([])
    expect(pair.differences(CHARACTERS.map((character) => `a${character}É`))).toEqual([])
  })
})

describe('random texts', { timeout: 60_000 }, () => {
  it.each(named([...ALL, NMT]))('%s', async (_, normalizer) => {
    const texts = [...hardTexts(SEED, 1000), ...randomTexts(SEED, 500)]
    expect(await NormalizerPair.ofJson(normalizer).differencesWithOffsets(texts)).toEqual([])
  })

  it('in sequences', async () => {
    const random = mulberry32(SEED)
    const others = [
      ...['NFC', 'NFKC', 'Lowercase', 'StripAccents'].map((type) => ({ type })),
      { type: 'Strip', strip_left: true, strip_right: true },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      { type: 'Prepend', prepend: '你' },
    ]
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    for (let round = 0; round < 100; round++) {
      const steps = Array.from({ length: 2 + Math.floor(random() * 3) }, () =>
        pick([...others, ...ALL.slice(0, 4), UNCASED, NMT]),
      )
      const found = await NormalizerPair.ofJson(...steps).differencesWithOffsets(hardTexts(SEED + round, 100))
      expect(found, JSON.stringify(steps)).toEqual([])
    }
  })
})

describe('traps', () => {
  const texts: readonly (readonly [name: string, normalizer: object, text: string, normalized: string])[] = [
    ['a final sigma is like any other', UNCASED, 'ὈΔΥΣΣΕΎΣ ΟΣ', 'οδυσσευσ οσ'],
    ['astral ideographs stand alone', UNCASED, '\u{20000}\u{20001}a', ' \u{20000}  \u{20001} a'],
    ['but not those of the gap from 2B820', UNCASED, '\u{2b820}\u{2b91f}', '\u{2b820}\u{2b91f}'],
    ['whose neighbours do', UNCASED, '\u{2b81f}\u{2b920}', ' \u{2b81f}  \u{2b920} '],
    ['compatibility ideographs are spaced, then decomposed', UNCASED, '\uf900', ' \u8c48 '],
    ['kana and syllables are no ideographs', UNCASED, 'か한', 'か\u1112\u1161\u11ab'],
    ['U+FFFE stays', UNCASED, 'a\ufffeb', 'a\ufffeb'],
    ['U+FFFD goes', UNCASED, 'a\ufffdb\ud800c', 'abc'],
    ['unassigned characters stay', UNCASED, 'a\u0378b', 'a\u0378b'],
    ['characters for private use go', UNCASED, 'a\ue000b\u{f0000}c\u{10fffd}', 'abc'],
    ['control characters go', UNCASED, 'a\0b\u001bc\u0085d\u200be\u00adf\ufeff', 'abcdef'],
    ['white space becomes spaces', UNCASED, 'a\tb\nc\rd\u00a0e\u3000f\u2028g', 'a b c d e f g'],
    ['vertical tab and form feed are control characters', UNCASED, 'a\u000bb\u000c', 'ab'],
    ['marks that are newer than Unicode 8 stay', UNCASED, 'a\u1dfaa\u08d4', 'a\u1dfaa\u08d4'],
    ['spacing marks stay', UNCASED, 'का', 'का'],
    ['dotted capital I', UNCASED, 'İ', 'i'],
    [
      'accents stay where only case goes',
      bert({ lowercase: true, strip_accents: false }),
      'ÉİΣ',
      'éi\u0307σ',
    ],
    ['accents go where only they do', bert({ strip_accents: true }), 'Éa\u0301Å', 'EaA'],
    ['Nmt removes', NMT, '\u0001\u0008\u000b\u000e\u001f\u007f\u008f\u009f', ''],
    ['Nmt makes spaces', NMT, '\t\n\f\r\u1680\u200b\u200f\u2028\u2029▁\ufeff\ufffd', ' '.repeat(12)],
    [
      'Nmt leaves',
      NMT,
      '\0\u0080\u0085\u0090\u00a0\u2000\u202f\u3000',
      '\0\u0080\u0085\u0090\u00a0\u2000\u202f\u3000',
    ],
  ]
  it.each(texts)('%s', async (_, normalizer, text, normalized) => {
    const pair = NormalizerPair.ofJson(normalizer)
    expect(pair.normalize(text)).toBe(normalized)
    expect(await pair.differencesWithOffsets([text])).toEqual([])
  })
})
