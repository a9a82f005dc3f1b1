import addon from '../../native.js'
import { byteOrder, type Container, KINDS } from './container.js'
import {
  BYTE_ORDER_AT,
  CHECKSUM_AT,
  COUNT_AT,
  ENTRY,
  FORMAT_VERSION,
  HEADER,
  JSON_AT,
  LAST_AT,
  LAST_CHECKSUM_AT,
  MAGIC,
  SIZE_AT,
  VERSION_AT,
} from './header.js'

const ALIGNMENT = 64

/** The bytes of a compiled model: see header.ts. */
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
