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
  type Growth,
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

const TRUSTED_ROLES: ReadonlyMap<string, OriginText> = new Map(
  ROLES.map((role) => [role, OriginText.trusted(role)]),
)

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

/** The messages of a conversation that grows: each is read once, and has the values of `readRequest`. */
export class GrowingMessages {
  readonly #reader: RequestReader
  readonly #origin = Origin.variable('messages')
  readonly #items: Value[] = []
  readonly #growth: Growth = new MessageGrowth()

  constructor(roles: ReadonlySet<string>) {
    this.#reader = new RequestReader(roles)
  }

  /** @throws InvalidArgumentError as `readRequest`; then it is of no use any more */
  add(messages: readonly unknown[]): void {
    for (const message of messages) {
      this.#items.push(this.#reader.message(message, this.#origin.item(this.#items.length)))
    }
  }

  /** All so far. It does not change. */
  list(): List {
    return new List(this.#items.slice(), this.#origin, null, this.#growth)
  }
}

class MessageGrowth implements Growth {
  readonly isBackwards: boolean
  readonly reversed: Growth

  constructor(reversed?: Growth) {
    this.isBackwards = reversed !== undefined
    this.reversed = reversed ?? new MessageGrowth(this)
  }
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
    this.#enter(list, origin)
    const items: Value[] = []
    const { length } = list
    for (let i = 0; i < length; i++) items.push(this.#message(list[i], origin.item(i)))
    this.#open.pop()
    return new List(items, origin)
  }

  /** An item of the list of messages. */
  message(given: unknown, origin: Origin): Value {
    this.#enter([], origin)
    const message = this.#message(given, origin)
    this.#open.pop()
    return message
  }

  /** A message: its role is trusted where it is one of the list. */
  #message(given: unknown, origin: Origin): Value {
    const message = this.#value(given, origin)
    if (message.kind === 'dict') {
      // Nobody else has seen the dict yet.
      const role = message.entries.get('role') as RequestEntry | undefined
      const text = role?.text
      if (text !== undefined && this.#roles.has(text)) role?.trust(text)
    }
    return message
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
    const isList = Array.isArray(given)
    const isMap = !isList && given instanceof Map
    if (!isList && !isMap && !isPlain(given)) {
      const name: unknown = Reflect.get(Object(Object.getPrototypeOf(given)), 'constructor')?.name
      throw refusal(origin, `expected plain data but received an instance of ${String(name ?? 'a class')}`)
    }
    this.#enter(given, origin)
    const value = isList
      ? this.#list(given, origin)
      : isMap
        ? this.#map(given, origin)
        : this.#record(given as Readonly<Record<string, unknown>>, origin)
    this.#open.pop()
    return value
  }

  /** Before a container is read; it leaves `#open` when it has been. */
  #enter(given: object, origin: Origin): void {
    if (this.#open.includes(given)) throw refusal(origin, 'expected plain data but it contains itself')
    if (this.#open.length === MAX_DEPTH) throw refusal(origin, `expected at most ${MAX_DEPTH} levels`)
    this.#open.push(given)
  }

  #list(given: readonly unknown[], origin: Origin): List {
    const items: Value[] = []
    const { length } = given
    for (let i = 0; i < length; i++) items.push(this.#value(given[i], origin.item(i)))
    return new List(items, origin)
  }

  #map(given: ReadonlyMap<unknown, unknown>, origin: Origin): Dict {
    const entries = new Map<HashKey, Entry>()
    for (const name of given.keys()) {
      if (typeof name !== 'string') throw refusal(origin, 'expected a Map with string keys only')
      this.#put(entries, name, given.get(name), origin)
    }
    return new Dict(entries, origin)
  }

  #record(given: Readonly<Record<string, unknown>>, origin: Origin): Dict {
    const entries = new Map<HashKey, Entry>()
    for (const name of Object.keys(given)) this.#put(entries, name, given[name], origin)
    return new Dict(entries, origin)
  }

  #put(entries: Map<HashKey, Entry>, name: string, item: unknown, origin: Origin): void {
    if (item === undefined) return // as JSON leaves it out
    const key = name.toWellFormed()
    const value = typeof item === 'string' ? item.toWellFormed() : this.#value(item, origin.value(key))
    entries.set(key, new RequestEntry(key, origin, value))
  }
}

/**
 * An entry of a dict. What it holds was read with the request; keys and values of strings are made when the template looks
 * at them, since most templates look at few.
 */
class RequestEntry implements Entry {
  readonly #name: string
  readonly #dict: Origin
  #value: Value | string
  #key: Str | undefined

  constructor(name: string, dict: Origin, value: Value | string) {
    this.#name = name
    this.#dict = dict
    this.#value = value
  }

  get key(): Str {
    this.#key ??= new Str(OriginText.data(this.#name, this.#dict.key(this.#name)))
    return this.#key
  }

  get value(): Value {
    const value = this.#value
    if (typeof value !== 'string') return value
    const isShape = this.#name === 'type' && SHAPES.has(value)
    const made = new Str(OriginText.data(value, this.#dict.value(this.#name, isShape)))
    this.#value = made
    return made
  }

  /** The text of a string; undefined for other values. */
  get text(): string | undefined {
    const value = this.#value
    if (typeof value === 'string') return value
    return value.kind === 'str' ? value.text.text : undefined
  }

  /** From now on its text is that of the program. */
  trust(text: string): void {
    this.#value = new Str(TRUSTED_ROLES.get(text) ?? OriginText.trusted(text))
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
