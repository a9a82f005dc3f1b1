// Split patterns against the regex engines of Hugging Face tokenizers (Oniguruma) and tiktoken (fancy-regex).
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compileSplitPattern } from '../../src/load/split-pattern/compile.js'
import binding from '../../src/native.js'
import { describeShared, mulberry32, randomTexts, sharedFile, wellFormed } from './shared.js'

const SEED = 20261130
const BEHAVIOURS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']

function native(pattern: string, flavour: 'oniguruma' | 'tiktoken' = 'oniguruma') {
  return new binding.NativeSplitPattern(compileSplitPattern(pattern, flavour))
}

function slices(text: string, borders: Uint32Array): string[] {
  return Array.from({ length: borders.length / 2 }, (_, i) => text.slice(borders[i * 2], borders[i * 2 + 1]))
}

describeShared('the split oracle of tokenizers.js (Python tokenizers 0.22.2)', () => {
  interface Case {
    name?: string
    id?: string
    patternId?: string
    pattern: string
    behavior?: string
    invert?: boolean
    inputs?: string[]
  }
  const read = (name: string) =>
    readFileSync(sharedFile('data', 'peer-tests', 'tokenizers.js', name) as string)

  it('2,027 checks', () => {
    const patterns = JSON.parse(read('splitRegexPatterns.json').toString('utf8')) as {
      defaults: Required<Pick<Case, 'behavior' | 'invert' | 'inputs'>>
      patterns: (Case & { id: string })[]
      additionalCases: (Case & { name: string; patternId: string })[]
    }
    const oracle = JSON.parse(gunzipSync(read('splitRegexOracle.json.gz')).toString('utf8')) as {
      tokens: Record<string, string[][]>
    }
    const byId = new Map(patterns.patterns.map((pattern) => [pattern.id, pattern]))
    const cases = [
      ...patterns.patterns.map((pattern) => ({ ...pattern, name: pattern.name ?? pattern.id })),
      ...patterns.additionalCases.map((more) => ({ ...byId.get(more.patternId), ...more })),
    ].map((c) => ({ ...patterns.defaults, ...c }))
    const wrong: string[] = []
    let checks = 0
    for (const { name, pattern, behavior, invert, inputs } of cases) {
      let ours: ReturnType<typeof native>
      try {
        ours = native(pattern as string)
      } catch (error) {
        wrong.push(`${name}: ${error}`)
        checks += inputs.length
        continue
      }
      inputs.forEach((text, i) => {
        checks++
        const pieces = slices(text, ours.pieces(text, BEHAVIOURS.indexOf(behavior), invert))
        const expected = oracle.tokens[name]?.[i]
        if (JSON.stringify(pieces) !== JSON.stringify(expected)) {
          wrong.push(`${name} ${pattern} ${JSON.stringify({ text, pieces, expected })}`)
        }
      })
    }
    expect(wrong).toEqual([])
    expect(checks).toBe(2027)
  })
})

describeShared('character classes over all code points', () => {
  it.each([
    ['oniguruma', 'onig_classes.json'],
    ['tiktoken', 'tiktoken_classes.json'],
  ] as const)('of %s', (flavour, file) => {
    const classes = JSON.parse(readFileSync(sharedFile('data', 'unicode', file) as string, 'utf8')) as Record<
      string,
      string[]
    >
    expect(Object.keys(classes)).toContain('L')
    for (const [name, ranges] of Object.entries(classes)) {
      const letter = /^i_(.)$/.exec(name)?.[1]
      const escaped = /^[a-z]$/.test(name) ? `\\${name}` : `\\p{${name}}`
      const ours = native(letter === undefined ? escaped : `(?i:${letter})`, flavour)
      const found = new Set<number>()
      for (let first = 1; first < 0x110000; first += 4096) {
        const text = textOfRange(first, Math.min(first + 4095, 0x10ffff))
        for (const match of slices(text, ours.split(text))) found.add(match.codePointAt(0) as number)
      }
      const expected = ranges.flatMap((range) => {
        const [first, last = first] = range.split('-').map((digits) => Number.parseInt(digits, 16)) as [
          number,
          number?,
        ]
        return Array.from({ length: last - first + 1 }, (_, i) => first + i)
      })
      expect(Array.from(found), name).toEqual(expected)
    }
  })
})

/** Without surrogates, which stand in no UTF-8. */
function textOfRange(first: number, last: number): string {
  let text = ''
  for (let c = first; c <= last; c++) if (c < 0xd800 || c > 0xdfff) text += String.fromCodePoint(c)
  return text
}

/** The patterns of well-known tokenizers. */
const PATTERNS: Readonly<Record<string, string>> = {
  'GPT-2': "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  cl100k:
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  o200k:
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  Qwen: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  'tiktoken cl100k':
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
  'DeepSeek digits': '\\p{N}{1,3}',
  'DeepSeek CJK': '[一-龥\\u0800-一가-\\ud7ff]+',
  'DeepSeek words':
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
  BLOOM: ' ?[^(\\s|[.,!?…。，、।۔،])]+',
  Unigram: '\\s+|\\w+|[^\\w\\s]+',
  words: '\\b\\w+\\b|(?<=[a-z])\\d|(?<!\\n)^ +$',
}

interface Reference {
  encode(text: string, pair: null, options: object): Promise<{ getOffsets(): [number, number][] }>
}

/** The pieces of real `tokenizers`, whose offsets are code points. */
function reference(pattern: string, behavior: string, invert: boolean) {
  const { Tokenizer } = createRequire(import.meta.url)('tokenizers') as {
    Tokenizer: { fromString(json: string): Reference }
  }
  const tokenizer = Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior, invert },
      post_processor: null,
      decoder: null,
      model: { type: 'WordLevel', vocab: { '<unk>': 0 }, unk_token: '<unk>' },
    }),
  )
  return async (text: string) => {
    const characters = Array.from(text)
    const encoded = await tokenizer.encode(text, null, { addSpecialTokens: false })
    return encoded.getOffsets().map(([begin, end]) => characters.slice(begin, end).join(''))
  }
}

describe('real tokenizers 0.23.2', () => {
  it.each(Object.entries(PATTERNS))('%s on 5,000 texts', { timeout: 120_000 }, async (name, pattern) => {
    const texts = randomTexts(SEED, 5000).map(wellFormed)
    const ours = native(pattern)
    const expected = reference(pattern, 'Isolated', false)
    for (const text of texts) {
      const pieces = slices(text, ours.pieces(text, 1, false))
      const theirs = await expected(text)
      if (pieces.length !== theirs.length || pieces.some((piece, i) => piece !== theirs[i])) {
        expect(pieces, `${name}: ${JSON.stringify(text)}`).toEqual(theirs)
      }
    }
  })

  it('random patterns of all constructs', { timeout: 120_000 }, async () => {
    const random = randomNumbers(SEED)
    const count = { patterns: 0, texts: 0 }
    const wrong: string[] = []
    for (let i = 0; i < 4000; i++) {
      const pattern = randomPattern(random)
      const behaviour = random(5)
      const invert = random(2) === 0
      let expected: ReturnType<typeof reference>
      let ours: ReturnType<typeof native>
      try {
        expected = reference(pattern, BEHAVIOURS[behaviour] as string, invert)
      } catch {
        continue
      }
      try {
        ours = native(pattern)
      } catch (error) {
        if (!String(error).includes('repetition of what may be empty')) wrong.push(`${pattern}: ${error}`)
        continue
      }
      count.patterns++
      for (let k = 0; k < 6; k++) {
        const text = Array.from({ length: 1 + random(9) }, () => 'aabbcA \n1é'[random(10)]).join('')
        const pieces = slices(text, ours.pieces(text, behaviour, invert))
        const theirs = await expected(text)
        count.texts++
        if (JSON.stringify(pieces) === JSON.stringify(theirs)) continue
        wrong.push(
          `${pattern} ${BEHAVIOURS[behaviour]} ${invert} ${JSON.stringify({ text, pieces, theirs })}`,
        )
      }
    }
    expect(wrong).toEqual([])
    expect(count.patterns).toBeGreaterThan(1000)
  })
})

function randomNumbers(seed: number): (n: number) => number {
  const random = mulberry32(seed)
  return (n) => Math.floor(random() * n)
}

/** A pattern over a few letters that holds what the compiler knows. */
function randomPattern(random: (n: number) => number): string {
  const pick = (list: readonly string[]) => list[random(list.length)] as string
  const atom = (depth: number): string => {
    if (depth === 0 || random(3) === 0) {
      return pick([
        'a',
        'b',
        'c',
        'ab',
        ' ',
        '.',
        '\\w',
        '\\s',
        '\\d',
        '[ab]',
        '[^a]',
        '[a-c&&[^b]]',
        '\\p{L}',
        '\\p{Lu}',
        '\\n',
        '\\S',
        '[^\\s[b]]',
      ])
    }
    const body = alternatives(depth - 1)
    return pick([
      `(?:${body})`,
      `(?:${body})`,
      `(${body})`,
      `(?>${body})`,
      `(?i:${body})`,
      `(?=${body})`,
      `(?!${body})`,
      `(?<=${pick(['a', 'b', '[ab]', 'ab', '\\n', 'a|b', 'ab|c', '\\w\\s'])})`,
      `(?<!${pick(['a', 'b', '[ab]', 'ab', '\\n', 'a|b', 'ab|c', '\\w\\s'])})`,
    ])
  }
  const quantified = (depth: number): string => {
    const element = atom(depth)
    if (element.startsWith('(?=') || element.startsWith('(?!') || element.startsWith('(?<')) return element
    const whole = element.length === 2 && !element.startsWith('\\') ? `(?:${element})` : element
    // Oniguruma takes exponential time for loops in loops, and real `tokenizers` then ends the process.
    const loops = /^\((?!\?>).*(?:[*+]|,\})/.test(whole)
    const few = ['', '', '', '?', '??', '?+', '{2}', '{1,3}', '{0,2}?', '{2}?', '{,2}']
    return whole + pick(loops ? few : [...few, '*', '+', '*?', '+?', '*+', '++', '{2,}', '{2}+'])
  }
  const sequence = (depth: number): string =>
    Array.from({ length: 1 + random(3) }, () =>
      random(10) === 0 ? pick(['^', '$', '\\b', '\\B', '\\A', '\\z', '\\Z', '\\G']) : quantified(depth),
    ).join('')
  const alternatives = (depth: number): string =>
    Array.from({ length: 1 + random(3) }, () => sequence(depth)).join('|')
  return alternatives(2)
}
