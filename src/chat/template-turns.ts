import type { OriginText } from './template/origin-text.js'

/** A stretch of a text that is a turn of the model. */
export interface TurnPlace {
  readonly message: number
  readonly begin: number
  readonly end: number
}

/** Where in a rendered prompt stands what the model itself wrote for a message. */
export interface WrittenTurn extends TurnPlace {
  /** Which of the openings stands in front of it. */
  readonly opening: string
}

export interface Extent {
  readonly message: number
  readonly begin: number
  end: number
}

/**
 * Finds what the model wrote of messages: from behind the generation prompt in front of a message's own texts to the stop
 * token behind them. Both must stand in text of the template, with no text of the request between. Messages for which
 * that is not so are left out.
 *
 * @param isWanted whether a message may be one of those
 * @param openings the generation prompt, and what may be left of it; the longest first
 * @param stops names of the stop tokens
 */
export function writtenTurns(
  text: OriginText,
  isWanted: (message: number) => boolean,
  openings: readonly string[],
  stops: readonly string[],
): WrittenTurn[] {
  const extents = dataExtents(text)
  const counts = new Map<number, number>()
  for (const { message } of extents) counts.set(message, (counts.get(message) ?? 0) + 1)
  return extents.flatMap(({ message, begin, end }, i) => {
    // A message whose texts stand in several places is more than its own turn.
    if (counts.get(message) !== 1 || !isWanted(message)) return []
    const before = extents[i - 1]?.end ?? 0
    const behind = extents[i + 1]?.begin ?? text.text.length
    const front = text.text.slice(before, begin)
    const opening = openings.find((each) => each !== '' && front.includes(each))
    const rest = text.text.slice(end, behind)
    const ends = stops
      .map((stop) => [rest.indexOf(stop), stop.length] as const)
      .filter(([found]) => found >= 0)
    const first = ends.sort(([a], [b]) => a - b)[0]
    if (opening === undefined || first === undefined) return []
    const at = before + front.lastIndexOf(opening) + opening.length
    return [{ message, begin: at, end: end + first[0] + first[1], opening }]
  })
}

/** Runs of texts of one message, and of anything else of the request (`-1`), in order. */
export function dataExtents(text: OriginText): Extent[] {
  const extents: Extent[] = []
  text.forEachRun((begin, end, origin) => {
    if (origin === null) return
    const message = origin.itemOf('messages')
    const last = extents.at(-1)
    if (last?.message === message) last.end = end
    else extents.push({ message, begin, end })
  })
  return extents
}
