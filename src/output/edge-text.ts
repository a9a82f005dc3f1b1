/**
 * Text whose white space at an edge belongs to the format: as many characters as the format writes there are taken away
 * again, and the rest is the model's. What may be taken away is held back until it is known.
 */
export class EdgeText {
  readonly #write: (piece: string) => void
  readonly #edge: string
  /** How many characters at the beginning are still to be taken away. */
  #skip = 0
  #held = ''

  /**
   * @param write takes the text
   * @param edge the character at the edges: mostly a newline
   */
  constructor(write: (piece: string) => void, edge = '\n') {
    this.#write = write
    this.#edge = edge
  }

  /** Takes at most so many edge characters from the beginning of what follows. */
  skip(count: number = Number.POSITIVE_INFINITY): void {
    this.#skip = count
  }

  push(piece: string): void {
    let begin = 0
    while (this.#skip > 0 && begin < piece.length) {
      if (piece[begin] === this.#edge) {
        begin++
        this.#skip--
      } else this.#skip = 0
    }
    let end = piece.length
    while (end > begin && piece[end - 1] === this.#edge) end--
    if (end > begin) {
      this.#write(this.#held + piece.slice(begin, end))
      this.#held = ''
    }
    this.#held += piece.slice(end)
  }

  /** Takes at most so many edge characters from the end, and gives the others. */
  trim(count: number = Number.POSITIVE_INFINITY): void {
    if (count < this.#held.length) this.#write(this.#held.slice(0, this.#held.length - count))
    this.#held = ''
  }

  /** Nothing is taken away: more text follows, or none. */
  flush(): void {
    this.trim(0)
  }
}
