import { randomInt } from 'node:crypto'
import { grown } from '../token-table-builder.js'

/**
 * The vocabulary by text, in UTF-8: an open-addressing hash table over flat arrays, since a Map of strings takes five
 * times as long for the million look-ups that the merges need. The hash is seeded per table and mixes after each
 * byte, so that no file can be made whose tokens collide.
 */
export class TokenIndex {
  count = 0
  #slots = new Int32Array(1 << 13) // entry + 1; 0: empty
  #bytes = new Uint8Array(1 << 16)
  #ends = new Uint32Array(1 << 12)
  #ids = new Uint32Array(1 << 12)
  #hashes = new Uint32Array(1 << 12)
  readonly #seed = randomInt(2 ** 32)
  readonly #factor = randomInt(2 ** 31) * 2 + 1

  /** Adds a text that is not there yet, else gives false. */
  add(bytes: Uint8Array, start: number, end: number, id: number): boolean {
    const hash = this.#hash(bytes, start, end)
    const slot = this.#slot(bytes, start, end, hash)
    if (this.#slots[slot] !== 0) return false
    const from = this.#end(this.count - 1)
    const to = from + end - start
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, to)
    if (this.count === this.#ends.length) {
      this.#ends = grown(this.#ends, this.count + 1)
      this.#ids = grown(this.#ids, this.count + 1)
      this.#hashes = grown(this.#hashes, this.count + 1)
    }
    for (let i = start, at = from; i < end; ) this.#bytes[at++] = bytes[i++] as number
    this.#ends[this.count] = to
    this.#ids[this.count] = id
    this.#hashes[this.count] = hash
    this.#slots[slot] = ++this.count
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return true
  }

  /** The id of a text, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const entry = this.#slots[this.#slot(bytes, start, end, this.#hash(bytes, start, end))] as number
    return entry === 0 ? -1 : (this.#ids[entry - 1] as number)
  }

  /** Calls `each` with each text, in the order in which they were added. */
  forEach(each: (id: number, bytes: Uint8Array, start: number, end: number) => void): void {
    for (let entry = 0; entry < this.count; entry++) {
      each(this.#ids[entry] as number, this.#bytes, this.#end(entry - 1), this.#end(entry))
    }
  }

  /** The text that was added as number `entry`. */
  text(entry: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(this.#end(entry - 1), this.#end(entry)))
  }

  #end(entry: number): number {
    return entry < 0 ? 0 : (this.#ends[entry] as number)
  }

  /** The slot of the text, or the empty one where it would go. */
  #slot(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, bytes, start, end)) break
      slot = (slot + 1) & mask
    }
    return slot
  }

  #equals(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#end(entry - 1)
    const length = end - start
    if (this.#end(entry) - from !== length) return false
    for (let i = 0; i < length; i++) if (this.#bytes[from + i] !== bytes[start + i]) return false
    return true
  }

  #hash(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.#seed
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ (bytes[i] as number), this.#factor)
      hash ^= hash >>> 15
    }
    return (Math.imul(hash, 0x9e3779b1) ^ (end - start)) >>> 0
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4)
    const mask = this.#slots.length - 1
    for (let entry = 0; entry < this.count; entry++) {
      let slot = (this.#hashes[entry] as number) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = entry + 1
    }
  }
}
