import { type Evaluate, Output } from '../activation.js'
import type { Completion } from '../compile-statement.js'
import type { OriginText } from '../origin-text.js'
import type { Entry, Value } from '../value.js'
import type { LoopState, Print, TakePrint } from './prints.js'

/** What an expression came to that can be another in the next render. */
export interface Note {
  readonly site: Evaluate
  readonly value: Value
  /** What it cost. */
  readonly steps: number
  readonly produced: number
  /** What that hangs on; empty where it cannot be said. */
  readonly terms: readonly TakePrint[]
  readonly prints: readonly Print[]
}

/** What one turn of a loop looked at and did. */
export interface Turn {
  readonly item: Value
  /** The attributes of namespaces that the loop sets, as they were before. */
  readonly before: readonly (Entry | undefined)[]
  readonly notes: readonly Note[]
  /** Which of those attributes it set, a bit each. */
  readonly set: number
  readonly written: OriginText
  readonly steps: number
  readonly produced: number
  readonly completion: Completion
}

/** The turns of a loop in the last render. */
export interface LoopRecord {
  readonly turns: readonly Turn[]
  /** How many items the list had. */
  readonly length: number
  /** The attributes of namespaces that the loop sets, as they were at its end. */
  readonly after: readonly (Entry | undefined)[]
}

const NO_NOTES: readonly Note[] = []

/** What renders of one growing conversation know of each other. */
export class Replay {
  readonly records: Map<object, LoopRecord> = new Map()
  /** Of the turn that is running. */
  #notes: Note[] | undefined
  /** Attributes of namespaces that were set, a bit each. */
  set = 0

  /** The loop whose turn it is. */
  loop: LoopState | undefined

  /** Begins a turn. */
  begin(): void {
    this.#notes = undefined
    this.set = 0
  }

  get notes(): readonly Note[] {
    return this.#notes ?? NO_NOTES
  }

  note(note: Note): void {
    this.#notes ??= []
    this.#notes.push(note)
  }
}

/** Notes what an expression comes to. */
export function noted(site: Evaluate, terms: readonly TakePrint[]): Evaluate {
  return (activation) => {
    const { meter, replay } = activation.rendering
    const { steps, produced } = meter
    const value = site(activation)
    const loop = replay?.loop
    if (replay === undefined || loop === undefined) return value
    replay.note({
      site,
      value,
      steps: meter.steps - steps,
      produced: meter.produced - produced,
      terms,
      prints: terms.map((take) => take(loop)),
    })
    return value
  }
}

/** Whether an expression comes to what it came to, as far as that can be said without computing it. */
export function hasPrints({ terms, prints }: Note, loop: LoopState): boolean {
  for (let i = 0; i < terms.length; i++) if ((terms[i] as TakePrint)(loop) !== prints[i]) return false
  return terms.length > 0
}

/** Output whose stretches can be told from each other, so that the next render can take them again. */
export class SegmentedOutput extends Output {
  readonly segments: OriginText[] = []
  #before = 0

  override get length(): number {
    return this.#before + super.length
  }

  /** Ends a stretch. What it holds is kept, unless it is nothing at all. */
  end(): OriginText {
    const segment = this.take()
    this.put(segment)
    return segment
  }

  put(segment: OriginText): void {
    this.#before += segment.text.length
    if (segment.text !== '' || !segment.isTrusted) this.segments.push(segment)
  }
}
