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

/** The tokens of a text: where in it they begin and end, as pairs in UTF-16 units. */
export interface TextTokens {
  readonly ids: { readonly length: number }
  readonly offsets: Uint32Array
}

/** @throws InvalidArgumentError for arguments that make no sense */
export function checkTextTruncation(text: string, maxTokens: number, options: TextTruncation): void {
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

/**
 * A text with more than `maxTokens` tokens, cut.
 *
 * A part of a text may have more tokens than it had in the whole, so what is kept is counted, and made smaller until it
 * fits. The steps grow, so that there are few.
 *
 * @param tokens all of them; the first `maxTokens` and one more are enough for the side `right`
 * @throws InvalidArgumentError when the marker alone is too long
 */
export function truncatedText(
  text: string,
  maxTokens: number,
  { side = 'right', marker = '', graphemes = false }: TextTruncation,
  tokens: TextTokens,
  count: (text: string) => number,
): string {
  const border = (at: number, up: boolean): number => (graphemes ? graphemeBorder(text, at, up) : at)
  const begin = (kept: number): string => text.slice(0, border(endBefore(kept, tokens), false))
  const end = (kept: number): string => text.slice(border(lastEnd(tokens.ids.length - kept, tokens), true))
  const markerTokens = count(marker)
  if (markerTokens > maxTokens) {
    throw new InvalidArgumentError(
      `marker: it has ${markerTokens} tokens, and there may be ${maxTokens} in all`,
    )
  }
  let step = 1
  for (let kept = maxTokens - markerTokens; kept > 0; ) {
    const cut = {
      right: () => begin(kept) + marker,
      left: () => marker + end(kept),
      middle: () => begin(Math.ceil(kept / 2)) + marker + end(Math.floor(kept / 2)),
    }[side]()
    const over = count(cut) - maxTokens
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
