import { describe, expect, it } from 'vitest'
import { isAsCopied, plainCopy } from '../../src/output/plain-copy.js'

const turn = () => ({
  role: 'assistant',
  content: 'yes',
  reasoning: undefined,
  toolCalls: [{ id: 'a', name: 'look_up', arguments: { query: 'x', limit: 3, deep: [null, { on: true }] } }],
  unexpected: [],
})

function reverseFields(record: Record<string, unknown>): void {
  const entries = Object.entries(record).reverse()
  for (const [name, value] of entries) {
    Reflect.deleteProperty(record, name)
    record[name] = value
  }
}

describe('a copy of plain data', () => {
  it('tells that nothing has changed', () => {
    const value = turn()
    const copy = plainCopy(value)
    expect(isAsCopied(value, copy)).toBe(true)
    expect(isAsCopied(turn(), copy)).toBe(true)
    expect(isAsCopied({ ...turn(), stopString: undefined }, copy)).toBe(true)
  })

  it.each<[string, (value: ReturnType<typeof turn>) => void]>([
    ['a text', (value) => Object.assign(value, { content: 'no' })],
    ['a field that is new', (value) => Object.assign(value, { metadata: '' })],
    ['a field that held nothing', (value) => Object.assign(value, { reasoning: '' })],
    ['a field that is gone', (value) => Reflect.deleteProperty(value, 'content')],
    [
      'what is deep inside',
      (value) => Object.assign(value.toolCalls[0]?.arguments.deep[1] ?? {}, { on: false }),
    ],
    ['the length of a list', (value) => value.toolCalls.pop()],
    ['the order of fields', (value) => reverseFields(value.toolCalls[0]?.arguments ?? {})],
    ['a list that became an object', (value) => Object.assign(value, { unexpected: {} })],
    ['what JSON would be', (value) => Object.assign(value, { toJSON: () => turn() })],
    [
      'an object that became one of a class',
      (value) => Object.assign(value.toolCalls[0] ?? {}, { arguments: new Map() }),
    ],
    [
      'a value that became another kind',
      (value) => Object.assign(value.toolCalls[0]?.arguments ?? {}, { limit: '3' }),
    ],
  ])('tells of %s', (_, change) => {
    const value = turn()
    const copy = plainCopy(value)
    change(value)
    expect(isAsCopied(value, copy)).toBe(false)
  })

  it('holds what is no plain data as it is', () => {
    const error = new Error('x')
    const copy = plainCopy({ error })
    expect(isAsCopied({ error }, copy)).toBe(true)
    expect(isAsCopied({ error: new Error('x') }, copy)).toBe(false)
  })

  it('is not made of what is too deep', () => {
    let value: unknown = 'x'
    for (let i = 0; i < 50_000; i++) value = [value]
    expect(plainCopy({ value })).toBeUndefined()
  })
})
