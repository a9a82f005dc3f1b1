import { describe, expect, it } from 'vitest'
import {
  padVisible,
  palette,
  printable,
  terminalText,
  visibleWidth,
  wantsColours,
  wrapTokens,
} from '../../src/cli/terminal.js'

const write = (): void => {}

describe('wantsColours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [undefined, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
  ])('isTTY %s with %j is %s', (isTTY, env, expected) => {
    expect(wantsColours({ write, isTTY }, env)).toBe(expected)
  })
})

it('leaves text alone without colours', () => {
  for (const paint of Object.values(palette(false))) expect(paint('x')).toBe('x')
  expect(palette(true).bad('x')).toBe('\x1b[31mx\x1b[39m')
  expect(palette(true).bad('')).toBe('')
})

it('counts columns', () => {
  expect(visibleWidth('abc')).toBe(3)
  expect(visibleWidth('北京，')).toBe(6)
  expect(visibleWidth('▁e\u0301…')).toBe(3)
  expect(visibleWidth('😀𠀀')).toBe(4)
  expect(visibleWidth(palette(true).bad('北'))).toBe(2)
  expect(padVisible('北', 4)).toBe('北  ')
})

it('wraps by visible width and never breaks a token', () => {
  const { bad } = palette(true)
  expect(wrapTokens(['北京', 'a', 'b', 'toolong', 'c'], 6)).toEqual(['北京 a', 'b', 'toolong', 'c'])
  expect(wrapTokens([bad('ab'), bad('cd'), 'e'], 5)).toEqual([`${bad('ab')} ${bad('cd')}`, 'e'])
  expect(wrapTokens([], 5)).toEqual([])
})

it('escapes what could drive the terminal', () => {
  expect(printable('a\n\t\r\x1b[31m\u202e\u2028\x7f北')).toBe('a\\n\\t\\r\\x1b[31m\\u{202e}\\u{2028}\\x7f北')
})

it('leaves the lines of a text and its emoji alone, but no control character', () => {
  expect(terminalText('a\n\tb\r\x1b[31m\x07\x9b👨‍👩‍👧é北')).toBe('a\n\tb\\r\\x1b[31m\\x07\\x9b👨‍👩‍👧é北')
})
