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

/** A loop, at one of its turns. */
export interface LoopState {
  readonly index: number
  readonly items: readonly Value[]
  /** Computes what is the same for all turns, once. */
  fixed(evaluate: Evaluate): Value
}

export type Print = number | boolean | Value | undefined
export type TakePrint = (loop: LoopState) => Print

/** `NaN`, which equals nothing, where it cannot be told. */
type TakeNumber = (loop: LoopState) => number

export function compilePrints(terms: readonly Term[], frame: Frame): readonly TakePrint[] {
  return terms.map((term) => compilePrint(term, { ...frame, replay: undefined }))
}

function compilePrint(term: Term, frame: Frame): TakePrint {
  switch (term.kind) {
    case 'number':
      return compileNumber(term.node, frame)
    case 'compare':
      return compileCompare(term.operator, compileNumber(term.left, frame), compileNumber(term.right, frame))
    case 'first':
      return ({ index }) => index === 0
    case 'last':
      return ({ index, items }) => index === items.length - 1
    case 'neighbour':
      return ({ index, items }) => items[index + term.distance]
    case 'item': {
      const list = compileExpression(term.list, frame)
      const index = compileNumber(term.index, frame)
      return (loop) => {
        const value = loop.fixed(list)
        const at = index(loop)
        if ((value.kind !== 'list' && value.kind !== 'tuple') || value.depends !== null || Number.isNaN(at))
          return NaN
        return value.items[at < 0 ? at + value.items.length : at]
      }
    }
    case 'value': {
      const evaluate = compileExpression(term.node, frame)
      return (loop) => loop.fixed(evaluate)
    }
  }
}

function compileCompare(operator: CompareOperator, left: TakeNumber, right: TakeNumber): TakePrint {
  const holds = COMPARISONS[operator as keyof typeof COMPARISONS]
  return (loop) => {
    const [a, b] = [left(loop), right(loop)]
    return Number.isNaN(a) || Number.isNaN(b) ? NaN : holds(a, b)
  }
}

export const COMPARISONS = {
  '==': (a: number, b: number): boolean => a === b,
  '!=': (a: number, b: number): boolean => a !== b,
  '<': (a: number, b: number): boolean => a < b,
  '<=': (a: number, b: number): boolean => a <= b,
  '>': (a: number, b: number): boolean => a > b,
  '>=': (a: number, b: number): boolean => a >= b,
}

/** Numbers of a loop. */
export const COUNTERS: Readonly<Record<string, TakeNumber>> = {
  index: ({ index }) => index + 1,
  index0: ({ index }) => index,
  length: ({ items }) => items.length,
  revindex: ({ index, items }) => items.length - index,
  revindex0: ({ index, items }) => items.length - index - 1,
}

function compileNumber(node: Expression, frame: Frame): TakeNumber {
  if (node.type === 'Const') {
    const value = Number(node.value)
    return () => value
  }
  if (node.type === 'BinExpr') {
    const [left, right] = [compileNumber(node.left, frame), compileNumber(node.right, frame)]
    const sum: TakeNumber =
      node.operator === '+' ? (loop) => left(loop) + right(loop) : (loop) => left(loop) - right(loop)
    return (loop) => {
      const value = sum(loop)
      return Number.isSafeInteger(value) ? value : NaN
    }
  }
  const counter = node.type === 'Getattr' && node.node.type === 'Name' && node.node.name === 'loop'
  if (counter) return COUNTERS[node.attr] as TakeNumber
  const evaluate = compileExpression(node, frame)
  return (loop) => plainNumber(loop.fixed(evaluate))
}

/** The number of an int that is the template's own and was computed from nobody's content. */
function plainNumber(value: Value): number {
  if (value.kind !== 'int' || value instanceof Length || typeof value.value !== 'number') return NaN
  return value.origin === null && value.depends === null ? value.value : NaN
}

/** Values that are the same for all turns of a loop, computed when they are first asked for. */
export class FixedValues {
  readonly #activation: Activation
  readonly #known = new Map<Evaluate, Value>()

  constructor(activation: Activation) {
    this.#activation = activation
  }

  get(evaluate: Evaluate): Value {
    const known = this.#known.get(evaluate)
    if (known !== undefined) return known
    const { meter } = this.#activation.rendering
    const { steps, produced } = meter
    const value = evaluate(this.#activation)
    meter.reset(steps, produced) // the render itself does not compute it here
    this.#known.set(evaluate, value)
    return value
  }
}
