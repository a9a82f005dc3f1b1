import { describe, expect, it } from 'vitest'
import { flattenSchema } from '../../src/tools/flatten-schema.js'
import { schemaIssues } from '../../src/tools/json-schema.js'

describe('schemaIssues', () => {
  const node = {
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, 'a/b': { type: 'null' } } },
    },
    $ref: '#/$defs/node',
  }
  it.each<[schema: Record<string, unknown>, value: unknown, issues: string[]]>([
    [{ type: 'string' }, 5, ['$: expected string, not number']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'integer' }, 1.5, ['$: expected integer, not number']],
    [{ type: 'integer' }, 1.0, []],
    [{ type: 'number', minimum: 1, maximum: 2 }, 3, ['$: expected at most 2']],
    [{ type: 'number', exclusiveMinimum: 1, multipleOf: 0.5 }, 1, ['$: expected more than 1']],
    [{ enum: ['a', { b: 1 }] }, { b: 1 }, []],
    [{ enum: ['a'] }, 'b', ['$: expected one of ["a"]']],
    [{ const: 5 }, 5, []],
    [{ type: 'string', maxLength: 2 }, '👋👋', []],
    [
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      ['a', 'a', 5],
      ['$: expected no item twice', '$[2]: expected string, not number'],
    ],
    [
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      ['a', 'b'],
      ['$[1]: nothing is allowed here'],
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      ['$: expected a value of one of the kinds of anyOf'],
    ],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      5,
      ['$: expected a value of exactly one of the kinds of oneOf, not of 2'],
    ],
    [{ allOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, ['$: expected the property b']],
    [{ not: { type: 'string' } }, 'a', ['$: expected a value of another kind']],
    [node, { next: { next: { 'a/b': 1 } } }, ['$.next.next["a/b"]: expected null, not number']],
    [{ $ref: '#/$defs/none' }, 1, ['$: the schema has no #/$defs/none']],
    [{ $ref: 'https://example.org/x' }, 1, ['$: the schema has no https://example.org/x']],
    [{ properties: { __proto__: { type: 'string' } } }, JSON.parse('{"__proto__": 5, "toString": 1}'), []],
    [
      { type: 'object', additionalProperties: { type: 'number' } },
      { a: 'x' },
      ['$.a: expected number, not string'],
    ],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'word', []],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'Word', ['$: expected a text with the pattern ^[a-z]+$']],
    [{ pattern: '^x' }, 5, []],
    [{ type: 'string', pattern: 'a(?=b)' }, 'x', []], // cannot be searched in linear time
    [{ type: 'string', pattern: '(' }, 'x', []],
    [{ type: 'string', format: 'email' }, 'x', []], // an annotation
    [
      {
        patternProperties: { '^x_': { type: 'number' } },
        additionalProperties: false,
        properties: { x_b: {} },
      },
      { x_a: 1, x_b: 'y', y: 1 },
      ['$.x_b: expected number, not string', '$.y: there is no such argument'],
    ],
    [{ patternProperties: { 'a(?=b)': false }, additionalProperties: false }, { y: 1 }, []],
    [{ type: 'string', nullable: true }, null, []],
    [{ type: 'object', minProperties: 1 }, {}, ['$: expected at least 1 properties']],
  ])('%j, %j', (schema, value, issues) => {
    expect(schemaIssues(schema, value).map(({ path, message }) => `${path}: ${message}`)).toEqual(issues)
  })

  it('ends, whatever a pattern looks for', () => {
    const schema = { items: { pattern: '^(a+)+$' } }
    const value = Array.from({ length: 50 }, () => `${'a'.repeat(100_000)}!`)
    const messages = schemaIssues(schema, value).map(({ message }) => message)
    expect(messages).toHaveLength(50)
    expect(messages.at(-1)).toContain('takes too long')
  })

  it('ends, whatever a schema refers to', () => {
    const loop = { anyOf: [{ $ref: '#' }, { $ref: '#' }] }
    expect(schemaIssues(loop, 1).length).toBeGreaterThan(0)
    expect(schemaIssues({ $ref: '#' }, 1)[0]?.message).toContain('levels of nesting')
  })
})

describe('flattenSchema', () => {
  it.each<[schema: Record<string, unknown>, flat: unknown]>([
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      { type: 'string', default: null },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }, { type: ['string', 'integer'] }],
    [{ type: ['string', 'null'] }, { type: 'string' }],
    [
      {
        $schema: 'x',
        $defs: { day: { enum: ['Mon'] } },
        properties: { d: { $ref: '#/$defs/day', description: 'y' } },
      },
      { properties: { d: { enum: ['Mon'], description: 'y' } } },
    ],
    [
      { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { required: ['b'] }] },
      { properties: { a: { type: 'string' } }, required: ['a', 'b'] },
    ],
    [
      { anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }, { type: 'null' }] },
      { anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }] },
    ],
    [{ properties: { anyOf: { type: 'string' } } }, { properties: { anyOf: { type: 'string' } } }],
  ])('%j', (schema, flat) => {
    expect(flattenSchema(schema)).toEqual(flat)
  })

  it('cuts a schema off that refers to itself', () => {
    const schema = { $defs: { n: { properties: { n: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' }
    expect(flattenSchema(schema)).toEqual({ properties: { n: {} } })
  })
})
