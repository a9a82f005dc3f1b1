import { Activation, type Evaluate, FunctionScope, frameEntry, frameExit, Output } from './activation.js'
import type {
  AssignBlock,
  Body,
  CallBlock,
  Expression,
  FilterBlock,
  FilterCall,
  Generation,
  If,
  Macro,
  Output as OutputNode,
  Statement,
  With,
} from './ast.js'
import { compileAssign, compileTarget } from './compile-assign.js'
import { callValue, compileArguments, compileFilter } from './compile-call.js'
import { compileCondition, compileExpression, decide, type Frame, isSite } from './compile-expression.js'
import { compilePrintedJoin } from './compile-joins.js'
import { compileLoop } from './compile-loop.js'
import { ofTruth, union } from './dependence.js'
import { type MacroBody, MacroSignature, makeMacro } from './macro.js'
import { truth } from './operators.js'
import { typeError } from './python-error.js'
import { str } from './python-text.js'
import { replayedBlock } from './replay/replayed-block.js'
import type { MacroLike, Scopes } from './scopes.js'
import { type Callable, Str, trustedStr, typeName, Undefined, type Value } from './value.js'

/** How a statement ends. */
export type Completion = 'done' | 'break' | 'continue'

export type Execute = (activation: Activation) => Completion

/** Where a statement stands. */
export interface StatementFrame extends Frame {
  readonly scopes: Scopes
}

export function compileBody(body: Body, frame: StatementFrame): Execute {
  const statements = body.map((statement) => compileStatement(statement, frame))
  const [only] = statements
  if (only !== undefined && statements.length === 1) return only
  return (activation) => {
    for (let i = 0; i < statements.length; i++) {
      const completion = (statements[i] as Execute)(activation)
      if (completion !== 'done') return completion
    }
    return 'done'
  }
}

function compileStatement(node: Statement, frame: StatementFrame): Execute {
  const block = frame.replay?.plan.blocks.get(node)
  const execute = compilePlain(node, frame)
  return block === undefined ? execute : replayedBlock(execute, block, frame)
}

function compilePlain(node: Statement, frame: StatementFrame): Execute {
  switch (node.type) {
    case 'Output':
      return compileOutput(node, frame)
    case 'If':
      return compileIf(node, frame)
    case 'For':
      return compileLoop(node, frame)
    case 'Assign':
      return compileAssign(node, frame)
    case 'AssignBlock':
      return compileAssignBlock(node, frame)
    case 'Macro':
      return compileMacro(node, frame)
    case 'CallBlock':
      return compileCallBlock(node, frame)
    case 'FilterBlock':
      return compileFilterBlock(node, frame)
    case 'With':
      return compileWith(node, frame)
    case 'Generation':
      return compileGeneration(node, frame)
    case 'Break':
      return () => 'break'
    case 'Continue':
      return () => 'continue'
    case 'LoadTemplate':
      return ({ rendering }) => {
        rendering.position = node.position
        throw typeError('no loader for this environment specified')
      }
  }
}

function compileOutput({ nodes }: OutputNode, frame: Frame): Execute {
  const steps: ((activation: Activation) => void)[] = []
  let written = ''
  const flush = (): void => {
    const data = written
    if (data !== '') steps.push(({ output }) => output.append(data, null))
    written = ''
  }
  for (const node of nodes) {
    const data = node.type === 'TemplateData' ? node.data.toWellFormed() : frame.constants.printed(node)?.text
    if (node.type === 'TemplateData' || data !== undefined) {
      written += data ?? ''
      continue
    }
    flush()
    steps.push(compilePrint(node, frame))
  }
  flush()
  return (activation) => {
    for (let i = 0; i < steps.length; i++) (steps[i] as (typeof steps)[number])(activation)
    activation.rendering.meter.fits(activation.output.length)
    return 'done'
  }
}

/** `{{ node }}` */
function compilePrint(node: Expression, frame: Frame): (activation: Activation) => void {
  const joined = isSite(node, frame) ? undefined : compilePrintedJoin(node, frame)
  if (joined !== undefined) return joined
  const evaluate = compileExpression(node, frame)
  const { position } = node
  return (activation) => {
    const value = evaluate(activation)
    const { rendering, output } = activation
    if (value.kind !== 'str') rendering.position = position
    const text = str(rendering, value)
    if (text.runCount > 1) rendering.meter.step(text.runCount >> 4)
    output.appendText(text)
  }
}

function compileIf(node: If, frame: StatementFrame): Execute {
  const branches = [node, ...node.elifs].map(({ test, body, position }) => ({
    test: compileCondition(test, frame),
    body: compileBody(body, frame),
    position,
  }))
  const otherwise = compileBody(node.else, frame)
  return (activation) => {
    const { rendering } = activation
    const { control } = rendering
    for (let i = 0; i < branches.length; i++) {
      const { test, body, position } = branches[i] as (typeof branches)[number]
      const value = test(activation)
      const holds = truth(value)
      const depends = ofTruth(value)
      if (depends !== null) {
        decide(activation, position, value, holds)
        rendering.control = union(rendering.control, depends)
      }
      if (!holds) continue
      const completion = body(activation)
      rendering.control = control
      return completion
    }
    const completion = otherwise(activation)
    rendering.control = control
    return completion
  }
}

/** Runs statements and gives what they wrote. */
function captured(activation: Activation, body: Execute): { completion: Completion; text: Str } {
  const { output } = activation
  activation.output = new Output()
  const completion = body(activation)
  const text = new Str(activation.output.join())
  activation.output = output
  return { completion, text }
}

/** Filters in a row, applied to what `source` gives. */
function compileFilters(filters: readonly FilterCall[], source: Evaluate, frame: Frame): Evaluate {
  return filters.reduce((operand, filter) => compileFilter(filter, operand, frame), source)
}

/** Hands the text of a block to its filters, and keeps none of it. */
class Handover {
  #text: Value | undefined

  put(text: Value): void {
    this.#text = text
  }

  readonly take: Evaluate = () => {
    const text = this.#text as Value
    this.#text = undefined
    return text
  }
}

function compileAssignBlock(node: AssignBlock, frame: StatementFrame): Execute {
  const inner = { ...frame, symbols: frame.scopes.frame(node) }
  const enter = frameEntry(inner.symbols, frame.scope)
  const body = compileBody(node.body, inner)
  const exit = frameExit(inner.symbols, frame.scope)
  const block = new Handover()
  const value = compileFilters(node.filters, block.take, inner)
  const assign = compileTarget(node.target, frame)
  return (activation) => {
    enter(activation)
    const { completion, text } = captured(activation, body)
    if (completion !== 'done') return completion
    block.put(text)
    assign(activation, value(activation))
    exit(activation)
    return 'done'
  }
}

function compileFilterBlock(node: FilterBlock, frame: StatementFrame): Execute {
  const inner = { ...frame, symbols: frame.scopes.frame(node) }
  const enter = frameEntry(inner.symbols, frame.scope)
  const body = compileBody(node.body, inner)
  const exit = frameExit(inner.symbols, frame.scope)
  const block = new Handover()
  const value = compileFilters(node.filters, block.take, inner)
  return (activation) => {
    enter(activation)
    const { completion, text } = captured(activation, body)
    if (completion !== 'done') return completion
    block.put(text)
    write(activation, value(activation))
    exit(activation)
    return 'done'
  }
}

/** Writes what must be text already, as the blocks of Jinja2 demand. */
function write({ rendering, output }: Activation, value: Value): void {
  if (value.kind !== 'str') {
    output.appendForeign(typeName(value))
    return
  }
  output.appendText(value.text)
  rendering.meter.fits(output.length)
}

function compileWith(node: With, frame: StatementFrame): Execute {
  const inner = { ...frame, symbols: frame.scopes.frame(node) }
  const enter = frameEntry(inner.symbols, frame.scope)
  const pairs = node.targets.map((target, i) => ({
    assign: compileTarget(target, inner),
    value: compileExpression(node.values[i] as (typeof node.values)[number], frame),
  }))
  const body = compileBody(node.body, inner)
  const exit = frameExit(inner.symbols, frame.scope)
  return (activation) => {
    enter(activation)
    for (const { assign, value } of pairs) assign(activation, value(activation))
    const completion = body(activation)
    exit(activation)
    return completion
  }
}

/** What makes the macro of a statement, when it is come to. */
function compileMacroBody(node: MacroLike, frame: StatementFrame): (activation: Activation) => Callable {
  const symbols = frame.scopes.frame(node)
  const scope = new FunctionScope(frame.scope)
  const inner = { ...frame, symbols, scope }
  const parameters = node.type === 'Generation' ? [] : node.parameters
  const access = frame.scopes.access(node)
  const names = parameters.map(({ name }) => name)
  const special = (['caller', 'kwargs', 'varargs'] as const).filter(
    (name) => access[name] && !names.includes(name),
  )
  const enter = frameEntry(symbols, scope)
  const slots = [...names, ...special].map((name) => scope.declare(symbols.ref(name) as string))
  const defaults = parameters.map(({ name, default: standard }) => {
    const missing = new Undefined(() => `parameter '${name}' was not provided`)
    return standard === undefined ? () => missing : compileExpression(standard, inner)
  })
  const body = compileBody(node.body, inner)
  const signature = new MacroSignature(node.type === 'Macro' ? node.name : null, names, access)
  const run =
    (outer: Activation): MacroBody =>
    (rendering, values) => {
      if (values.length > slots.length) {
        throw typeError(`macro() takes ${slots.length} positional arguments but ${values.length} were given`)
      }
      rendering.meter.enter()
      const activation = new Activation(scope.size, outer, rendering, new Output())
      for (let i = 0; i < slots.length; i++) activation.slots[slots[i] as number] = values[i]
      enter(activation)
      for (let i = 0; i < defaults.length; i++) {
        activation.slots[slots[i] as number] ??= (defaults[i] as Evaluate)(activation)
      }
      body(activation)
      rendering.meter.leave()
      return new Str(activation.output.join())
    }
  return (activation) => makeMacro(signature, run(activation))
}

function compileMacro(node: Macro, frame: StatementFrame): Execute {
  const make = compileMacroBody(node, frame)
  const slot = frame.scope.declare(frame.symbols.ref(node.name) as string)
  return (activation) => {
    activation.slots[slot] = make(activation)
    return 'done'
  }
}

const CALLER = trustedStr('caller')

function compileCallBlock(node: CallBlock, frame: StatementFrame): Execute {
  const make = compileMacroBody(node, frame)
  const callee = compileExpression(node.call.node, frame)
  const args = compileArguments(node.call, frame)
  const { position } = node.call
  return (activation) => {
    const { rendering } = activation
    const caller = make(activation)
    const called = callee(activation)
    const given = args(activation)
    rendering.position = position
    if (given.kwargs?.has('caller')) {
      throw typeError("got multiple values for keyword argument 'caller'")
    }
    const kwargs = new Map(given.kwargs ?? []).set('caller', { key: CALLER, value: caller })
    write(activation, callValue(rendering, called, { args: given.args, kwargs }))
    return 'done'
  }
}

function compileGeneration(node: Generation, frame: StatementFrame): Execute {
  const make = compileMacroBody(node, frame)
  return (activation) => {
    const { rendering } = activation
    rendering.position = node.position
    const text = callValue(rendering, make(activation), { args: [], kwargs: null })
    // transformers counts from what the template itself has written, also inside a macro.
    const start = rendering.written()
    write(activation, text)
    if (text.kind === 'str') rendering.generations.push({ start, end: start + text.text.text.length })
    return 'done'
  }
}
