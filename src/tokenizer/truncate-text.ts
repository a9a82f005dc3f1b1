import { InvalidArgumentError } from '../errors.js'
import { quoted } from '../load/quoted.js'

/** How a text that is too long is cut. */
export interface TextTruncation {
  /** The side that is cut; `middle` keeps both ends. Default `right`. */
  side?: 'left' | 'right' | 'middle' | undefined
  /** What stands where text was cut, such as `…`. Its tokens count. Default nothing. */
  marker?: string | undefined
  /** Cut between characters as people see them, so that no accent or joined emoji is parted. Default false. */
  graphemes?: boolean | undefined
}

/** What is asked of a tokenizer. */
interface Counting {
  count(text: string): number
  countUpTo(text: string, limit: number): number | undefined
  countUpToAsync(text: string, limit: number): Promise<number | undefined>
  encode(text: string, options: { offsets: true }): TextTokens
  encodeAsync(text: string, options: { offsets: true }): Promise<TextTokens>
}

/** As `Tokenizer.truncate`. */
export function truncateText(
  tokenizer: Counting,
  text: string,
  maxTokens: number,
  options: TextTruncation,
): string {
  checkTextTruncation(text, maxTokens, options)
  if (tokenizer.countUpTo(text, maxTokens) !== undefined) return text
  const ends = endsOf(text, maxTokens, options, tokenizer)
  const tokens = (end: string) => tokenizer.encode(end, { offsets: true })
  return truncatedText(
    text,
    maxTokens,
    options,
    ends,
    { head: tokens(ends.head), tail: tokens(ends.tail) },
    tokenizer,
  )
}

/** As `Tokenizer.truncateAsync`. */
export async function truncateTextAsync(
  tokenizer: Counting,
  text: string,
  maxTokens: number,
  options: TextTruncation,
): Promise<string> {
  checkTextTruncation(text, maxTokens, options)
  if ((await tokenizer.countUpToAsync(text, maxTokens)) !== undefined) return text
  const ends = endsOf(text, maxTokens, options, tokenizer)
  const tokens = (end: string) => tokenizer.encodeAsync(end, { offsets: true })
  const [head, tail] = await Promise.all([tokens(ends.head), tokens(ends.tail)])
  return truncatedText(text, maxTokens, options, ends, { head, tail }, tokenizer)
}

/** The tokens of a text: where in it they begin and end, as pairs in UTF-16 units. */
interface TextTokens {
  readonly ids: { readonly length: number }
  readonly offsets: Uint32Array
}

/** @throws InvalidArgumentError for arguments that make no sense */
function checkTextTruncation(text: string, maxTokens: number, options: TextTruncation): void {
  const { side = 'right', marker = '' } = options
  if (typeof text !== 'string')
    throw new InvalidArgumentError(`truncate: a text was expected, not ${typeof text}`)
  checkTokens('maxTokens', maxTokens)
  if (!['left', 'right', 'middle'].includes(side)) {
    throw new InvalidArgumentError(`side: 'left', 'right' or 'middle' was expected, not ${quoted(side)}`)
  }
  if (typeof marker !== 'string') {
    throw new InvalidArgumentError(`marker: a text was expected, not ${typeof marker}`)
  }
}

/** @throws InvalidArgumentError for what is no number of tokens */
export function checkTokens(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new InvalidArgumentError(`${name}: a number of tokens was expected, not ${quoted(value)}`)
}

/** The two ends of a text, as far as they matter for cutting it; empty where a side does not. */
interface TextEnds<T> {
  readonly head: T
  readonly tail: T
}

/**
 * So much of a long text that the place where it is cut does not feel where this ends: the rest need not be looked at.
 */
function endsOf(
  text: string,
  maxTokens: number,
  { side = 'right' }: TextTruncation,
  tokenizer: Counting,
): TextEnds<string> {
  const most = maxTokens + Math.max(MARGIN, maxTokens >> 3)
  const end = (slice: (length: number) => string): string => {
    for (let length = 4 * most; length < text.length; length *= 2) {
      const part = slice(length)
      if (tokenizer.countUpTo(part, most) === undefined) return part
    }
    return text
  }
  const parts = (at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
  return {
    head: side === 'left' ? '' : end((length) => text.slice(0, length + (parts(length) ? 1 : 0))),
    tail:
      side === 'right' ? '' : end((length) => text.slice(-length - (parts(text.length - length) ? 1 : 0))),
  }
}

/** Tokens behind the place where a text is cut. */
const MARGIN = 64

/**
 * A text with more than `maxTokens` tokens, cut.
 *
 * A part of a text may have more tokens than it had in the whole, so what is kept is counted, and made smaller until it
 * fits. The steps grow, so that there are few.
 *
 * @param ends what {@link endsOf} gave, and its tokens
 * @throws InvalidArgumentError when the marker alone is too long
 */
function truncatedText(
  text: string,
  maxTokens: number,
  { side = 'right', marker = '', graphemes = false }: TextTruncation,
  ends: TextEnds<string>,
  tokens: TextEnds<TextTokens>,
  tokenizer: Counting,
): string {
  const border = (at: number, up: boolean): number => (graphemes ? graphemeBorder(text, at, up) : at)
  const headEnd = (kept: number): number => border(endBefore(kept, tokens.head), false)
  const tailBegin = (kept: number): number =>
    border(text.length - ends.tail.length + lastEnd(tokens.tail.ids.length - kept, tokens.tail), true)
  const cutTo = (kept: number): string => {
    if (side === 'right') return text.slice(0, headEnd(kept)) + marker
    if (side === 'left') return marker + text.slice(tailBegin(kept))
    const end = headEnd(Math.ceil(kept / 2))
    return text.slice(0, end) + marker + text.slice(Math.max(end, tailBegin(Math.floor(kept / 2))))
  }
  const markerTokens = tokenizer.count(marker)
  if (markerTokens > maxTokens) {
    throw new InvalidArgumentError(
      `marker: it has ${markerTokens} tokens, and there may be ${maxTokens} in all`,
    )
  }
  let step = 1
  for (let kept = maxTokens - markerTokens; kept > 0; ) {
    const cut = cutTo(kept)
    const over = tokenizer.count(cut) - maxTokens
    if (over <= 0) return cut
    kept -= Math.max(over, step)
    step *= 2
  }
  return marker
}

/** Where the text of the first tokens ends. A character of which another token has a part does not count. */
function endBefore(count: number, tokens: TextTokens): number {
  const end = lastEnd(count, tokens)
  const [from, to] = [tokens.offsets[2 * count] ?? end, tokens.offsets[2 * count + 1] ?? end]
  return from < to ? Math.min(end, from) : end
}

/** Where the last character ends of which the first tokens have a part. Some tokens stand for no character. */
function lastEnd(count: number, { offsets }: TextTokens): number {
  for (let i = count - 1; i >= 0; i--) {
    const end = offsets[2 * i + 1] as number
    if (end > (offsets[2 * i] as number)) return end
  }
  return 0
}

/** The next border of graphemes at a place or below it, or with `up` above it. */
function graphemeBorder(text: string, at: number, up: boolean): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const found = segmenter.segment(text).containing(at)
  if (found === undefined || found.index === at) return at
  return up ? found.index + found.segment.length : found.index
}

let segmenter: Intl.Segmenter | undefined
