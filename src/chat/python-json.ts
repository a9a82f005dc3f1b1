import { types } from 'node:util'
import { InvalidArgumentError } from '../errors.js'

/** The most containers that may stand inside each other, in a value and in a JSON text alike. */
const MAX_DEPTH = 1000

/** How `pythonJsonDumps` writes; the names are those of Python's `json.dumps` in camel case. */
export interface PythonJsonOptions {
  /** Spaces a level, a whole number from 0 to 1,000. Without it everything stands on one line. */
  indent?: number | undefined
  /** Write DEL and everything outside ASCII as `\uXXXX`. Default false, unlike Python's own default. */
  ensureAscii?: boolean
  /** Order the members of every dict by the code points of their keys. Default false. */
  sortKeys?: boolean
  /** Between items, and between key and value. Default `[', ', ': ']`, with an indent `[',', ': ']`. */
  separators?: readonly [string, string]
}

/** @internal A number, null, true or false, already spelled as `json.dumps` prints it. */
export class Printed {
  constructor(readonly text: string) {}
}

/**
 * @internal What `jsonText` reads. A Map, unlike an object, keeps integer-like keys and `__proto__` in their place.
 */
export type Tree = string | Printed | TreeContainer
type TreeContainer = Tree[] | Map<string, Tree>

/** @internal What a `JsonText` holds; undefined for any other value. */
export function jsonTree(value: unknown): Tree | undefined {
  return treeOf(value)
}

const MAKER = Symbol('known to this module alone, so that nobody else can make a JsonText')
/** The tree of a `JsonText`; undefined for any other value, whatever its shape or prototype. */
let treeOf: (value: unknown) => Tree | undefined

/**
 * A JSON text that was checked and read without loss. Only `jsonText` makes one; it cannot be changed, and
 * it means something only to `pythonJsonDumps` (`JSON.stringify` writes it as `{}`).
 */
export class JsonText {
  readonly #tree: Tree

  /** @internal */
  constructor(maker: symbol, tree: unknown) {
    if (maker !== MAKER) throw new InvalidArgumentError('JsonText: expected to be made by jsonText()')
    this.#tree = tree as Tree
  }

  /** The items of a list, each as a JsonText; undefined when the text is no list. */
  items(): JsonText[] | undefined {
    return Array.isArray(this.#tree) ? this.#tree.map((item) => new JsonText(MAKER, item)) : undefined
  }

  /** Whether `jsonText` made the value. A plain object of the same shape or prototype does not pass. */
  static is(value: unknown): value is JsonText {
    return treeOf(value) !== undefined
  }

  static {
    treeOf = (value) =>
      typeof value === 'object' && value !== null && #tree in value ? value.#tree : undefined
  }
}

/**
 * Reads a JSON text so that `pythonJsonDumps` can write it as Python would after `json.loads`: `1.0` stays a
 * float, an integer keeps all its digits (beyond Python's limit of 4,300 too), keys keep their order, and of
 * equal keys the last value takes the place of the first.
 *
 * @param text one JSON value, maybe in white space (RFC 8259, so no NaN, which `json.loads` allows)
 * @param options `nan`: take NaN, Infinity and -Infinity too, which Python's `json.dumps` writes. Default false
 * @throws InvalidArgumentError with line, column and what was expected; also beyond 1,000 levels of nesting
 * @example pythonJsonDumps({ schema: jsonText('{"2": 1.0, "1": 1E16}') }) // {"schema": {"2": 1.0, "1": 1e+16}}
 * @see CPython 3.11 `Lib/json/decoder.py`
 */
export function jsonText(text: string, { nan = false }: { nan?: boolean } = {}): JsonText {
  if (typeof text !== 'string') {
    throw new InvalidArgumentError(`text: expected a string of JSON but received ${typeof text}`)
  }
  // A raw lone half must not join with an escaped one beside it: Python joins two escapes only.
  return new JsonText(MAKER, readJson(wellFormed(text), nan ? SCALAR_OR_NAN : SCALAR))
}

/**
 * Writes a value exactly as CPython 3.11 `json.dumps` would, had Python received it from `JSON.stringify`:
 * `toJSON` is called, boxed primitives are unwrapped, members that are undefined, functions or symbols are left
 * out (null in an array); `1` and `1.0` print `1`, and `1e21` is a Python float, as JavaScript writes `1e+21`.
 *
 * On top of that a bigint prints its digits, a `Map` with string keys is a dict in the order of its entries, and
 * a `JsonText` may stand anywhere. Lone surrogates become U+FFFD here, not later in the encoder: halves at the
 * edges of neighbouring strings must not join.
 *
 * @returns the text, without a final newline
 * @throws InvalidArgumentError naming the place, such as `$.a[2]`: NaN and infinities, circular values, more
 *   than 1,000 levels, Map keys that are no strings, a value that is nothing in JSON, an `indent` out of range
 * @example pythonJsonDumps({ name: '天气', n: [1, 1e-7] }) // {"name": "天气", "n": [1, 1e-07]}
 * @see CPython 3.11 `Lib/json/encoder.py`
 */
export function pythonJsonDumps(value: unknown, options: PythonJsonOptions = {}): string {
  const { indent, ensureAscii = false, sortKeys = false } = options
  if (indent !== undefined && !(Number.isInteger(indent) && indent >= 0 && indent <= 1000)) {
    throw new InvalidArgumentError(`indent: expected a whole number from 0 to 1000 but received ${indent}`)
  }
  const [itemSeparator, keySeparator] = options.separators ?? [indent === undefined ? ', ' : ',', ': ']
  const frames: Frame[] = []
  let out = ''
  const newline = (): string => (indent === undefined ? '' : `\n${' '.repeat(indent * frames.length)}`)
  const failure = (problem: string): InvalidArgumentError =>
    new InvalidArgumentError(`${pathTo(frames)}: ${problem}`)

  const enter = (container: object, lossless: boolean): void => {
    const seen = frames.findIndex((frame) => frame.container === container)
    if (seen >= 0) throw failure(`circular: this is ${pathTo(frames.slice(0, seen))} again`)
    if (frames.length === MAX_DEPTH) throw failure(`nested deeper than ${MAX_DEPTH} levels`)
    const names = (): unknown => (types.isMap(container) ? [...container.keys()] : Object.keys(container))
    const keys = Array.isArray(container) ? undefined : (names() as string[])
    if (keys?.some((key) => typeof key !== 'string')) throw failure('expected a Map with string keys only')
    if (sortKeys) keys?.sort(compareCodePoints)
    out += keys === undefined ? '[' : '{'
    const { length } = keys ?? (container as unknown[])
    frames.push({ container, keys, length, lossless, next: 0, written: 0 })
  }

  /** Writes a scalar or enters a container; false, with nothing written, for what JSON leaves out. */
  const write = (given: unknown, key: string, lead: string, lossless: boolean): boolean => {
    const plain = lossless ? given : toPlain(given, key)
    const tree = treeOf(plain)
    const item = tree ?? plain
    if (typeof item === 'number' && !Number.isFinite(item)) throw failure(`not a finite number: ${item}`)
    const text = typeof item === 'string' ? quote(item, ensureAscii) : printed(item)
    if (text === undefined && typeof item !== 'object') return false
    out += lead
    if (text === undefined) enter(item as object, lossless || tree !== undefined)
    else out += text
    return true
  }

  if (!write(value, '', '', false)) throw failure(`expected a JSON value but received ${typeof value}`)
  // A loop over `frames`, so that nesting never costs JavaScript stack.
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const { container, keys, length, lossless } = frame
    if (frame.next === length) {
      frames.pop()
      out += (frame.written === 0 ? '' : newline()) + (keys === undefined ? ']' : '}')
      continue
    }
    const index = frame.next++
    const key = keys?.[index]
    const member = key === undefined ? '' : quote(key, ensureAscii) + keySeparator
    const lead = (frame.written === 0 ? '' : itemSeparator) + newline() + member
    const item = types.isMap(container) ? container.get(key) : Reflect.get(container, key ?? index)
    const done = write(item, key ?? `${index}`, lead, lossless)
    if (done || (keys === undefined && write(null, '', lead, true))) frame.written++
  }
  return out
}

/**
 * `repr(float)` of CPython: the shortest digits that read back as `x`, with an exponent below 1e-4 and from
 * 1e16. Infinities and NaN are spelled as Python's json spells them.
 *
 * @example pythonFloatRepr(1e5) + ' ' + pythonFloatRepr(1e-5) // 100000.0 1e-05
 * @see CPython 3.11 `Python/pystrtod.c`, `format_float_short`
 */
export function pythonFloatRepr(x: number): string {
  if (!Number.isFinite(x)) return String(x)
  const [mantissa = '', exponent = ''] = Math.abs(x).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const power = Number(exponent)
  const sign = x < 0 || Object.is(x, -0) ? '-' : ''
  if (power < -4 || power >= 16) {
    return `${sign}${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
  }
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`
  return `${sign}${digits.slice(0, power + 1).padEnd(power + 1, '0')}.${digits.slice(power + 1) || '0'}`
}

/** What Python prints for a JSON number or word; the digits of an integer already are what `int()` gives. */
function pythonScalar(text: string): string {
  if (/\d[.eE]/.test(text)) return pythonFloatRepr(Number(text))
  return text === '-0' ? '0' : text
}

/** A container that is being written; a list has no `keys`. */
interface Frame {
  readonly container: object
  readonly keys: readonly string[] | undefined
  readonly length: number
  /** Inside a JsonText: no `toJSON`, not even one that somebody put on Array.prototype. */
  readonly lossless: boolean
  next: number
  written: number
}

/** The place that is being written; a very long path loses its middle. */
function pathTo(frames: readonly Frame[]): string {
  const steps = frames.map(({ keys, next }) => {
    const key = keys?.[next - 1]
    if (key === undefined) return `[${next - 1}]`
    return /^[\p{L}_$][\p{L}\d_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
  })
  const path = `$${steps.join('')}`
  return path.length <= 200 ? path : wellFormed(`${path.slice(0, 100)}…${path.slice(-100)}`)
}

/** The first steps of ECMAScript's SerializeJSONProperty, but a primitive bigint is not asked for `toJSON`. */
function toPlain(item: unknown, key: string): unknown {
  if ((typeof item !== 'object' && typeof item !== 'function') || item === null) return item
  let value: unknown = item
  if (treeOf(value) === undefined) {
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON === 'function') value = toJSON.call(value, key)
  }
  if (types.isNumberObject(value)) return Number(value)
  if (types.isStringObject(value)) return String(value)
  return types.isBooleanObject(value) || types.isBigIntObject(value) ? value.valueOf() : value
}

function printed(value: unknown): string | undefined {
  if (value instanceof Printed) return value.text
  const isScalar =
    value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint'
  return isScalar ? pythonScalar(String(value)) : undefined
}

const wellFormed = (text: string): string => text.toWellFormed()

const SHORT_ESCAPES = new Map([...'"\\\b\f\n\r\t'].map((c, i) => [c, `\\${'"\\bfnrt'[i]}`]))

function quote(text: string, ensureAscii: boolean): string {
  return `"${jsonEscaped(text, ensureAscii)}"`
}

/** What most texts have none of: surrogates, in pairs or not, and what is escaped. */
const MAYBE_ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
const MAYBE_ESCAPED_ASCII = /[^ !#-[\]-~]/

/** @internal A text as it stands between the quotes of a JSON string. The classes list what stays as it is. */
export function jsonEscaped(text: string, ensureAscii: boolean): string {
  if (!(ensureAscii ? MAYBE_ESCAPED_ASCII : MAYBE_ESCAPED).test(text)) return text
  const escaped = (unit: string): string =>
    SHORT_ESCAPES.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return wellFormed(text).replace(ensureAscii ? /[^ !#-[\]-~]/g : /[^ !#-[\]-\uffff]/g, escaped)
}

/** Python orders strings by code point, as their UTF-8 bytes are; UTF-16 has astral characters too early. */
const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const SPACE = /[ \t\n\r]+/y
const SCALAR = /null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const SCALAR_OR_NAN = new RegExp(`NaN|-?Infinity|${SCALAR.source}`, 'y')
const UNESCAPED = /[ !#-[\]-\uffff]+/y
const QUOTE = /"/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Reads well-formed text in one pass, again with no recursion. */
function readJson(text: string, scalar: RegExp): Tree {
  const parents: TreeContainer[] = []
  const waitingKeys: string[] = []
  let pos = 0

  const failure = (expected: string): InvalidArgumentError => {
    const lines = text.slice(0, pos).split('\n')
    const place = `line ${lines.length} column ${[...(lines.at(-1) ?? '')].length + 1}`
    const [found] = text.slice(pos, pos + 2) // a whole character
    const problem = `expected ${expected} but found ${JSON.stringify(found) ?? 'the end'}`
    return new InvalidArgumentError(`JSON text, ${place}: ${problem}`)
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = pos
    const taken = pattern.exec(text)?.[0] ?? ''
    pos += taken.length
    return taken
  }
  const takeMark = (marks: string): string => {
    take(SPACE)
    const mark = text.charAt(pos)
    if (mark === '' || !marks.includes(mark)) throw failure([...marks].join(' or '))
    pos++
    take(SPACE)
    return mark
  }
  const takeString = (expected: string): string => {
    const start = pos
    if (!take(QUOTE)) throw failure(expected)
    while (!take(QUOTE)) {
      if (!take(UNESCAPED) && !take(ESCAPE)) throw failure('a closing quote, a character or a valid escape')
    }
    return JSON.parse(text.slice(start, pos)) as string
  }
  const takeScalar = (): Tree => {
    const plain = pythonScalar(take(scalar))
    return plain ? new Printed(plain) : takeString('a JSON value')
  }

  take(SPACE)
  values: for (;;) {
    if (parents.at(-1) instanceof Map) {
      waitingKeys.push(takeString('a key in double quotes'))
      takeMark(':')
    }
    let value: Tree = take(/\[/y) ? [] : take(/\{/y) ? new Map() : takeScalar()
    take(SPACE)
    if (Array.isArray(value) || value instanceof Map) {
      if (parents.length === MAX_DEPTH) throw failure(`at most ${MAX_DEPTH} levels of nesting`)
      parents.push(value)
      if (!take(Array.isArray(value) ? /\]/y : /\}/y)) continue
      parents.pop()
      take(SPACE)
    }
    // Puts the value into its parent, and that into its own as long as they close.
    for (let parent = parents.at(-1); parent !== undefined; parent = parents.at(-1)) {
      if (Array.isArray(parent)) parent.push(value)
      else parent.set(waitingKeys.pop() ?? '', value)
      if (takeMark(Array.isArray(parent) ? ',]' : ',}') === ',') continue values
      value = parents.pop() ?? parent
    }
    if (pos < text.length) throw failure('the end of the text')
    return value
  }
}
