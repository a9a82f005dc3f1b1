import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { TokenizerFileError } from '../../errors.js'

/** Bytes that are read where they lie: of a file without reading the rest of it, or in memory. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number
  /** The bytes from `at` on, which must exist. They may change with the next call. */
  read(at: number, length: number): Uint8Array
}

/** What is read from a file at once. */
const WINDOW = 1 << 20

export function memorySource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }
}

/**
 * Calls `use` with a file's bytes, of which at most about a megabyte is held at a time.
 *
 * @throws TokenizerFileError when the file shrinks while it is read
 */
export function withFileSource<T>(path: string, use: (source: ByteSource) => T): T {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    let start = 0
    let window: Uint8Array = new Uint8Array(0)
    const read = (at: number, length: number): Uint8Array => {
      if (at < start || at + length > start + window.length) {
        const bytes = new Uint8Array(Math.min(Math.max(length, WINDOW), size - at))
        fill(path, file, bytes, at)
        window = bytes
        start = at
      }
      return window.subarray(at - start, at - start + length)
    }
    return use({ size, read })
  } finally {
    closeSync(file)
  }
}

function fill(path: string, file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, at + done)
    if (count === 0) throw new TokenizerFileError(path, `byte ${at + done}`, 'the file ends too early')
    done += count
  }
}
