import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  JsonText,
  jsonText,
  type PythonJsonOptions,
  pythonFloatRepr,
  pythonJsonDumps,
} from '../../src/chat/python-json.js'
import { InvalidArgumentError } from '../../src/errors.js'

interface Golden {
  styles: Record<string, PythonJsonOptions>
  cases: { text: string; dumps: Record<string, string> }[]
  floats: Record<string, string>
}

const golden = JSON.parse(
  readFileSync(new URL('./golden/python-json.json', import.meta.url), 'utf8'),
) as Golden

/** The message of the InvalidArgumentError that `run` throws. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgumentError)
    return (error as Error).message
  }
  throw new Error('expected an InvalidArgumentError, but nothing was thrown')
}

function nested(depth: number): unknown[] {
  let value: unknown[] = []
  for (let i = 1; i < depth; i++) value = [value]
  return value
}

describe('golden file of CPython 3.11', () => {
  it('is large enough to mean something', () => {
    expect(golden.cases.length).toBeGreaterThan(300)
    expect(Object.keys(golden.floats).length).toBeGreaterThan(300)
  })

  it.each(Object.entries(golden.styles))('writes every text in style %s', (name, style) => {
    for (const { text, dumps } of golden.cases) {
      expect(pythonJsonDumps(jsonText(text), style), text).toBe(dumps[name])
    }
  })

  it('writes every text one level down inside a JavaScript value', () => {
    for (const { text, dumps } of golden.cases) {
      expect(pythonJsonDumps([{ k: jsonText(text) }])).toBe(`[{"k": ${dumps.line}}]`)
    }
  })

  it('prints every float', () => {
    for (const [hex, repr] of Object.entries(golden.floats)) {
      expect(pythonFloatRepr(Buffer.from(hex, 'hex').readDoubleBE()), hex).toBe(repr)
    }
  })
})

describe('pythonFloatRepr', () => {
  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [9999999999999998, '9999999999999998.0'],
    [1e16, '1e+16'],
    [-1.5e300, '-1.5e+300'],
    [5e-324, '5e-324'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
    [NaN, 'NaN'],
  ])('%d is %s', (x, repr) => {
    expect(pythonFloatRepr(x)).toBe(repr)
  })
})

describe('JavaScript values', () => {
  it('writes a tool definition as the ChatGLM3 reference does', () => {
    const tools = [{ name: '天气', parameters: { required: ['city'], properties: {} }, examples: [] }]
    expect(pythonJsonDumps(tools, { indent: 4 })).toBe(
      [
        '[',
        '    {',
        '        "name": "天气",',
        '        "parameters": {',
        '            "required": [',
        '                "city"',
        '            ],',
        '            "properties": {}',
        '        },',
        '        "examples": []',
        '    }',
        ']',
      ].join('\n'),
    )
  })

  it.each([
    [1, '1'],
    [-0, '0'],
    [1.5, '1.5'],
    [1e21, '1e+21'],
    [1.5e300, '1.5e+300'],
    [1e-7, '1e-07'],
    [0.00001, '1e-05'],
    [123456789012345680000, '123456789012345680000'],
    [12345678901234567890123n, '12345678901234567890123'],
    [-5n, '-5'],
    [true, 'true'],
    [null, 'null'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
    [new Map(), '{}'],
  ])('%s is %s', (value, text) => {
    expect(pythonJsonDumps(value)).toBe(text)
  })

  it('leaves out what JSON has no word for, and keeps its place in an array', () => {
    const nothing = [undefined, () => 1, Symbol('s')]
    expect(pythonJsonDumps(nothing)).toBe('[null, null, null]')
    expect(pythonJsonDumps(new Array(2))).toBe('[null, null]')
    expect(pythonJsonDumps({ a: undefined, b: 1, c: nothing[1], d: nothing[2] })).toBe('{"b": 1}')
    expect(pythonJsonDumps({ a: { b: undefined } }, { indent: 2 })).toBe('{\n  "a": {}\n}')
  })

  it('unwraps boxed primitives, of other realms too', () => {
    const boxes = [Object(1), Object('s'), Object(false), Object(7n), Object(Symbol('s'))]
    expect(pythonJsonDumps(boxes)).toBe('[1, "s", false, 7, {}]')
    const foreign = runInNewContext('({ a: [Object(2)], m: new Map([["2", 1], ["1", 2]]) })')
    expect(pythonJsonDumps(foreign)).toBe('{"a": [2], "m": {"2": 1, "1": 2}}')
  })

  it('calls toJSON once, with the key, and takes any answer', () => {
    const echo = { toJSON: (key: string) => ({ key, toJSON: () => 'called twice' }) }
    expect(pythonJsonDumps(echo)).toBe('{"key": ""}')
    expect(pythonJsonDumps([0, echo])).toBe('[0, {"key": "1"}]')
    expect(pythonJsonDumps(new Map([['m', echo]]))).toBe('{"m": {"key": "m"}}')
    expect(pythonJsonDumps({ d: new Date(0), bad: new Date(NaN) })).toBe(
      '{"d": "1970-01-01T00:00:00.000Z", "bad": null}',
    )
    expect(pythonJsonDumps({ a: { toJSON: () => undefined }, b: { toJSON: () => jsonText('1.0') } })).toBe(
      '{"b": 1.0}',
    )
    expect(pythonJsonDumps(Object.assign(() => 1, { toJSON: () => 'f' }))).toBe('"f"')
  })

  it('agrees with JSON.stringify on which members there are', () => {
    class Tool {
      name = 'n'
      get hidden(): string {
        return 'on the prototype'
      }
    }
    const value = Object.defineProperty(new Tool(), 'secret', { value: 1, enumerable: false })
    expect(pythonJsonDumps(Object.assign(value, { [Symbol('s')]: 1 }))).toBe('{"name": "n"}')
    expect(pythonJsonDumps(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a": 1}')
    expect(pythonJsonDumps(JSON.parse('{"__proto__": {"a": 1}}'))).toBe('{"__proto__": {"a": 1}}')
  })

  it('writes a Map in its own order and an object in that of JavaScript', () => {
    const entries: [string, number][] = [
      ['b', 1],
      ['2', 2],
      ['1', 3],
    ]
    expect(pythonJsonDumps(new Map(entries))).toBe('{"b": 1, "2": 2, "1": 3}')
    expect(pythonJsonDumps(Object.fromEntries(entries))).toBe('{"1": 3, "2": 2, "b": 1}')
    expect(pythonJsonDumps(new Map([['a', undefined]]))).toBe('{}')
  })

  it('lets one value stand in several places', () => {
    const shared = { a: [1] }
    expect(pythonJsonDumps([shared, shared, { shared }])).toBe(
      '[{"a": [1]}, {"a": [1]}, {"shared": {"a": [1]}}]',
    )
  })
})

describe('options', () => {
  it('follows Python on separators and indents', () => {
    const value = { a: [1, 2] }
    expect(pythonJsonDumps(value, { separators: [',', ':'] })).toBe('{"a":[1,2]}')
    expect(pythonJsonDumps(value, { indent: 0 })).toBe('{\n"a": [\n1,\n2\n]\n}')
    expect(pythonJsonDumps(value, { indent: 1, separators: [', ', ' = '] })).toBe(
      '{\n "a" = [\n  1, \n  2\n ]\n}',
    )
    expect(pythonJsonDumps(value, { indent: undefined })).toBe('{"a": [1, 2]}')
  })

  it.each([-1, 1.5, NaN, 1001])('refuses indent %d', (indent) => {
    expect(refusal(() => pythonJsonDumps([], { indent }))).toContain('indent')
  })

  it('sorts by code point, at every level, Maps too', () => {
    const keys = ['\u{10000}', '\uffff', '\ue000', 'b', 'a', 'ab', '10', '9', '']
    const map = new Map(keys.map((key) => [key, new Map(Object.entries({ z: 1, y: 2 }))]))
    const sorted = ['', '10', '9', 'a', 'ab', 'b', '\ue000', '\uffff', '\u{10000}']
    const text = `{${sorted.map((key) => `"${key}": {"y": 2, "z": 1}`).join(', ')}}`
    expect(pythonJsonDumps(map, { sortKeys: true })).toBe(text)
    expect([...map.keys()]).toEqual(keys)
  })
})

describe('strings', () => {
  it('escapes what Python escapes and nothing else', () => {
    const text = '"\\/\b\f\n\r\t\u0000\u001f\u007f\u0080\u2028é😀<|user|>'
    expect(pythonJsonDumps(text)).toBe('"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u0080\u2028é😀<|user|>"')
    expect(pythonJsonDumps(text, { ensureAscii: true })).toBe(
      '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\\u0080\\u2028\\u00e9\\ud83d\\ude00<|user|>"',
    )
  })

  it('replaces lone surrogates so that halves never join', () => {
    expect(pythonJsonDumps(['\ud83d', '\ude00'])).toBe('["\ufffd", "\ufffd"]')
    expect(pythonJsonDumps({ '\ud83d': '\ude00\ud83d' }, { ensureAscii: true })).toBe(
      '{"\\ufffd": "\\ufffd\\ufffd"}',
    )
    expect(pythonJsonDumps(jsonText('"\ud83d\\ude00 \\ud83d\ude00 \\ud83d\\ude00"'))).toBe(
      '"\ufffd\ufffd \ufffd\ufffd 😀"',
    )
  })
})

describe('values that are refused', () => {
  it.each([
    [{ a: [0, 1, NaN] }, '$.a[2]'],
    [-Infinity, '$'],
    [Object(NaN), '$'],
    [new Map([['x y', [Infinity]]]), '$["x y"][0]'],
    [{ 天气: { '': NaN } }, '$.天气[""]'],
    [[new Map([[1, 2]])], '$[0]'],
    [undefined, '$'],
    [() => 1, '$'],
    [Symbol('s'), '$'],
    [{ toJSON: () => undefined }, '$'],
  ])('%# names the place', (value, path) => {
    expect(refusal(() => pythonJsonDumps(value)).startsWith(`${path}: `)).toBe(true)
  })

  it('names both ends of a circle', () => {
    const value: { list: unknown[]; map: Map<string, unknown> } = { list: [1], map: new Map() }
    value.list.push({ back: value.list })
    expect(refusal(() => pythonJsonDumps(value))).toBe('$.list[1].back: circular: this is $.list again')
    value.list.pop()
    value.map.set('self', value.map)
    expect(refusal(() => pythonJsonDumps(value))).toContain('$.map.self: circular')
  })

  it('counts levels and never overflows the stack', () => {
    expect(pythonJsonDumps(nested(1000))).toBe('['.repeat(1000) + ']'.repeat(1000))
    expect(refusal(() => pythonJsonDumps(nested(1001)))).toMatch(
      /^\$\[0\].*….*\[0\]: nested deeper than 1000 levels$/,
    )
    expect(refusal(() => pythonJsonDumps(nested(200_000)))).toContain('nested deeper')
    const endless = { toJSON: () => [endless] }
    expect(refusal(() => pythonJsonDumps(endless))).toContain('nested deeper')
    const text = jsonText('['.repeat(600) + ']'.repeat(600))
    let outer: unknown = text
    for (let i = 0; i < 401; i++) outer = { outer }
    expect(refusal(() => pythonJsonDumps(outer))).toContain('nested deeper')
  })

  it('passes on what the value itself throws', () => {
    const own = new Error('own')
    const value = {
      get a(): never {
        throw own
      },
    }
    expect(() => pythonJsonDumps(value)).toThrow(own)
  })
})

describe('jsonText', () => {
  it.each([
    ['-0', '0'],
    ['1.0', '1.0'],
    ['1e5', '100000.0'],
    ['1E16', '1e+16'],
    ['1e-5', '1e-05'],
    ['1e400', 'Infinity'],
    ['-1e400', '-Infinity'],
    ['-0.0', '-0.0'],
    ['-1e-400', '-0.0'],
    [' \t\r\n null \n', 'null'],
    ['""', '""'],
    ['{"2": 1, "b": 2, "1": 3, "2": 4}', '{"2": 4, "b": 2, "1": 3}'],
    ['{"__proto__": {"toJSON": 1}, "constructor": []}', '{"__proto__": {"toJSON": 1}, "constructor": []}'],
    ['"\\u0061\\/"', '"a/"'],
    ['[[], {}, [{}], {"a": []}]', '[[], {}, [{}], {"a": []}]'],
  ])('%j is %s', (text, dumped) => {
    expect(pythonJsonDumps(jsonText(text))).toBe(dumped)
  })

  it('keeps integers that Python itself would refuse to print', () => {
    const digits = '9'.repeat(100_000)
    expect(pythonJsonDumps(jsonText(`[-${digits}]`))).toBe(`[-${digits}]`)
  })

  it('accepts and refuses the same texts as JSON.parse, number by number', () => {
    for (const text of [
      '0',
      '-1',
      '1.5',
      '1e5',
      '1E+5',
      '01',
      '-',
      '+1',
      '.5',
      '1.',
      '1e',
      '1e+',
      '0x1',
      '1_0',
      '--1',
      'Infinity',
    ]) {
      const accepts = (parse: () => unknown): boolean => {
        try {
          parse()
          return true
        } catch {
          return false
        }
      }
      expect(
        accepts(() => jsonText(text)),
        text,
      ).toBe(accepts(() => JSON.parse(text)))
    }
  })

  it('takes what Python writes for numbers that are none, if asked', () => {
    const text = '{"a": [NaN, Infinity, -Infinity]}'
    expect(pythonJsonDumps(jsonText(text, { nan: true }))).toBe(text)
    expect(() => jsonText('[-NaN]', { nan: true })).toThrow('expected a JSON value')
  })

  it.each([
    ['', 'line 1 column 1: expected a JSON value but found the end'],
    ['NaN', 'line 1 column 1: expected a JSON value but found "N"'],
    ['-Infinity', 'line 1 column 1: expected a JSON value but found "-"'],
    ['\ufeff1', 'line 1 column 1: expected a JSON value but found "\\u{feff}"'],
    ['nul', 'line 1 column 1: expected a JSON value but found "n"'],
    ['1 2', 'line 1 column 3: expected the end of the text but found "2"'],
    ['[1, 2', 'line 1 column 6: expected , or ] but found the end'],
    ['[1,]', 'line 1 column 4: expected a JSON value but found "]"'],
    ['[1}', 'line 1 column 3: expected , or ] but found "}"'],
    ['{"a": 1,}', 'line 1 column 9: expected a key in double quotes but found "}"'],
    ['{a: 1}', 'line 1 column 2: expected a key in double quotes but found "a"'],
    ['{"a" 1}', 'line 1 column 6: expected : but found "1"'],
    ['{\n  "a": 01\n}', 'line 2 column 9: expected , or } but found "1"'],
    ['["😀", 😀]', 'line 1 column 7: expected a JSON value but found "😀"'],
    ['"\n"', 'line 1 column 2: expected a closing quote, a character or a valid escape but found "\\n"'],
    ['"\\x"', 'line 1 column 2: expected a closing quote, a character or a valid escape but found "\\\\"'],
    [
      '"\\u12g4"',
      'line 1 column 2: expected a closing quote, a character or a valid escape but found "\\\\"',
    ],
    ['"abc', 'line 1 column 5: expected a closing quote, a character or a valid escape but found the end'],
    ['[\u00a01]', 'line 1 column 2: expected a JSON value but found "\u00a0"'],
    ['[1] // c', 'line 1 column 5: expected the end of the text but found "/"'],
  ])('refuses %j', (text, problem) => {
    expect(refusal(() => jsonText(text))).toBe(`JSON text, ${problem}`)
  })

  it('refuses what is no string', () => {
    expect(refusal(() => jsonText(1 as never))).toContain('number')
  })

  it('reads long and deep texts without trouble', () => {
    expect(pythonJsonDumps(jsonText('['.repeat(1000) + ']'.repeat(1000)))).toHaveLength(2000)
    expect(refusal(() => jsonText('['.repeat(1001)))).toContain(
      'line 1 column 1002: expected at most 1000 levels',
    )
    expect(refusal(() => jsonText('{"a":'.repeat(100_000)))).toContain('1000 levels')
    const long = JSON.stringify('a\n'.repeat(1_000_000))
    expect(pythonJsonDumps(jsonText(long)) === long).toBe(true)
  })

  it('is not swayed by a toJSON on the prototypes', () => {
    const prototypes = [Array.prototype, Map.prototype, String.prototype, Object.prototype]
    try {
      for (const each of prototypes) Object.assign(each, { toJSON: () => 'swayed' })
      expect(pythonJsonDumps(jsonText('[{"a": ["b", 1]}]'))).toBe('[{"a": ["b", 1]}]')
    } finally {
      for (const each of prototypes) Reflect.deleteProperty(each, 'toJSON')
    }
  })
})

describe('JsonText', () => {
  it('knows its own', () => {
    expect(JsonText.is(jsonText('""'))).toBe(true)
    for (const value of [null, undefined, 1, 'x', {}, [], JsonText]) expect(JsonText.is(value)).toBe(false)
  })

  it('cannot be forged', () => {
    const real = jsonText('1.0')
    const forged = Object.create(JsonText.prototype, Object.getOwnPropertyDescriptors(real))
    expect(forged).toBeInstanceOf(JsonText)
    expect(JsonText.is(forged)).toBe(false)
    expect(JsonText.is(new Proxy(real, {}))).toBe(false)
    expect(pythonJsonDumps([forged, { text: '1.0' }])).toBe('[{}, {"text": "1.0"}]')
    const make = JsonText as unknown as new (maker: unknown, tree: unknown) => object
    expect(refusal(() => new make(Symbol('jsonText'), new Map()))).toContain('jsonText()')
    expect(refusal(() => new (class extends make {})(undefined, []))).toContain('jsonText()')
  })

  it('cannot be changed from outside', () => {
    const real = jsonText('[1.0]')
    Object.assign(real, { toJSON: () => 'changed', tree: [] })
    expect(pythonJsonDumps({ a: real })).toBe('{"a": [1.0]}')
  })
})
