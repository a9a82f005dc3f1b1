import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import { shortened } from '../quoted.js'
import { MAX_ID } from '../token-table.js'
import type { GgufHeader, GgufValue, StringTable } from './container.js'

/** The pairs of a header, each read as the type that it must have. Messages name the key and its byte. */
export class Metadata {
  readonly source: string
  readonly #entries: GgufHeader['entries']

  constructor(source: string, header: GgufHeader) {
    this.source = source
    this.#entries = header.entries
  }

  get keys(): readonly string[] {
    return [...this.#entries.keys()]
  }

  string(key: string): string {
    return this.#required(key, this.optionalString(key))
  }

  optionalString(key: string): string | undefined {
    return this.#optional(key, 'a string', (value) => typeof value === 'string')
  }

  boolean(key: string, fallback: boolean): boolean {
    return this.#optional(key, 'true or false', (value) => typeof value === 'boolean') ?? fallback
  }

  /** A whole number that is not negative. */
  integer(key: string): number | undefined {
    const isInteger = (value: GgufValue): value is number =>
      typeof value === 'number' && Number.isInteger(value) && value >= 0
    return this.#optional(key, 'a whole number', isInteger)
  }

  strings(key: string): StringTable {
    return this.#required(key, this.optionalStrings(key))
  }

  optionalStrings(key: string): StringTable | undefined {
    return this.#optional(key, 'an array of strings', isStringTable)
  }

  /** As many numbers as there are tokens. */
  numbers(key: string, count: number): Float64Array {
    return this.#required(key, this.optionalNumbers(key, count))
  }

  optionalNumbers(key: string, count?: number): Float64Array | undefined {
    const numbers = this.#optional(key, 'an array of numbers', (value) => value instanceof Float64Array)
    if (numbers !== undefined && count !== undefined && numbers.length !== count) {
      throw this.error(
        key,
        `${count} numbers were expected, as many as there are tokens, not ${numbers.length}`,
      )
    }
    return numbers
  }

  /** `tokenizer.ggml.tokens`. */
  tokens(): StringTable {
    const tokens = this.strings('tokenizer.ggml.tokens')
    if (tokens.count > 0 && tokens.count <= MAX_ID) return tokens
    throw this.error('tokenizer.ggml.tokens', `1 to ${MAX_ID} tokens are supported, not ${tokens.count}`)
  }

  error(key: string, message: string): TokenizerFileError {
    const at = this.#entries.get(key)?.at
    return new TokenizerFileError(this.source, at === undefined ? key : `${key}, byte ${at}`, message)
  }

  unsupported(component: string, message: string): UnsupportedTokenizerError {
    return new UnsupportedTokenizerError(this.source, component, message)
  }

  #optional<T extends GgufValue>(
    key: string,
    expected: string,
    is: (value: GgufValue) => value is T,
  ): T | undefined {
    const value = this.#entries.get(key)?.value
    if (value === undefined || is(value)) return value
    throw this.error(key, `${expected} was expected, not ${kind(value)}`)
  }

  #required<T>(key: string, value: T | undefined): T {
    if (value === undefined) throw this.error(key, 'it is missing')
    return value
  }
}

function isStringTable(value: GgufValue): value is StringTable {
  return typeof value === 'object' && !(value instanceof Float64Array)
}

function kind(value: GgufValue): string {
  if (isStringTable(value)) return 'an array of strings'
  return value instanceof Float64Array
    ? 'an array of numbers'
    : `the ${typeof value} ${shortened(String(value))}`
}

/** The text of number `index`. */
export function tableText({ bytes, offsets }: StringTable, index: number): string {
  return utf8.decode(bytes.subarray(offsets[index], offsets[index + 1]))
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
