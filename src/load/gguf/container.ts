import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import { shortened } from '../quoted.js'
import { grown } from '../token-table-builder.js'
import type { ByteSource } from './byte-source.js'

/** Value types of GGUF, with the numbers of its specification. */
const Type = {
  UINT8: 0,
  INT8: 1,
  UINT16: 2,
  INT16: 3,
  UINT32: 4,
  INT32: 5,
  FLOAT32: 6,
  BOOL: 7,
  STRING: 8,
  ARRAY: 9,
  UINT64: 10,
  INT64: 11,
  FLOAT64: 12,
} as const

/** How many bytes a value has at least: a string its length, an array its type and length. */
const SIZES: readonly number[] = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8]

/** Headers are read up to here. Those of real files have up to 40 MB. */
const MAX_HEADER = 128 * 2 ** 20
/** GGUF's own limit. */
const MAX_KEY = 65_535
const MAX_DEPTH = 4

/** The texts of an array of strings, flat: that of `i` is `bytes[offsets[i] .. offsets[i + 1])`. */
export interface StringTable {
  readonly count: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
}

export type GgufValue = number | boolean | string | StringTable | Float64Array

/** A value and where in the file it begins. */
export interface GgufEntry {
  readonly value: GgufValue
  readonly at: number
}

export interface GgufHeader {
  readonly version: number
  readonly littleEndian: boolean
  /** In the order of the file. */
  readonly entries: ReadonlyMap<string, GgufEntry>
}

/**
 * Reads the key-value pairs of a GGUF file, versions 2 and 3, in either byte order. What is not wanted is passed over,
 * and nothing behind the pairs is looked at.
 *
 * @param name of the file, for messages
 * @param wanted which keys to keep
 * @throws TokenizerFileError when the header is malformed; `where` is the key and the byte
 * @throws UnsupportedTokenizerError for other versions
 *
 * Source of the format: ggml's docs/gguf.md.
 */
export function readGgufHeader(
  source: ByteSource,
  name: string,
  wanted: (key: string) => boolean,
): GgufHeader {
  const cursor = new Cursor(source, name)
  const version = cursor.start()
  cursor.count('tensor_count', 1)
  const pairs = cursor.count('metadata_kv_count', 13)
  const entries = new Map<string, GgufEntry>()
  for (let i = 0; i < pairs; i++) {
    const key = cursor.key(i)
    const type = cursor.type()
    const { at } = cursor
    if (entries.has(key)) throw cursor.error('the key occurs twice', at)
    if (wanted(key)) entries.set(key, { value: cursor.value(type), at })
    else cursor.skip(type)
  }
  return { version, littleEndian: cursor.littleEndian, entries }
}

/** Where the reader stands, and how it reads on. Every length is checked against the size of the file. */
class Cursor {
  at = 0
  littleEndian = true
  #key = ''
  readonly #source: ByteSource
  readonly #name: string
  readonly #end: number

  constructor(source: ByteSource, name: string) {
    this.#source = source
    this.#name = name
    this.#end = Math.min(source.size, MAX_HEADER)
  }

  error(message: string, at: number = this.at): TokenizerFileError {
    const where = this.#key === '' ? `byte ${at}` : `${shortened(this.#key)}, byte ${at}`
    return new TokenizerFileError(this.#name, where, message)
  }

  /** The magic number and the version, whose byte order is that of the file. */
  start(): number {
    const magic = this.#view(4)
    if (magic.getUint32(0) !== 0x47475546) throw this.error('"GGUF" was expected: this is not a GGUF file', 0)
    const little = this.#view(4)
    this.littleEndian = little.getUint16(0, true) !== 0
    const version = little.getUint32(0, this.littleEndian)
    if (version === 2 || version === 3) return version
    throw new UnsupportedTokenizerError(this.#name, `GGUF version ${version}`, 'known are 2 and 3')
  }

  /** A number of things that have at least `size` bytes each. */
  count(what: string, size: number): number {
    const { at } = this
    const count = this.#uint64()
    if (count <= (this.#source.size - this.at) / size) return count
    throw this.error(`${what}: there is no room for ${count} in a file of ${this.#source.size} bytes`, at)
  }

  key(index: number): string {
    this.#key = `key ${index}`
    const { at } = this
    const length = this.count('length of the key', 1)
    if (length === 0 || length > MAX_KEY) {
      throw this.error(`a key of 1 to ${MAX_KEY} bytes was expected, not of ${length}`, at)
    }
    this.#key = this.#text(length)
    return this.#key
  }

  type(): number {
    const { at } = this
    const type = this.#view(4).getUint32(0, this.littleEndian)
    if (type < SIZES.length) return type
    throw this.error(`a type from 0 to ${SIZES.length - 1} was expected, not ${type}`, at)
  }

  value(type: number): GgufValue {
    switch (type) {
      case Type.STRING:
        return this.#text(this.count('length of the string', 1))
      case Type.ARRAY:
        return this.#array()
      case Type.BOOL:
        return this.#view(1).getUint8(0) !== 0
      default: {
        const { at } = this
        return this.#number(type, this.#view(SIZES[type] as number), 0, at)
      }
    }
  }

  /** Passes over a value. Only strings and arrays must be looked at for it. */
  skip(type: number, depth = 0): void {
    if (type === Type.STRING) this.#advance(this.count('length of the string', 1))
    else if (type === Type.ARRAY) {
      if (depth === MAX_DEPTH)
        throw this.error(`arrays inside each other: at most ${MAX_DEPTH} are supported`)
      const element = this.type()
      const size = SIZES[element] as number
      const count = this.count('length of the array', size)
      if (element !== Type.STRING && element !== Type.ARRAY) this.#advance(count * size)
      else for (let i = 0; i < count; i++) this.skip(element, depth + 1)
    } else this.#advance(SIZES[type] as number)
  }

  #array(): StringTable | Float64Array {
    const element = this.type()
    if (element === Type.ARRAY) throw this.error('an array of arrays is not expected here')
    const size = SIZES[element] as number
    const count = this.count('length of the array', size)
    if (element === Type.STRING) return this.#strings(count)
    const { at } = this
    const view = this.#view(count * size)
    return Float64Array.from({ length: count }, (_, i) =>
      this.#number(element, view, i * size, at + i * size),
    )
  }

  #strings(count: number): StringTable {
    let bytes: Uint8Array = new Uint8Array(1 << 16)
    this.#checkEnd(8 * count)
    const offsets = new Uint32Array(count + 1)
    let length = 0
    for (let i = 0; i < count; i++) {
      const text = this.#bytes(this.count('length of the string', 1))
      if (length + text.length > bytes.length) bytes = grown(bytes, length + text.length)
      bytes.set(text, length)
      length += text.length
      offsets[i + 1] = length
    }
    return { count, bytes: bytes.slice(0, length), offsets }
  }

  /** `at`: where in the file the value is, which is `offset` in the view. */
  #number(type: number, view: DataView, offset: number, at: number): number {
    const { littleEndian } = this
    switch (type) {
      case Type.UINT8:
      case Type.BOOL:
        return view.getUint8(offset)
      case Type.INT8:
        return view.getInt8(offset)
      case Type.UINT16:
        return view.getUint16(offset, littleEndian)
      case Type.INT16:
        return view.getInt16(offset, littleEndian)
      case Type.UINT32:
        return view.getUint32(offset, littleEndian)
      case Type.INT32:
        return view.getInt32(offset, littleEndian)
      case Type.FLOAT32:
        return view.getFloat32(offset, littleEndian)
      case Type.FLOAT64:
        return view.getFloat64(offset, littleEndian)
    }
    const value =
      type === Type.INT64 ? view.getBigInt64(offset, littleEndian) : view.getBigUint64(offset, littleEndian)
    if (Number.isSafeInteger(Number(value))) return Number(value)
    throw this.error(`the number ${value} is too large`, at)
  }

  /** As a float, which is exact for every length that a file can have. */
  #uint64(): number {
    const bytes = this.#bytes(8)
    let value = 0
    for (let i = 0; i < 8; i++) value = value * 256 + (bytes[this.littleEndian ? 7 - i : i] as number)
    return value
  }

  #text(length: number): string {
    const { at } = this
    try {
      return utf8.decode(this.#bytes(length))
    } catch (cause) {
      if (cause instanceof TokenizerFileError) throw cause
      throw this.error('the string is not valid UTF-8', at)
    }
  }

  #view(length: number): DataView {
    const bytes = this.#bytes(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  #bytes(length: number): Uint8Array {
    this.#checkEnd(length)
    const bytes = this.#source.read(this.at, length)
    this.at += length
    return bytes
  }

  #advance(length: number): void {
    this.#checkEnd(length)
    this.at += length
  }

  #checkEnd(length: number): void {
    if (this.at + length <= this.#end) return
    if (this.#end === this.#source.size) throw this.error('the file ends too early')
    throw this.error(`the header is longer than ${MAX_HEADER} bytes, which is not supported`)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
