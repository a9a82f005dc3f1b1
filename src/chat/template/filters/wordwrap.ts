import { toIndex } from '../arguments.js'
import { codePointCount, unitsAt } from '../code-points.js'
import { ofContent, union } from '../dependence.js'
import { truth } from '../operators.js'
import { OriginText } from '../origin-text.js'
import { typeError, valueError } from '../python-error.js'
import { SPACES } from '../python-unicode.js'
import type { Rendering } from '../rendering.js'
import { joinTexts } from '../string-methods.js'
import { type Span, splitLines } from '../string-search.js'
import { int, Str, TRUE, trustedStr, typeName, type Value } from '../value.js'

/** `wordwrap`: Python's `textwrap.wrap` on each line. Offsets are UTF-16 units, widths code points. */

const WORD = '\\p{L}\\p{N}_'
const LETTER = `(?!\\p{Nd})[${WORD}]`
const PUNCTUATED = `[${WORD}!"'&.,?]`
const WHITE = '[\\t\\n\\x0b\\x0c\\r ]'
const BLACK = '[^\\t\\n\\x0b\\x0c\\r ]'

/** White space, a dash between words, or a word up to a hyphen inside it, to its end, or to a dash. */
const CHUNK = new RegExp(
  `${WHITE}+|(?<=${PUNCTUATED})-{2,}(?=[${WORD}])|${BLACK}+?(?:` +
    `-(?:(?<=${LETTER}${LETTER}-)|(?<=${LETTER}-${PUNCTUATED}-))(?=${LETTER}-?${LETTER})|` +
    `(?=${WHITE}|$)|(?<=${PUNCTUATED})(?=-{2,}[${WORD}]))`,
  'gu',
)
const SIMPLE_CHUNK = new RegExp(`${WHITE}+|${BLACK}+`, 'gu')
/** Python strips more than it breaks at. */
const BLANK = new RegExp(`^[${SPACES}]*$`, 'u')

interface Layout {
  readonly width: number
  readonly breakLongWords: boolean
  readonly breakOnHyphens: boolean
}

/** @see CPython 3.11 `Lib/textwrap.py`; Jinja2 3.1.6 `filters.py` */
export function wordWrap(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [width = int(79), breakLongWords = TRUE, wrapString, breakOnHyphens = TRUE] = args
  if (value.kind !== 'str') throw typeError(`'${typeName(value)}' object has no attribute 'splitlines'`)
  const separator = wrapString === undefined || wrapString.kind === 'none' ? trustedStr('\n') : wrapString
  if (separator.kind !== 'str') throw typeError(`'${typeName(separator)}' object has no attribute 'join'`)
  const layout = {
    width: toIndex(width),
    breakLongWords: truth(breakLongWords),
    breakOnHyphens: truth(breakOnHyphens),
  }
  const { text } = value
  rendering.rewrite(text)
  rendering.spell(text)
  const lines = splitLines(text.text, false).map(([start, end]) => {
    if (layout.width <= 0) throw valueError(`invalid width ${layout.width} (must be > 0)`)
    const line = text.slice(start, end)
    const wrapped = wrap(line.text, layout).map((parts) => textOf(line, parts))
    return joinTexts(rendering, separator.text, wrapped)
  })
  const content = ofContent(value)
  rendering.split(content, lines.length)
  const wrapped = joinTexts(rendering, separator.text, lines)
  const kept = wrapped.text === '' ? text.slice(0, 0) : wrapped
  return new Str(kept, union(value.depends, separator.depends), separator.markup)
}

/** Chunks of a line; they need not touch. */
function textOf(line: OriginText, spans: readonly Span[]): OriginText {
  return spans.reduce((text, [start, end]) => text.concat(line.slice(start, end)), OriginText.empty)
}

/** A stretch of a line with its width, so that a long word is measured once. */
interface Chunk {
  readonly start: number
  readonly end: number
  readonly width: number
}

/** The lines of a paragraph, each as the stretches of text that stand in it. */
function wrap(text: string, { width, breakLongWords, breakOnHyphens }: Layout): Span[][] {
  const chunks = chunksOf(text, breakOnHyphens).reverse()
  const lines: Span[][] = []
  const isBlank = (chunk: Chunk | undefined): boolean =>
    chunk !== undefined && BLANK.test(text.slice(chunk.start, chunk.end))
  while (chunks.length > 0) {
    const line: Chunk[] = []
    let filled = 0
    if (lines.length > 0 && isBlank(chunks.at(-1))) chunks.pop()
    for (let next = chunks.at(-1); next !== undefined && filled + next.width <= width; next = chunks.at(-1)) {
      line.push(next)
      filled += next.width
      chunks.pop()
    }
    const next = chunks.at(-1)
    if (next !== undefined && next.width > width) {
      if (breakLongWords) {
        const [head, rest] = broken(text, next, width - filled, breakOnHyphens)
        line.push(head)
        chunks[chunks.length - 1] = rest
      } else if (line.length === 0) {
        line.push(next)
        chunks.pop()
      }
    }
    if (isBlank(line.at(-1))) line.pop()
    if (line.length > 0) lines.push(line.map(({ start, end }) => [start, end]))
  }
  return lines
}

/** Parts a word that is longer than a line, to fill `room` code points. */
function broken(text: string, word: Chunk, room: number, onHyphens: boolean): [Chunk, Chunk] {
  let end = word.start
  for (let i = 0; i < room; i++) end += unitsAt(text, end)
  const start = text.slice(word.start, end)
  const hyphen = onHyphens ? start.lastIndexOf('-') : -1
  if (hyphen > 0 && /[^-]/.test(start.slice(0, hyphen))) end = word.start + hyphen + 1
  const width = Array.from(text.slice(word.start, end)).length
  return [
    { start: word.start, end, width },
    { start: end, end: word.end, width: word.width - width },
  ]
}

function chunksOf(text: string, onHyphens: boolean): Chunk[] {
  const chunks: Chunk[] = []
  const add = (start: number, end: number): void => {
    if (start < end) chunks.push({ start, end, width: codePointCount(text.slice(start, end)) })
  }
  let offset = 0
  for (const { index, 0: chunk } of text.matchAll(onHyphens ? CHUNK : SIMPLE_CHUNK)) {
    add(offset, index)
    offset = index + chunk.length
    add(index, offset)
  }
  add(offset, text.length)
  return chunks
}
