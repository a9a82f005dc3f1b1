import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { isAsCopied, plainCopy } from './plain-copy.js'
import { THINK, THINK_END } from './protocols/thinking-text.js'
import type { ToolProtocol, Turn } from './types.js'

/** The ids that a model wrote for a turn. */
interface Remembered {
  readonly ids: Uint32Array
  readonly stopId: number | undefined
  /** What the turn said when it was read. */
  readonly fields: unknown
  /** Those of the ids that are reserved, once somebody asked. */
  reserved?: readonly number[]
}

/**
 * The ids of turns that this process has read. They belong to the very objects that `parse` and `stream` gave: no copy
 * has them, no JSON brings them, and a turn that was changed since loses them.
 */
export class TurnMemory {
  readonly #turns = new WeakMap<object, Remembered>()

  /**
   * @param ids the turn's own, without what began and what ended it
   * @param stopId what ended it, if it was a stop id
   */
  remember(turn: Turn, ids: Uint32Array, stopId: number | undefined): void {
    // A control token that has no place here is not one of the format's own for this turn.
    if (turn.unexpected.length > 0) return
    const fields = plainCopy(turn)
    if (fields !== undefined) this.#turns.set(turn, { ids, stopId, fields })
  }

  /** Whether anything is remembered of a message. */
  has(message: object): boolean {
    return this.#turns.has(message)
  }

  /** What is remembered of a message, if it still says what it said then. */
  recall(message: object): Remembered | undefined {
    const remembered = this.#turns.get(message)
    return remembered && isAsCopied(message, remembered.fields) ? remembered : undefined
  }
}

/** What most models think between. */
export const THOUGHT_MARKS: readonly string[] = [THINK, THINK_END]

const NO_IDS = new Uint32Array()

export interface RecallSetup {
  readonly memory: TurnMemory
  readonly tokenizer: Tokenizer
  readonly protocol: ToolProtocol
}

/** How a turn is recalled. */
export interface RecallOptions {
  /** Thoughts stay, though the format leaves them out. */
  readonly asSeen: boolean
  /** Ids in front of the turn that the model was given, and that the format leaves out with the thoughts. */
  readonly given?: Uint32Array | undefined
}

/**
 * A remembered turn as parts, in place of those that the format wrote of its fields. Only where the reserved ids among
 * them are exactly those of the format for this turn, but for tokens that the model may write or leave out, and for the
 * end: that is the format's own, if the model did not write a stop token that its protocol keeps.
 *
 * @param written what the format wrote
 * @param next the kind of the part behind it; undefined at the end of the prompt
 * @returns undefined where the format's parts stay
 */
export function recalledParts(
  setup: RecallSetup,
  message: object,
  written: PackedParts,
  next: number | undefined,
  { asSeen, given = NO_IDS }: RecallOptions,
): Uint32Array | undefined {
  const { memory, tokenizer } = setup
  const remembered = memory.recall(message)
  if (remembered === undefined) return undefined
  const { ids, stopId } = remembered
  const marks = marksOf(setup)
  const optional = asSeen ? marks.optionalAsSeen : marks.optional
  remembered.reserved ??= Array.from(ids.filter((id) => tokenizer.isReserved(id)))
  const found = remembered.reserved.filter((id) => !optional.has(id))
  const expected = marks.reservedIn(written).filter((id) => !optional.has(id))
  if (found.some((id, i) => id !== expected[i])) return undefined
  const last = lastToken(written, expected.at(-1), tokenizer)
  if (found.length + 1 === expected.length && last !== undefined) {
    return partsOf(given, ids, endOf(setup, stopId, last))
  }
  // Only SentencePiece knows how text goes on behind an id; a tokenizer.json may put a space before it.
  const borders = next === undefined || next === PartKind.control || next === PartKind.cut
  const goesOn = borders || tokenizer.semantics === 'sentencepiece'
  return goesOn && found.length === expected.length ? partsOf(given, ids, undefined) : undefined
}

function partsOf(given: Uint32Array, ids: Uint32Array, end: number | undefined): Uint32Array {
  const parts = new Uint32Array(2 * (given.length + ids.length + (end === undefined ? 0 : 1)))
  let at = 0
  for (const list of [given, ids]) {
    for (let i = 0; i < list.length; i++) {
      parts[at++] = PartKind.id
      parts[at++] = list[i] as number
    }
  }
  if (end !== undefined) parts.set([PartKind.control, end], at)
  return parts
}

/** More ways to write a turn than this are not remembered. */
const MOST_WAYS = 1000

/** What is known of the control tokens of a chat's turns. */
class TurnMarks {
  /** Ids that a model may write or leave out; and where turns stay as they were seen. */
  readonly optional: ReadonlySet<number>
  readonly optionalAsSeen: ReadonlySet<number>
  readonly #tokenizer: Tokenizer
  readonly #known = new Map<string, readonly number[]>()

  constructor({ tokenizer, protocol }: RecallSetup) {
    const { optionalMarks = [], thoughtMarks = THOUGHT_MARKS } = protocol
    const idsOf = (names: readonly string[]): ReadonlySet<number> =>
      new Set(names.filter((name) => tokenizer.hasCommand(name)).map((name) => tokenizer.getCommand(name)))
    this.optional = idsOf(optionalMarks)
    this.optionalAsSeen = idsOf([...optionalMarks, ...thoughtMarks])
    this.#tokenizer = tokenizer
  }

  /** The reserved ids of parts. What data say has no part in that, so that there are few cases. */
  reservedIn(written: PackedParts): readonly number[] {
    const bare = withoutData(written)
    const key = `${bare.parts.join()} ${bare.text}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const ids = this.#tokenizer.encodePacked(bare)
    const reserved = Array.from(ids.filter((id) => this.#tokenizer.isReserved(id)))
    if (this.#known.size >= MOST_WAYS) this.#known.clear()
    this.#known.set(key, reserved)
    return reserved
  }
}

const known = new WeakMap<RecallSetup, TurnMarks>()

function marksOf(setup: RecallSetup): TurnMarks {
  const marks = known.get(setup) ?? new TurnMarks(setup)
  known.set(setup, marks)
  return marks
}

/** The same parts, those of data with nothing in them. */
function withoutData({ parts, text }: PackedParts): PackedParts {
  const bare = parts.slice()
  let trusted = ''
  let at = 0
  for (let i = 0; i < parts.length; i += 2) {
    const kind = parts[i]
    if (kind !== PartKind.data && kind !== PartKind.trusted) continue
    const end = at + (parts[i + 1] as number)
    if (kind === PartKind.data) bare[i + 1] = 0
    else trusted += text.slice(at, end)
    at = end
  }
  return { parts: bare, text: trusted }
}

/** The reserved token that ends these parts, if they end with one. */
function lastToken(
  { parts, text }: PackedParts,
  id: number | undefined,
  tokenizer: Tokenizer,
): number | undefined {
  if (id === undefined) return undefined
  if (parts.at(-2) === PartKind.control) return parts.at(-1) === id ? id : undefined
  return parts.at(-2) === PartKind.trusted && text.endsWith(tokenizer.controlName(id)) ? id : undefined
}

function endOf({ tokenizer, protocol }: RecallSetup, stopId: number | undefined, ending: number): number {
  const keeps = stopId !== undefined && (protocol.keptStops ?? []).includes(tokenizer.controlName(stopId))
  return keeps && stopId !== undefined && tokenizer.isReserved(stopId) ? stopId : ending
}
