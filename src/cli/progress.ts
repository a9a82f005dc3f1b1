import type { OutputStream } from './terminal.js'

const WIDTH = 24
/** Drawn at most so often, in milliseconds. */
const PAUSE = 100

/** A progress bar on one line of a terminal; nothing where the stream is none. */
export class ProgressBar {
  readonly #stream: OutputStream
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY
  #what = ''
  #drawn = false

  constructor(stream: OutputStream, now: () => number = () => performance.now()) {
    this.#stream = stream
    this.#now = now
  }

  /** @param total 0 where it is not known */
  update(what: string, done: number, total: number): void {
    if (this.#stream.isTTY !== true) return
    const now = this.#now()
    if (what === this.#what && now - this.#last < PAUSE) return
    this.#last = now
    this.#what = what
    const part = total > 0 ? Math.min(1, done / total) : 0
    const filled = Math.round(part * WIDTH)
    const bar =
      total > 0 ? `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(part * 100)} % ` : ''
    this.#stream.write(`\r\x1b[K${bar}${total > 0 ? `${what} ${done} of ${total}` : `${done} ${what}`}`)
    this.#drawn = true
  }

  /** Takes the line away. */
  end(): void {
    if (this.#drawn) this.#stream.write('\r\x1b[K')
    this.#drawn = false
  }
}
