import { describe, expect, it } from 'vitest'
import { constantCopy, madeOnce } from '../../../src/chat/formats/constant.js'

const tools = () => [
  { type: 'function', function: { name: 'look_up', parameters: { limit: [1, null, 'x'] } } },
]

describe('a constant', () => {
  it('says what the value said, and does not change with it', () => {
    const value = tools()
    const copy = constantCopy(value) as typeof value
    expect(copy).toEqual(tools())
    Object.assign(value[0]?.function ?? {}, { name: 'other' })
    expect(copy).toEqual(tools())
    expect(() => Object.assign(copy[0]?.function ?? {}, { name: 'other' })).toThrow(TypeError)
  })

  it('keeps names that objects have themselves', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as object
    const copy = constantCopy(value) as object
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  it.each<[string, unknown]>([
    ['a class', [new Date(0)]],
    ['a map', { tools: new Map() }],
    ['what JSON would be', [{ toJSON: () => 'x' }]],
    ['a list with more than items', Object.assign([1], { name: 'x' })],
    ['a list with holes', Array(3)],
  ])('is not made of %s', (_, value) => {
    expect(constantCopy(value)).toBeUndefined()
  })

  it('is not made of what has no end', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    circle.again = circle
    expect(constantCopy(circle)).toBeUndefined()
  })

  it('is made of what stands in many places once', () => {
    let value: object = { name: 'x' }
    for (let i = 0; i < 60; i++) value = { a: value, b: value }
    const copy = constantCopy(value) as { a: object; b: object }
    expect(copy.a).toBe(copy.b)
  })

  it('is what something is made of once, for each thing that is made', () => {
    let count = 0
    const make = () => ++count
    const value = constantCopy(tools()) as ReturnType<typeof tools>
    expect([madeOnce(value, 'a', make), madeOnce(value, 'a', make), madeOnce(value, 'b', make)]).toEqual([
      1, 1, 2,
    ])
    expect(madeOnce(value[0], 'a', make)).toBe(3)
    expect([madeOnce(tools(), 'a', make), madeOnce('x', 'a', make), madeOnce('x', 'a', make)]).toEqual([
      4, 5, 6,
    ])
  })
})
