import type { Position } from './ast.js'
import type { Dependence } from './dependence.js'
import type { Origin } from './origin.js'
import type { OriginText } from './origin-text.js'
import { DependenceError } from './python-error.js'

/** What to do about decisions that depend on the content of request text. */
export type OnDataDependence = 'ignore' | 'report' | 'refuse'

/**
 * A decision of the template that depends on the content of request text, so that data chose the shape of the
 * prompt or lost a part of itself.
 */
export interface DataDecision {
  /**
   * `branch`: a condition. `loop`: how often a loop runs. `split`: where a text is parted, or into how many
   * pieces. `cut`: text of the request was dropped. `raise`: the template's own `raise_exception`.
   */
  readonly kind: 'branch' | 'loop' | 'split' | 'cut' | 'raise'
  /** In the template source, from 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** Whose content decided, for example `messages[2].content`. */
  readonly path: string
  /** `branch`: whether it held. `loop`: turns. `split`: pieces. `cut`: the lost text. `raise`: the message. */
  readonly outcome: boolean | number | string
}

/** More decisions than this are counted, not listed. */
const MOST = 1000
/** Different texts that one place cuts from one value; more are counted. */
const MOST_CUTS = 8

const KINDS = ['branch', 'loop', 'split', 'cut', 'raise'] as const

/** A decision as it is noted: its path is spelled when somebody asks. */
interface Noted {
  readonly kind: DataDecision['kind']
  readonly position: Position
  readonly origin: Origin
  readonly outcome: DataDecision['outcome']
}

/** Collects the decisions of one render, each once for a place, a path, and a branch or a text that was cut. */
export class DecisionLog {
  readonly #mode: OnDataDependence
  readonly #found: Noted[] = []
  /** Whose content decided at a place, by kind, place and the outcome of a branch. */
  #seen: Map<number, Set<Origin>> | undefined
  /** The texts that were cut from a value, by place. */
  #cuts: Map<Origin, Map<number, DataDecision['outcome'][]>> | undefined
  #omitted = 0

  constructor(mode: OnDataDependence) {
    this.#mode = mode
  }

  /** How many more there were than are listed. */
  get omitted(): number {
    return this.#omitted
  }

  /** What was found; text that was cut counts only where the output does not have it after all. */
  settled(output: OriginText): readonly DataDecision[] {
    const found = this.#found.map(
      ({ kind, position: { line, column }, origin, outcome }): DataDecision => ({
        kind,
        line,
        column,
        path: origin.path,
        outcome,
      }),
    )
    if (!found.some(({ kind }) => kind === 'cut')) return found
    const written = new Map<string, string>()
    output.forEachRun((start, end, origin) => {
      if (origin === null) return
      written.set(origin.path, `${written.get(origin.path) ?? ''}${output.text.slice(start, end)}`)
    })
    return found.filter(({ kind, path, outcome }) => {
      if (kind !== 'cut') return true
      const lost = String(outcome).trim()
      return lost !== '' && !written.get(path)?.includes(lost)
    })
  }

  /** @throws DependenceError where such decisions are refused */
  record(
    kind: DataDecision['kind'],
    depends: Dependence,
    position: Position,
    outcome: DataDecision['outcome'],
  ): void {
    if (depends === null || this.#mode === 'ignore') return
    for (const origin of depends) this.#add(kind, origin, position, outcome)
  }

  #add(
    kind: DataDecision['kind'],
    origin: Origin,
    position: Position,
    outcome: DataDecision['outcome'],
  ): void {
    if (this.#mode === 'refuse') throw new DependenceError(refusal(kind, origin.path), [origin.path])
    const key = (position.offset * KINDS.length + KINDS.indexOf(kind)) * 2 + Number(outcome === true)
    if (kind === 'cut') {
      if (!this.#isNewCut(origin, key, outcome)) return
    } else {
      this.#seen ??= new Map()
      let origins = this.#seen.get(key)
      if (origins === undefined) {
        origins = new Set()
        this.#seen.set(key, origins)
      }
      if (origins.has(origin)) return
      origins.add(origin)
    }
    if (this.#found.length < MOST) this.#found.push({ kind, position, origin, outcome })
    else this.#omitted++
  }

  /** A place may cut several texts of one value, such as the pieces of a split that it does not use. */
  #isNewCut(origin: Origin, key: number, outcome: DataDecision['outcome']): boolean {
    this.#cuts ??= new Map()
    const places = this.#cuts.get(origin) ?? new Map<number, DataDecision['outcome'][]>()
    this.#cuts.set(origin, places)
    const seen = places.get(key) ?? []
    places.set(key, seen)
    if (seen.includes(outcome)) return false
    if (seen.length === MOST_CUTS) {
      this.#omitted++
      return false
    }
    seen.push(outcome)
    return true
  }
}

function refusal(kind: DataDecision['kind'], path: string): string {
  const decided = {
    branch: 'decides a branch',
    loop: 'decides how often a loop runs',
    split: 'decides where text is parted',
    cut: 'loses a part',
    raise: 'made the template raise',
  }[kind]
  return `the content of ${path} ${decided}, and onDataDependence is 'refuse'`
}
