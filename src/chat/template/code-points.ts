/** Code points in strings of UTF-16 units. */

/** Every so many code points have their offset noted. */
const STRIDE = 128

/** Where the code points of a text are. */
export class CodePointLayout {
  /** The number of code points: Python's `len`. */
  readonly count: number
  readonly #text: string
  /** Offsets of the code points 0, 128, 256 and so on; empty where a code point is a unit. */
  readonly #offsets: readonly number[]

  constructor(text: string) {
    this.#text = text
    const offsets: number[] = []
    let count = text.length
    if (/[\ud800-\udbff]/.test(text)) {
      count = 0
      for (let offset = 0; offset < text.length; offset += unitsAt(text, offset)) {
        if (count % STRIDE === 0) offsets.push(offset)
        count++
      }
    }
    this.count = count
    this.#offsets = offsets
  }

  /** The UTF-16 offset of a code point, from 0 to `count`. */
  offsetOf(codePoint: number): number {
    const noted = Math.floor(codePoint / STRIDE)
    let offset = this.#offsets[noted]
    if (offset === undefined) return codePoint === 0 ? 0 : this.#text.length
    for (let i = noted * STRIDE; i < codePoint; i++) offset += unitsAt(this.#text, offset)
    return offset
  }

  /** Which code point stands at a UTF-16 offset. */
  codePointAt(offset: number): number {
    let [low, high] = [0, this.#offsets.length]
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if ((this.#offsets[middle] as number) <= offset) low = middle
      else high = middle
    }
    let codePoint = low * STRIDE
    for (let at = this.#offsets[low] ?? 0; at < offset; at += unitsAt(this.#text, at)) codePoint++
    return codePoint
  }
}

/** 2 where a surrogate pair begins, else 1. */
export function unitsAt(text: string, offset: number): 1 | 2 {
  const unit = text.charCodeAt(offset)
  if (unit < 0xd800 || unit > 0xdbff) return 1
  const next = text.charCodeAt(offset + 1)
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1
}

/** The number of code points. */
export function codePointCount(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let count = 0
  for (let offset = 0; offset < text.length; offset += unitsAt(text, offset)) count++
  return count
}
