import { expect, it } from 'vitest'
import { estimateTokens } from '../../src/budget/estimate-tokens.js'

it.each([
  ['', 0, 1],
  ['hello world', 4, 4], // 3.3
  ['a'.repeat(10), 3, 4],
  ['你好', 4, 4], // 3.6, and 3
  ['你好, world', 6, 6], // 5.7, and 5.1
  ['一鿿㐀ꀀ', 5, 4], // two of them count as Chinese: 4.2, and 3.6
  ['👋👋', 1, 1], // code points, not units
  ['\ud800a', 1, 1],
])('%j is about %d tokens, and %d in the variant of the demo', (text, rounded, demo) => {
  expect(estimateTokens(text)).toBe(rounded)
  expect(estimateTokens(text, { variant: 'demo' })).toBe(demo)
})

it('refuses what makes no sense', () => {
  expect(() => estimateTokens(1 as never)).toThrow('a text was expected, not number')
  expect(() => estimateTokens('', { variant: 'x' as never })).toThrow("'rounded-up' or 'demo'")
})
