import type { Activation } from './activation.js'
import type { Assign, NSRef, Target } from './ast.js'
import { compileExpression, type Frame } from './compile-expression.js'
import type { Execute } from './compile-statement.js'
import { checkAttributeName } from './globals.js'
import { iterate } from './iteration.js'
import { PythonError, typeError, valueError } from './python-error.js'
import { bitOf } from './replay/plan.js'
import { type Entry, type HashKey, trustedStr, typeName, type Value } from './value.js'

/** Assignments: `set`, the targets of loops and of `with`. */

export type AssignTo = (activation: Activation, value: Value) => void

export function compileAssign(node: Assign, frame: Frame): Execute {
  const namespaces = namespacesOf(node.target)
  const checks = namespaces.map((target) => compileExpression({ ...target, type: 'Name' }, frame))
  const value = compileExpression(node.value, frame)
  const assign = compileTarget(node.target, frame)
  return (activation) => {
    for (const check of checks) {
      if (check(activation).kind === 'namespace') continue
      activation.rendering.position = node.position
      throw new PythonError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object')
    }
    assign(activation, value(activation))
    return 'done'
  }
}

function namespacesOf(target: Target): readonly NSRef[] {
  if (target.type === 'NSRef') return [target]
  return target.type === 'TargetTuple' ? target.items.flatMap(namespacesOf) : []
}

export function compileTarget(target: Target, frame: Frame): AssignTo {
  switch (target.type) {
    case 'Name': {
      const slot = frame.scope.declare(frame.symbols.ref(target.name) as string)
      return ({ slots }, value) => {
        slots[slot] = value
      }
    }
    case 'NSRef': {
      const object = compileExpression({ ...target, type: 'Name' }, frame)
      const key = trustedStr(target.attr)
      const assign: AssignTo = (activation, value) => {
        activation.rendering.position = target.position
        setItem(object(activation), target.attr, { key, value })
      }
      const bit = bitOf(target, frame.replay)
      if (bit === 0) return assign
      return (activation, value) => {
        assign(activation, value)
        const { replay } = activation.rendering
        if (replay !== undefined) replay.set |= bit
      }
    }
    case 'TargetTuple': {
      const items = target.items.map((item) => compileTarget(item, frame))
      return (activation, value) => {
        activation.rendering.position = target.position
        const values = unpack(value, items.length)
        items.forEach((assign, i) => {
          assign(activation, values[i] as Value)
        })
      }
    }
  }
}

/**
 * `object[name] = value`. Jinja2 checks that the object is a namespace, except where a set block assigns to it: that
 * is the one way in which a template can change a dict.
 */
function setItem(object: Value, name: string, entry: Entry): void {
  if (object.kind === 'namespace') {
    checkAttributeName(name)
    object.attributes.set(name, entry)
    return
  }
  if (object.kind === 'dict') {
    const entries = object.entries as Map<HashKey, Entry>
    entries.set(name, { key: entries.get(name)?.key ?? entry.key, value: entry.value })
    return
  }
  throw typeError(
    object.kind === 'list'
      ? 'list indices must be integers or slices, not str'
      : `'${typeName(object)}' object does not support item assignment`,
  )
}

/** Exactly so many items. */
function unpack(value: Value, count: number): readonly Value[] {
  if (value.kind === 'list' || value.kind === 'tuple') {
    if (value.items.length === count) return value.items
    if (value.items.length < count) throw tooFew(count, value.items.length)
    throw tooMany(count)
  }
  const scalar = ['int', 'float', 'bool', 'none', 'namespace', 'callable'].includes(value.kind)
  if (scalar) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`)
  const next = iterate(value)
  const items: Value[] = []
  for (let i = 0; i < count; i++) {
    const item = next()
    if (item === undefined) throw tooFew(count, i)
    items.push(item)
  }
  if (next() !== undefined) throw tooMany(count)
  return items
}

function tooFew(expected: number, got: number): PythonError {
  return valueError(`not enough values to unpack (expected ${expected}, got ${got})`)
}

function tooMany(expected: number): PythonError {
  return valueError(`too many values to unpack (expected ${expected})`)
}
