import { Activation, FunctionScope, frameEntry, frameExit, Output, reader } from './activation.js'
import { bind, signature } from './arguments.js'
import type { Expression, For, Target } from './ast.js'
import { type AssignTo, compileTarget } from './compile-assign.js'
import { compileCondition, compileExpression, decide } from './compile-expression.js'
import { compileBody, type Execute, type StatementFrame } from './compile-statement.js'
import { type Dependence, union } from './dependence.js'
import { countDepends, iterate, lengthOf, type Next } from './iteration.js'
import { Loop } from './loop.js'
import { truth } from './operators.js'
import { replayedLoop } from './replay/replayed-loop.js'
import type { Symbols } from './symbols.js'
import { type CallFunction, Str, Tuple, type Value } from './value.js'

/** `for` loops. */

/** Runs the loop over a value. */
export type RunLoop = (
  activation: Activation,
  iterable: Value,
  depth: number,
  recurse: CallFunction | undefined,
) => ReturnType<Execute>

export function compileLoop(node: For, frame: StatementFrame): Execute {
  const iterable = compileExpression(node.iter, frame)
  if (node.recursive) return compileRecursive(node, frame)
  const plan = frame.replay?.plan.loops.get(node)
  const inner = plan && frame.replay ? { ...frame, replay: { ...frame.replay, cells: plan.cells } } : frame
  const parts = compileParts(node, inner)
  const run = compileTurns(node, frame, parts)
  if (plan !== undefined) return replayedLoop({ node, plan, parts, iterable, run }, frame)
  return (activation) => run(activation, iterable(activation), 0, undefined)
}

const RECURSE = signature('loop', 'iterable')

/** A recursive loop is a function that writes to a text of its own. */
function compileRecursive(node: For, frame: StatementFrame): Execute {
  const iterable = compileExpression(node.iter, frame)
  const scope = new FunctionScope(frame.scope)
  const inner = { ...frame, scope }
  const run = compileTurns(node, inner, compileParts(node, inner))
  const turns =
    (outer: Activation, depth: number): CallFunction =>
    (rendering, args, kwargs) => {
      const [value] = bind(RECURSE, args, kwargs)
      rendering.meter.enter()
      const activation = new Activation(scope.size, outer, rendering, new Output())
      run(activation, value as Value, depth, turns(outer, depth + 1))
      rendering.meter.leave()
      return new Str(activation.output.join())
    }
  return (activation) => {
    const text = turns(activation, 0)(activation.rendering, [iterable(activation)], null) as Str
    activation.output.appendText(text.text)
    activation.rendering.meter.fits(activation.output.length)
    return 'done'
  }
}

/** What a loop is made of. */
export interface LoopParts {
  readonly assign: AssignTo
  readonly enter: (activation: Activation) => void
  readonly body: Execute
  readonly exit: (activation: Activation) => void
  readonly otherwise: Execute | undefined
  /** Where its `loop` is, if it has one. */
  readonly loopSlot: number | undefined
}

function compileParts(node: For, frame: StatementFrame): LoopParts {
  const frames = frame.scopes.loop(node)
  const inner = { ...frame, symbols: frames.body }
  return {
    enter: frameEntry(frames.body, frame.scope),
    assign: compileTarget(node.target, inner),
    body: compileBody(node.body, inner),
    exit: frameExit(frames.body, frame.scope),
    otherwise: frames.else && compileElse(node, frames.else, frame),
    loopSlot: frames.hasLoop ? frame.scope.declare(frames.body.ref('loop') as string) : undefined,
  }
}

function compileTurns(node: For, frame: StatementFrame, parts: LoopParts): RunLoop {
  const { assign, enter, body, exit, otherwise, loopSlot } = parts
  const frames = frame.scopes.loop(node)
  const filter = node.test && frames.test && compileFilterTest(node.target, node.test, frames.test, frame)
  const { position } = node
  return (activation, iterable, depth, recurse) => {
    const { rendering, slots } = activation
    rendering.position = position
    const filtered = filter?.(activation, iterable)
    let next = filtered ?? iterate(iterable)
    if (loopSlot !== undefined) {
      const sized = filtered === undefined && iterable.kind !== 'iterator' ? lengthOf(iterable) : undefined
      const loop = new Loop(next, sized, depth, recurse)
      slots[loopSlot] = loop
      next = () => loop.advance()
    }
    const { control } = rendering
    rendering.control = controlled(control, countDepends(iterable))
    let turns = 0
    let isEmpty = true
    for (let item = next(); item !== undefined; item = next()) {
      rendering.meter.step()
      turns++
      assign(activation, item)
      enter(activation)
      const completion = body(activation)
      if (completion === 'break') break
      // Jinja2 notes that there was a turn at its end, so that `continue` and `break` leave the `else` to run.
      if (completion === 'done') isEmpty = false
    }
    exit(activation)
    rendering.position = position
    rendering.loop(countDepends(iterable), turns)
    const completion = isEmpty && otherwise ? otherwise(activation) : 'done'
    rendering.control = control
    return completion
  }
}

function controlled(control: Dependence, depends: Dependence): Dependence {
  return depends === null ? control : union(control, depends)
}

function compileElse(node: For, symbols: Symbols, frame: StatementFrame): Execute {
  const enter = frameEntry(symbols, frame.scope)
  const body = compileBody(node.else, { ...frame, symbols })
  const exit = frameExit(symbols, frame.scope)
  return (activation) => {
    enter(activation)
    const completion = body(activation)
    exit(activation)
    return completion
  }
}

/**
 * `for target in iterable if test`: a generator in Python, so each item is tested when the loop comes to it, and its
 * target is a variable of its own.
 */
function compileFilterTest(
  target: Target,
  test: Expression,
  symbols: Symbols,
  frame: StatementFrame,
): (activation: Activation, iterable: Value) => Next {
  const scope = new FunctionScope(frame.scope)
  const inner = { ...frame, symbols, scope }
  const enter = frameEntry(symbols, scope)
  const assign = compileTarget(target, inner)
  const condition = compileCondition(test, inner)
  const made = targetValue(target, inner)
  return (outer, iterable) => {
    const { rendering } = outer
    const activation = new Activation(scope.size, outer, rendering, outer.output)
    const next = iterate(iterable)
    let isEntered = false
    return () => {
      if (!isEntered) enter(activation)
      isEntered = true
      for (let item = next(); item !== undefined; item = next()) {
        rendering.meter.step()
        assign(activation, item)
        const value = condition(activation)
        const holds = truth(value)
        decide(activation, test.position, value, holds)
        if (holds) return target.type === 'Name' ? item : made(activation)
      }
      return undefined
    }
  }
}

/** What the generator yields: several targets give a tuple, whatever was unpacked. */
function targetValue(target: Target, frame: StatementFrame): (activation: Activation) => Value | undefined {
  if (target.type === 'Name') return reader(frame.scope.find(frame.symbols.ref(target.name) as string))
  const items = target.type === 'TargetTuple' ? target.items.map((item) => targetValue(item, frame)) : []
  return (activation) => new Tuple(items.map((item) => item(activation) as Value))
}
