import { MAX_ID, TokenKind, type TokenTable } from './token-table.js'

/** Gathers tokens in any order and lays them out by id. */
export class TokenTableBuilder {
  count = 0
  #bytes = new Uint8Array(1 << 16)
  #ends = new Uint32Array(1 << 12)
  #ids = new Uint32Array(1 << 12)
  #kinds = new Uint8Array(1 << 12)

  /** Adds `bytes[start .. end)`, which are copied. `id` must be a whole number from 0 up to {@link MAX_ID}. */
  add(id: number, kind: number, bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    const from = this.count === 0 ? 0 : (this.#ends[this.count - 1] as number)
    const to = from + end - start
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, to)
    if (this.count === this.#ends.length) {
      this.#ends = grown(this.#ends, this.count + 1)
      this.#ids = grown(this.#ids, this.count + 1)
      this.#kinds = grown(this.#kinds, this.count + 1)
    }
    copy(bytes, start, end, this.#bytes, from)
    this.#ends[this.count] = to
    this.#ids[this.count] = id
    this.#kinds[this.count] = kind
    this.count++
  }

  /** `fail` makes the error for the token that was added as number `entry`. */
  finish(fail: (entry: number, message: string) => Error): TokenTable {
    const kinds = this.#kindsById(fail)
    const offsets = new Uint32Array(kinds.length + 1)
    const starts = new Uint32Array(kinds.length)
    for (let entry = 0, start = 0; entry < this.count; entry++) {
      const id = this.#ids[entry] as number
      const end = this.#ends[entry] as number
      offsets[id + 1] = end - start
      starts[id] = start
      start = end
    }
    for (let id = 0; id < kinds.length; id++) {
      offsets[id + 1] = (offsets[id] as number) + (offsets[id + 1] as number)
    }
    const bytes = new Uint8Array(offsets[kinds.length] as number)
    for (let id = 0; id < kinds.length; id++) {
      const start = starts[id] as number
      const at = offsets[id] as number
      copy(this.#bytes, start, start + (offsets[id + 1] as number) - at, bytes, at)
    }
    return { bytes, offsets, kinds }
  }

  #kindsById(fail: (entry: number, message: string) => Error): Uint8Array {
    let last = -1
    let lastEntry = 0
    for (let entry = 0; entry < this.count; entry++) {
      const id = this.#ids[entry] as number
      if (id > last) {
        last = id
        lastEntry = entry
      }
    }
    // A few tokens must not make huge tables. In real models nearly every id has a token.
    if (last >= 4 * this.count + 4096) {
      throw fail(lastEntry, `the id ${last} is too far from the others: there are only ${this.count} tokens`)
    }
    const kinds = new Uint8Array(last + 1)
    for (let entry = 0; entry < this.count; entry++) {
      const id = this.#ids[entry] as number
      if (kinds[id] !== TokenKind.NONE) throw fail(entry, `the id ${id} belongs to another token already`)
      kinds[id] = this.#kinds[entry] as number
    }
    return kinds
  }
}

function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  // Tokens are short: a loop is faster than a subarray and set().
  for (let i = start; i < end; i++) to[at++] = from[i] as number
}

/** The array with room for at least `length`, at least twice what it had. */
export function grown<T extends Uint8Array | Uint32Array | Float64Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length))
  larger.set(array)
  return larger
}
