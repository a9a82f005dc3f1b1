import { expect, it } from 'vitest'
import { quoted, shortened } from '../../src/load/quoted.js'

it('quotes short names as they are', () => {
  expect(quoted('<|user|>')).toBe('"<|user|>"')
  expect(quoted('a"b\n')).toBe('"a\\"b\\n"')
  expect([quoted(null), quoted(7), quoted(['a']), quoted(undefined)]).toEqual([
    'null',
    '7',
    '["a"]',
    'undefined',
  ])
})

it('cuts long ones, between characters', () => {
  expect(shortened('a'.repeat(80))).toBe('a'.repeat(80))
  expect(shortened('a'.repeat(81))).toBe(`${'a'.repeat(79)}…`)
  expect(shortened(`${'a'.repeat(78)}😀aa`)).toBe(`${'a'.repeat(78)}…`)
  expect(shortened(`${'a'.repeat(77)}😀aa`)).toBe(`${'a'.repeat(77)}😀…`)
  expect(quoted('\0'.repeat(1000)).length).toBeLessThan(500)
  expect(quoted(Array(1000).fill('a'))).toHaveLength(80)
})
