import { getAttribute, getEntry, getItem, isDictAttribute } from './access.js'
import { type Activation, type Evaluate, type FunctionScope, reader } from './activation.js'
import { binary, unary } from './arithmetic.js'
import type {
  And,
  BinExpr,
  Compare,
  CondExpr,
  Const,
  Dict as DictNode,
  Expression,
  Getattr,
  Getitem,
  Name,
  Or,
  Position,
  Slice,
} from './ast.js'
import { compileCall, compileFilter, compileTest } from './compile-call.js'
import { compileConcat, compileSum } from './compile-joins.js'
import { type Constants, constant, holdsDict, unknownName } from './constants.js'
import { ofContent, ofTruth, union } from './dependence.js'
import { isNegative } from './number-format.js'
import { compare, hashKey, numberOf, truth } from './operators.js'
import { PythonError } from './python-error.js'
import type { ReplayFrame } from './replay/plan.js'
import { compilePrints } from './replay/prints.js'
import { noted } from './replay/replay.js'
import { slice } from './slices.js'
import type { Symbols } from './symbols.js'
import {
  bool,
  Dict,
  type Entry,
  type HashKey,
  List,
  type Str,
  TRUE,
  Tuple,
  Undefined,
  type Value,
} from './value.js'

/** Where an expression stands: its frame says what names mean, its function where their values are. */
export interface Frame {
  readonly symbols: Symbols
  readonly scope: FunctionScope
  readonly constants: Constants
  /** Where turns of loops are to be told from each other. */
  readonly replay?: ReplayFrame | undefined
}

/** Compiles an expression to a function. All that does not depend on a render is done here. */
export function compileExpression(node: Expression, frame: Frame): Evaluate {
  if (isSite(node, frame)) return compileSite(node, frame, compileExpression)
  switch (node.type) {
    case 'Name':
      return compileName(node, frame)
    case 'Const':
      return compileConstant(constant(node))
    case 'List':
      return compileItems(node.items, frame, (items) => new List(items))
    case 'Tuple':
      return compileItems(node.items, frame, (items) => new Tuple(items))
    case 'Dict':
      return compileDict(node, frame)
  }
  const value = constantValue(node, frame)
  return value === undefined ? compileOperation(node, frame) : compileConstant(value)
}

/** Whether it is to be noted what an expression comes to. */
export function isSite(node: Expression, { replay }: Frame): boolean {
  return replay?.plan.sites.has(node) === true
}

function compileSite(node: Expression, frame: Frame, compile: typeof compileExpression): Evaluate {
  frame.replay?.compiled.add(node)
  const { index = 0, terms = [] } = frame.replay?.plan.sites.get(node) ?? {}
  const evaluate = compile(node, { ...frame, replay: undefined })
  return noted({ index, evaluate, prints: compilePrints(terms, frame) })
}

/** The value of an operation that is computed once and for all; undefined for the others. */
export function constantValue(node: Expression, { constants }: Frame): Value | undefined {
  constants.optimize(node)
  const value = constants.written(node)
  return value === undefined || holdsDict(value) ? undefined : value
}

/** Infinity is an error wherever it is not printed as it is: see `Constants`. */
function compileConstant(value: Value): Evaluate {
  const name = unknownName(value)
  if (name === undefined) return () => value
  return () => {
    throw new PythonError('NameError', `name '${name}' is not defined`)
  }
}

type Operation = Exclude<Expression, { type: 'Name' | 'Const' | 'List' | 'Tuple' | 'Dict' }>

function compileOperation(node: Operation, frame: Frame): Evaluate {
  switch (node.type) {
    case 'CondExpr':
      return compileConditional(node, frame)
    case 'BinExpr':
      return node.operator === '+' ? compileSum(node, frame) : compileBinary(node, frame)
    case 'Concat':
      return compileConcat(node, frame)
    case 'Compare':
      return compileCompare(node, frame)
    case 'And':
    case 'Or':
      return compileLogical(node, frame)
    case 'Not': {
      const operand = compileCondition(node.node, frame)
      return (activation) => {
        const value = operand(activation)
        return bool(!truth(value), ofTruth(value))
      }
    }
    case 'Neg':
    case 'Pos': {
      const operand = compileExpression(node.node, frame)
      const operator = node.type === 'Neg' ? '-' : '+'
      const { position } = node
      return (activation) => {
        const value = operand(activation)
        activation.rendering.position = position
        return unary(operator, value)
      }
    }
    case 'Getattr':
      return compileAttribute(node, frame)
    case 'Getitem':
      return compileItem(node, frame)
    case 'Call':
      return compileCall(node, frame)
    case 'Filter':
      return compileFilter(node, compileExpression(node.node, frame), frame)
    case 'Test':
      return compileTest(node, frame)
  }
}

/**
 * An expression of which only the truth counts. What `and` and `or` decide here goes into the decision as a whole.
 */
export function compileCondition(node: Expression, frame: Frame): Evaluate {
  if (isSite(node, frame)) return compileSite(node, frame, compileCondition)
  if (node.type !== 'And' && node.type !== 'Or') return compileExpression(node, frame)
  const left = compileCondition(node.left, frame)
  const right = compileCondition(node.right, frame)
  const stopsAt = node.type === 'Or'
  return (activation) => {
    const first = left(activation)
    if (truth(first) === stopsAt) return first
    const second = right(activation)
    const depends = ofTruth(first)
    return depends === null ? second : bool(truth(second), union(depends, ofTruth(second)))
  }
}

function compileName({ name }: Name, { symbols, scope }: Frame): Evaluate {
  const ident = symbols.ref(name)
  if (ident === undefined) throw new TypeError(`a name without a frame: ${name}`)
  const place = scope.find(ident)
  const { depth, slot } = place
  const missing = new Undefined(() => `'${name}' is undefined`)
  if (depth === 0) return ({ slots }) => slots[slot] ?? missing
  if (depth === 1) return ({ parent }) => parent?.slots[slot] ?? missing
  const read = reader(place)
  return (activation) => read(activation) ?? missing
}

function compileItems(
  nodes: readonly Expression[],
  frame: Frame,
  make: (items: readonly Value[]) => Value,
): Evaluate {
  if (nodes.every(({ type }) => type === 'Const')) {
    return compileConstant(make(nodes.map((node) => constant(node as Const))))
  }
  const items = nodes.map((node) => compileExpression(node, frame))
  return (activation) => make(items.map((item) => item(activation)))
}

function compileDict({ items, position }: DictNode, frame: Frame): Evaluate {
  const pairs = items.map(({ key, value }) => ({
    key: compileExpression(key, frame),
    value: compileExpression(value, frame),
  }))
  return (activation) => {
    const entries = new Map<HashKey, Entry>()
    for (const pair of pairs) {
      const key = pair.key(activation)
      const value = pair.value(activation)
      activation.rendering.position = position
      const hash = hashKey(key)
      entries.set(hash, { key: entries.get(hash)?.key ?? key, value })
    }
    return new Dict(entries)
  }
}

function compileConditional(node: CondExpr, frame: Frame): Evaluate {
  const test = compileCondition(node.test, frame)
  const whenTrue = compileExpression(node.then, frame)
  const missing = new Undefined(
    () =>
      `the inline if-expression on line ${node.position.line} evaluated to false and no else section was defined.`,
  )
  const whenFalse = node.else === undefined ? () => missing : compileExpression(node.else, frame)
  return (activation) => {
    const value = test(activation)
    const holds = truth(value)
    decide(activation, node.position, value, holds)
    return holds ? whenTrue(activation) : whenFalse(activation)
  }
}

/** Records a branch where data decides it. */
export function decide({ rendering }: Activation, position: Position, value: Value, outcome: boolean): void {
  const depends = ofTruth(value)
  if (depends === null) return
  rendering.position = position
  rendering.branch(depends, outcome)
}

function compileLogical(node: And | Or, frame: Frame): Evaluate {
  const left = compileExpression(node.left, frame)
  const right = compileExpression(node.right, frame)
  const stopsAt = node.type === 'Or'
  return (activation) => {
    const first = left(activation)
    const holds = truth(first)
    decide(activation, node.position, first, holds)
    return holds === stopsAt ? first : right(activation)
  }
}

function compileBinary({ operator, left, right, position }: BinExpr, frame: Frame): Evaluate {
  const first = compileExpression(left, frame)
  const second = compileExpression(right, frame)
  const base = operator === '**' ? frame.constants.written(left) : undefined
  if (base !== undefined && isNegative(Number(numberOf(base)))) {
    // Jinja2 writes `-2 ** x` for a negative constant, which Python reads as `-(2 ** x)`.
    const magnitude = unary('-', base)
    return (activation) => {
      const exponent = second(activation)
      activation.rendering.position = position
      return unary('-', binary(activation.rendering, '**', magnitude, exponent))
    }
  }
  return (activation) => {
    const a = first(activation)
    const b = second(activation)
    activation.rendering.position = position
    return binary(activation.rendering, operator, a, b)
  }
}

function compileCompare(node: Compare, frame: Frame): Evaluate {
  const first = compileExpression(node.expression, frame)
  const operands = node.operands.map(({ operator, expression, position }) => ({
    operator,
    position,
    evaluate: compileExpression(expression, frame),
  }))
  const [only] = operands
  if (only !== undefined && operands.length === 1) {
    const { operator, position, evaluate } = only
    const literal = literalOf(node)
    if (literal !== undefined && (operator === '==' || operator === '!=')) {
      return compileLiteralTest(first, evaluate, literal, operator, position)
    }
    return (activation) => {
      const left = first(activation)
      const right = evaluate(activation)
      activation.rendering.position = position
      return compare(activation.rendering, operator, left, right)
    }
  }
  return (activation) => {
    const { rendering } = activation
    let left = first(activation)
    let result: Value = TRUE
    for (const { operator, position, evaluate } of operands) {
      const right = evaluate(activation)
      rendering.position = position
      const holds = compare(rendering, operator, left, right)
      result = result === TRUE ? holds : bool(truth(holds), union(result.depends, holds.depends))
      if (!truth(holds)) return result
      left = right
    }
    return result
  }
}

/** The text that `value == 'text'` compares with; undefined for anything else, and for the empty text. */
function literalOf({ operands }: Compare): string | undefined {
  const expression = operands[0]?.expression
  const isText = expression?.type === 'Const' && typeof expression.value === 'string'
  return isText ? (constant(expression) as Str).text.text || undefined : undefined
}

/** `value == 'text'` and its opposite: what most conditions of chat templates are. */
function compileLiteralTest(
  first: Evaluate,
  second: Evaluate,
  literal: string,
  operator: '==' | '!=',
  position: Position,
): Evaluate {
  const wanted = operator === '=='
  return (activation) => {
    const value = first(activation)
    const { rendering } = activation
    rendering.position = position
    if (value.kind !== 'str') return compare(rendering, operator, value, second(activation))
    rendering.inspect(value.text)
    const { text } = value.text
    rendering.meter.read(Math.min(text.length, literal.length))
    return bool((text === literal) === wanted, ofContent(value))
  }
}

function compileAttribute({ node, attr, position }: Getattr, frame: Frame): Evaluate {
  const object = compileExpression(node, frame)
  if (isDictAttribute(attr)) {
    return (activation) => {
      const value = object(activation)
      activation.rendering.position = position
      return getAttribute(activation.rendering, value, attr)
    }
  }
  const isPublic = !attr.startsWith('_')
  return (activation) => {
    const value = object(activation)
    if (value.kind === 'dict') {
      const entry = value.depends === null ? value.entries.get(attr) : undefined
      return entry === undefined ? getEntry(value, attr) : entry.value
    }
    const { rendering } = activation
    rendering.position = position
    if (isPublic && value.kind === 'instance') {
      const found = value.attribute(attr, rendering)
      if (found !== undefined) return found
    } else if (isPublic && value.kind === 'namespace') {
      const entry = value.attributes.get(attr)
      if (entry !== undefined) return entry.value
    }
    return getAttribute(rendering, value, attr)
  }
}

function compileItem({ node, argument, position }: Getitem, frame: Frame): Evaluate {
  const object = compileExpression(node, frame)
  if (argument.type === 'Slice') return compileSlice(object, argument, position, frame)
  if (argument.type === 'Const' && typeof argument.value === 'string') {
    return compileNamedItem(object, constant(argument) as Str, position)
  }
  const key = compileExpression(argument, frame)
  return (activation) => {
    const value = object(activation)
    const wanted = key(activation)
    activation.rendering.position = position
    return getItem(activation.rendering, value, wanted)
  }
}

/** `value['name']`. */
function compileNamedItem(object: Evaluate, key: Str, position: Position): Evaluate {
  const name = key.text.text
  return (activation) => {
    const value = object(activation)
    if (value.kind === 'dict' && value.depends === null) {
      const entry = value.entries.get(name)
      if (entry !== undefined) return entry.value
    }
    activation.rendering.position = position
    return getItem(activation.rendering, value, key)
  }
}

function compileSlice(object: Evaluate, node: Slice, position: Position, frame: Frame): Evaluate {
  const [start, stop, step] = [node.start, node.stop, node.step].map((bound) =>
    bound === undefined ? undefined : compileExpression(bound, frame),
  )
  return (activation) => {
    const value = object(activation)
    const [from, to, by] = [start?.(activation), stop?.(activation), step?.(activation)]
    activation.rendering.position = position
    return slice(activation.rendering, value, from, to, by)
  }
}
