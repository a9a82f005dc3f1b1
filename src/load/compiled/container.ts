import { isUtf8 } from 'node:buffer'
import type binding from '../../../binding.cjs'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import addon from '../../native.js'
import {
  BYTE_ORDER_AT,
  CHECKSUM_AT,
  COUNT_AT,
  ENTRY,
  FORMAT_VERSION,
  firstLength,
  HEADER,
  isCompiled,
  JSON_AT,
  LAST_AT,
  LAST_CHECKSUM_AT,
  SIZE_AT,
  VERSION_AT,
} from './header.js'

/** As a number in the file. Tables are used as they lie there. */
const LITTLE_ENDIAN = 1
/** As long as a tokenizer's files may be. */
const MAX_TABLES = 4096

export type NumberTable = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array

/** What makes one. */
export type TableKind =
  | typeof Uint8Array
  | typeof Uint16Array
  | typeof Uint32Array
  | typeof Float32Array
  | typeof Float64Array

/** By number. */
export const KINDS: readonly TableKind[] = [Uint8Array, Uint32Array, Float32Array, Float64Array, Uint16Array]

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

/** What was read of a file. */
interface ReadContainer<Table> extends Container<Table> {
  /** What tells the file from any other in this process. */
  readonly secret: Uint8Array
}

/**
 * Reads a file. Tables are views of `bytes` where their alignment allows.
 *
 * @param last where `bytes` are all but the last part, whose tables are read when they are asked for
 * @param sums of what the checksum is of, if they are known
 * @throws TokenizerFileError for anything but what {@link writeContainer} gives, with the byte where it is wrong
 * @throws UnsupportedTokenizerError for another version of the format
 */
export function readContainer(bytes: Uint8Array, source: string): ReadContainer<NumberTable>
export function readContainer(
  bytes: Uint8Array,
  source: string,
  last: LastPart | undefined,
  sums: binding.NativeSums | undefined,
): ReadContainer<NumberTable | LateTable>
export function readContainer(
  bytes: Uint8Array,
  source: string,
  last?: LastPart,
  sums?: binding.NativeSums,
): ReadContainer<NumberTable | LateTable> {
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
  const check = (checksum: Uint8Array, at: number): void => {
    if (checksum.every((byte, i) => bytes[at + i] === byte)) return
    throw fail(at, 'the checksum does not fit: the file is damaged')
  }
  const { checksum, secret } = sums ?? addon.sums(bytes.subarray(VERSION_AT, lastAt))
  check(checksum, CHECKSUM_AT)
  let lastBytes: Uint8Array | undefined
  const readLast = (): Uint8Array => {
    if (lastBytes === undefined) {
      const read = last?.read() ?? new Uint8Array()
      if (read.length !== fileSize - lastAt) throw fail(lastAt, 'the file has changed since it was loaded')
      check(addon.checksum(read), LAST_CHECKSUM_AT)
      lastBytes = read
    }
    return lastBytes
  }
  if (last === undefined) check(addon.checksum(bytes.subarray(lastAt)), LAST_CHECKSUM_AT)
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
  return { json: utf8.decode(text), tables, secret }
}

/** A view where its place in memory allows one, else a copy. */
function tableOf(Kind: TableKind, bytes: Uint8Array, start: number, length: number): NumberTable {
  const at = bytes.byteOffset + start
  if (at % Kind.BYTES_PER_ELEMENT === 0) return new Kind(bytes.buffer as ArrayBuffer, at, length)
  return new Kind(bytes.slice(start, start + length * Kind.BYTES_PER_ELEMENT).buffer)
}

/** That of this machine, as a number in the file. */
export function byteOrder(): number {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? LITTLE_ENDIAN : 2
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
