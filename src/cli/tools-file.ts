import path from 'node:path'
import { SafetokensError } from '../errors.js'
import { defineTool } from '../tools/define-tool.js'
import { toolRegistry } from '../tools/registry.js'
import type { JsonSchema, ToolRegistry } from '../tools/types.js'
import { fileInput, readAll } from './input.js'
import { isObject, parseJson } from './json.js'

/**
 * Definitions of tools from a file, JSON or YAML: a list, or an object with their names as keys. Each is one in OpenAI's
 * shape, with or without `type` and `function`, or one of ChatGLM3's demo, which has `params` in place of `parameters`.
 *
 * @returns tools that a person runs
 * @throws SafetokensError when the file cannot be read, or holds something else
 */
export async function readTools(file: string): Promise<ToolRegistry> {
  const text = await readAll(fileInput(file), 'drop')
  const value = /\.ya?ml$/i.test(file) ? await parseYaml(text, file) : parseJson(text)
  const entries = Array.isArray(value)
    ? value.map((entry) => ['', entry] as const)
    : Object.entries(Object(value))
  if (entries.length === 0) throw invalid(file, 'a list of tools was expected')
  return toolRegistry(
    entries.map(([key, entry], i) => {
      const { name = key, description, ...rest } = definition(entry, `${path.basename(file)}, tool ${i}`)
      if (typeof name !== 'string' || name === '') throw invalid(file, `tool ${i} has no name`)
      return defineTool({
        name,
        description: typeof description === 'string' ? description : '',
        parameters: parametersOf(rest),
      })
    }),
  )
}

function definition(entry: unknown, place: string): Record<string, unknown> {
  const inner = isObject(entry) && isObject(entry.function) ? entry.function : entry
  if (isObject(inner)) return inner
  throw invalid(place, 'an object was expected')
}

function parametersOf({ parameters, params }: Record<string, unknown>): JsonSchema {
  if (isObject(parameters)) return parameters
  const listed = Array.isArray(params) ? params.filter(isObject) : []
  return {
    type: 'object',
    properties: Object.fromEntries(
      listed.map(({ name, description, type }) => [
        name,
        { type: JSON_TYPES[String(type)] ?? 'string', ...(description !== undefined && { description }) },
      ]),
    ),
    required: listed.filter(({ required }) => required === true).map(({ name }) => name),
  }
}

/** Names of Python's types, as the demo's registry writes them. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  ...Object.fromEntries(
    ['string', 'integer', 'number', 'boolean', 'array', 'object'].map((name) => [name, name]),
  ),
}

async function parseYaml(text: string, file: string): Promise<unknown> {
  let yaml: typeof import('yaml')
  try {
    yaml = await import('yaml')
  } catch (cause) {
    throw new SafetokensError('MISSING_PEER', `${file}: YAML needs the package yaml: npm install yaml`, {
      cause,
    })
  }
  try {
    return yaml.parse(text)
  } catch (cause) {
    throw invalid(file, (cause as Error).message, cause)
  }
}

function invalid(file: string, message: string, cause?: unknown): SafetokensError {
  return new SafetokensError('INVALID_TOOLS', `${file}: ${message}`, { cause })
}
