import type { Origin } from '../chat/template/origin.js'
import type { OriginText, RunSink } from '../chat/template/origin-text.js'
import { PartKind } from '../prompt/parts.js'

/**
 * The parts of a text that is put together of others: each run is one. Its memory is used again, since to make an array for
 * native code takes longer than to fill it.
 */
export class PartList implements RunSink {
  #parts = new Uint32Array(64)
  #count = 0
  #text = ''
  #length = 0
  #hasData = false
  #last: Origin | null | undefined

  /** Pairs of kind and length in UTF-16 units; the first `count` numbers are meant. */
  get parts(): Uint32Array {
    return this.#parts
  }

  get count(): number {
    return this.#count
  }

  get text(): string {
    return this.#text
  }

  /** UTF-16 units so far. */
  get length(): number {
    return this.#length
  }

  get hasData(): boolean {
    return this.#hasData
  }

  clear(): void {
    this.#count = 0
    this.#text = ''
    this.#length = 0
    this.#hasData = false
    this.#last = undefined
  }

  appendText(text: OriginText): void {
    this.#text += text.text
    text.writeRuns(this)
  }

  /** What `text.slice(start, text.text.length)` is. */
  appendFrom(text: OriginText, start: number): void {
    this.#text += text.text.slice(start)
    text.writeRunsFrom(this, start)
  }

  run(units: number, origin: Origin | null): void {
    if (units === 0 && origin === null) return
    this.#length += units
    if (this.#last === origin) {
      ;(this.#parts[this.#count - 1] as number) += units
      return
    }
    this.#last = origin
    if (origin !== null) this.#hasData = true
    if (this.#count === this.#parts.length) this.#grow()
    this.#parts[this.#count++] = origin === null ? PartKind.trusted : PartKind.data
    this.#parts[this.#count++] = units
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#parts.length)
    larger.set(this.#parts)
    this.#parts = larger
  }
}
