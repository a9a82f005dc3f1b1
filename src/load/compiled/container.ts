import { isUtf8 } from 'node:buffer'
import { endianness } from 'node:os'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import addon from '../../native.js'

/**
 * A compiled model as a file: a header, a directory, one block of JSON, and tables of numbers. All numbers are
 * little-endian, all tables begin at multiples of 64 bytes.
 *
 * | bytes | what |
 * | --- | --- |
 * | 0 to 7 | {@link MAGIC}: a byte that is no UTF-8, `STK`, and line ends that careless transfers change |
 * | 8 to 23 | checksum of everything behind it |
 * | 24 to 27 | {@link FORMAT_VERSION} |
 * | 28 to 31 | how many tables there are |
 * | 32 to 39 | size of the file |
 * | 40 to 55 | where the JSON begins, and its length |
 * | 56 to 63 | byte order of the tables: {@link LITTLE_ENDIAN}, and a zero |
 * | then | for each table its kind, a zero, where it begins, and its length in elements: 4, 4, 8 and 8 bytes |
 */
const MAGIC = Uint8Array.of(0x89, 0x53, 0x54, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a)
/** Another version is refused: a compiled model is made anew from its files. */
export const FORMAT_VERSION = 5
const HEADER = 64
const ENTRY = 24
const CHECKSUM_AT = 8
const VERSION_AT = 24
const COUNT_AT = 28
const SIZE_AT = 32
const JSON_AT = 40
const BYTE_ORDER_AT = 56
/** As a number in the file. Tables are used as they lie there. */
const LITTLE_ENDIAN = 1
const ALIGNMENT = 64
/** As long as a tokenizer's files may be. */
const MAX_TABLES = 4096

/** Kinds of tables by number. */
const KINDS = [Uint8Array, Uint32Array, Float32Array, Float64Array] as const

export type NumberTable = Uint8Array | Uint32Array | Float32Array | Float64Array

/** What a file holds. */
export interface Container {
  readonly json: string
  readonly tables: readonly NumberTable[]
}

/** Whether bytes begin as a compiled model does. */
export function isCompiled(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte)
}

export function writeContainer({ json, tables }: Container): Uint8Array {
  const text = new TextEncoder().encode(json)
  const jsonAt = HEADER + ENTRY * tables.length
  const starts: number[] = []
  let size = jsonAt + text.length
  for (const table of tables) {
    size = Math.ceil(size / ALIGNMENT) * ALIGNMENT
    starts.push(size)
    size += table.byteLength
  }
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  bytes.set(MAGIC)
  view.setUint32(VERSION_AT, FORMAT_VERSION, true)
  view.setUint32(COUNT_AT, tables.length, true)
  view.setBigUint64(SIZE_AT, BigInt(size), true)
  view.setBigUint64(JSON_AT, BigInt(jsonAt), true)
  view.setBigUint64(JSON_AT + 8, BigInt(text.length), true)
  view.setUint32(BYTE_ORDER_AT, byteOrder(), true)
  bytes.set(text, jsonAt)
  tables.forEach((table, i) => {
    const entry = HEADER + ENTRY * i
    view.setUint32(
      entry,
      KINDS.findIndex((kind) => table instanceof kind),
      true,
    )
    view.setBigUint64(entry + 8, BigInt(starts[i] as number), true)
    view.setBigUint64(entry + 16, BigInt(table.length), true)
    bytes.set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), starts[i])
  })
  bytes.set(addon.checksum(bytes.subarray(VERSION_AT)), CHECKSUM_AT)
  return bytes
}

/**
 * Reads a file. Tables are views of `bytes` where their alignment allows.
 *
 * @throws TokenizerFileError for anything but what {@link writeContainer} gives, with the byte where it is wrong
 * @throws UnsupportedTokenizerError for another version of the format
 */
export function readContainer(bytes: Uint8Array, source: string): Container {
  const fail = (at: number, message: string) => new TokenizerFileError(source, `byte ${at}`, message)
  if (!isCompiled(bytes)) throw fail(0, 'this is no compiled model')
  if (bytes.length < HEADER) throw fail(bytes.length, `a header of ${HEADER} bytes was expected`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = view.getUint32(VERSION_AT, true)
  if (version !== FORMAT_VERSION) {
    throw new UnsupportedTokenizerError(
      source,
      `version ${version} of the format`,
      `this version of safetokens reads ${FORMAT_VERSION}; compile the model again`,
    )
  }
  const size = view.getBigUint64(SIZE_AT, true)
  if (size !== BigInt(bytes.length)) throw fail(SIZE_AT, `the file has ${bytes.length} bytes, not ${size}`)
  const checksum = addon.checksum(bytes.subarray(VERSION_AT))
  if (!checksum.every((byte, i) => bytes[CHECKSUM_AT + i] === byte)) {
    throw fail(CHECKSUM_AT, 'the checksum does not fit: the file is damaged')
  }
  const order = view.getUint32(BYTE_ORDER_AT, true)
  if (order !== byteOrder()) {
    throw new UnsupportedTokenizerError(
      source,
      `byte order ${order}`,
      `this machine has ${byteOrder()}; compile the model there, too`,
    )
  }
  const count = view.getUint32(COUNT_AT, true)
  if (count > MAX_TABLES || HEADER + ENTRY * count > bytes.length)
    throw fail(COUNT_AT, `${count} tables do not fit`)

  /** A place in the file, and how many bytes there are behind it. */
  const range = (at: number, elementSize: number): readonly [start: number, length: number] => {
    const start = view.getBigUint64(at, true)
    const length = view.getBigUint64(at + 8, true)
    if (start > size || length * BigInt(elementSize) > size - start)
      throw fail(at, 'it lies outside of the file')
    return [Number(start), Number(length)]
  }
  const [jsonAt, jsonLength] = range(JSON_AT, 1)
  const text = bytes.subarray(jsonAt, jsonAt + jsonLength)
  if (!isUtf8(text)) throw fail(jsonAt, 'it is not valid UTF-8')
  const tables = Array.from({ length: count }, (_, i) => {
    const entry = HEADER + ENTRY * i
    const Kind = KINDS[view.getUint32(entry, true)]
    if (Kind === undefined) throw fail(entry, 'a table of an unknown kind')
    const [start, length] = range(entry + 8, Kind.BYTES_PER_ELEMENT)
    const at = bytes.byteOffset + start
    if (at % Kind.BYTES_PER_ELEMENT === 0) return new Kind(bytes.buffer as ArrayBuffer, at, length)
    return new Kind(bytes.slice(start, start + length * Kind.BYTES_PER_ELEMENT).buffer)
  })
  return { json: utf8.decode(text), tables }
}

/** That of this machine, as a number in the file. */
function byteOrder(): number {
  return endianness() === 'LE' ? LITTLE_ENDIAN : 2
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
