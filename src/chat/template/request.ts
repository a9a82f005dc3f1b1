import { InvalidArgumentError } from '../../errors.js'
import { ControlToken, TrustedText } from '../../prompt/parts.js'
import { jsonTree, Printed } from '../python-json.js'
import { Origin } from './origin.js'
import { OriginText } from './origin-text.js'
import {
  Bool,
  Dict,
  type Entry,
  Float,
  type HashKey,
  int,
  List,
  None,
  Str,
  trustedStr,
  type Value,
} from './value.js'

/**
 * Roles that are trusted text. Templates compose control tokens of roles, so the list is static: it never comes
 * from a vocabulary or from a request.
 */
export const ROLES: readonly string[] =
  'system developer user assistant tool function observation ipython'.split(' ')

/** Values of a key `type` that say what shape something has: parts of content, tools, and types in JSON Schema. */
const SHAPES: ReadonlySet<string> = new Set([
  ...['text', 'image', 'image_url', 'video', 'video_url', 'audio', 'audio_url', 'file', 'document'],
  ...['input_text', 'input_image', 'input_audio', 'input_file', 'output_text', 'refusal', 'reasoning'],
  ...['thinking', 'tool_use', 'tool_call', 'tool_result', 'tool_reference', 'function', 'json_schema'],
  ...['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'],
])

/** The most containers that may stand inside each other. */
const MAX_DEPTH = 1000

/**
 * Reads the variables of a request into values, once and for all: getters and proxies are asked once. Each value
 * gets its path as origin. Trusted are texts made by `trusted()` and the roles of messages that are in the list.
 *
 * @throws InvalidArgumentError naming the path, for functions, symbols, class instances, NaN, infinities, control
 *   tokens, cycles and more than 1,000 levels
 */
export function readRequest(
  context: Readonly<Record<string, unknown>>,
  roles: ReadonlySet<string>,
): Map<string, Value> {
  const reader = new RequestReader(roles)
  const variables = new Map<string, Value>()
  for (const name of Object.keys(context)) {
    const value = context[name]
    if (value !== undefined) variables.set(name.toWellFormed(), reader.variable(name.toWellFormed(), value))
  }
  return variables
}

class RequestReader {
  readonly #roles: ReadonlySet<string>
  readonly #open: unknown[] = []

  constructor(roles: ReadonlySet<string>) {
    this.#roles = roles
  }

  variable(name: string, given: unknown): Value {
    const origin = Origin.variable(name)
    const list = jsonTree(given) ?? given
    if (name !== 'messages' || !Array.isArray(list)) return this.#value(given, origin)
    return this.#container(list, origin, () =>
      this.#list(list, origin, (message, path) => this.#message(message, path)),
    )
  }

  /** A message: its role is trusted where it is one of the list. */
  #message(given: unknown, origin: Origin): Value {
    const message = this.#value(given, origin)
    const role = message.kind === 'dict' ? message.entries.get('role') : undefined
    if (message.kind !== 'dict' || role?.value.kind !== 'str') return message
    const { text } = role.value.text
    if (!this.#roles.has(text)) return message
    const entries = new Map(message.entries)
    entries.set('role', { key: role.key, value: trustedStr(text) })
    return new Dict(entries, message.origin)
  }

  #value(given: unknown, origin: Origin): Value {
    switch (typeof given) {
      case 'string':
        return new Str(OriginText.data(given.toWellFormed(), origin))
      case 'number':
        return numberValue(given, origin)
      case 'bigint':
        return int(given, origin)
      case 'boolean':
        return new Bool(given, origin)
      case 'undefined':
        return new None(origin)
      case 'object':
        return given === null ? new None(origin) : this.#object(given, origin)
      default:
        throw refusal(origin, `expected plain data but received a ${typeof given}`)
    }
  }

  #object(given: object, origin: Origin): Value {
    if (given instanceof Printed) return printedValue(given.text, origin)
    if (TrustedText.is(given)) return trustedStr(given.text.toWellFormed())
    if (ControlToken.is(given)) {
      throw refusal(
        origin,
        'expected text: a chat template writes text, so control() has no place in its values',
      )
    }
    const tree = jsonTree(given)
    if (tree !== undefined) return this.#value(tree, origin)
    if (!Array.isArray(given) && !(given instanceof Map) && !isPlain(given)) {
      const name: unknown = Reflect.get(Object(Object.getPrototypeOf(given)), 'constructor')?.name
      throw refusal(origin, `expected plain data but received an instance of ${String(name ?? 'a class')}`)
    }
    return this.#container(given, origin, () => this.#plain(given, origin))
  }

  #container(given: object, origin: Origin, read: () => Value): Value {
    if (this.#open.includes(given)) throw refusal(origin, 'expected plain data but it contains itself')
    if (this.#open.length === MAX_DEPTH) throw refusal(origin, `expected at most ${MAX_DEPTH} levels`)
    this.#open.push(given)
    const value = read()
    this.#open.pop()
    return value
  }

  #plain(given: object, origin: Origin): Value {
    if (Array.isArray(given)) return this.#list(given, origin, (item, path) => this.#value(item, path))
    const isMap = given instanceof Map
    const entries = new Map<HashKey, Entry>()
    for (const name of isMap ? given.keys() : Object.keys(given)) {
      if (typeof name !== 'string') throw refusal(origin, 'expected a Map with string keys only')
      const item: unknown = isMap ? given.get(name) : Reflect.get(given, name)
      if (item === undefined) continue // as JSON leaves it out
      const key = name.toWellFormed()
      const isShape = key === 'type' && typeof item === 'string' && SHAPES.has(item)
      const value = this.#value(item, origin.value(key, isShape))
      entries.set(key, { key: new Str(OriginText.data(key, origin.key(key))), value })
    }
    return new Dict(entries, origin)
  }

  #list(given: readonly unknown[], origin: Origin, read: (item: unknown, origin: Origin) => Value): List {
    const items: Value[] = []
    const { length } = given
    for (let i = 0; i < length; i++) items.push(read(given[i], origin.item(i)))
    return new List(items, origin)
  }
}

function numberValue(given: number, origin: Origin): Value {
  if (!Number.isFinite(given)) throw refusal(origin, `expected a finite number but received ${given}`)
  // JSON writes no exponent below 1e21, so that Python would read an int.
  if (Number.isInteger(given) && Math.abs(given) < 1e21) {
    return Number.isSafeInteger(given) ? int(given, origin) : int(BigInt(String(given)), origin)
  }
  return new Float(given, origin)
}

/** A number, null, true or false of `jsonText()`. */
function printedValue(text: string, origin: Origin): Value {
  if (text === 'null') return new None(origin)
  if (text === 'true' || text === 'false') return new Bool(text === 'true', origin)
  return /^-?\d+$/.test(text) ? int(BigInt(text), origin) : new Float(Number(text), origin)
}

/** An object literal of any realm, or one without a prototype. */
function isPlain(given: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(given)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function refusal(origin: Origin, problem: string): InvalidArgumentError {
  return new InvalidArgumentError(`${origin.path}: ${problem}`)
}
