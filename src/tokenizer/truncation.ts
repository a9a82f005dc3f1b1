import { InvalidArgumentError } from '../errors.js'
import type { TemplateItem } from '../load/pipeline-spec.js'
import { quoted } from '../load/quoted.js'

/** How a text that is too long is cut. What is cut off is gone; for a conversation, drop turns instead. */
export interface Truncation {
  /** Most tokens, with those that `addSpecialTokens` adds. */
  maxLength: number
  /** The side that is cut. Default `right`. */
  side?: 'left' | 'right' | undefined
  /**
   * Which text of a pair is cut: the longer one until both are equally long (default), or only one, which must have
   * as many tokens as are too many and one more.
   */
  strategy?: 'longest_first' | 'only_first' | 'only_second' | undefined
}

/** What is kept of a text's tokens: from `start` up to but not including `end`. */
export interface Kept {
  readonly start: number
  readonly end: number
}

/**
 * What truncation keeps of a text, or of a pair, before special tokens are added.
 *
 * @param lengths tokens of the text, and of the second one of a pair
 * @param added how many special tokens there will be
 * @throws InvalidArgumentError for options that make no sense, and when the text that may be cut is too short for it
 *
 * Source of behaviour: `truncate_encodings` of Hugging Face tokenizers 0.23.2, given the whole texts. Its `encode` no
 * longer knows them where one text alone has more than `maxLength` tokens: of a pair it may then give the odd token to
 * the other text, or cut the one that was to stay whole.
 */
export function keptTokens(
  lengths: readonly [first: number, second?: number],
  added: number,
  truncation: Truncation,
): readonly [first: Kept, second: Kept] {
  const { maxLength, side = 'right', strategy = 'longest_first' } = truncation
  check(truncation)
  const [first, second = 0] = lengths
  const room = maxLength - added
  if (room < 0) {
    throw new InvalidArgumentError(
      `truncation.maxLength: at least ${added} was expected, for the special tokens alone, not ${maxLength}`,
    )
  }
  const [firstKept, secondKept] =
    first + second <= room ? [first, second] : fitting(first, second, room, lengths.length === 2, strategy)
  const kept = (length: number, of: number): Kept =>
    side === 'right' ? { start: 0, end: length } : { start: of - length, end: of }
  return [kept(firstKept, first), kept(secondKept, second)]
}

/** A text and its pair, cut. */
export function truncated(
  first: Uint32Array,
  second: Uint32Array | undefined,
  added: number,
  truncation: Truncation | undefined,
): readonly [first: Uint32Array, second: Uint32Array] {
  const other = second ?? new Uint32Array()
  if (truncation === undefined) return [first, other]
  const lengths = second === undefined ? ([first.length] as const) : ([first.length, second.length] as const)
  const [a, b] = keptTokens(lengths, added, truncation)
  return [first.subarray(a.start, a.end), other.subarray(b.start, b.end)]
}

function fitting(
  first: number,
  second: number,
  room: number,
  isPair: boolean,
  strategy: NonNullable<Truncation['strategy']>,
): readonly [first: number, second: number] {
  if (room === 0) return [0, 0]
  if (strategy === 'longest_first') return isPair ? balanced(first, second, room) : [room, 0]
  const excess = first + second - room
  const [cut, name] = strategy === 'only_first' ? [first, 'first'] : [second, 'second']
  if (strategy === 'only_second' && !isPair) {
    throw new InvalidArgumentError("truncation.strategy: 'only_second' is for pairs")
  }
  if (cut <= excess) {
    throw new InvalidArgumentError(
      `truncation: ${excess} tokens are too many, but the ${name} text has only ${cut}, and one must stay`,
    )
  }
  return strategy === 'only_first' ? [first - excess, second] : [first, second - excess]
}

/** The shorter one stays whole if it has at most half of the room; else both get half, the odd token the longer. */
function balanced(first: number, second: number, room: number): readonly [first: number, second: number] {
  const small = Math.min(first, second, Math.floor(room / 2))
  return first > second ? [room - small, small] : [small, room - small]
}

function check({ maxLength, side, strategy }: Truncation): void {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new InvalidArgumentError(
      `truncation.maxLength: a whole number was expected, not ${quoted(maxLength)}`,
    )
  }
  if (side !== undefined && side !== 'left' && side !== 'right') {
    throw new InvalidArgumentError(`truncation.side: 'left' or 'right' was expected, not ${quoted(side)}`)
  }
  if (strategy !== undefined && !['longest_first', 'only_first', 'only_second'].includes(strategy)) {
    throw new InvalidArgumentError(
      `truncation.strategy: 'longest_first', 'only_first' or 'only_second' was expected, not ${quoted(strategy)}`,
    )
  }
}

/** How many tokens a post-processor's template adds. */
export function addedCount(template: readonly TemplateItem[]): number {
  return template.filter((item) => 'id' in item).length
}
