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
 * are held. A byte order mark at the start is dropped, and a line that is too long is `undefined`.
 *
 * @throws SafetokensError when the input cannot be read
 */
export async function* readLines(
  input: Input,
  maxLength: number = MAX_LINE,
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
  for await (const chunk of decoded(input, 'drop')) {
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

async function* decoded({ name, bytes }: Input, bom: 'keep' | 'drop'): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: bom === 'keep' })
  try {
    for await (const chunk of bytes) {
      yield decoder.decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, { stream: true })
    }
  } catch (cause) {
    throw new SafetokensError('UNREADABLE_INPUT', `${name} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  }
  yield decoder.decode()
}
