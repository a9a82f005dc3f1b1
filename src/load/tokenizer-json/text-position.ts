import { isUtf8 } from 'node:buffer'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const BLOCK = 1 << 16

/** The place of the first byte that cannot stand in UTF-8; -1 when all can. */
export function invalidUtf8At(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + BLOCK, bytes.length)
    while (end < bytes.length && end > at + 1 && isContinuation(bytes[end])) end--
    if (!isUtf8(bytes.subarray(at, end))) return firstInvalid(bytes, at)
    at = end
  }
  return -1
}

function firstInvalid(bytes: Uint8Array, at: number): number {
  for (;;) {
    const length = [1, 2, 3, 4].find((length) => isUtf8(bytes.subarray(at, at + length)))
    if (length === undefined || at + length > bytes.length) return at
    at += length
  }
}

function isContinuation(byte: number | undefined): boolean {
  return ((byte as number) & 0xc0) === 0x80
}

/** Where byte `at` of a text stands, as an editor counts. */
export function lineAndColumn(bytes: Uint8Array, at: number): string {
  let line = 1
  let start = 0
  for (let i = 0; i < at; i++) {
    if (bytes[i] !== 10) continue
    line++
    start = i + 1
  }
  let column = 1
  for (let i = start; i < at; i++) {
    if (!isContinuation(bytes[i])) column++
  }
  return `line ${line}, column ${column}`
}

/** The character that begins at byte `at`; undefined at the end. */
export function characterAt(bytes: Uint8Array, at: number): string | undefined {
  return [...utf8.decode(bytes.subarray(at, at + 4))][0]
}
