import { Readable } from 'node:stream'
import { main } from '../../src/cli/main.js'

/** What a run of the command line did. */
export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command line in this process. */
export async function run(
  args: readonly string[],
  stdin: string | readonly (string | Uint8Array)[] = [],
  options: { isTTY?: boolean } = {},
): Promise<Run> {
  let out = ''
  let err = ''
  const code = await main(args, {
    stdin: Readable.from(typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin),
    stdout: { write: (text) => (out += text), ...options },
    stderr: { write: (text) => (err += text) },
  })
  return { code, out, err }
}

/** The values of a JSON Lines output. */
export function jsonLines(out: string): unknown[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
