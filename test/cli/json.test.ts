import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, rawMembers } from '../../src/cli/json.js'

describe('rawMembers', () => {
  it.each<[string, [string, string][]]>([
    ['[]', []],
    [' { \n} ', []],
    ['3', []],
    ['"[1,2]"', []],
    [
      '[1.0, 2E3 ,"a,]"]',
      [
        ['0', '1.0'],
        ['1', '2E3'],
        ['2', '"a,]"'],
      ],
    ],
    [
      '{"a": {"b": [1.0, {}]}, "2":0.10,"1":-0}',
      [
        ['a', '{"b": [1.0, {}]}'],
        ['2', '0.10'],
        ['1', '-0'],
      ],
    ],
    [
      '{"a\\"}:": "\\\\", "\\u0061": ["\\"]"]}',
      [
        ['a"}:', '"\\\\"'],
        ['a', '["\\"]"]'],
      ],
    ],
    [
      '{"a":1,"b":2,"a":3.0}',
      [
        ['a', '3.0'],
        ['b', '2'],
      ],
    ],
    ['{"__proto__": 1.0}', [['__proto__', '1.0']]],
  ])('of %j', (json, members) => {
    expect([...rawMembers(json)]).toEqual(members)
  })

  it('agree with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const isContainer = typeof value === 'object' && value !== null
        const raw = rawMembers(JSON.stringify(value, null, indent))
        const read = [...raw].map(([key, text]): [string, unknown] => [key, JSON.parse(text)])
        expect(new Map(read)).toEqual(new Map(isContainer ? Object.entries(value) : []))
      }),
    )
  })

  it('cost no stack and no second look', () => {
    const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`
    expect(rawMembers(`{"a": ${deep}}`).get('a')).toBe(deep)
    const long = `"${'\\"x'.repeat(1e6)}"`
    expect(rawMembers(`[0, ${long}]`).get('1')).toBe(long)
  })
})

it('parseJson says the same in every version of Node', () => {
  expect(parseJson('{"a": [1.0]}')).toEqual({ a: [1] })
  expect(() => parseJson('[1,]')).toThrow('not JSON: column 4: expected a JSON value but found "]"')
  expect(() => parseJson('[1,\n2')).toThrow('not JSON: line 2 column 2: expected , or ] but found the end')
})
