// JSON schemas as openai-harmony 0.0.8 writes them. The expected texts are its own.
import { describe, expect, it } from 'vitest'
import { typeScriptOf } from '../../../src/chat/formats/typescript-schema.js'
import { jsonText, jsonTree, pythonJsonDumps, type Tree } from '../../../src/chat/python-json.js'
import { InvalidArgumentError } from '../../../src/errors.js'

const typeOf = (schema: unknown) =>
  typeScriptOf(
    jsonTree(jsonText(typeof schema === 'string' ? schema : pythonJsonDumps(schema))) as Tree,
    'schema',
  )

describe('types', () => {
  it.each([
    [{}, 'any'],
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'null' }, 'any'],
    [{ type: 'array' }, 'Array<any>'],
    [{ type: 'array', items: { type: 'integer' } }, 'number[]'],
    [{ type: 'array', items: [] }, 'any[]'],
    [{ type: ['integer', 'null', 3] }, 'number | null'],
    [{ type: [] }, 'any'],
    [{ type: 'string', enum: ['a', 1, 'b"c'] }, '"a" | "b"c"'],
    [{ type: 'string', enum: [1] }, 'string'],
    [{ enum: ['a'] }, 'any'],
    [{ anyOf: [{ type: 'string' }] }, 'any'],
    [{ type: 'object' }, '{\n}'],
    [{ type: 'object', properties: [] }, '{\n}'],
    [{ oneOf: [] }, ''],
    [{ oneOf: 'x', type: 'string' }, 'string'],
    [[], 'any'],
  ])('%j', (schema, text) => {
    expect(typeOf(schema)).toBe(text)
  })

  it('of several kinds stand each in a line', () => {
    const variants = [
      { type: 'string', description: 'd', default: 'x' },
      { type: 'string', enum: ['a'], default: 'a', nullable: true },
      { type: ['null'], nullable: true, default: [1.5, { a: null }] },
    ]
    expect(typeOf({ oneOf: variants })).toBe(
      '\n | string // d default: "x"\n | "a" | null // default: "a"\n | null // default: [1.5,{"a":null}]',
    )
  })
})

describe('members', () => {
  const member = (schema: unknown, required = false) =>
    typeOf({ type: 'object', properties: { m: schema }, required: required ? ['m', 1] : 'm' }).slice(2, -1)

  it.each([
    [{ type: 'string' }, true, 'm: string,\n'],
    [{ type: 'string' }, false, 'm?: string,\n'],
    [{ type: 'string', title: 'T', description: 'D' }, false, '// T\n//\n// D\nm?: string,\n'],
    [{ examples: ['a', 1] }, false, '// Examples:\n// - "a"\nm?: any,\n'],
    [{ examples: [] }, false, 'm?: any,\n'],
    [{ type: 'string', nullable: true }, false, 'm?: string | null,\n'],
    [{ type: 'string', nullable: 'true' }, false, 'm?: string,\n'],
    [{ type: 'string', enum: ['null'], nullable: true }, false, 'm?: "null",\n'],
    [{ type: 'string', default: 'x' }, false, 'm?: string, // default: "x"\n'],
    [{ type: 'string', enum: ['x'], default: 'x' }, false, 'm?: "x", // default: x\n'],
    [{ default: { a: ['é\n', true] } }, false, 'm?: any, // default: {"a":["é\\n",true]}\n'],
    [{ default: null }, false, 'm?: any, // default: null\n'],
    // What looks like several types, but is no list, loses its comments.
    [{ oneOf: 1, description: 'D', default: 2 }, false, 'm?: any,\n'],
  ])('%j, required: %j', (schema, required, text) => {
    expect(member(schema, required)).toBe(text)
  })

  it('of objects are indented, the end of the object with them', () => {
    const inner = {
      type: 'object',
      description: 'D',
      properties: { n: { type: 'array', items: { type: 'object' } } },
    }
    expect(member(inner)).toBe('// D\nm?:     // D\n{\n    n?: {\n        }[],\n    },\n')
  })

  it('of several types have a line each', () => {
    const [a, b] = [
      { type: 'string', description: 'A' },
      { type: 'number', description: 'B', default: 1 },
    ]
    expect(member({ oneOf: [a, b] }, true)).toBe('m:\n | string // A\n | number // B default: 1\n,\n')
    expect(member({ oneOf: [a, b], description: 'C', default: 'x' })).toBe(
      '// C\n// default: "x"\nm?:\n | string\n | number // B default: 1\n,\n',
    )
    expect(member({ oneOf: [a, b], description: 'A' })).toBe('m?:\n | string\n | number // B default: 1\n,\n')
  })
})

describe('numbers', () => {
  it.each([
    ['1', '1'],
    ['1.0', '1.0'],
    ['-0.0', '-0.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e16'],
    ['1e-5', '0.00001'],
    ['-1.25e-5', '-0.0000125'],
    ['1e-6', '1e-6'],
    ['1.5e-7', '1.5e-7'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '1.8446744073709552e19'],
    ['-9223372036854775809', '-9.223372036854776e18'],
    ['123456789012345678901', '1.2345678901234567e20'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e308'],
  ])('%s', (number, text) => {
    expect(typeOf(`{"type": "object", "properties": {"m": {"default": ${number}}}}`)).toBe(
      `{\nm?: any, // default: ${text}\n}`,
    )
  })
})

it('refuses what the reference nests too deep for', () => {
  const nested = (levels: number) => '{"items":'.repeat(levels - 1).concat('{}', '}'.repeat(levels - 1))
  expect(typeOf(nested(118))).toBe('any')
  expect(() => typeOf(nested(119))).toThrow(InvalidArgumentError)
  expect(() => typeOf(nested(119))).toThrow('schema: nested deeper than 118 levels')
})
