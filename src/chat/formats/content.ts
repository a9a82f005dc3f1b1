import { InvalidMessageError } from '../../errors.js'
import type { CheckedMessage, ContentItem } from '../messages.js'

/** What Python's `str.strip()` takes away: `str.isspace()` of CPython 3.11. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const LEADING = new RegExp(`^[${SPACE}]+`)
const TRAILING = new RegExp(`[${SPACE}]+$`)

/** Content without white space at its two ends, as Jinja's `trim` leaves it. Only strings are cut. */
export function trimContent(items: readonly ContentItem[]): ContentItem[] {
  return trimEnd(trimStart(items, LEADING), TRAILING)
}

/** Content without white space at its end. */
export function trimContentEnd(items: readonly ContentItem[]): ContentItem[] {
  return trimEnd(items, TRAILING)
}

/** Content without newlines at its beginning, as `lstrip('\n')` leaves it. */
export function withoutLeadingNewlines(items: readonly ContentItem[]): ContentItem[] {
  return [...trimStart(items, /^\n+/)]
}

/** Content without newlines at its two ends, as `strip('\n')` leaves it. */
export function withoutOuterNewlines(items: readonly ContentItem[]): ContentItem[] {
  return trimEnd(trimStart(items, /^\n+/), /\n+$/)
}

/**
 * The texts of a message, for formats that make JSON of them.
 *
 * @throws InvalidMessageError for a part that is no plain text
 */
export function plainTexts({ content, index }: Pick<CheckedMessage, 'content' | 'index'>): string[] {
  return content.map(({ part }) => {
    if (typeof part === 'string') return part
    throw new InvalidMessageError(index, 'content', 'the result of a tool must be text in this format')
  })
}

function trimStart(items: readonly ContentItem[], space: RegExp): readonly ContentItem[] {
  const first = items.findIndex(({ part }) => typeof part !== 'string' || part.replace(space, '') !== '')
  if (first < 0) return []
  const [item, ...rest] = items.slice(first) as [ContentItem, ...ContentItem[]]
  if (typeof item.part !== 'string') return [item, ...rest]
  return [{ ...item, part: item.part.replace(space, '') }, ...rest]
}

function trimEnd(items: readonly ContentItem[], space: RegExp): ContentItem[] {
  const last = items.findLastIndex(({ part }) => typeof part !== 'string' || withoutTail(part, space) !== '')
  const kept = items.slice(0, last + 1)
  const item = kept.at(-1)
  if (item && typeof item.part === 'string') {
    kept[kept.length - 1] = { ...item, part: withoutTail(item.part, space) }
  }
  return kept
}

/** A search for `space$` alone would begin anew at every space of the text. */
function withoutTail(text: string, space: RegExp): string {
  let end = text.length
  while (end > 0 && space.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}
