import { unitsAt } from './code-points.js'
import { isSpaceUnit, LINE_ENDS, SPACES } from './python-unicode.js'

/** Where Python's `str` methods find and part text. Offsets are UTF-16 units. */

/** A stretch of a text. */
export type Span = readonly [start: number, end: number]

const SPACE_RUN = new RegExp(`[${SPACES}]+`, 'g')
const LEADING_SPACE = new RegExp(`^[${SPACES}]+`)
const LINE_END = new RegExp(`\\r\\n|[${LINE_ENDS}]`, 'g')

/** What `strip` leaves; `chars` undefined stands for white space. */
export function stripped(text: string, chars: string | undefined, left: boolean, right: boolean): Span {
  return chars === undefined
    ? strippedSpace(text, left, right)
    : strippedCharacters(text, new Set(chars), left, right)
}

function strippedSpace(text: string, left: boolean, right: boolean): Span {
  let [start, end] = [0, text.length]
  while (left && start < end && isSpaceUnit(text.charCodeAt(start))) start++
  while (right && end > start && isSpaceUnit(text.charCodeAt(end - 1))) end--
  return [start, end]
}

function strippedCharacters(
  text: string,
  characters: ReadonlySet<string>,
  left: boolean,
  right: boolean,
): Span {
  let [start, end] = [0, text.length]
  while (left && start < end) {
    const units = unitsAt(text, start)
    if (!characters.has(text.slice(start, start + units))) break
    start += units
  }
  while (right && end > start) {
    const units = end - start > 1 && unitsAt(text, end - 2) === 2 ? 2 : 1
    if (!characters.has(text.slice(end - units, end))) break
    end -= units
  }
  return [start, end]
}

/** `split(separator, most)`: at most so many splits, or any number where `most` is negative. */
export function split(text: string, separator: string, most: number): Span[] {
  const spans: Span[] = []
  let start = 0
  while (most < 0 || spans.length < most) {
    const found = text.indexOf(separator, start)
    if (found < 0) break
    spans.push([start, found])
    start = found + separator.length
  }
  spans.push([start, text.length])
  return spans
}

/** `rsplit(separator, most)`. */
export function rsplit(text: string, separator: string, most: number): Span[] {
  const spans: Span[] = []
  let end = text.length
  while (most < 0 || spans.length < most) {
    const found = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length)
    if (found < 0) break
    spans.push([found + separator.length, end])
    end = found
  }
  spans.push([0, end])
  return spans.reverse()
}

/** `split(None, most)`: words between white space. */
export function splitSpace(text: string, most: number): Span[] {
  const spans: Span[] = []
  let start = LEADING_SPACE.exec(text)?.[0].length ?? 0
  SPACE_RUN.lastIndex = start
  while (start < text.length) {
    const found = most < 0 || spans.length < most ? SPACE_RUN.exec(text) : null
    if (found === null) {
      spans.push([start, text.length])
      break
    }
    spans.push([start, found.index])
    start = found.index + found[0].length
  }
  return spans
}

/** `rsplit(None, most)`. */
export function rsplitSpace(text: string, most: number): Span[] {
  const words = splitSpace(text, -1)
  if (most < 0 || words.length <= most) return words
  const [, end] = words[words.length - most - 1] as Span
  return [[0, end], ...words.slice(words.length - most)]
}

/** `splitlines(keepends)`. */
export function splitLines(text: string, keepEnds: boolean): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    spans.push([start, keepEnds ? index + end.length : index])
    start = index + end.length
  }
  if (start < text.length) spans.push([start, text.length])
  return spans
}

/** Where a text occurs, without overlaps. An empty one occurs before each code point and at the end. */
export function occurrences(text: string, wanted: string, most: number): number[] {
  const found: number[] = []
  if (wanted === '') {
    for (let i = 0; i <= text.length && (most < 0 || found.length < most); ) {
      found.push(i)
      i += i < text.length ? unitsAt(text, i) : 1
    }
    return found
  }
  let at = text.indexOf(wanted)
  while (at >= 0 && (most < 0 || found.length < most)) {
    found.push(at)
    at = text.indexOf(wanted, at + wanted.length)
  }
  return found
}
