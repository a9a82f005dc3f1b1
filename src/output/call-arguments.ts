import { ToolCallParseError } from '../errors.js'

export type CallArguments = Readonly<Record<string, unknown>>

/**
 * The arguments of a call that a model wrote as JSON. Nothing at all stands for no arguments.
 *
 * @throws ToolCallParseError with the position in `raw`
 */
export function jsonArguments(raw: string): CallArguments {
  if (raw.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    const { message } = error as Error
    const at = /at position (\d+)/.exec(message)
    throw new ToolCallParseError(`arguments are no JSON: ${message}`, raw, at ? Number(at[1]) : raw.length)
  }
  return objectOf(value, raw)
}

/** @throws ToolCallParseError for a value that is no object */
export function objectOf(value: unknown, raw: string): CallArguments {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CallArguments
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`
  throw new ToolCallParseError(`an object of arguments was expected, not ${kind}`, raw, 0)
}
