// Offsets of `tokenizers`, which counts code points, as we count them.
import type { Encoding } from '../../src/tokenizer/encoding.js'

export interface Offsets {
  /** In UTF-16 units. */
  readonly offsets: number[]
  /** In bytes of UTF-8. */
  readonly byteOffsets: number[]
}

/** @param ranges in code points of `text` */
export function offsetsOf(text: string, ranges: readonly (readonly [number, number])[]): Offsets {
  const units = [0]
  const bytes = [0]
  for (const character of text.toWellFormed()) {
    const c = character.codePointAt(0) as number
    units.push((units.at(-1) as number) + character.length)
    bytes.push((bytes.at(-1) as number) + (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4))
  }
  return {
    offsets: ranges.flat().map((at) => units[at] as number),
    byteOffsets: ranges.flat().map((at) => bytes[at] as number),
  }
}

/** What is different, or undefined. */
export function offsetDifference(
  ours: Encoding,
  text: string,
  ranges: readonly (readonly [number, number])[],
): string | undefined {
  const theirs = offsetsOf(text, ranges)
  for (const kind of ['offsets', 'byteOffsets'] as const) {
    if (String([...ours[kind]]) === String(theirs[kind])) continue
    return `${kind} ${pairs(ours[kind])} not ${pairs(theirs[kind])}`
  }
  return undefined
}

function pairs(list: ArrayLike<number>): string {
  return Array.from({ length: list.length / 2 }, (_, i) => `${list[2 * i]}-${list[2 * i + 1]}`).join(' ')
}
