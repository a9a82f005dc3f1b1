import type { Position } from './ast.js'
import type { DecisionLog } from './decisions.js'
import { type Dependence, union } from './dependence.js'
import type { Meter } from './limits.js'
import type { OriginText } from './origin-text.js'
import { RaisedError } from './python-error.js'
import type { Replay } from './replay/replay.js'
import type { Value } from './value.js'

/** A stretch of the output in UTF-16 units. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** The state of one render. */
export class Rendering {
  /** What is being evaluated: the place of an error or a decision. */
  position: Position
  /** Whose content decided that the statement at hand runs. */
  control: Dependence = null
  /** UTF-16 units that the template itself, outside of macros and blocks, has written. */
  written: () => number = () => 0
  readonly generations: Stretch[] = []
  /** What is known of the render before, in a conversation that grows. */
  replay: Replay | undefined

  constructor(
    position: Position,
    readonly meter: Meter,
    readonly decisions: DecisionLog,
    readonly now: () => Date,
    /** The variables that the template was given, and the global functions. */
    readonly context: ReadonlyMap<string, Value>,
  ) {
    this.position = position
  }

  /** Code points of a text are counted or looked for. */
  seek(text: OriginText): void {
    if (!text.isCounted) this.meter.step(text.text.length >> 8)
  }

  /** The runs of a text are looked at. */
  inspect(text: OriginText): void {
    if (text.runCount > 8) this.meter.step(text.runCount >> 3)
  }

  /** A text is searched or taken apart, with all its runs. */
  read(text: OriginText): void {
    this.meter.read(text.text.length)
    this.inspect(text)
  }

  /** A text is rewritten unit by unit. */
  rewrite(text: OriginText): void {
    this.meter.write(text.text.length)
    this.meter.step((text.text.length >> 6) + (text.runCount >> 4))
  }

  /** A text is looked at character by character. */
  spell(text: OriginText): void {
    this.meter.step((text.text.length >> 4) + (text.runCount >> 4))
  }

  /** A condition at the position at hand. */
  branch(depends: Dependence, outcome: boolean): void {
    if (depends !== null) this.decisions.record('branch', depends, this.position, outcome)
  }

  /** Something was done this many times. */
  loop(depends: Dependence, turns: number): void {
    if (depends !== null) this.decisions.record('loop', depends, this.position, turns)
  }

  /** A text was parted at places that depend on what it says. */
  split(depends: Dependence, pieces: number): void {
    if (depends !== null) this.decisions.record('split', depends, this.position, pieces)
  }

  /** The template raises, because of its message or of the branch that it stands in. */
  raised(depends: Dependence, message: string): RaisedError {
    const reasons = union(this.control, depends)
    if (reasons !== null) this.decisions.record('raise', reasons, this.position, message)
    return new RaisedError(message, reasons?.map(({ path }) => path) ?? [])
  }

  /** What is not kept of a text: each run of data in it, unless it is empty or whole. */
  cut(lost: OriginText): void {
    if (lost.text === '' || lost.isTrusted) return
    lost.forEachRun((start, end, origin) => {
      if (origin !== null && start < end) {
        this.decisions.record('cut', origin.alone, this.position, lost.text.slice(start, end))
      }
    })
  }

  /** Joins two texts within the limits. */
  concat(a: OriginText, b: OriginText): OriginText {
    this.meter.fits(a.text.length + b.text.length, a.runCount + b.runCount)
    return a.concat(b)
  }
}
