import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pythonCallText } from '../../src/chat/formats/python-call.js'
import { jsonText, jsonTree } from '../../src/chat/python-json.js'
import { ToolCallParseError } from '../../src/errors.js'
import { pythonCall, pythonLiteral } from '../../src/output/python-literal.js'

describe('pythonLiteral', () => {
  it.each<[text: string, value: unknown]>([
    ["'a'", 'a'],
    ['"it\'s"', "it's"],
    ["'''a\n'b'''", "a\n'b"],
    ['"""x"""', 'x'],
    ["r'\\n'", '\\n'],
    ['u\'x\' "y"', 'xy'],
    ["b'x'", 'x'],
    ["'\\x41\\u4e2d\\U0001f44b\\101\\n\\'\\q'", "A中👋A\n'\\q"],
    ["'a\\\nb'", 'ab'],
    [
      '[1, -2, +3, 1.5, .5, 5., 1e3, 1_000, 0x1F, 0o17, 0b11, 00]',
      [1, -2, 3, 1.5, 0.5, 5, 1000, 1000, 31, 15, 3, 0],
    ],
    ['(1,)', [1]],
    ['(1)', 1],
    ['()', []],
    ['{}', {}],
    ['{1, 2}', [1, 2]],
    ["{'a': True, 5: None, None: [False,], True: {}}", { a: true, 5: null, null: [false], true: {} }],
    ['{"a": true, "b": null, "c": false}', { a: true, b: null, c: false }],
    ['[ # a comment\n 1, \\\n 2 ]', [1, 2]],
    ['- 5', -5],
  ])('%s', (text, value) => {
    expect(pythonLiteral(text)).toEqual(value)
  })

  it('makes own properties of all names', () => {
    expect(Object.hasOwn(pythonLiteral("{'__proto__': 1}") as object, '__proto__')).toBe(true)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each<[text: string, position: number]>([
    ['', 0],
    ['x', 0],
    ['1+2', 1],
    ['f(1)', 0],
    ['[x for x in y]', 1],
    ['lambda: 1', 0],
    ["f'{x}'", 0],
    ["'a", 0],
    ["'a\nb'", 2],
    ["'\\xg1'", 1],
    ["'\\N{DASH}'", 1],
    ["'\\U00110000'", 1],
    ['[1, 2', 5],
    ['[1 2]', 3],
    ['{1: 2, 3}', 8],
    ['{[1]: 2}', 1],
    ['012', 0],
    ['1a', 0],
    ['1e999', 0],
    ['-True', 1],
    ['1 if x else 2', 2],
    ['open("x")', 0],
    ['__import__("os")', 0],
    ['().__class__', 2],
    ['1j', 0],
  ])('refuses %s at %i', (text, position) => {
    try {
      pythonLiteral(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ToolCallParseError)
      expect((error as ToolCallParseError).position).toBe(position)
    }
  })

  it('ends on deep nesting, long texts and anything else', () => {
    expect(() => pythonLiteral('['.repeat(100_000))).toThrow('levels of nesting')
    expect(() => pythonLiteral('-'.repeat(100_000))).toThrow(ToolCallParseError)
    expect(pythonLiteral(`'${'a'.repeat(1_000_000)}'`)).toHaveLength(1_000_000)
    const text = fc.string({
      unit: fc.constantFrom(...'[](){}\'"\\,:=# \nrbu0x1.e-_aNT'.split(''), 'None', 'tool_call('),
    })
    fc.assert(
      fc.property(text, (code) => {
        for (const read of [pythonLiteral, pythonCall]) {
          try {
            read(code)
          } catch (error) {
            expect(error).toBeInstanceOf(ToolCallParseError)
            expect((error as ToolCallParseError).position).toBeLessThanOrEqual(code.length)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('pythonCall', () => {
  it('reads keywords alone', () => {
    expect(pythonCall(" tool_call(\n city = 'x', **{'a b': 1},\n) # done")).toEqual({
      name: 'tool_call',
      arguments: { city: 'x', 'a b': 1 },
    })
    expect(pythonCall('a.b();').name).toBe('a.b')
  })

  it.each([
    'tool_call("x")',
    'f(a=1, a=2)',
    'f(a==1)',
    'f(*[1])',
    'f(**[1])',
    'f(a=1)\nf(b=2)',
    'f(a=1 b=2)',
    'f(a=g(1))',
    'f',
  ])('refuses %s', (code) => {
    expect(() => pythonCall(code)).toThrow(ToolCallParseError)
  })

  it('reads what is written of any arguments', () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
    fc.assert(
      fc.property(object, (given) => {
        const tree = jsonTree(jsonText(JSON.stringify(given)))
        const clean = JSON.parse(JSON.stringify(given).replaceAll('-0', '0')) as object
        const read = JSON.stringify(pythonCall(pythonCallText('tool_call', tree)).arguments)
        expect(sorted(JSON.parse(read.replaceAll('-0', '0')))).toEqual(sorted(clean))
      }),
      { numRuns: 1000 },
    )
  })
})

/** Names that are no identifiers stand behind the others. */
function sorted(value: unknown): unknown {
  return Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
}

const python = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!python)('Python itself', () => {
  it('reads what is written', () => {
    const given = [
      { a: "it's", b: 'a\\\n"\u0085\u2028中👋', c: [1, -0.5, 1e30, null, true, { 'x y': false }] },
      { 'not a name': 1, class: 2, ok: { n: [] } },
    ]
    const calls = given.map((each) => pythonCallText('dict', jsonTree(jsonText(JSON.stringify(each)))))
    const script = 'import json,sys\nfor line in json.load(sys.stdin): print(json.dumps(eval(line)))'
    const { stdout } = spawnSync('python3', ['-c', script], {
      input: JSON.stringify(calls),
      encoding: 'utf8',
    })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(given)
  })
})
