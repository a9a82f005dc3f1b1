import { isDeepStrictEqual } from 'node:util'
import { type Compat, checkName, type Fail, kindOf } from './messages.js'
import { JsonText, jsonText } from './python-json.js'

/** A call of a tool in OpenAI's shape. */
export interface ToolCall {
  readonly id?: string | null | undefined
  readonly type?: string | undefined
  readonly function: {
    readonly name: string
    /** An object, or JSON as a string, as servers send it. */
    readonly arguments?: unknown
  }
}

/** A call whose shape has been checked. */
export interface CheckedToolCall {
  readonly path: string
  readonly id: string | undefined
  readonly name: string
  /** What `pythonJsonDumps` can write: an object, or a `JsonText` where the arguments came as a string of JSON. */
  readonly arguments: unknown
  /** The string that came, where one came. */
  readonly rawArguments: string | undefined
}

/** Calls in OpenAI's shape, with or without the `function` around name and arguments. */
export function checkToolCalls(calls: unknown, path: string, fail: Fail, compat: Compat): CheckedToolCall[] {
  if (calls === undefined || calls === null) return []
  if (!Array.isArray(calls)) return fail('tool-calls', `tool_calls must be a list, not ${kindOf(calls)}`)
  return calls.map((call: unknown, i) => {
    const at = `tool_calls[${i}]`
    if (typeof call !== 'object' || call === null) {
      return fail('tool-calls', `${at} must be an object with a function, not ${kindOf(call)}`)
    }
    const { id, function: inner } = call as { id?: unknown; function?: unknown }
    const body = (inner ?? call) as { name?: unknown; arguments?: unknown }
    if (typeof body !== 'object') return fail('tool-calls', `${at}.function must be an object`)
    const name = checkName(`${at}.function.name`, body.name, compat, fail)
    if (name === undefined) return fail('tool-calls', `${at}.function.name is missing`)
    const place = inner === undefined ? `${path}[${i}]` : `${path}[${i}].function`
    return {
      path: place,
      id: checkName(`${at}.id`, id, compat, fail),
      name,
      ...checkArguments(body.arguments, at, fail),
    }
  })
}

/**
 * Calls of a turn in OpenAI's shape. The arguments stay as the model wrote them where that is JSON which says the same;
 * a malformed call keeps its raw text. One without a name is left out: its text is part of the content.
 */
export function openAICalls(calls: readonly unknown[]): readonly unknown[] {
  return calls.flatMap((call: unknown) => {
    if (typeof call !== 'object' || call === null || 'function' in call) return [call]
    const { id, name, arguments: given, rawArguments, error } = call as Readonly<Record<string, unknown>>
    if (name === '' && error !== undefined) return []
    const args = given === undefined || saysTheSame(rawArguments, given) ? rawArguments : given
    return [{ id, type: 'function', function: { name, arguments: args } }]
  })
}

function saysTheSame(raw: unknown, value: unknown): boolean {
  if (typeof raw !== 'string' || raw === '') return false
  try {
    return isDeepStrictEqual(JSON.parse(raw), value)
  } catch {
    return false
  }
}

function checkArguments(
  value: unknown,
  at: string,
  fail: Fail,
): Pick<CheckedToolCall, 'arguments' | 'rawArguments'> {
  if (value === undefined || value === null || value === '') return { arguments: {}, rawArguments: undefined }
  if (typeof value === 'string') {
    try {
      return { arguments: jsonText(value), rawArguments: value }
    } catch {
      // A model may have written them; what is no JSON stays as the model wrote it.
      return { arguments: value, rawArguments: value }
    }
  }
  if (typeof value !== 'object') {
    return fail('tool-calls', `${at}.function.arguments must be an object or a string, not ${kindOf(value)}`)
  }
  if (Array.isArray(value) && !JsonText.is(value)) {
    return fail('tool-calls', `${at}.function.arguments must be an object, not an array`)
  }
  return { arguments: value, rawArguments: undefined }
}
