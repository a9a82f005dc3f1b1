// Jinja2 itself, in a Python process: scripts/jinja/oracle.py.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../scripts/jinja/oracle.py', import.meta.url))
/** The version whose behaviour is the reference. */
const VERSION = '3.1.6'

/** What went wrong in Jinja2. */
export interface OracleError {
  readonly kind: 'syntax' | 'raised' | 'runtime'
  /** The Python class. */
  readonly type: string
  readonly message: string
  readonly line: number | null
}

/** Whether there is a `python3` with the Jinja2 that is the reference; if not, the message says what is missing. */
export function findJinja(): { readonly found: boolean; readonly message: string } {
  const print = 'import sys, jinja2; print("%d.%d" % sys.version_info[:2], jinja2.__version__)'
  const { status, stdout } = spawnSync('python3', ['-c', print], { encoding: 'utf8' })
  const version = status === 0 ? stdout.trim() : 'none'
  const found = version === `3.11 ${VERSION}`
  return { found, message: `needs python3 3.11 with jinja2 ${VERSION}, found ${version}` }
}

/** A running oracle. Questions are answered in turn. */
export class JinjaOracle {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  constructor() {
    this.#process = spawn('python3', ['-W', 'ignore', SCRIPT], { stdio: 'pipe' })
    this.#process.stderr.pipe(process.stderr)
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  /** Sends one request; see the script for what there is. */
  async ask<Answer>(request: Readonly<Record<string, unknown>>): Promise<Answer> {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('the oracle ended without an answer')
    return JSON.parse(value)
  }

  close(): void {
    this.#process.kill()
  }
}
