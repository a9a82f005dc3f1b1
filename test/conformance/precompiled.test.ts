// The normalizer Precompiled against Hugging Face `tokenizers` itself: text, and offsets for each character.
import { describe, expect, it } from 'vitest'
import { precompiledCharsmap } from '../../scripts/precompiled-charsmap.mjs'
import { CHARACTERS, hardTexts, NormalizerPair } from './normalizer-pair.js'
import { mulberry32, randomTexts } from './shared.js'

const SEED = 20261202
type Rules = readonly (readonly [from: string, to: string])[]

function precompiled(rules: Rules): object {
  const precompiled_charsmap = Buffer.from(precompiledCharsmap(rules)).toString('base64')
  return { type: 'Precompiled', precompiled_charsmap }
}

/** Characters of every class that the rules of grapheme clusters know, in as many bytes as there are. */
const CLUSTERS = {
  other: ['a', 'b', 'é', '你', '\u{10000}', '0'],
  control: ['\n', '\r', '\r\n', '\u0001', '\u0085', '\u200b', '\u2028', '\u{e0001}', '\u{13430}'],
  extend: ['\u0300', '\u0301', '\u200c', '\ufe0f', '\u20e3', '\u{1f3fd}', '\u{e0100}', '\u{101fd}', '\u0e31'],
  conjunct: ['क', '\u094d', '\u0d4d', 'ത', '\u093c', '\u1000', '\u1039', '\u{11133}', '\u{11107}', '\u17d2'],
  spacing: ['\u0903', '\u093f', '\u0e33', '\u{11000}', '\u{1d165}', '\u302e'],
  prepend: ['\u0600', '\u0601', '\u06dd', '\u08e2', '\u0d4e', '\u{110bd}', '\u{111c2}'],
  hangul: ['\u1100', '\u1161', '\u11a8', '가', '각', '\ua960', '\ud7b0', '\ud7cb', '\u{16d63}'],
  emoji: ['©', '®', '\u203c', '☃', '😀', '\u200d', '\u200d©', '🇩', '🇪', '🀄'],
}
const POOL = Object.values(CLUSTERS).flat()

/** Texts of a few of these, and random rules for them. */
class Clusters {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = mulberry32(seed)
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n)
  }

  #pick(): string {
    const kinds = Object.values(CLUSTERS)
    const kind = kinds[this.#below(kinds.length)] as string[]
    return kind[this.#below(kind.length)] as string
  }

  #some(least: number, most: number): string {
    return Array.from({ length: least + this.#below(most - least + 1) }, () => this.#pick()).join('')
  }

  texts(count: number): string[] {
    return Array.from({ length: count }, () => this.#some(1, 9))
  }

  rules(): Rules {
    return Array.from({ length: 1 + this.#below(24) }, () => [
      this.#some(1, this.#below(3) === 0 ? 3 : 1),
      this.#below(4) === 0 ? '' : this.#some(1, 3),
    ])
  }
}

/** Every character of the pool becomes another, so that all clusters that are short show. */
const SHOWING: Rules = POOL.flatMap((text) => Array.from(text)).map((character) => [character, 'X'])

describe('grapheme clusters', { timeout: 60_000 }, () => {
  const pair = NormalizerPair.ofJson(precompiled(SHOWING))

  it('of every pair, with a mark behind', () => {
    for (const left of POOL) {
      expect(pair.differences(POOL.flatMap((right) => [left + right, `${left}${right}\u0300`]))).toEqual([])
    }
  })

  it('of every three', () => {
    for (const left of POOL) {
      const rest = POOL.flatMap((middle) => POOL.map((right) => `${left}${middle}${right}\u0300`))
      expect(pair.differences(rest)).toEqual([])
    }
  })

  it('of every code point, before and behind others', () => {
    for (const frame of [
      'a*',
      '\u0600*',
      '*a',
      '*\u0300',
      '*\u0300\u0301',
      '©*\u200d©\u0300',
      'क*क\u0300',
      '*\u094dक\u0300',
    ]) {
      expect(pair.differences(CHARACTERS.map((c) => frame.replace('*', () => c)))).toEqual([])
    }
  })

  it('of random texts', async () => {
    expect(await pair.differencesWithOffsets(new Clusters(SEED).texts(20_000))).toEqual([])
  })
})

describe('random rules', { timeout: 60_000 }, () => {
  it('give the same text and offsets', async () => {
    for (let round = 0; round < 300; round++) {
      const clusters = new Clusters(SEED + round)
      const rules = clusters.rules()
      const found = await NormalizerPair.ofJson(precompiled(rules)).differencesWithOffsets(
        clusters.texts(100),
      )
      expect(found, JSON.stringify(rules)).toEqual([])
    }
  })

  it('in sequences', async () => {
    const others = ['NFKC', 'NFD', 'Lowercase', 'StripAccents', 'Nmt'].map((type) => ({ type }))
    for (let round = 0; round < 50; round++) {
      const clusters = new Clusters(SEED + round)
      const one = others[round % others.length] as object
      const rules = precompiled(clusters.rules())
      const steps = round % 2 === 0 ? [one, rules] : [rules, one, rules]
      const texts = [...clusters.texts(60), ...hardTexts(SEED + round, 60), ...randomTexts(SEED + round, 30)]
      expect(await NormalizerPair.ofJson(...steps).differencesWithOffsets(texts)).toEqual([])
    }
  })
})

describe('traps', () => {
  const traps: readonly (readonly [name: string, rules: Rules, text: string, normalized: string])[] = [
    ['a mark is lost with the cluster that it stands in', [['a', 'b']], 'a\u0301c', 'bc'],
    ['but not from a cluster of six bytes', [['a', 'b']], 'a\u0301\u0301\u0301', 'b\u0301\u0301\u0301'],
    ['nor from one that begins with no rule', [['a', 'b']], 'c\u0301a', 'c\u0301b'],
    [
      'the shortest rule counts',
      [
        ['e', 'f'],
        ['e\u0301', 'é'],
      ],
      'e\u0301',
      'f',
    ],
    ['one for the whole cluster counts if it is alone', [['e\u0301', 'é']], 'e\u0301', 'é'],
    ['a rule for several clusters never counts', [['ab', 'x']], 'ab', 'ab'],
    ['nor does one for a long cluster', [['か\u3099', 'が']], 'か\u3099', 'か\u3099'],
    ['marks in a long cluster have rules of their own', [['\u3099', '!']], 'か\u3099', 'か!'],
    ['CR LF is one cluster', [['\r', ' ']], 'a\r\nb', 'a b'],
    ['what goes at the beginning', [['\u0001', '']], '\u0001ab', 'ab'],
    ['what goes altogether', [['a', '']], 'aa', ''],
    ['NUL has no rules', [['a', 'b']], '\0a', '\0b'],
    ['a rule that changes nothing', [['a', 'a']], 'ba', 'ba'],
    ['no text', [['a', 'b']], '', ''],
  ]
  it.each(traps)('%s', async (_, rules, text, normalized) => {
    const pair = NormalizerPair.ofJson(precompiled(rules))
    expect(pair.normalize(text)).toBe(normalized)
    expect(await pair.differencesWithOffsets([text])).toEqual([])
  })
})
