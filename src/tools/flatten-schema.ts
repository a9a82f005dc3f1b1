import { resolve } from './json-schema.js'
import type { JsonSchema } from './types.js'

type Fields = Record<string, unknown>

/** A schema that refers to itself is cut off here. */
const MAX_DEPTH = 20

/** What models read of a schema; the rest is machinery. */
const MACHINERY: ReadonlySet<string> = new Set(['$schema', '$id', '$defs', 'definitions', '$ref', '$comment'])

/**
 * A JSON Schema without references, and without the combinations that stand for optional values: what `$ref` names takes
 * its place; `anyOf` of one kind and null is that kind; `allOf` is one schema; `anyOf` and `oneOf` of plain types are a list
 * of types. For models and formats that cannot read such schemas. Where a schema refers to itself it is cut off, with
 * `{}`, which allows everything.
 *
 * @example flattenSchema({ anyOf: [{ type: 'string' }, { type: 'null' }], default: null })  // { type: 'string', default: null }
 */
export function flattenSchema(schema: JsonSchema): JsonSchema {
  return flatten(schema, schema, [], 0) as JsonSchema
}

function flatten(root: JsonSchema, schema: unknown, open: readonly string[], depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  if (depth > MAX_DEPTH) return {}
  const given = schema as Fields
  let own: Fields = {}
  let path = open
  if (typeof given.$ref === 'string') {
    if (open.includes(given.$ref)) return {}
    path = [...open, given.$ref]
    const target = flatten(root, resolve(root, given.$ref), path, depth + 1)
    own = typeof target === 'object' && target !== null ? { ...(target as Fields) } : {}
  }
  const inner = (value: unknown): unknown => flatten(root, value, path, depth + 1)
  for (const [key, value] of Object.entries(given)) {
    if (MACHINERY.has(key)) continue
    if (key === 'properties' || key === 'patternProperties') own[key] = eachMember(value, inner)
    else if (['items', 'additionalProperties', 'not', 'contains'].includes(key)) own[key] = inner(value)
    else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key) && Array.isArray(value)) {
      own[key] = value.map(inner)
    } else own[key] = value
  }
  return simplified(own)
}

function eachMember(value: unknown, change: (value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]))
}

/** Combinations that say no more than a plain schema. */
function simplified(schema: Fields): Fields {
  let result = schema
  if (Array.isArray(result.allOf)) {
    const { allOf, ...rest } = result
    result = (allOf as Fields[]).reduce<Fields>(merged, rest)
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const kinds = result[key]
    if (!Array.isArray(kinds)) continue
    const real = (kinds as Fields[]).filter((kind) => kind?.type !== 'null')
    const { [key]: _, ...rest } = result
    if (real.length === 1) result = { ...(real[0] as Fields), ...rest }
    else if (real.length > 1 && real.every((kind) => Object.keys(kind).join() === 'type')) {
      result = { type: [...new Set(real.flatMap(({ type }) => type))], ...rest }
    } else if (real.length < kinds.length) result = { ...rest, [key]: real }
  }
  if (Array.isArray(result.type) && result.type.includes('null') && result.type.length > 1) {
    const types = result.type.filter((type) => type !== 'null')
    result = { ...result, type: types.length === 1 ? types[0] : types }
  }
  return result
}

function merged(into: Fields, schema: Fields): Fields {
  const required = [...listOf(into.required), ...listOf(schema.required)]
  const properties = { ...Object(schema.properties), ...Object(into.properties) }
  return {
    ...schema,
    ...into,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
