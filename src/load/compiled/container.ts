import { isUtf8 } from 'node:buffer'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import addon from '../../native.js'

/**
 * A compiled model as a file: a header, a directory, one block of JSON, and tables of numbers. All numbers are
 * little-endian, all tables begin at multiples of 64 bytes.
 *
 * | bytes | what |
 * | --- | --- |
 * | 0 to 7 | {@link MAGIC}: a byte that is no UTF-8, `STK`, and line ends that careless transfers change |
 * | 8 to 23 | checksum of what is behind it, up to where the last part begins |
 * | 24 to 27 | {@link FORMAT_VERSION} |
 * | 28 to 31 | how many tables there are |
 * | 32 to 39 | size of the file |
 * | 40 to 55 | where the JSON begins, and its length |
 * | 56 to 63 | byte order of the tables: {@link LITTLE_ENDIAN}, and a zero |
 * | 64 to 71 | where the last part begins: tables that are rarely needed, and read then |
 * | 72 to 87 | checksum of the last part |
 * | 88 to 95 | zeros |
 * | then | for each table its kind, a zero, where it begins, and its length in elements: 4, 4, 8 and 8 bytes |
 */
const MAGIC = Uint8Array.of(0x89, 0x53, 0x54, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a)
/** Another version is refused: a compiled model is made anew from its files. */
export const FORMAT_VERSION = 4
export const HEADER = 96
const ENTRY = 24
const CHECKSUM_AT = 8
const VERSION_AT = 24
const COUNT_AT = 28
const SIZE_AT = 32
const JSON_AT = 40
const BYTE_ORDER_AT = 56
const LAST_AT = 64
const LAST_CHECKSUM_AT = 72
/** As a number in the file. Tables are used as they lie there. */
const LITTLE_ENDIAN = 1
const ALIGNMENT = 64
/** As long as a tokenizer's files may be. */
const MAX_TABLES = 4096

export type NumberTable = Uint8Array | Uint32Array | Float32Array | Float64Array

/** What makes one. */
export type TableKind = typeof Uint8Array | typeof Uint32Array | typeof Float32Array | typeof Float64Array

/** By number. */
const KINDS: readonly TableKind[] = [Uint8Array, Uint32Array, Float32Array, Float64Array]

/** What a file holds. */
export interface Container<Table = NumberTable> {
  readonly json: string
  readonly tables: readonly Table[]
  /** The numbers of tables that stand in the last part. */
  readonly late?: ReadonlySet<number>
}

/** A table that is read when it is asked for. */
export class LateTable {
  readonly Kind: TableKind
  readonly read: () => NumberTable

  constructor(Kind: TableKind, read: () => NumberTable) {
    this.Kind = Kind
    this.read = read
  }
}

/** Whether bytes begin as a compiled model does. */
export function isCompiled(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte)
}

export function writeContainer({ json, tables, late = new Set() }: Container): Uint8Array {
  const text = new TextEncoder().encode(json)
  const jsonAt = HEADER + ENTRY * tables.length
  const starts: number[] = []
  let size = jsonAt + text.length
  const place = (isLate: boolean): void => {
    tables.forEach((table, i) => {
      if (late.has(i) !== isLate) return
      size = aligned(size)
      starts[i] = size
      size += table.byteLength
    })
  }
  place(false)
  const lastAt = late.size > 0 ? aligned(size) : size
  place(true)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  bytes.set(MAGIC)
  view.setUint32(VERSION_AT, FORMAT_VERSION, true)
  view.setUint32(COUNT_AT, tables.length, true)
  view.setBigUint64(SIZE_AT, BigInt(size), true)
  view.setBigUint64(JSON_AT, BigInt(jsonAt), true)
  view.setBigUint64(JSON_AT + 8, BigInt(text.length), true)
  view.setUint32(BYTE_ORDER_AT, byteOrder(), true)
  view.setBigUint64(LAST_AT, BigInt(lastAt), true)
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
  bytes.set(addon.checksum(bytes.subarray(lastAt)), LAST_CHECKSUM_AT)
  bytes.set(addon.checksum(bytes.subarray(VERSION_AT, lastAt)), CHECKSUM_AT)
  return bytes
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}

/** How much of a compiled model of so many bytes is to be read at once, as its header says. */
export function firstLength(header: Uint8Array, size: number): number {
  if (header.length < HEADER || size < HEADER) return size
  const lastAt = new DataView(header.buffer, header.byteOffset, HEADER).getBigUint64(LAST_AT, true)
  return lastAt >= HEADER && lastAt <= size ? Number(lastAt) : size
}

/** The last part of a file, of which the other was read. */
export interface LastPart {
  /** Of the whole file. */
  readonly size: number
  readonly read: () => Uint8Array
  /** Whether it is checked at once. */
  readonly isRead: boolean
}

/** A file that has been read as the two parts of it. */
export function partsOf(bytes: Uint8Array, isRead: boolean): { first: Uint8Array; last: LastPart } {
  const at = firstLength(bytes, bytes.length)
  return {
    first: bytes.subarray(0, at),
    last: { size: bytes.length, read: () => bytes.subarray(at), isRead },
  }
}

/**
 * Reads a file. Tables are views of `bytes` where their alignment allows.
 *
 * @param last where `bytes` are all but the last part, whose tables are read when they are asked for
 * @throws TokenizerFileError for anything but what {@link writeContainer} gives, with the byte where it is wrong
 * @throws UnsupportedTokenizerError for another version of the format
 */
export function readContainer(bytes: Uint8Array, source: string): Container
export function readContainer(
  bytes: Uint8Array,
  source: string,
  last: LastPart | undefined,
): Container<NumberTable | LateTable>
export function readContainer(
  bytes: Uint8Array,
  source: string,
  last?: LastPart,
): Container<NumberTable | LateTable> {
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
  const fileSize = last?.size ?? bytes.length
  if (size !== BigInt(fileSize)) throw fail(SIZE_AT, `the file has ${fileSize} bytes, not ${size}`)
  const lastPlace = view.getBigUint64(LAST_AT, true)
  if (lastPlace < HEADER || lastPlace > size || (last !== undefined && lastPlace !== BigInt(bytes.length))) {
    throw fail(LAST_AT, 'the last part lies outside of the file')
  }
  const lastAt = Number(lastPlace)
  const check = (part: Uint8Array, at: number): void => {
    const checksum = addon.checksum(part)
    if (checksum.every((byte, i) => bytes[at + i] === byte)) return
    throw fail(at, 'the checksum does not fit: the file is damaged')
  }
  check(bytes.subarray(VERSION_AT, lastAt), CHECKSUM_AT)
  let lastBytes: Uint8Array | undefined
  const readLast = (): Uint8Array => {
    if (lastBytes === undefined) {
      const read = last?.read() ?? new Uint8Array()
      if (read.length !== fileSize - lastAt) throw fail(lastAt, 'the file has changed since it was loaded')
      check(read, LAST_CHECKSUM_AT)
      lastBytes = read
    }
    return lastBytes
  }
  if (last === undefined) check(bytes.subarray(lastAt), LAST_CHECKSUM_AT)
  else if (last.isRead) readLast()
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
  if (jsonAt + jsonLength > bytes.length) throw fail(JSON_AT, 'it lies in the last part')
  const text = bytes.subarray(jsonAt, jsonAt + jsonLength)
  if (!isUtf8(text)) throw fail(jsonAt, 'it is not valid UTF-8')
  const tables = Array.from({ length: count }, (_, i): NumberTable | LateTable => {
    const entry = HEADER + ENTRY * i
    const Kind = KINDS[view.getUint32(entry, true)]
    if (Kind === undefined) throw fail(entry, 'a table of an unknown kind')
    const [start, length] = range(entry + 8, Kind.BYTES_PER_ELEMENT)
    const end = start + length * Kind.BYTES_PER_ELEMENT
    if (end <= bytes.length) return tableOf(Kind, bytes, start, length)
    if (start < lastAt) throw fail(entry + 8, 'it begins before the last part and ends in it')
    return new LateTable(Kind, () => tableOf(Kind, readLast(), start - lastAt, length))
  })
  return { json: utf8.decode(text), tables }
}

/** A view where its place in memory allows one, else a copy. */
function tableOf(Kind: TableKind, bytes: Uint8Array, start: number, length: number): NumberTable {
  const at = bytes.byteOffset + start
  if (at % Kind.BYTES_PER_ELEMENT === 0) return new Kind(bytes.buffer as ArrayBuffer, at, length)
  return new Kind(bytes.slice(start, start + length * Kind.BYTES_PER_ELEMENT).buffer)
}

/** That of this machine, as a number in the file. */
function byteOrder(): number {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? LITTLE_ENDIAN : 2
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
