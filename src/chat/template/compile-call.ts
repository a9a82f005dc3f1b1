import { dictMethod, getAttribute, stringMethod } from './access.js'
import type { Activation, Evaluate } from './activation.js'
import type {
  Call,
  CallArguments,
  FilterCall,
  Filter as FilterNode,
  Getattr,
  Position,
  Test as TestNode,
} from './ast.js'
import { compileExpression, type Frame } from './compile-expression.js'
import { FILTERS, TESTS } from './environment.js'
import { isIterable, toList } from './iteration.js'
import { callMethod } from './methods.js'
import { undefinedError } from './operators.js'
import { PythonError, typeError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { type KeywordArguments, trustedStr, typeName, type Value } from './value.js'

/** Calls, filters and tests. */

/** The arguments of a call, evaluated. */
export interface Arguments {
  readonly args: readonly Value[]
  readonly kwargs: KeywordArguments | null
}

export function compileArguments(node: CallArguments, frame: Frame): (activation: Activation) => Arguments {
  const args = node.args.map((arg) => compileExpression(arg, frame))
  if (node.kwargs.length === 0 && node.dynArgs === undefined && node.dynKwargs === undefined) {
    if (args.length === 0) return () => NO_ARGUMENTS
    return (activation) => ({ args: args.map((arg) => arg(activation)), kwargs: null })
  }
  const kwargs = node.kwargs.map(({ key, value }) => ({
    name: key,
    key: trustedStr(key),
    evaluate: compileExpression(value, frame),
  }))
  const more = node.dynArgs && compileExpression(node.dynArgs, frame)
  const moreNamed = node.dynKwargs && compileExpression(node.dynKwargs, frame)
  return (activation) => {
    const { rendering } = activation
    const positional = args.map((arg) => arg(activation))
    if (more !== undefined) positional.push(...starred(rendering, more(activation)))
    const named: KeywordArguments = new Map()
    for (const { name, key, evaluate } of kwargs) named.set(name, { key, value: evaluate(activation) })
    if (moreNamed !== undefined) addNamed(named, moreNamed(activation))
    return { args: positional, kwargs: named }
  }
}

const NO_ARGUMENTS: Arguments = { args: [], kwargs: null }

function starred(rendering: Rendering, value: Value): readonly Value[] {
  if (!isIterable(value)) throw typeError(`argument after * must be an iterable, not ${typeName(value)}`)
  return toList(rendering, value)
}

function addNamed(named: KeywordArguments, value: Value): void {
  if (value.kind === 'undefined') undefinedError(value)
  if (value.kind !== 'dict') throw typeError(`argument after ** must be a mapping, not ${typeName(value)}`)
  for (const [hash, entry] of value.entries) {
    if (entry.key.kind !== 'str') throw typeError('keywords must be strings')
    if (named.has(hash)) throw typeError(`got multiple values for keyword argument '${entry.key.text.text}'`)
    named.set(hash, entry)
  }
}

export function compileCall(node: Call, frame: Frame): Evaluate {
  const args = compileArguments(node, frame)
  if (node.node.type === 'Getattr') return compileMethodCall(node.node, args, node.position, frame)
  const callee = compileExpression(node.node, frame)
  return (activation) => {
    const called = callee(activation)
    const given = args(activation)
    activation.rendering.position = node.position
    return callValue(activation.rendering, called, given)
  }
}

/** `value.name(...)`: the methods of str and dict need no bound method in between. */
function compileMethodCall(
  { node, attr, position }: Getattr,
  args: (activation: Activation) => Arguments,
  callPosition: Position,
  frame: Frame,
): Evaluate {
  const object = compileExpression(node, frame)
  const ofStr = stringMethod(attr)
  const ofDict = dictMethod(attr)
  return (activation) => {
    const { rendering } = activation
    const value = object(activation)
    if (ofStr !== undefined && value.kind === 'str' && !value.markup) {
      const given = args(activation)
      rendering.position = callPosition
      rendering.meter.step()
      return callMethod(rendering, ofStr, value, given.args, given.kwargs)
    }
    if (ofDict !== undefined && value.kind === 'dict') {
      const given = args(activation)
      rendering.position = callPosition
      rendering.meter.step()
      return callMethod(rendering, ofDict, value, given.args, given.kwargs)
    }
    rendering.position = position
    const called = getAttribute(rendering, value, attr)
    const given = args(activation)
    rendering.position = callPosition
    return callValue(rendering, called, given)
  }
}

/** @throws PythonError for what cannot be called */
export function callValue(rendering: Rendering, called: Value, { args, kwargs }: Arguments): Value {
  rendering.meter.step()
  if (called.kind === 'callable') return called.call(rendering, args, kwargs)
  if (called.kind === 'undefined') undefinedError(called)
  if (called.kind === 'instance' && called.call !== undefined) return called.call(rendering, args, kwargs)
  throw typeError(`'${typeName(called)}' object is not callable`)
}

/** @param operand what the filter is applied to */
export function compileFilter(node: FilterNode | FilterCall, operand: Evaluate, frame: Frame): Evaluate {
  const args = compileArguments(node, frame)
  const { name, position } = node
  const filter = FILTERS.get(name)
  return (activation) => {
    const { rendering } = activation
    const value = operand(activation)
    const given = args(activation)
    rendering.position = position
    if (filter === undefined) throw notFound('filter', name)
    rendering.meter.step()
    return filter(rendering, value, given.args, given.kwargs)
  }
}

export function compileTest(node: TestNode, frame: Frame): Evaluate {
  const operand = compileExpression(node.node, frame)
  const args = compileArguments(node, frame)
  const { name, position } = node
  const test = TESTS.get(name)
  return (activation) => {
    const { rendering } = activation
    const value = operand(activation)
    const given = args(activation)
    rendering.position = position
    if (test === undefined) throw notFound('test', name)
    return test(rendering, value, given.args, given.kwargs)
  }
}

/** In a branch, an unknown name is an error only when it comes to be used. */
function notFound(what: string, name: string): PythonError {
  return new PythonError('TemplateRuntimeError', `No ${what} named '${name}' found.`)
}
