import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { THINK, THINK_END } from './protocols/thinking-text.js'
import type { ToolProtocol, Turn } from './types.js'

/** The ids that a model wrote for a turn. */
interface Remembered {
  readonly ids: Uint32Array
  readonly stopId: number | undefined
  /** What the turn said when it was read. */
  readonly fields: string
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
    this.#turns.set(turn, { ids, stopId, fields: JSON.stringify(turn) })
  }

  /** Whether anything is remembered of a message. */
  has(message: object): boolean {
    return this.#turns.has(message)
  }

  /** What is remembered of a message, if it still says what it said then. */
  recall(message: object): Omit<Remembered, 'fields'> | undefined {
    const remembered = this.#turns.get(message)
    return remembered && fieldsOf(message) === remembered.fields ? remembered : undefined
  }
}

/** A message that was changed into what JSON cannot say is not what it was. */
function fieldsOf(message: object): string | undefined {
  try {
    return JSON.stringify(message)
  } catch {
    return undefined
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
  { parts, text }: PackedParts,
  next: number | undefined,
  { asSeen, given = NO_IDS }: RecallOptions,
): number[] | undefined {
  const { memory, tokenizer, protocol } = setup
  const remembered = memory.recall(message)
  if (remembered === undefined) return undefined
  const { optionalMarks = [], thoughtMarks = THOUGHT_MARKS } = protocol
  const optional = new Set(
    [...optionalMarks, ...(asSeen ? thoughtMarks : [])]
      .filter((name) => tokenizer.hasCommand(name))
      .map((name) => tokenizer.getCommand(name)),
  )
  const reserved = (ids: Uint32Array): number[] => [
    ...ids.filter((id) => tokenizer.isReserved(id) && !optional.has(id)),
  ]
  const expected = reserved(tokenizer.encodePacked({ parts, text }))
  const found = reserved(remembered.ids)
  if (found.some((id, i) => id !== expected[i])) return undefined
  const last = lastToken({ parts, text }, expected.at(-1), tokenizer)
  const own = [...given, ...remembered.ids].flatMap((id) => [PartKind.id, id])
  if (found.length + 1 === expected.length && last !== undefined) {
    return [...own, PartKind.control, endOf(setup, remembered.stopId, last)]
  }
  // Only SentencePiece knows how text goes on behind an id; a tokenizer.json may put a space before it.
  const borders = next === undefined || next === PartKind.control || next === PartKind.cut
  const goesOn = borders || tokenizer.semantics === 'sentencepiece'
  return goesOn && found.length === expected.length ? own : undefined
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
