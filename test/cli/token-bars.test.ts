import { expect, it } from 'vitest'
import { palette, visibleWidth } from '../../src/cli/terminal.js'
import { tokenBars } from '../../src/cli/token-bars.js'

const plain = palette(false)

it('draws numbers in proportion', () => {
  const bars = [
    { label: 'user', tokens: 50 },
    { label: 'assistant', tokens: 100 },
    { label: 'free', tokens: 1 },
    { label: 'none', tokens: 0 },
  ]
  expect(tokenBars(bars, 100, 30, plain)).toEqual([
    'user      █████       50  50 %',
    'assistant ██████████ 100 100 %',
    'free      ▏            1   1 %',
    'none                   0   0 %',
  ])
})

it('keeps to the width, whatever a label says', () => {
  const bars = [{ label: `\x1b[31m你好${'x'.repeat(100)}`, tokens: 10 }]
  const [line = ''] = tokenBars(bars, 10, 100, plain)
  expect(line).not.toContain('\x1b')
  expect(visibleWidth(line)).toBe(100)
  expect(tokenBars(bars, 0, 0, plain)[0]).toContain('0 %')
  expect(tokenBars([], 0, 80, plain)).toEqual([])
})

it('paints', () => {
  const [line] = tokenBars([{ label: 'a', tokens: 1, style: 'good' }], 1, 20, palette(true))
  expect(line).toContain('\x1b[32m█')
})
