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

/**
 * The value of an option that knows a few words only.
 *
 * @throws UsageError for any other word
 */
export function choice<T extends string>(
  option: string,
  value: string | undefined,
  words: readonly T[],
): T | undefined {
  const word = words.find((candidate) => candidate === value)
  if (word === undefined && value !== undefined) {
    throw new UsageError(`${option} must be ${words.join(' or ')}, not ${JSON.stringify(value)}`)
  }
  return word
}
