import { type Evaluate, Output } from '../activation.js'
import type { Completion } from '../compile-statement.js'
import type { Loop } from '../loop.js'
import type { OriginText } from '../origin-text.js'
import type { Entry, Growth, Value } from '../value.js'
import type { Fixed, Print } from './prints.js'
import type { BlockRecord } from './replayed-block.js'
import { sameText } from './same-value.js'

/** An expression whose values are noted, as they can be others in the next render. */
export interface Site {
  /** Which of all that are noted it is. */
  readonly index: number
  readonly evaluate: Evaluate
  /** What its value hangs on; empty where that cannot be said. */
  readonly prints: readonly Print[]
}

/** What an expression came to. */
export interface Note {
  readonly site: Site
  readonly value: Value
  /** What it cost, with what it hangs on now. */
  steps: number
  produced: number
}

/** What one turn of a loop looked at and did. */
export interface Turn {
  /** The attributes of namespaces that the loop sets, as they were before. */
  readonly before: readonly (Entry | undefined)[]
  readonly notes: readonly Note[]
  readonly written: OriginText
  readonly completion: Completion
  did: Did
  /** With all turns before it; in a loop over a reversed list, with all behind it. */
  total: Did
}

/** What turns did. */
export interface Did {
  readonly steps: number
  readonly produced: number
  /** Which attributes of namespaces they set, a bit each. */
  readonly set: number
  /** Whether one of them came to its end. */
  readonly isDone: boolean
  /** What they wrote: stretches, and their length in UTF-16 units. */
  readonly segments: number
  readonly units: number
}

export const NOTHING_DONE: Did = { steps: 0, produced: 0, set: 0, isDone: false, segments: 0, units: 0 }

/** What turns did together. */
export function both(a: Did, b: Did): Did {
  return {
    steps: a.steps + b.steps,
    produced: a.produced + b.produced,
    set: a.set | b.set,
    isDone: a.isDone || b.isDone,
    segments: a.segments + b.segments,
    units: a.units + b.units,
  }
}

/** A noted expression with what it hangs on in one run of a loop, for each of its prints. */
export interface Seen {
  readonly site: Site
  readonly fixed: readonly Fixed[]
}

/** The turns of a loop in the last render that ran it. */
export interface LoopRecord {
  readonly turns: Turn[]
  readonly items: readonly Value[]
  /** The lists of which those are one. */
  readonly growth: Growth | null
  /** The noted expressions of all turns, and what they hang on beside the turn: by index of the site. */
  readonly seen: readonly (Seen | undefined)[]
  /** The attributes of namespaces that the loop sets, as they were at its end. */
  readonly after: readonly (Entry | undefined)[]
  /** Which render that was, and where among its stretches the loop began to write. */
  readonly render: number
  readonly segment: number
  /** Its `loop`, which can go to any turn. */
  readonly loop: Loop | undefined
}

const NO_NOTES: readonly Note[] = []

/** What is asked of a loop at one of its turns. */
export interface RunningLoop {
  /** What a noted expression hangs on in this run, which is known from now on. */
  see(site: Site): readonly Fixed[]
}

/** What renders of one growing conversation know of each other. */
export class Replay {
  readonly records: Map<object, LoopRecord> = new Map()
  readonly blocks: Map<object, BlockRecord> = new Map()
  /** Stretches of the last render, which the next one goes through. */
  readonly segments: OriginText[] = []
  /** Number of the render. */
  render = 0
  /** Of the turn that is running. */
  #notes: Note[] | undefined
  /** Attributes of namespaces that were set, a bit each. */
  set = 0

  /** The loop whose turn it is. */
  loop: RunningLoop | undefined

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
export function noted(site: Site): Evaluate {
  const { evaluate } = site
  return (activation) => {
    const { meter, replay } = activation.rendering
    const loop = replay?.loop
    if (replay === undefined || loop === undefined) return evaluate(activation)
    const { steps, produced } = meter
    const value = evaluate(activation)
    replay.note({ site, value, steps: meter.steps - steps, produced: meter.produced - produced })
    loop.see(site)
    return value
  }
}

/** Output whose stretches can be told from each other, so that the next render can take them again. */
export class SegmentedOutput extends Output {
  readonly #segments: OriginText[]
  #count = 0
  /** How many of the first stretches are those of the render before, once one was another. */
  #same: number | undefined
  #before = 0

  /** @param segments of the render before: they become those of this one */
  constructor(segments: OriginText[]) {
    super()
    this.#segments = segments
  }

  override get length(): number {
    return this.#before + super.length
  }

  /** How many stretches there are. */
  get count(): number {
    return this.#count
  }

  /** Ends a stretch. What it holds is kept, unless it is nothing at all. */
  end(): OriginText {
    const segment = this.take()
    this.put(segment)
    return segment
  }

  put(segment: OriginText): void {
    if (isNothing(segment)) return
    this.#before += segment.text.length
    if (this.#same === undefined) {
      const known = this.#segments[this.#count]
      if (known === undefined || !sameText(known, segment)) this.#same = this.#count
    }
    if (this.#same !== undefined) this.#segments[this.#count] = segment
    this.#count++
  }

  /** The next so many stretches, of so many units, are those that stand there from the render before. */
  keep(segments: number, units: number): void {
    this.#count += segments
    this.#before += units
  }

  /** Ends the output, and tells how many of its first stretches are those of the render before. */
  finish(): number {
    this.end()
    while (this.#segments.length > this.#count) this.#segments.pop()
    return this.#same ?? this.#count
  }
}

/** Whether a stretch is no stretch at all. */
export function isNothing({ text, isTrusted }: OriginText): boolean {
  return text === '' && isTrusted
}
