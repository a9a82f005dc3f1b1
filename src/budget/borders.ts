import type { TurnPlace } from '../chat/template-turns.js'
import { PartKind } from '../prompt/parts.js'
import type { Mark, TextMarks } from './text-marks.js'

/** Parts that stand for a text. */
export interface TailParts {
  /** How long the text is, in UTF-16 units. */
  readonly units: number
  /** Pairs of kind and value; the first `count` numbers are meant. */
  readonly parts: Uint32Array
  readonly count: number
  /** The texts of the parts. */
  readonly text: string
  /** Turns for which ids may stand in place of the text. */
  readonly turns: readonly TurnPlace[]
}

/** Where a control token begins that parts the text, the last one in a run of trusted text with data behind it. */
export interface FoundBorder {
  /** In UTF-16 units of the text. */
  readonly place: number
  /** Where the data behind the run begin. */
  readonly settled: number
  /** How many tokens that part the text stand before it. */
  readonly marks: number
}

/** The run of trusted text that a text ends with, behind data. What comes next may be part of it. */
export interface OpenRun {
  /** In UTF-16 units of the text. */
  readonly place: number
  /** The first control token in it that parts the text. */
  readonly mark: Mark
  /** How many tokens that part the text stand before that one. */
  readonly marks: number
}

export interface FoundBorders {
  readonly borders: readonly FoundBorder[]
  readonly open: OpenRun | undefined
}

const NOTHING_FOUND: FoundBorders = { borders: [], open: undefined }

/**
 * The borders in a text.
 *
 * @param encoded how many tokens that part the text were encoded: where there are others than are found here, there are no
 *   borders
 */
export function findBorders(
  { units, parts, count, text, turns }: TailParts,
  marks: TextMarks,
  encoded: number,
): FoundBorders {
  const borders: FoundBorder[] = []
  let open: OpenRun | undefined
  const replaced = turns.length === 0 ? [] : [...turns]
  const { control, data, id, trusted } = PartKind
  let found = 0
  let place = 0 // in the text
  let at = 0 // in the texts of the parts, which lack what ids stand for
  for (let i = 0; i < count; ) {
    const kind = parts[i] as number
    if (kind === id) {
      // Ids, and a control token that ends the turn, stand for the text of one.
      const turn = nextTurn(replaced, place)
      if (turn === undefined) return NOTHING_FOUND
      for (; i < count && (parts[i] === id || parts[i] === control); i += 2) {
        if (marks.divides(parts[i + 1] as number)) found++
      }
      place = turn.end
      continue
    }
    if (kind === data) {
      place += parts[i + 1] as number
      at += parts[i + 1] as number
      i += 2
      continue
    }
    if (kind !== trusted) return NOTHING_FOUND
    const isBehindData = i > 0 && parts[i - 2] === data
    const begin = at
    for (; i < count && parts[i] === trusted; i += 2) at += parts[i + 1] as number
    const { count: more, last, first } = marks.in(text, begin, at)
    if (i === count && isBehindData && first !== undefined) open = { place, mark: first, marks: found }
    found += more
    if (last !== undefined && i < count && parts[i] === data) {
      borders.push({ place: place + last, settled: place + at - begin, marks: found - 1 })
    }
    place += at - begin
  }
  return found === encoded && place === units ? { borders, open } : NOTHING_FOUND
}

/** The turn that begins at a place, and drops those before it. */
function nextTurn(turns: TurnPlace[], place: number): TurnPlace | undefined {
  while (turns[0] !== undefined && turns[0].begin < place) turns.shift()
  return turns[0]?.begin === place ? turns.shift() : undefined
}
