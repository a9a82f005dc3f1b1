import { jsonText } from '../chat/python-json.js'
import { SafetokensError } from '../errors.js'

/**
 * Reads JSON. Unlike the message of `JSON.parse`, that of the error is the same in every version of Node.
 *
 * @throws SafetokensError `INVALID_JSON` saying where and what was expected
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SafetokensError('INVALID_JSON', `not JSON: ${jsonProblem(text) ?? (cause as Error).message}`, {
      cause,
    })
  }
}

/** What `jsonText` says, without the line where there is one only. */
function jsonProblem(text: string): string | undefined {
  try {
    jsonText(text)
    return undefined
  } catch (error) {
    const place = /^JSON text, /
    const problem = (error as Error).message.replace(place, '')
    return text.includes('\n') ? problem : problem.replace(/^line 1 /, '')
  }
}

/**
 * The members of a JSON object or array, each as the text that stands there, so that numbers keep their spelling.
 * Of equal keys the last one counts, as in `JSON.parse`. The items of an array have their index as key.
 *
 * @param json valid JSON: what `JSON.parse` has taken
 * @example rawMembers('{"a": [1.0], "b": 2}')  // Map { 'a' => '[1.0]', 'b' => '2' }
 */
export function rawMembers(json: string): Map<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let start = 0
  let key: string | undefined
  const add = (end: number): void => {
    const raw = json.slice(start, end).trim()
    if (raw !== '') members.set(key ?? String(members.size), raw) // nothing stands in [] and {}
    start = end + 1
  }
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case '"':
        while (json[++i] !== '"') if (json[i] === '\\') i++
        break
      case '[':
      case '{':
        if (++depth === 1) start = i + 1
        break
      case ']':
      case '}':
        if (--depth === 0) add(i)
        break
      case ',':
        if (depth === 1) add(i)
        break
      case ':':
        if (depth === 1) {
          key = JSON.parse(json.slice(start, i)) as string
          start = i + 1
        }
    }
  }
  return members
}

/** Whether a value is an object of JSON, which an array is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What a value of the input is about: the value itself or, in an object, the field of that name.
 *
 * @throws SafetokensError `INVALID_INPUT` when it is not what is expected
 */
export function payload<T>(
  value: unknown,
  field: string,
  expected: string,
  isExpected: (value: unknown) => value is T,
): T {
  const inner = isObject(value) ? value[field] : value
  if (isExpected(inner)) return inner
  const what = isObject(value) ? `${field}: ${expected}` : `${expected}, or an object with it as "${field}",`
  throw new SafetokensError('INVALID_INPUT', `${what} was expected, not ${kindOf(inner)}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
