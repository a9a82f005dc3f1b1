import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import { quoted, shortened } from '../quoted.js'
import type { JsonObject, JsonValue } from './json-reader.js'

/**
 * The fields of one object of the file, read by name and type. Errors name the field's JSON path. Fields that nobody
 * asked for may change what the file means, so they are refused too: see {@link end}.
 */
export class Fields {
  readonly source: string
  readonly path: string
  readonly #values: JsonObject
  readonly #seen = new Set<string>()

  constructor(source: string, path: string, value: JsonValue | undefined) {
    if (!(value instanceof Map)) throw wrongType(source, path, 'an object', value)
    this.source = source
    this.path = path
    this.#values = value
  }

  get names(): readonly string[] {
    return [...this.#values.keys()]
  }

  /** The value, of any type; undefined when the field is missing. */
  get(name: string): JsonValue | undefined {
    this.#seen.add(name)
    return this.#values.get(name)
  }

  string(name: string): string {
    const value = this.get(name)
    if (typeof value !== 'string') throw this.wrongType(name, 'a string', value)
    return value
  }

  /** `''` when the field is null or missing. */
  optionalString(name: string): string {
    return (this.get(name) ?? null) === null ? '' : this.string(name)
  }

  /** A string of one character. */
  character(name: string): string {
    const value = this.string(name)
    if ([...value].length !== 1) {
      throw this.error(name, `one character was expected, not ${quoted(value)}`)
    }
    return value
  }

  /** `fallback` is for a field that is missing; without it the field must be there. */
  boolean(name: string, fallback?: boolean): boolean {
    const value = this.get(name) ?? fallback
    if (typeof value !== 'boolean') throw this.wrongType(name, 'true or false', value)
    return value
  }

  /** A whole number from 0 to 2^32 - 1. */
  integer(name: string): number {
    const value = this.get(name)
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= 2 ** 32) {
      throw this.wrongType(name, 'a whole number from 0 to 2^32 - 1', value)
    }
    return value
  }

  /** A whole number; 2^32 - 1 where it is larger. */
  count(name: string): number {
    const value = this.get(name)
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= 2 ** 64) {
      throw this.wrongType(name, 'a whole number from 0 to 2^64 - 1', value)
    }
    return Math.min(value, 2 ** 32 - 1)
  }

  list(name: string): readonly JsonValue[] {
    const value = this.get(name)
    if (!Array.isArray(value)) throw this.wrongType(name, 'a list', value)
    return value
  }

  object(name: string): Fields {
    return new Fields(this.source, this.pathOf(name), this.get(name))
  }

  /** One of a fixed set of strings; any other is something that this version does not know. */
  oneOf<T>(name: string, choices: ReadonlyMap<string, T>, fallback?: string): T {
    const value = this.get(name) === undefined && fallback !== undefined ? fallback : this.string(name)
    const choice = choices.get(value)
    if (choice !== undefined) return choice
    throw this.unsupported(`${name} ${shortened(value)}`, `known are ${[...choices.keys()].join(', ')}`, name)
  }

  /** Call it when all known fields were read. */
  end(): void {
    for (const name of this.#values.keys()) {
      if (!this.#seen.has(name)) {
        throw this.unsupported(
          `field ${shortened(name)}`,
          'this version does not know what the field means',
          name,
        )
      }
    }
  }

  pathOf(name: string): string {
    return /^[A-Za-z_]\w{0,79}$/.test(name) ? `${this.path}.${name}` : `${this.path}[${quoted(name)}]`
  }

  error(name: string, message: string): TokenizerFileError {
    return new TokenizerFileError(this.source, this.pathOf(name), message)
  }

  wrongType(name: string, expected: string, value: JsonValue | undefined): TokenizerFileError {
    return wrongType(this.source, this.pathOf(name), expected, value)
  }

  /** `component` is the name alone; the path of the object, or of its field `name`, is put before the message. */
  unsupported(component: string, message: string, name?: string): UnsupportedTokenizerError {
    const path = name === undefined ? this.path : this.pathOf(name)
    return new UnsupportedTokenizerError(this.source, component, `${path}: ${message}`)
  }
}

function wrongType(
  source: string,
  path: string,
  expected: string,
  value: JsonValue | undefined,
): TokenizerFileError {
  return new TokenizerFileError(source, path, `${expected} was expected, ${described(value)}`)
}

function described(value: JsonValue | undefined): string {
  if (value === undefined) return 'but it is missing'
  if (value instanceof Map) return 'not an object'
  if (Array.isArray(value)) return 'not a list'
  if (typeof value === 'string' && value.length > 40) return 'not a string'
  return `not ${quoted(value)}`
}
