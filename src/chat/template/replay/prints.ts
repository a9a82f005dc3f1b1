import type { Activation, Evaluate } from '../activation.js'
import type { CompareOperator, Expression } from '../ast.js'
import { compileExpression, type Frame } from '../compile-expression.js'
import { Length, type Value } from '../value.js'

/**
 * What the value of a noted expression hangs on, in few words: as long as these are the same, so is the value, and it need
 * not be computed to know that. Numbers stand for themselves, values for their identity.
 */
export type Term =
  /** Whole numbers of the loop and of variables, added and subtracted. */
  | { readonly kind: 'number'; readonly node: Expression }
  | {
      readonly kind: 'compare'
      readonly operator: CompareOperator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'first' | 'last' }
  /** The item of the loop so many further on. */
  | { readonly kind: 'neighbour'; readonly distance: 1 | -1 }
  /** An item of a list that is the same for all turns. */
  | { readonly kind: 'item'; readonly list: Expression; readonly index: Expression }
  /** What is the same for all turns. */
  | { readonly kind: 'value'; readonly node: Expression }

/** What is the same for all turns of one run of a loop. */
export interface LoopRun {
  readonly activation: Activation
  readonly items: readonly Value[]
}

/** What a term hangs on beside the turn, in one run: a number (`NaN`, where it cannot be told), a value, or both. */
export interface Fixed {
  readonly start: number
  readonly value: Value | undefined
}

/** What a term comes to in one turn. `NaN` equals nothing. */
export type PrintOf = number | boolean | Value | undefined

/** Turns from one on to before another. */
export type Range = readonly [from: number, to: number]

/** What is known of two runs of a loop, the second of which has some more items: at the end, or in front. */
export interface TwoRuns {
  readonly before: readonly Value[]
  readonly items: readonly Value[]
  /** A turn of the first is so many further on in the second. */
  readonly shift: number
  /** Turns of the first whose items are those of the second. */
  readonly same: Range
}

/**
 * A term, ready to be told. In turn number i it hangs on the index through `slope * i + start` alone, so that of the start
 * in two runs it is known for which turns it may be another.
 */
export interface Print {
  take(run: LoopRun): Fixed
  /** What it comes to. */
  at(fixed: Fixed, index: number, items: readonly Value[]): PrintOf
  /** For which of the turns that have the same items it may come to something else. */
  changed(before: Fixed, now: Fixed, runs: TwoRuns): readonly Range[]
}

export function compilePrints(terms: readonly Term[], frame: Frame): readonly Print[] {
  return terms.map((term) => compilePrint(term, { ...frame, replay: undefined }))
}

function compilePrint(term: Term, frame: Frame): Print {
  switch (term.kind) {
    case 'number':
      return new NumberPrint(linear(term.node, frame))
    case 'compare':
      return new ComparePrint(
        minus(linear(term.left, frame), linear(term.right, frame)),
        COMPARISONS[term.operator as keyof typeof COMPARISONS],
      )
    case 'first':
      return new ComparePrint(COUNTERS.index0 as Linear, COMPARISONS['=='])
    case 'last':
      return new ComparePrint(COUNTERS.revindex0 as Linear, COMPARISONS['=='])
    case 'neighbour':
      return new NeighbourPrint(term.distance)
    case 'item':
      return new ItemPrint(compileExpression(term.list, frame), linear(term.index, frame))
    case 'value':
      return new ValuePrint(compileExpression(term.node, frame))
  }
}

const NOTHING: Fixed = { start: 0, value: undefined }
const NONE: readonly Range[] = []
const ALL: readonly Range[] = [[0, Number.POSITIVE_INFINITY]]

class NumberPrint implements Print {
  readonly #number: Linear

  constructor(number: Linear) {
    this.#number = number
  }

  take(run: LoopRun): Fixed {
    return { start: startOf(this.#number, run), value: undefined }
  }

  at({ start }: Fixed, index: number): number {
    return this.#number.slope * index + start
  }

  changed(before: Fixed, now: Fixed, { shift }: TwoRuns): readonly Range[] {
    return before.start === now.start + this.#number.slope * shift ? NONE : ALL
  }
}

/** A difference compared with nothing. */
class ComparePrint implements Print {
  readonly #difference: Linear
  readonly #holds: (difference: number) => boolean

  constructor(difference: Linear, holds: (difference: number) => boolean) {
    this.#difference = difference
    this.#holds = holds
  }

  take(run: LoopRun): Fixed {
    return { start: startOf(this.#difference, run), value: undefined }
  }

  at({ start }: Fixed, index: number): boolean | number {
    return Number.isNaN(start) ? Number.NaN : this.#holds(this.#difference.slope * index + start)
  }

  /** The outcome can be another from where the one difference is nothing up to where the other is. */
  changed(before: Fixed, now: Fixed, { shift }: TwoRuns): readonly Range[] {
    const { slope } = this.#difference
    const start = now.start + slope * shift
    if (before.start === start) return NONE
    if (Number.isNaN(before.start) || Number.isNaN(start)) return ALL
    if (slope === 0) return this.#holds(before.start) === this.#holds(start) ? NONE : ALL
    const [a, b] = [-before.start / slope, -start / slope]
    return [[Math.floor(Math.min(a, b)), Math.ceil(Math.max(a, b)) + 1]]
  }
}

class NeighbourPrint implements Print {
  readonly #distance: 1 | -1

  constructor(distance: 1 | -1) {
    this.#distance = distance
  }

  take(): Fixed {
    return NOTHING
  }

  at(_fixed: Fixed, index: number, items: readonly Value[]): Value | undefined {
    return items[index + this.#distance]
  }

  changed(_before: Fixed, _now: Fixed, { same: [from, to] }: TwoRuns): readonly Range[] {
    return [this.#distance === 1 ? [to - 1, to] : [from, from + 1]]
  }
}

class ItemPrint implements Print {
  readonly #list: Evaluate
  readonly #index: Linear

  constructor(list: Evaluate, index: Linear) {
    this.#list = list
    this.#index = index
  }

  take(run: LoopRun): Fixed {
    return { start: startOf(this.#index, run), value: evaluated(this.#list, run) }
  }

  at({ start, value }: Fixed, index: number): PrintOf {
    const at = this.#index.slope * index + start
    const items = itemsOf(value)
    if (items === undefined || Number.isNaN(at)) return Number.NaN
    return items[at < 0 ? at + items.length : at]
  }

  /** Places are the same in both lists as long as they are counted from the beginning, where the lists are the same. */
  changed(before: Fixed, now: Fixed, runs: TwoRuns): readonly Range[] {
    const { slope } = this.#index
    const { start } = before
    const { shift } = runs
    const [old, items] = [itemsOf(before.value), itemsOf(now.value)]
    if (old === undefined || items === undefined || start !== now.start + slope * shift) return ALL
    if (before.value === now.value) return NONE
    const isOfLoop = shift === 0 && old === runs.before && items === runs.items
    const common = isOfLoop ? runs.same[1] : commonItems(old, items)
    if (slope === 1) {
      return [
        [0, -start],
        [common - start, Number.POSITIVE_INFINITY],
      ]
    }
    return slope === 0 && start >= 0 && start < common ? NONE : ALL
  }
}

class ValuePrint implements Print {
  readonly #evaluate: Evaluate

  constructor(evaluate: Evaluate) {
    this.#evaluate = evaluate
  }

  take(run: LoopRun): Fixed {
    return { start: 0, value: evaluated(this.#evaluate, run) }
  }

  at({ value }: Fixed): Value | undefined {
    return value
  }

  changed(before: Fixed, now: Fixed): readonly Range[] {
    return before.value === now.value ? NONE : ALL
  }
}

/** The items of a list whose length depends on nobody's content. */
function itemsOf(value: Value | undefined): readonly Value[] | undefined {
  if (value === undefined || (value.kind !== 'list' && value.kind !== 'tuple')) return undefined
  return value.depends === null ? value.items : undefined
}

/** With how many items two lists begin alike. */
export function commonItems(a: readonly Value[], b: readonly Value[]): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same]) same++
  return same
}

export const COMPARISONS = {
  '==': (difference: number): boolean => difference === 0,
  '!=': (difference: number): boolean => difference !== 0,
  '<': (difference: number): boolean => difference < 0,
  '<=': (difference: number): boolean => difference <= 0,
  '>': (difference: number): boolean => difference > 0,
  '>=': (difference: number): boolean => difference >= 0,
}

/** `slope * index + constant + length * (number of items) + variables`. */
interface Linear {
  readonly slope: number
  readonly constant: number
  readonly length: number
  readonly variables: readonly { readonly sign: 1 | -1; readonly evaluate: Evaluate }[]
}

/** Numbers of a loop. */
export const COUNTERS: Readonly<Record<string, Linear>> = {
  index: { slope: 1, constant: 1, length: 0, variables: [] },
  index0: { slope: 1, constant: 0, length: 0, variables: [] },
  length: { slope: 0, constant: 0, length: 1, variables: [] },
  revindex: { slope: -1, constant: 0, length: 1, variables: [] },
  revindex0: { slope: -1, constant: -1, length: 1, variables: [] },
}

function linear(node: Expression, frame: Frame): Linear {
  if (node.type === 'Const') {
    return { slope: 0, constant: exact(Number(node.value)), length: 0, variables: [] }
  }
  if (node.type === 'BinExpr') {
    const [left, right] = [linear(node.left, frame), linear(node.right, frame)]
    return node.operator === '+' ? plus(left, right) : minus(left, right)
  }
  const counter = node.type === 'Getattr' && node.node.type === 'Name' && node.node.name === 'loop'
  if (counter) return COUNTERS[node.attr] as Linear
  return {
    slope: 0,
    constant: 0,
    length: 0,
    variables: [{ sign: 1, evaluate: compileExpression(node, frame) }],
  }
}

function plus(a: Linear, b: Linear): Linear {
  return {
    slope: a.slope + b.slope,
    constant: a.constant + b.constant,
    length: a.length + b.length,
    variables: [...a.variables, ...b.variables],
  }
}

function minus(a: Linear, { slope, constant, length, variables }: Linear): Linear {
  const negative = variables.map(({ sign, evaluate }) => ({ sign: sign === 1 ? -1 : 1, evaluate }) as const)
  return plus(a, { slope: -slope, constant: -constant, length: -length, variables: negative })
}

/** All but what the index adds. Python's numbers have no end, so only those that are exact here can be told. */
function startOf({ constant, length, variables }: Linear, run: LoopRun): number {
  let start = constant + length * run.items.length
  for (const { sign, evaluate } of variables) start += sign * plainNumber(evaluated(evaluate, run))
  return exact(start)
}

/** `NaN` for a number with which sums would soon be no longer exact. */
function exact(number: number): number {
  return Math.abs(number) < 2 ** 40 ? number : Number.NaN
}

/** The number of an int that is the template's own and was computed from nobody's content. */
function plainNumber(value: Value): number {
  if (value.kind !== 'int' || value instanceof Length || typeof value.value !== 'number') return Number.NaN
  if (value.origin !== null || value.depends !== null) return Number.NaN
  return exact(value.value)
}

/** What is the same for all turns; the render itself does not compute it here. */
function evaluated(evaluate: Evaluate, { activation }: LoopRun): Value {
  const { meter } = activation.rendering
  const { steps, produced } = meter
  const value = evaluate(activation)
  meter.reset(steps, produced)
  return value
}
