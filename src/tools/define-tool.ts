import { InvalidArgumentError } from '../errors.js'
import { schemaIssues } from './json-schema.js'
import type { ArgumentCheck, ArgumentIssue, JsonSchema, StandardSchema, Tool, ToolContext } from './types.js'

/** Letters, digits and signs that stand in names of tools everywhere: `/text-to-speech` is one, and `天气`. */
const NAME = /^[\p{L}\p{M}\p{N}_.:/@+$#-]{1,256}$/u

interface Definition<Input> {
  /** What the model calls it: letters, digits and `_.:/@+$#-`. Some formats take fewer. */
  readonly name: string
  /** What the model reads about it. */
  readonly description?: string | undefined
  /** Runs it. Without it, the caller does. */
  readonly execute?: ((input: Input, context: ToolContext) => unknown) | undefined
}

export interface StandardDefinition<Output> extends Definition<Output> {
  /** A schema of zod, valibot, arktype or another validator of the Standard Schema. */
  readonly parameters: StandardSchema<Output>
  /** Its JSON Schema, where the validator does not tell it itself (zod from 4.2 on does, and zod 4 by `toJSONSchema`). */
  readonly jsonSchema?: JsonSchema | undefined
}

export interface JsonSchemaDefinition<Input = Record<string, unknown>> extends Definition<Input> {
  /** The JSON Schema of an object. Default: no arguments. */
  readonly parameters?: JsonSchema | undefined
}

/**
 * A tool that a model may call. Arguments are checked before it runs, and what the validator makes of them is what it
 * gets.
 *
 * @throws InvalidArgumentError for a name that is no word, for a schema that is none, and for a validator that does not
 *   tell its JSON Schema
 * @example
 * const weather = defineTool({
 *   name: 'get_weather',
 *   description: 'The weather in a city',
 *   parameters: z.object({ city: z.string() }),
 *   execute: ({ city }) => fetchWeather(city),
 * })
 */
export function defineTool<Output>(definition: StandardDefinition<Output>): Tool<Output>
export function defineTool<Input = Record<string, unknown>>(
  definition: JsonSchemaDefinition<Input>,
): Tool<Input>
export function defineTool(
  definition: StandardDefinition<unknown> | JsonSchemaDefinition<unknown>,
): Tool<unknown> {
  const { name, description = '', execute, parameters = { type: 'object', properties: {} } } = definition
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new InvalidArgumentError(
      `defineTool: the name may hold letters, digits and _.:/@+$#-, up to 256; it is ${JSON.stringify(name)}`,
    )
  }
  if (typeof description !== 'string' || (execute !== undefined && typeof execute !== 'function')) {
    throw new InvalidArgumentError(`defineTool: ${name}: description must be a string, execute a function`)
  }
  const standard = isStandard(parameters) ? parameters['~standard'] : undefined
  const schema = standard
    ? jsonSchemaOf(name, definition as StandardDefinition<unknown>)
    : (parameters as JsonSchema)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new InvalidArgumentError(`defineTool: ${name}: parameters must be a schema of an object`)
  }
  return Object.freeze({
    name,
    description,
    parameters: schema,
    execute,
    validate: async (value: unknown): Promise<ArgumentCheck<unknown>> => {
      if (!standard) return checked(value, schemaIssues(schema, value))
      const result = await standard.validate(value)
      if (result.issues === undefined) return { valid: true, value: result.value }
      return {
        valid: false,
        issues: result.issues.map(({ message, path = [] }) => ({ path: pathOf(path), message })),
      }
    },
  })
}

function checked(value: unknown, issues: readonly ArgumentIssue[]): ArgumentCheck<unknown> {
  return issues.length === 0 ? { valid: true, value } : { valid: false, issues }
}

function isStandard(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false
  const { '~standard': standard } = schema as { '~standard'?: { validate?: unknown } }
  return typeof standard?.validate === 'function'
}

/** Validators tell their JSON Schema in several ways; the newest is part of the Standard Schema. */
function jsonSchemaOf(
  name: string,
  { parameters, jsonSchema }: StandardDefinition<unknown>,
): Readonly<Record<string, unknown>> {
  if (jsonSchema !== undefined) return jsonSchema
  const standard = parameters['~standard'].jsonSchema
  const told: unknown =
    typeof standard?.input === 'function'
      ? standard.input({ target: 'draft-2020-12' })
      : (callable(parameters, 'toJSONSchema') ?? callable(parameters, 'toJsonSchema'))
  if (typeof told !== 'object' || told === null) {
    throw new InvalidArgumentError(
      `defineTool: ${name}: this validator (${parameters['~standard'].vendor}) does not tell its JSON Schema; give { jsonSchema }`,
    )
  }
  return withoutDialect(told as Readonly<Record<string, unknown>>)
}

function callable(schema: unknown, method: string): unknown {
  const { [method]: call } = schema as Record<string, unknown>
  return typeof call === 'function' ? call.call(schema) : undefined
}

/** Which dialect a schema is of is nothing that a model needs to read. */
function withoutDialect({
  $schema: _,
  ...schema
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return schema
}

function pathOf(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return path.reduce<string>((text, step) => {
    const key = typeof step === 'object' ? step.key : step
    return typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`
  }, '$')
}
