import { isUtf8 } from 'node:buffer'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import addon from '../../native.js'
import { quoted } from '../quoted.js'
import { unescapeString } from './json-string.js'
import { serdeFloat } from './serde-float.js'
import { characterAt, invalidUtf8At, lineAndColumn } from './text-position.js'

/** A JSON value. Objects are maps: no key of a hostile file can touch a prototype. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export type JsonObject = ReadonlyMap<string, JsonValue>

/** As deep as serde_json reads. */
const MAX_DEPTH = 128
const MAX_BYTES = 2 ** 28
const NUMBER_BYTES = new TextEncoder().encode('+-.0123456789Ee')
const latin1 = new TextDecoder('latin1')
const QUOTE = 34
const PLUS = 43
const COMMA = 44
const MINUS = 45
const POINT = 46
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const LETTER_E = 101
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/**
 * Reads JSON where it lies, as UTF-8 bytes. A tokenizer.json is one small description and up to a million strings;
 * JSON.parse turns each of them into an object, which takes three times as long as all of this reading, has no
 * positions for errors and lets the last of equal keys win.
 *
 * `at` is the place of reading, always before a value when a method is called.
 */
export class JsonReader {
  at = 0
  /** The string that was read last: `textBytes[textStart .. textEnd)` in UTF-8, until the next is read. */
  textBytes: Buffer
  textStart = 0
  textEnd = 0
  readonly source: string
  /** The whole text. */
  readonly bytes: Uint8Array
  readonly #buffer: Buffer
  readonly #python: boolean
  #scratch: Uint8Array = new Uint8Array(256)
  #depth = 0
  #refused = false

  /** @param python read `NaN`, `Infinity` and `-Infinity` too, which Python's `json` writes */
  constructor(bytes: Uint8Array, source: string, python = false) {
    if (bytes.length > MAX_BYTES) {
      throw new UnsupportedTokenizerError(
        source,
        `${bytes.length} bytes`,
        `only files of up to ${MAX_BYTES} bytes are read`,
      )
    }
    this.source = source
    if (!isUtf8(bytes)) throw this.error(`byte ${invalidUtf8At(bytes)}`, 'it is not valid UTF-8')
    this.bytes = bytes
    this.#python = python
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.textBytes = this.#buffer
    this.#space()
  }

  error(where: string, message: string): TokenizerFileError {
    return new TokenizerFileError(this.source, where, message)
  }

  /** What the next value is: its first byte, with `0` for all numbers. */
  get next(): string {
    const byte = this.bytes[this.at] as number
    return byte === 45 || (byte >= 48 && byte <= 57) ? '0' : String.fromCharCode(byte)
  }

  /**
   * The places of the values of an object, by key. All of the object is checked to be JSON.
   *
   * @param read reads the value of a key, by default without keeping it
   */
  fields(where: string, read: (key: string) => void = () => this.skip()): Map<string, number> {
    if (this.next !== '{') {
      this.skip()
      throw this.error(where, 'an object was expected')
    }
    const places = new Map<string, number>()
    this.members(() => {
      const key = this.text()
      if (places.has(key)) throw this.error(where, `the field ${quoted(key)} occurs twice`)
      places.set(key, this.at)
      read(key)
    })
    return places
  }

  /** Reads an object. `each` is called with its key as the last string read, and must read the value. */
  members(each: () => void): void {
    this.#enter()
    for (let more = this.bytes[this.at] !== CLOSE_BRACE; more; more = this.#comma()) {
      if (this.bytes[this.at] !== QUOTE) throw this.#syntaxError('a key in double quotes')
      this.string()
      if (this.bytes[this.at] !== COLON) throw this.#syntaxError('":"')
      this.at++
      this.#space()
      each()
    }
    this.#leave(CLOSE_BRACE)
  }

  /** Reads an array. `each` must read one element. */
  elements(each: (index: number) => void): void {
    this.#enter()
    let index = 0
    for (let more = this.bytes[this.at] !== CLOSE_BRACKET; more; more = this.#comma()) each(index++)
    this.#leave(CLOSE_BRACKET)
  }

  /** Reads any value. */
  value(): JsonValue {
    switch (this.next) {
      case '{': {
        const object = new Map<string, JsonValue>()
        this.members(() => {
          const key = this.text()
          if (object.has(key)) throw this.#syntaxError(`another key than ${quoted(key)}, which occurs twice`)
          object.set(key, this.value())
        })
        return object
      }
      case '[': {
        const array: JsonValue[] = []
        this.elements(() => array.push(this.value()))
        return array
      }
      case '"':
        this.string()
        return this.text()
      case '0':
        return this.#number()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      case 'I':
        if (this.#python) return this.#word('Infinity', Number.POSITIVE_INFINITY)
        break
      case 'N':
        if (this.#python) return this.#word('NaN', Number.NaN)
    }
    throw this.#syntaxError('a value')
  }

  valueAt(place: number): JsonValue {
    this.at = place
    return this.value()
  }

  /** Reads any value and forgets it. */
  skip(): void {
    if (this.#skipNative()) return
    if (this.bytes[this.at] === QUOTE) this.string()
    else if (this.bytes[this.at] === OPEN_BRACKET) this.elements(this.#skip)
    else if (this.bytes[this.at] === OPEN_BRACE) this.members(this.#skip)
    else if (this.next === '0') {
      this.#numberEnd()
      this.#space()
    } else this.value()
  }

  readonly #skip = (): void => this.skip()

  /** Passes over an array or object, if it is sound; else it is left to TypeScript to say what is wrong. */
  #skipNative(): boolean {
    const first = this.bytes[this.at]
    if (this.#python || (first !== OPEN_BRACKET && first !== OPEN_BRACE)) return false
    // What is in something unsound need not be tried.
    if (this.#refused) return false
    const end = addon.skipJson(this.bytes, this.at, MAX_DEPTH - this.#depth)
    this.#refused = end < 0
    if (end >= 0) this.at = end
    return end >= 0
  }

  /** Reads a whole number from 0 to 2^32; anything else is read too, and gives -1. */
  integer(): number {
    const bytes = this.bytes
    const start = this.at
    let at = start
    let number = 0
    for (let byte = bytes[at] as number; byte >= 48 && byte <= 57; byte = bytes[++at] as number) {
      number = number * 10 + byte - 48
    }
    const byte = bytes[at] as number
    const plain = byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 32
    if (at === start || at > start + 10 || !plain || (bytes[start] === 48 && at > start + 1)) {
      const value = this.value()
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2 ** 32
        ? value
        : -1
    }
    this.at = at
    this.#space()
    return number
  }

  /** Reads a string, into `textBytes`. */
  string(): void {
    const bytes = this.bytes
    let at = this.at + 1
    this.textBytes = this.#buffer
    this.textStart = at
    for (;;) {
      const byte = bytes[at]
      if (byte === QUOTE) break
      if (byte === undefined || byte < 32) throw this.#syntaxError('the end of the string', at)
      if (byte === BACKSLASH) {
        this.#escapedString()
        return
      }
      at++
    }
    this.textEnd = at
    this.at = at + 1
    this.#space()
  }

  /** The string that was read last. */
  text(): string {
    // Of short texts, a TextDecoder decodes a third as many in the time.
    return this.textBytes.toString('utf8', this.textStart, this.textEnd)
  }

  /** Whether the string that was read last is this one, of ASCII characters. */
  is(ascii: string): boolean {
    if (this.textEnd - this.textStart !== ascii.length) return false
    for (let i = 0; i < ascii.length; i++) {
      if (this.textBytes[this.textStart + i] !== ascii.charCodeAt(i)) return false
    }
    return true
  }

  /** Nothing may follow the outermost value. */
  end(): void {
    if (this.at < this.bytes.length) throw this.#syntaxError('the end of the file')
  }

  /** The string goes to the scratch bytes. */
  #escapedString(): void {
    const decoded = unescapeString(this.bytes, this.textStart, this.#scratch, (expected, at) =>
      this.#syntaxError(expected, at),
    )
    this.#scratch = decoded.out
    this.textBytes = Buffer.from(decoded.out.buffer, decoded.out.byteOffset, decoded.out.byteLength)
    this.textStart = 0
    this.textEnd = decoded.length
    this.at = decoded.end
    this.#space()
  }

  /** Reads a number, to the last bit as the reference does; undefined where that finds it out of range. */
  float(): number | undefined {
    const start = this.at
    const end = this.#numberEnd()
    this.#space()
    return serdeFloat(this.bytes, start, end)
  }

  #number(): number {
    const start = this.at
    let end = this.at
    while (NUMBER_BYTES.includes(this.bytes[end] as number)) end++
    if (this.#python && end === start + 1 && this.bytes[start] === 45 && this.bytes[end] === 73) {
      return this.#word('-Infinity', Number.NEGATIVE_INFINITY)
    }
    const text = latin1.decode(this.bytes.subarray(start, this.#numberEnd()))
    this.#space()
    return Number(text)
  }

  /** Goes behind the number, which must be one by JSON's grammar. */
  #numberEnd(): number {
    const bytes = this.bytes
    const start = this.at
    let at = bytes[start] === MINUS ? start + 1 : start
    const digits = (): boolean => {
      const from = at
      while ((bytes[at] as number) >= 48 && (bytes[at] as number) <= 57) at++
      return at > from
    }
    let sound = bytes[at] === 48 ? ++at > 0 : digits()
    if (sound && bytes[at] === POINT) {
      at++
      sound = digits()
    }
    if (sound && ((bytes[at] as number) | 32) === LETTER_E) {
      at++
      if (bytes[at] === PLUS || bytes[at] === MINUS) at++
      sound = digits()
    }
    if (!sound || NUMBER_BYTES.includes(bytes[at] as number)) throw this.#syntaxError('a number')
    this.at = at
    return at
  }

  #word<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) throw this.#syntaxError('a value')
    }
    this.at += word.length
    this.#space()
    return value
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw this.error(lineAndColumn(this.bytes, this.at), `values are nested deeper than ${MAX_DEPTH}`)
    }
    this.at++
    this.#space()
  }

  #comma(): boolean {
    if (this.bytes[this.at] !== COMMA) return false
    this.at++
    this.#space()
    return true
  }

  #leave(close: number): void {
    if (this.bytes[this.at] !== close) throw this.#syntaxError(`"," or "${String.fromCharCode(close)}"`)
    this.at++
    this.#depth--
    this.#space()
  }

  #space(): void {
    const bytes = this.bytes
    for (let byte = bytes[this.at]; byte === 32 || byte === 10 || byte === 13 || byte === 9; ) {
      byte = bytes[++this.at]
    }
  }

  #syntaxError(expected: string, at: number = this.at): TokenizerFileError {
    const found = characterAt(this.bytes, at)
    const message = `${expected} was expected, but ${found === undefined ? 'the file ends' : `${JSON.stringify(found)} was found`}`
    return this.error(lineAndColumn(this.bytes, at), `it is not valid JSON: ${message}`)
  }
}
