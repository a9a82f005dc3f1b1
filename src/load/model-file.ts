import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type binding from '../../binding.cjs'
import { ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import addon from '../native.js'
import { prepareReading } from './compiled/compiled-model.js'
import type { LastPart } from './compiled/container.js'
import { firstLength, HEADER, isCompiled, VERSION_AT } from './compiled/header.js'
import { isGguf } from './file-kinds.js'

/** Real ones have up to 50 MB. */
export const MAX_TOKENIZER: number = 2 ** 30

/** A file of a model folder; undefined where there is none. A large file is refused before it is read. */
export async function readOptional(file: string, maxBytes: number): Promise<Uint8Array | undefined> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat()
    checkSize(file, size, maxBytes)
    return readAll(handle, size)
  })
}

/** The bytes of a model's file. */
export interface ModelFile {
  readonly bytes: Uint8Array
  /** Of a compiled model. */
  readonly read?: ReadParts | undefined
}

/** What has been read of a compiled model beside its bytes. */
export interface ReadParts {
  /** The memory of native code that the bytes lie in, if they do. */
  readonly memory?: binding.NativeMemory | undefined
  /** Of the bytes that the checksum is of. */
  readonly sums: binding.NativeSums
  /** What is read when it is needed. */
  readonly last: LastPart
}

/** The size of a compiled model and its header; undefined for any other file, and where there is none. */
export function compiledHead(file: string): { size: number; head: Uint8Array } | undefined {
  const found = addon.fileHead(file, HEADER)
  return found !== undefined && isCompiled(found.head) ? found : undefined
}

/**
 * A model's file, a compiled one in memory that its tables can stay in; undefined where there is none, and 'gguf' for what
 * may be too large to be read whole.
 *
 * @param known its first bytes, if they are known
 */
export async function readModelFile(
  file: string,
  size: number,
  maxBytes: number,
  known?: Uint8Array,
): Promise<ModelFile | 'gguf' | undefined> {
  const head = known ?? (size > 0 ? readHead(file) : new Uint8Array())
  if (head === undefined) return undefined
  if (isGguf(head)) return 'gguf'
  checkSize(file, size, maxBytes)
  if (isCompiled(head)) return readCompiledFile(file, size, head)
  return withFile(file, async (handle) => ({ bytes: await readAll(handle, size) }))
}

/** Its first bytes. To wait for another thread would take ten times as long. */
function readHead(file: string): Uint8Array | undefined {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const head = new Uint8Array(HEADER)
      return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    return undefinedIfMissing(file, cause)
  }
}

async function readCompiledFile(
  file: string,
  size: number,
  head: Uint8Array,
): Promise<ModelFile | undefined> {
  const length = firstLength(head, size)
  const last = { size, read: () => readFrom(file, length), isRead: false }
  const held = nativeMemory(length)
  if (held !== undefined) {
    const reading = held.memory.read(file, Math.min(VERSION_AT, length)).catch(() => undefined)
    prepareReading()
    const sums = await reading
    if (sums !== undefined) return { bytes: held.bytes, read: { memory: held.memory, sums, last } }
  }
  // Archives that Node knows as folders are files for native code.
  const bytes = await withFile(file, (handle) => readAll(handle, length))
  return bytes && { bytes, read: { sums: addon.sums(bytes.subarray(VERSION_AT)), last } }
}

/** What stands in a file from a place on. */
function readFrom(file: string, start: number): Uint8Array {
  try {
    return readFileSync(file).subarray(start)
  } catch (cause) {
    throw new TokenizerFileError(file, `byte ${start}`, (cause as Error).message, { cause })
  }
}

/** Undefined where V8 refuses memory outside of its own. */
function nativeMemory(size: number): { bytes: Uint8Array; memory: binding.NativeMemory } | undefined {
  try {
    const memory = new addon.NativeMemory(size)
    return { memory, bytes: memory.bytes() }
  } catch {
    return undefined
  }
}

/** What `read` gives of an open file; undefined where there is none. */
async function withFile<T>(file: string, read: (handle: FileHandle) => Promise<T>): Promise<T | undefined> {
  try {
    const handle = await open(file)
    try {
      return await read(handle)
    } finally {
      await handle.close()
    }
  } catch (cause) {
    return undefinedIfMissing(file, cause)
  }
}

function undefinedIfMissing(file: string, cause: unknown): undefined {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT') return undefined
  if (cause instanceof UnsupportedTokenizerError) throw cause
  throw new ModelNotFoundError(file, `${file}: ${message}`, { cause })
}

function checkSize(file: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return
  throw new UnsupportedTokenizerError(file, `${size} bytes`, `only files of up to ${maxBytes} bytes are read`)
}

const LARGE = 2 ** 22

/** In one piece, where `readFile` takes half a megabyte at a time. What is no plain file has no size. */
async function readAll(handle: FileHandle, size: number): Promise<Uint8Array> {
  if (size === 0) return handle.readFile()
  const bytes = new Uint8Array(size)
  // A page that is touched first costs as much as reading it.
  if (size >= LARGE) addon.useLargePages(bytes)
  let length = 0
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length === size ? bytes : bytes.subarray(0, length)
}

export function noSuchFile(file: string): Error {
  return new ModelNotFoundError(file, `${file}: there is no such file`)
}
