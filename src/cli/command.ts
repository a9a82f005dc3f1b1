import { type ParseArgsConfig, parseArgs } from 'node:util'
import { SafetokensError } from '../errors.js'
import type { OutputStream } from './terminal.js'

/** Streams of the process, or stand-ins in tests. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** One subcommand. */
export interface Command {
  readonly name: string
  /** One line for the overview. */
  readonly summary: string
  /** The whole text of `--help`, with examples. */
  readonly help: string
  /** Runs with the arguments after the name; gives the exit code. */
  run(args: readonly string[], io: Io): Promise<number>
}

/** Arguments that cannot be understood. Its exit code is 2, that of other errors 1. */
export class UsageError extends SafetokensError {
  constructor(message: string) {
    super('USAGE', message)
  }
}

/** Parses arguments strictly; `--help` is always known. */
export function parse<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true; args: string[] }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** All of standard input as text. Bytes that are not UTF-8 become U+FFFD. */
export async function readAll(stdin: Io['stdin']): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  for await (const chunk of stdin)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}
