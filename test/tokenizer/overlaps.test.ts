import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { overlapWarnings, type Spelling } from '../../src/tokenizer/overlaps.js'

const raw = (names: readonly string[], first = 0): Spelling[] =>
  names.map((name, i) => ({ id: first + i, name, normalized: false }))
const late = (names: readonly string[], first = 0): Spelling[] =>
  raw(names, first).map((spelling) => ({ ...spelling, normalized: true }))

function pairs(
  reserved: readonly Spelling[],
  texts: readonly Spelling[],
): [text: string, reserved: string][] {
  return overlapWarnings(reserved, texts).map((warning) => {
    if (warning.code !== 'RESERVED_TEXT_OVERLAP') throw new Error(warning.message)
    return [warning.text.name, warning.reserved.name]
  })
}

/** The rule, looked at place by place. */
function overlaps(text: string, reserved: string): boolean {
  for (let start = 0; start < text.length; start++) {
    const rest = text.slice(start)
    if (rest.startsWith(reserved) || (start > 0 && reserved.startsWith(rest))) return true
  }
  return false
}

describe('an added token that is text overlaps a reserved one', () => {
  it.each<[text: string, reserved: string, boolean]>([
    ['\n<', '<|user|>', true], // begins before
    ['<|user|>x', '<|user|>', true], // is longer
    ['x<|user|>', '<|user|>', true],
    ['x<|user|>x', '<|user|>', true],
    ['<|us', '<|user|>', false], // leftmost and longest is the reserved one
    ['user', '<|user|>', false],
    ['|>x', '<|user|>', false], // the reserved one begins before
    ['<<|', '<|user|>', true],
    ['< <', '<|user|>', true],
    ['aba', 'ab', true],
    ['ab', 'aba', false],
    ['é', 'e', false],
  ])('%j and %j: %j', (text, reserved, expected) => {
    expect(pairs(raw([reserved]), raw([text], 9))).toEqual(expected ? [[text, reserved]] : [])
    expect(overlaps(text, reserved)).toBe(expected)
  })

  it('as a slow look at all pairs says', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '<'), minLength: 1, maxLength: 5 })
    const names = fc.uniqueArray(name, { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(names, fc.nat(), (names, n) => {
        const middle = 1 + (n % (names.length - 1))
        const [reserved, texts] = [names.slice(0, middle), names.slice(middle)]
        const expected = texts.filter((text) => reserved.some((other) => overlaps(text, other)))
        const found = pairs(raw(reserved), raw(texts, 100))
        expect(found.map(([text]) => text)).toEqual(expected)
        for (const [text, other] of found) expect(overlaps(text, other)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('in any way, if the reserved one is looked for later', () => {
    for (const text of ['user', '<|us', '|>x', 'x<', 'a<|user|>']) {
      expect(pairs(late(['<|user|>']), raw([text], 9))).toEqual([[text, '<|user|>']])
    }
    expect(pairs(late(['<|user|>']), raw(['x', '<u', '||'], 9))).toEqual([])
    expect(pairs(raw(['<|user|>']), late(['x<|user|>'], 9))).toEqual([])
    expect(pairs(late(['<|user|>']), late(['x<', 'user'], 9))).toEqual([['x<', '<|user|>']])
  })

  it('and says so in words', () => {
    const [warning] = overlapWarnings(raw(['<|user|>'], 7), raw(['\n<'], 9))
    expect(warning).toEqual({
      code: 'RESERVED_TEXT_OVERLAP',
      reserved: { id: 7, name: '<|user|>' },
      text: { id: 9, name: '\n<' },
      message: expect.stringContaining('"\\n<" (id 9) is text and overlaps the reserved "<|user|>" (id 7)'),
    })
  })

  it('twenty times, then they are counted', () => {
    const texts = Array.from({ length: 50 }, (_, i) => `${i} <`)
    const warnings = overlapWarnings(raw(['<|user|>']), raw(texts, 9))
    expect(warnings).toHaveLength(21)
    expect(warnings.at(-1)).toMatchObject({ code: 'MORE_OVERLAPS', count: 30 })
  })

  it('among many tokens and long ones', () => {
    const many = (name: (i: number) => string) => Array.from({ length: 6000 }, (_, i) => name(i))
    const reserved = raw(many((i) => `<unused${i}>`))
    const texts = raw([...many((i) => `${'\n'.repeat(1 + (i % 30))}${i}`), '\n<'], 10_000)
    expect(pairs(reserved, texts)).toEqual([['\n<', '<unused0>']])
    const long = 'a'.repeat(2 ** 21)
    expect(overlapWarnings(raw([`${long}b`, '<|user|>']), raw([`${long}c`, 'x<'], 9))).toHaveLength(0)
    expect(pairs(raw(['<|user|>', `${long}b`]), raw(['x<'], 9))).toEqual([['x<', '<|user|>']])
  })
})
