import type { LentIds } from '../tokenizer/native-call.js'

/** Ids of a prompt whose end is replaced again and again. */
export class IdList {
  #ids = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#ids.byteLength
  }

  /** A copy of the ids from a place on. */
  from(begin: number): Uint32Array {
    return this.#ids.slice(begin, this.#length)
  }

  /** Replaces all ids from a place on, and tells how many of the first ids are what they were. */
  replace(begin: number, { ids, length }: LentIds): number {
    const end = begin + length
    this.#reserve(end)
    const all = this.#ids
    const most = Math.min(end, this.#length)
    let kept = begin
    while (kept < most && ids[kept - begin] === all[kept]) kept++
    all.set(ids.subarray(kept - begin, length), kept)
    this.#length = end
    return kept
  }

  /** With how many ids others begin alike that stand at a place. */
  common(begin: number, ids: Uint32Array): number {
    const most = Math.min(ids.length, this.#length - begin)
    let same = 0
    while (same < most && ids[same] === this.#ids[begin + same]) same++
    return same
  }

  /** Keeps the first ids. */
  cut(length: number): void {
    this.#length = length
  }

  push(ids: Uint32Array): void {
    const length = this.#length + ids.length
    this.#reserve(length)
    this.#ids.set(ids, this.#length)
    this.#length = length
  }

  /** Adds those of some ids that stand between two places. */
  pushPart({ ids }: LentIds, from: number, to: number): void {
    const begin = this.#length
    const end = begin + to - from
    this.#reserve(end)
    this.#ids.set(ids.subarray(from, to), begin)
    this.#length = end
  }

  /** Makes room, and more than is asked for: what comes next is mostly a turn more. */
  #reserve(length: number): void {
    if (length <= this.#ids.length) return
    const larger = new Uint32Array(Math.max(length + (length >> 1), 2 * this.#ids.length))
    larger.set(this.#ids.subarray(0, this.#length))
    this.#ids = larger
  }
}
