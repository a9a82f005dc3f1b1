import { InvalidArgumentError } from '../../errors.js'
import { LimitError } from './python-error.js'

/** What a render may cost. Whole numbers from 1. */
export interface TemplateLimits {
  /**
   * Turns of loops, calls, items that filters look at, and kilobytes of text that are searched or rewritten.
   * Default 1,000,000.
   */
  readonly steps?: number | undefined
  /** UTF-16 units of the output, and of any text on the way. Default 33,554,432. */
  readonly output?: number | undefined
  /** Macros that may call each other, and levels of a recursive loop. Default 200, where Python gives up too. */
  readonly recursion?: number | undefined
}

const DEFAULTS = { steps: 1_000_000, output: 2 ** 25, recursion: 200 }

/** All texts on the way may be this many times as long as one may be. */
const TEXTS = 8
/** Runs of origin in one text. */
const MAX_RUNS = 2 ** 18
/** Values that stand inside each other, where a function walks them. */
const MAX_DEPTH = 1000

/** Counts what a render costs and stops it at the limits. */
export class Meter {
  readonly #limits: typeof DEFAULTS
  #steps = 0
  #produced = 0
  #depth = 0
  #nesting = 0

  /** @throws InvalidArgumentError for a limit that is no whole number from 1 */
  constructor(limits: TemplateLimits = {}) {
    const { steps, output, recursion } = limits
    this.#limits = {
      steps: checked('steps', steps),
      output: checked('output', output),
      recursion: checked('recursion', recursion),
    }
  }

  /** Steps so far. */
  get steps(): number {
    return this.#steps
  }

  /** UTF-16 units of text that were made on the way. */
  get produced(): number {
    return this.#produced
  }

  /** From now on this was spent. @throws LimitError */
  reset(steps: number, produced: number): void {
    this.#steps = steps
    this.#produced = produced
    this.step(0)
    this.write(0)
  }

  /** @throws LimitError */
  step(count = 1): void {
    this.#steps += count
    if (this.#steps > this.#limits.steps) {
      throw new LimitError(`expected at most ${this.#limits.steps} steps (limits.steps)`)
    }
  }

  /** A text of this many UTF-16 units is searched or read. */
  read(units: number): void {
    if (units > 1024) this.step(units >> 10)
  }

  /** A new text of this many units is about to be made, unit by unit. */
  write(units: number): void {
    this.fits(units)
    this.#produced += units
    if (this.#produced > this.#limits.output * TEXTS) {
      throw new LimitError(
        `expected at most ${this.#limits.output * TEXTS} UTF-16 units of text on the way to the output ` +
          `(${TEXTS} times limits.output)`,
      )
    }
    if (units > 256) this.step(units >> 8)
  }

  /** A text of this many units and runs. */
  fits(units: number, runs = 0): void {
    if (units > this.#limits.output) {
      throw new LimitError(`expected texts of at most ${this.#limits.output} UTF-16 units (limits.output)`)
    }
    if (runs > MAX_RUNS) throw new LimitError(`expected texts of at most ${MAX_RUNS} runs of origin`)
  }

  /** Before the body of a macro; `leave` after it. */
  enter(): void {
    this.#depth++
    if (this.#depth > this.#limits.recursion) {
      throw new LimitError(
        `expected at most ${this.#limits.recursion} calls inside each other (limits.recursion)`,
      )
    }
    this.step()
  }

  leave(): void {
    this.#depth--
  }

  /** Runs a function that walks the items of a value. */
  nested<Result>(walk: () => Result): Result {
    this.descend()
    const result = walk()
    this.ascend()
    return result
  }

  /** Before the items of a value are walked; `ascend` after it. */
  descend(): void {
    this.#nesting++
    if (this.#nesting > MAX_DEPTH) {
      throw new LimitError(`expected at most ${MAX_DEPTH} values inside each other`)
    }
  }

  ascend(): void {
    this.#nesting--
  }
}

function checked(name: keyof typeof DEFAULTS, value: number | undefined): number {
  if (value === undefined) return DEFAULTS[name]
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError(`limits.${name}: expected a whole number from 1 but received ${value}`)
  }
  return value
}
