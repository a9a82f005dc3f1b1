import { InvalidArgumentError } from '../errors.js'
import { pythonLiteral } from './python-literal.js'
import type { ToolShapes } from './types.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * What `tools` tell about calls: a registry, a list in OpenAI's shape with or without `function`, or ChatGLM3's
 * definitions by name.
 *
 * @throws InvalidArgumentError for what is none of these
 */
export function toolShapes(tools: unknown): ToolShapes | undefined {
  if (tools === undefined || tools === null) return undefined
  if (typeof tools !== 'object') {
    throw new InvalidArgumentError(`tools: a list of tools or a registry was expected, not ${typeof tools}`)
  }
  const { definitions } = tools as { definitions?: unknown }
  const list: unknown = typeof definitions === 'function' ? definitions.call(tools) : tools
  const shapes = new Map<string, Fields | undefined>()
  for (const item of Array.isArray(list) ? (list as unknown[]) : Object.values(list as Fields)) {
    const outer = fieldsOf(item)
    const definition = fieldsOf(outer?.function) ?? outer
    if (typeof definition?.name === 'string') shapes.set(definition.name, fieldsOf(definition.parameters))
  }
  return { has: (name) => shapes.has(name), schema: (name) => shapes.get(name) }
}

/** The JSON Schema of one argument. */
export function argumentSchema(
  tools: ToolShapes | undefined,
  tool: string,
  name: string,
): Fields | undefined {
  const properties = fieldsOf(tools?.schema(tool)?.properties)
  return properties && Object.hasOwn(properties, name) ? fieldsOf(properties[name]) : undefined
}

/**
 * A value that a model wrote without quotes, as its schema has it: a string where only strings are allowed, else JSON or a
 * literal of Python (as the template of Qwen3-Coder writes lists), and what is neither is a string.
 */
export function untypedValue(text: string, schema: Fields | undefined): unknown {
  const types = schemaTypes(schema)
  if (types?.length === 1 && types[0] === 'string') return text
  const value = readValue(text, types !== undefined)
  // `5` for a tool that takes strings and null, say.
  return types?.includes('string') && !types.includes(jsonType(value)) ? text : value
}

/** @param typed its schema is known, so that a word such as `True` is no string by chance */
function readValue(text: string, typed: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (!typed && !/^\s*[[{]/.test(text)) return text
  }
  try {
    return pythonLiteral(text)
  } catch {
    return text
  }
}

function schemaTypes(schema: Fields | undefined): readonly string[] | undefined {
  if (schema === undefined) return undefined
  const { type, enum: allowed, anyOf, oneOf } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((each) => typeof each === 'string')
  if (Array.isArray(allowed)) return [...new Set(allowed.map(jsonType))]
  const parts = Array.isArray(anyOf) ? anyOf : oneOf
  if (!Array.isArray(parts)) return undefined
  const all = parts.map((part) => schemaTypes(fieldsOf(part)))
  return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? [])
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
