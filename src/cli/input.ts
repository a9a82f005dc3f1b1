import { createReadStream } from 'node:fs'
import { SafetokensError } from '../errors.js'
import type { Io } from './command.js'

/** Bytes to read, and what messages call them. */
export interface Input {
  readonly name: string
  readonly bytes: Io['stdin']
}

/** The longest line in characters. Longer ones are errors, so that a file without line ends is not held. */
const MAX_LINE = 2 ** 27

export function standardInput(io: Io): Input {
  return { name: 'standard input', bytes: io.stdin }
}

/** A file. It is being opened: what goes wrong is thrown to the one who reads it, which must be now. */
export function fileInput(path: string): Input {
  return { name: path, bytes: createReadStream(path) }
}

/**
 * All of an input as text. Bytes that are not UTF-8 become U+FFFD.
 *
 * @param bom what becomes of a byte order mark at the start: part of a text, no part of JSON
 * @throws SafetokensError when it cannot be read, or does not fit into a string
 */
export async function readAll(input: Input, bom: 'keep' | 'drop'): Promise<string> {
  const chunks: string[] = []
  for await (const chunk of decoded(input, bom)) chunks.push(chunk)
  try {
    return chunks.join('')
  } catch (cause) {
    throw new SafetokensError('INPUT_TOO_LONG', `${input.name} is too long to be read as one text`, { cause })
  }
}

/**
 * The lines of an input without their ends, in groups: those that a chunk completes. At most a chunk and a line
 * are held. A line that is too long is `undefined`.
 *
 * @param bom what becomes of a byte order mark at the start
 * @throws SafetokensError when the input cannot be read
 */
export async function* readLines(
  input: Input,
  maxLength: number = MAX_LINE,
  bom: 'keep' | 'drop' = 'drop',
): AsyncGenerator<readonly (string | undefined)[]> {
  let pending: string[] = []
  let length = 0
  const add = (piece: string): void => {
    length += piece.length
    if (length > maxLength) pending = []
    else pending.push(piece)
  }
  const take = (): string | undefined => {
    const line = length > maxLength ? undefined : pending.join('')
    pending = []
    length = 0
    return line
  }
  for await (const chunk of decoded(input, bom)) {
    const pieces = chunk.split('\n')
    const last = pieces.pop() ?? ''
    const lines = pieces.map((piece) => {
      add(piece)
      return take()
    })
    add(last)
    if (lines.length > 0) yield lines
  }
  if (length > 0) yield [take()]
}

/** Whole lines as bytes. */
export interface LineBlock {
  /** The lines with their ends; `undefined` stands for one that is too long. */
  readonly bytes: Uint8Array | undefined
  /** The number of the first of them, from 1. */
  readonly firstLine: number
}

/**
 * An input in blocks of whole lines: of what comes, as much as ends in a line end, at once. At most a block and a line
 * are held.
 *
 * @throws SafetokensError when the input cannot be read
 */
export async function* readLineBlocks(input: Input, maxLength: number = MAX_LINE): AsyncGenerator<LineBlock> {
  let pending: Uint8Array[] = []
  let length = 0
  let firstLine = 1
  for await (const chunk of bytesOf(input)) {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end === 0) {
      length += chunk.length
      if (length > maxLength) pending = []
      else pending.push(chunk)
      continue
    }
    let begin = 0
    if (length > maxLength) {
      begin = chunk.indexOf(LINE_END) + 1
      yield { bytes: undefined, firstLine: firstLine++ }
    }
    const bytes = Buffer.concat([...pending, chunk.subarray(begin, end)])
    pending = [chunk.subarray(end)]
    length = chunk.length - end
    if (bytes.length === 0) continue
    yield { bytes, firstLine }
    firstLine += lineEnds(bytes)
  }
  if (length > maxLength) yield { bytes: undefined, firstLine }
  else if (length > 0) yield { bytes: Buffer.concat(pending), firstLine }
}

/** The bytes of a block as those of an input. */
export async function* blockBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const LINE_END = 10

function lineEnds(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count++
  return count
}

async function* bytesOf({ name, bytes }: Input): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } catch (cause) {
    throw new SafetokensError('UNREADABLE_INPUT', `${name} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  }
}

async function* decoded(input: Input, bom: 'keep' | 'drop'): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: bom === 'keep' })
  for await (const chunk of bytesOf(input)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
