// Patterns are found where the engine's own regular expressions find them, in time that grows with the text alone.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LinearPattern } from '../../src/tools/linear-pattern.js'

const PLENTY = 100_000_000
const found = (pattern: string, text: string): boolean | undefined =>
  LinearPattern.compile(pattern)?.test(text, { left: PLENTY })

/** Patterns of the constructs that there are. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ any: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'ab', '-', ' ', 'é', '👋', '.', ',') },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '\\d',
        '\\w',
        '\\s',
        '\\S',
        '\\.',
        '\\u0061',
        '\\x62',
        '\\u{1F44B}',
        '\\uD83D\\uDC4B',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '[a-c]',
        '[^a]',
        '[\\]a]',
        '[\\w.-]',
        '[]',
        '[^]',
        '\\p{L}',
        '[\\p{Lu}👋]',
        '[(]',
      ),
    },
    { weight: 2, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
    { weight: 2, arbitrary: tie('any').map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie('any').map((inner) => `(${inner})`) },
    { weight: 1, arbitrary: tie('any').map((inner) => `(?<n>${inner.replaceAll('?<n>', '')})`) },
  ),
  any: fc
    .array(
      fc.array(
        fc.tuple(
          tie('atom'),
          fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{2,3}?'),
        ),
        { maxLength: 4 },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((choices) =>
      choices
        .map((terms) =>
          terms.map(([atom, times]) => (/^(?:[$^]|\\[bB])$/.test(atom) ? atom : atom + times)).join(''),
        )
        .join('|'),
    ),
})).any

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', '1', '-', ' ', '.', '\n', 'é', '👋', '\ud83d', ']', '('), {
    maxLength: 6,
  })
  .map((all) => all.join(''))

/** Whether it matches at any character. By itself V8 looks between the halves of a surrogate pair too, where `\B` holds. */
function begins(sticky: RegExp, text: string): boolean {
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    sticky.lastIndex = at
    if (sticky.test(text)) return true
  }
  return false
}

it('finds what RegExp finds', () => {
  let compiled = 0
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
      if (source.length > 40) return // the engine may take for ever
      let expected: RegExp
      try {
        expected = new RegExp(source, 'uy')
      } catch {
        return
      }
      for (const each of texts) {
        const result = found(source, each)
        if (result === undefined) continue
        compiled++
        expect(result).toBe(begins(expected, each))
      }
    }),
    { numRuns: 3000 },
  )
  expect(compiled).toBeGreaterThan(3000)
})

it.each([
  ['^[A-Z]{2}\\d{4}$', 'DE1234', true],
  ['^[A-Z]{2}\\d{4}$', 'DE12345', false],
  ['^\\d{4}-\\d{2}-\\d{2}$', '2024-02-30', true],
  ['[\\w\\-\\.]+@[\\w\\-]+', 'a-b@c', true],
  ['^[\\_\\w]+$', 'a_b', true], // no pattern with `u`
  ['^\\_+$', 'x', false],
  ['', 'anything', true],
  ['^$', '', true],
  ['^.$', '👋', true],
  ['a{,2}', 'a{,2}', true],
])('%s in %j: %s', (source, input, expected) => {
  expect(found(source, input)).toBe(expected)
})

describe('patterns that other engines take for ever to search', () => {
  it.each([
    ['^(a+)+$', `${'a'.repeat(50_000)}!`],
    ['^(a|a)*$', `${'a'.repeat(50_000)}!`],
    ['^(a|aa)+$', `${'a'.repeat(50_000)}!`],
    ['(x+x+)+y', 'x'.repeat(50_000)],
    [
      '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
      'a'.repeat(50_000),
    ],
    ['(?:(?:)*)*z', 'x'.repeat(50_000)],
    ['(?:a?){50}a{50}$', `${'a'.repeat(2_000)}b`],
  ])('%s', (source, input) => {
    expect(found(source, input)).toBe(false)
  })

  it('end where the budget does', () => {
    const budget = { left: 1000 }
    expect(LinearPattern.compile('^(a+)+$')?.test('a'.repeat(1e6), budget)).toBeUndefined()
    expect(budget.left).toBeLessThanOrEqual(0)
  })
})

it.each([
  '(',
  '[b-a]',
  '(a)\\1',
  '(?<n>a)\\k<n>',
  'a(?=b)',
  'a(?!b)',
  '(?<=a)b',
  '(?<!a)b',
  'a{100000}',
  '(?:(?:a{100}){100}){100}',
  '(?:a{0,1000}){0,1000}',
  `${'('.repeat(300)}a${')'.repeat(300)}`,
  'a'.repeat(20_000),
])('cannot search %j', (source) => {
  expect(LinearPattern.compile(source)).toBeUndefined()
})
