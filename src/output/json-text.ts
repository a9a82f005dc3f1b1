import type { TurnSink } from './types.js'

/** Arguments that are JSON as they stand: told piece by piece, without the white space around them. */
export class JsonArgumentsText {
  readonly #sink: TurnSink
  readonly #pieces: string[] = []
  #trailing = ''

  constructor(sink: TurnSink) {
    this.#sink = sink
  }

  /** What was told. */
  get raw(): string {
    return this.#pieces.join('')
  }

  push(piece: string): void {
    const begins = this.#pieces.length === 0
    const text = begins ? piece.trimStart() : piece
    const kept = text.trimEnd()
    if (kept !== '') {
      const told = this.#trailing + kept
      this.#trailing = ''
      this.#pieces.push(told)
      this.#sink.callJson(told)
    }
    if (kept !== '' || !begins) this.#trailing += text.slice(kept.length)
  }
}
