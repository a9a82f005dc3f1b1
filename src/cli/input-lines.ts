import type { Io } from './command.js'
import { readLines, standardInput } from './input.js'
import type { OutputStream } from './terminal.js'

/** Standard input line by line, asked for one at a time. */
export class InputLines {
  readonly #lines: AsyncGenerator<string | undefined>
  readonly #stdout: OutputStream

  constructor(io: Io) {
    this.#lines = flat(io)
    this.#stdout = io.stdout
  }

  /**
   * The next line; undefined at the end.
   *
   * @param prompt what a person is shown, on a terminal
   * @throws SafetokensError when the input cannot be read
   */
  async next(prompt: string): Promise<string | undefined> {
    if (this.#stdout.isTTY) this.#stdout.write(prompt)
    const { value, done } = await this.#lines.next()
    return done ? undefined : value
  }
}

async function* flat(io: Io): AsyncGenerator<string> {
  for await (const group of readLines(standardInput(io))) {
    for (const line of group) yield (line ?? '').replace(/\r$/, '')
  }
}
