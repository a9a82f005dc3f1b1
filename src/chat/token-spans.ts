import { PartKind } from '../prompt/parts.js'
import { type Prompt, sourcePath } from './prompt-writer.js'

/** A run of ids that came from the same place. */
export interface TokenSpan {
  /** Index of the first id, and of the one behind the last. */
  readonly start: number
  readonly end: number
  /** `control`: reserved ids; `trusted`: text of the format; `data`: text of the request. */
  readonly kind: 'control' | 'trusted' | 'data'
  /** Where in the request it came from, such as `messages[2].content`. */
  readonly path: string | undefined
}

/**
 * The part of the prompt that each id came from. A token over several parts belongs to that of its first character;
 * what stands for no character (a dummy prefix) belongs to what follows it.
 *
 * @param offsets pairs of begin and end in `prompt.text`, in UTF-16 units
 */
export function tokenParts(prompt: Prompt, ids: Uint32Array, offsets: Uint32Array): Uint32Array {
  const { parts } = prompt
  const count = parts.length / 2
  const owners = new Uint32Array(ids.length)
  let part = 0
  let begin = 0 // of that part in the text
  const length = (i: number) =>
    parts[2 * i] === PartKind.trusted || parts[2 * i] === PartKind.data ? (parts[2 * i + 1] as number) : 0
  ids.forEach((id, i) => {
    const at = offsets[2 * i] as number
    const empty = at === offsets[2 * i + 1]
    while (part < count) {
      const isControl = parts[2 * part] === PartKind.control || parts[2 * part] === PartKind.id
      if (isControl && begin >= at && empty && parts[2 * part + 1] === id) break
      if (!isControl && (begin + length(part) > at || (begin > at && length(part) > 0))) break
      begin += length(part)
      part++
    }
    owners[i] = Math.min(part, count - 1)
    const kind = parts[2 * part]
    if (part < count && (kind === PartKind.control || kind === PartKind.id)) part++
  })
  return owners
}

/** Neighbouring ids of one kind and one path are one span. */
export function tokenSpans(
  prompt: Prompt,
  ids: Uint32Array,
  owners: Uint32Array,
  isReserved: (id: number) => boolean,
): TokenSpan[] {
  const spans: TokenSpan[] = []
  ids.forEach((id, i) => {
    const owner = owners[i] as number
    const path = sourcePath(prompt.sources[owner])
    const ownKind = prompt.parts[2 * owner]
    const isData = ownKind === PartKind.data || ownKind === PartKind.id
    const kind = isReserved(id) ? 'control' : isData ? 'data' : 'trusted'
    const last = spans.at(-1)
    if (last?.kind === kind && last.path === path) spans[spans.length - 1] = { ...last, end: i + 1 }
    else spans.push({ start: i, end: i + 1, kind, path })
  })
  return spans
}

/** 1 for each id that the model itself is to write. */
export function maskOf(ranges: readonly (readonly number[])[], owners: Uint32Array): Uint8Array {
  let range = 0
  return Uint8Array.from(owners, (owner) => {
    while (range < ranges.length && owner >= (ranges[range]?.[1] as number)) range++
    return owner >= (ranges[range]?.[0] ?? Number.POSITIVE_INFINITY) ? 1 : 0
  })
}
