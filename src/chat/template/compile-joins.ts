import type { Activation, Evaluate } from './activation.js'
import { binary } from './arithmetic.js'
import type { BinExpr, Concat, Expression, Position } from './ast.js'
import { compileExpression, constantValue, type Frame, isSite } from './compile-expression.js'
import { union } from './dependence.js'
import { OriginText } from './origin-text.js'
import { str } from './python-text.js'
import { Str, type Value } from './value.js'

/**
 * Texts that a template joins: `a + b + c` and `a ~ b`. A row of them is one step, so that there is no value for each part
 * of the way; where it is printed, there is none at all.
 */

/** `a + b + c`, which is `(a + b) + c`. */
interface Sum {
  readonly first: Evaluate
  readonly rest: readonly { readonly evaluate: Evaluate; readonly position: Position }[]
}

function compileTerms(node: BinExpr, frame: Frame): Sum {
  const rest: { evaluate: Evaluate; position: Position }[] = []
  let left: Expression = node
  while (left.type === 'BinExpr' && left.operator === '+') {
    if (left !== node && (isSite(left, frame) || constantValue(left, frame) !== undefined)) break
    rest.push({ evaluate: compileExpression(left.right, frame), position: left.position })
    left = left.left
  }
  return { first: compileExpression(left, frame), rest: rest.reverse() }
}

export function compileSum(node: BinExpr, frame: Frame): Evaluate {
  const { first, rest } = compileTerms(node, frame)
  return (activation) => {
    const { rendering } = activation
    let sum = first(activation)
    let i = 0
    if (sum.kind === 'str' && !sum.markup) {
      let { text, depends } = sum
      for (; i < rest.length; i++) {
        const { evaluate, position } = rest[i] as Sum['rest'][number]
        const term = evaluate(activation)
        rendering.position = position
        if (term.kind !== 'str' || term.markup) {
          sum = binary(rendering, '+', new Str(text, depends), term)
          break
        }
        text = rendering.concat(text, term.text)
        depends = union(depends, term.depends)
      }
      if (i === rest.length) return new Str(text, depends)
      i++
    }
    return addRest(activation, sum, rest, i)
  }
}

/** The terms from one on, whatever they are. */
function addRest(activation: Activation, first: Value, rest: Sum['rest'], from: number): Value {
  let sum = first
  for (let i = from; i < rest.length; i++) {
    const { evaluate, position } = rest[i] as Sum['rest'][number]
    const term = evaluate(activation)
    activation.rendering.position = position
    sum = binary(activation.rendering, '+', sum, term)
  }
  return sum
}

/** `a ~ b`: always a plain str. */
export function compileConcat({ nodes, position }: Concat, frame: Frame): Evaluate {
  const parts = nodes.map((node) => compileExpression(node, frame))
  return (activation) => {
    const { rendering } = activation
    const values = parts.map((part) => part(activation))
    rendering.position = position
    let text = OriginText.empty
    let depends: Value['depends'] = null
    for (const value of values) {
      text = rendering.concat(text, str(rendering, value))
      depends = union(depends, value.depends)
    }
    return new Str(text, depends)
  }
}

type Print = (activation: Activation) => void

/** Prints a row of texts one after the other; undefined for any other expression. */
export function compilePrintedJoin(node: Expression, frame: Frame): Print | undefined {
  const isSum = node.type === 'BinExpr' && node.operator === '+'
  if ((!isSum && node.type !== 'Concat') || constantValue(node, frame) !== undefined) return undefined
  return isSum ? compilePrintedSum(node, frame) : compilePrintedConcat(node as Concat, frame)
}

function compilePrintedSum(node: BinExpr, frame: Frame): Print {
  const { first, rest } = compileTerms(node, frame)
  return (activation) => {
    const { rendering } = activation
    const value = first(activation)
    let sum = value
    let i = 0
    if (value.kind === 'str' && !value.markup) {
      const texts: OriginText[] = [value.text]
      let units = value.text.text.length
      let runs = value.text.runCount
      for (; i < rest.length; i++) {
        const { evaluate, position } = rest[i] as Sum['rest'][number]
        const term = evaluate(activation)
        rendering.position = position
        if (term.kind !== 'str' || term.markup) {
          // What it depends on is not printed.
          sum = binary(rendering, '+', new Str(joined(texts)), term)
          break
        }
        units += term.text.text.length
        runs += term.text.runCount
        rendering.meter.fits(units, runs)
        texts.push(term.text)
      }
      if (i === rest.length) {
        print(activation, texts, runs)
        return
      }
      i++
    }
    const text = str(rendering, addRest(activation, sum, rest, i))
    print(activation, [text], text.runCount)
  }
}

function compilePrintedConcat({ nodes, position }: Concat, frame: Frame): Print {
  const parts = nodes.map((node) => compileExpression(node, frame))
  return (activation) => {
    const { rendering } = activation
    const values = parts.map((part) => part(activation))
    rendering.position = position
    const texts: OriginText[] = []
    let units = 0
    let runs = 0
    for (const value of values) {
      const text = str(rendering, value)
      units += text.text.length
      runs += text.runCount
      rendering.meter.fits(units, runs)
      texts.push(text)
    }
    print(activation, texts, runs)
  }
}

function print({ rendering, output }: Activation, texts: readonly OriginText[], runs: number): void {
  if (runs > 1) rendering.meter.step(runs >> 4)
  for (const text of texts) output.appendText(text)
}

function joined(texts: readonly OriginText[]): OriginText {
  return texts.reduce((text, next) => text.concat(next), OriginText.empty)
}
