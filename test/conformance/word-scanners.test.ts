// Scanners against the general matcher, which test/conformance/split-pattern.test.ts compares with the references.
import { describe, expect, it } from 'vitest'
import { compileSplitPattern } from '../../src/load/split-pattern/compile.js'
import { scannedPattern } from '../../src/load/split-pattern/scanned.js'
import binding from '../../src/native.js'
import { mulberry32, randomTexts, wellFormed } from './shared.js'

const SEED = 20261130
const ISOLATED = 1

const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+'
const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const cl100k = (numbers: string) =>
  `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`
const o200k = (contractions: string, numbers: string) =>
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${contractions}|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`

/** As they stand in the files of tokenizers. */
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  'GPT-2': ["'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],
  'cl100k, Llama 3': [cl100k('\\p{N}{1,3}')],
  Qwen: [cl100k('\\p{N}')],
  o200k: [o200k(`${CONTRACTIONS}?`, '\\p{N}{1,3}')],
  tekken: [o200k('', '\\p{N}')],
  'DeepSeek V3': [
    '\\p{N}{1,3}',
    '[一-龥\u3040-ゟ゠-ヿ]+',
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+',
  ],
}

/** What the patterns tell apart: of each class some, and what stands at the borders of ranges. */
const CHARACTERS = [
  ..."aZzAstdmrevlSTDMREVL'''''  \t\v\f\r\n\n/!_-.([{`~@0159",
  ...'\u00a0\u0085\u2028\u3000\u200b\u00ad\0\u001f\u007f',
  ...'éÉßΣσъЪǅʰªº\u01c5中文字龥龦一丁〇\u3400かナー・゠\u3040\u3097\u3099\u309b\u30ff\u3041각가',
  ...'\u0301\u0345\u093f\u20dd①½Ⅷ٣２\u0378\ue000\uffff、。！＋€♥',
  'ſ',
  '\u{1F600}',
  '\u{10FFFF}',
  '\u{1D400}',
  '\u{20000}',
  '\u{1F1E9}',
  "'s",
  "'ll",
  "'Re",
  'word',
  ' Word',
  'WORD',
  '\r\n',
  '  ',
  '    ',
  '123456',
]

function generalBorders(patterns: readonly string[], flavour: 'oniguruma' | 'tiktoken') {
  const matchers = patterns.map(
    (pattern) => new binding.NativeSplitPattern(compileSplitPattern(pattern, flavour)),
  )
  return (text: string): number[] => {
    let words: [number, number][] = text === '' ? [] : [[0, text.length]]
    for (const matcher of matchers) {
      words = words.flatMap(([begin, end]) => {
        const borders = matcher.pieces(text.slice(begin, end), ISOLATED, false)
        return Array.from({ length: borders.length / 2 }, (_, i): [number, number] => [
          begin + (borders[2 * i] as number),
          begin + (borders[2 * i + 1] as number),
        ])
      })
    }
    return words.flat()
  }
}

function same(ours: Uint32Array, theirs: readonly number[]): boolean {
  return ours.length === theirs.length && theirs.every((border, i) => border === ours[i])
}

describe.each(Object.entries(PATTERNS))('%s', (_, patterns) => {
  const scanner = new binding.NativeWordScanner(patterns.map(scannedPattern))
  const compare = (texts: readonly string[]) => {
    const flavours = [generalBorders(patterns, 'oniguruma'), generalBorders(patterns, 'tiktoken')]
    for (const text of texts) {
      const ours = scanner.split(text)
      for (const general of flavours) {
        const theirs = general(text)
        if (!same(ours, theirs)) expect([...ours], JSON.stringify(text)).toEqual(theirs)
      }
    }
  }

  it('texts of all classes of characters', { timeout: 120_000 }, () => {
    const random = mulberry32(SEED)
    const pick = () => CHARACTERS[Math.floor(random() * CHARACTERS.length)] as string
    const texts = Array.from({ length: 10_000 }, (_, i) => {
      const few = i % 3 === 0 ? Array.from({ length: 3 }, pick) : CHARACTERS
      const length = 1 + Math.floor(random() * (i % 50 === 0 ? 200 : 12))
      return Array.from({ length }, () => few[Math.floor(random() * few.length)]).join('')
    })
    compare(texts)
  })

  it('each character alone and beside others', { timeout: 120_000 }, () => {
    const texts: string[] = ['']
    for (let first = 0; first < 0x110000; first += 64) {
      const characters = Array.from({ length: 64 }, (_, i) => first + i)
        .filter((c) => c < 0xd800 || c > 0xdfff)
        .map((c) => String.fromCodePoint(c))
      const between = first < 0x3100 ? ['', ' ', 'a', ' A', "'", '!', '1'] : ['a']
      texts.push(...between.map((separator) => characters.join(separator)))
    }
    compare(texts)
  })

  it('generated texts, words, code and attacks', { timeout: 120_000 }, () => {
    compare(randomTexts(SEED, 1500).map(wellFormed))
  })

  it('hostile texts', { timeout: 120_000 }, () => {
    const units = [
      'a',
      'A',
      'aA',
      ' ',
      '\n',
      '\r\n',
      ' \n',
      '中',
      'か・',
      '\u0301',
      "'",
      "'s",
      '1',
      '!',
      '!\n',
      '\0',
      'ª',
      'ªA',
    ]
    compare(
      units.flatMap((unit) => [unit.repeat(10_000), `${unit.repeat(3000)}x`, `x${unit.repeat(3000)} y`]),
    )
  })
})

it('tells no other pattern for one of these', () => {
  expect(scannedPattern('\\s+')).toBe(0)
  expect(scannedPattern(cl100k('\\p{N}{1,2}'))).toBe(0)
  expect(() => new binding.NativeWordScanner([])).toThrow(RangeError)
  expect(() => new binding.NativeWordScanner([8])).toThrow(RangeError)
})
