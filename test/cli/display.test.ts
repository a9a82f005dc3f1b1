import { expect, it } from 'vitest'
import { TokenDisplay } from '../../src/cli/display.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { palette, visibleWidth } from '../../src/cli/terminal.js'
import { control } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

const tokenizer = await Tokenizer.load(defaultModelPath())
const display = new TokenDisplay(tokenizer, palette(false), 10, 60)

it('draws pieces, control tokens and characters of several bytes', () => {
  const ids = Array.from(tokenizer.encode([control('<|user|>'), '爨😀\x07 <|user|>']))
  const tokens = display.tokens(ids, (name, index) => `${index}!${name}`)
  expect(tokens.slice(0, 2)).toEqual(['0!<|user|>', '▁'])
  expect(tokens.join('')).toBe('0!<|user|>▁爨😀\\x07▁<|user|>')
  expect(ids.map((id) => display.isControl(id)).filter(Boolean)).toHaveLength(1)
})

it('draws bytes that make no character as they are spelled, and ids that are none', () => {
  const bytes = Array.from(tokenizer.encode('爨')).slice(1)
  expect(display.tokens(bytes)).toEqual(['爨'])
  expect(display.tokens(bytes.slice(1)).join(' ')).toMatch(/^<0x[0-9A-F]{2}> <0x[0-9A-F]{2}>$/)
  expect(display.tokens([...bytes.slice(0, 1), ...tokenizer.encode('a')])[0]).toMatch(/^<0x[0-9A-F]{2}>$/)
  expect(display.tokens([99_999_999])).toEqual(['?99999999?'])
})

it('keeps to the width', () => {
  const rows = display.row('title', Array(30).fill('北京'))
  expect(rows[0]).toMatch(/^ {2}title {3}北京 /)
  expect(rows[1]).toMatch(/^ {10}北京 /)
  expect(Math.max(...rows.map(visibleWidth))).toBeLessThanOrEqual(60)
  expect(display.row('empty', [])).toEqual(['  empty   '])
  const ids = display.idRow(Array(100).fill(8000))
  expect(ids).toMatch(/^ {10}8000 .* … \d+ more$/)
  expect(visibleWidth(ids)).toBeLessThanOrEqual(60)
})
