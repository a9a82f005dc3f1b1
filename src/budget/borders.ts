import type { OriginText } from '../chat/template/origin-text.js'
import type { TurnPlace } from '../chat/template-turns.js'
import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { TextMarks } from './text-marks.js'

/** A text with the parts that stand for it. */
export interface TailParts {
  readonly text: OriginText
  readonly packed: PackedParts
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

/**
 * The borders in a text.
 *
 * @param count how many tokens that part the text were encoded: where there are others than are found here, there are no
 *   borders
 */
export function findBorders(
  { text, packed, turns }: TailParts,
  marks: TextMarks,
  count: number,
): readonly FoundBorder[] {
  const { parts, text: written } = packed
  const borders: FoundBorder[] = []
  const replaced = turns.length === 0 ? [] : [...turns]
  const { control, data, id, trusted } = PartKind
  let found = 0
  let place = 0 // in the text
  let at = 0 // in the texts of the parts, which lack what ids stand for
  for (let i = 0; i < parts.length; ) {
    const kind = parts[i] as number
    if (kind === id) {
      // Ids, and a control token that ends the turn, stand for the text of one.
      const turn = nextTurn(replaced, place)
      if (turn === undefined) return []
      for (; parts[i] === id || parts[i] === control; i += 2) {
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
    if (kind !== trusted) return []
    const begin = at
    for (; parts[i] === trusted; i += 2) at += parts[i + 1] as number
    const { count: more, last } = marks.in(written, begin, at)
    found += more
    if (last !== undefined && parts[i] === data) {
      borders.push({ place: place + last, settled: place + at - begin, marks: found - 1 })
    }
    place += at - begin
  }
  return found === count && place === text.text.length ? borders : []
}

/** The turn that begins at a place, and drops those before it. */
function nextTurn(turns: TurnPlace[], place: number): TurnPlace | undefined {
  while (turns[0] !== undefined && turns[0].begin < place) turns.shift()
  return turns[0]?.begin === place ? turns.shift() : undefined
}
