import { type Dependence, ofContent, union } from './dependence.js'
import { LimitError, PythonError, typeError, UnsupportedError, valueError } from './python-error.js'
import type { Rendering } from './rendering.js'
import {
  type Bytes,
  bool,
  type Entry,
  FALSE,
  type HashKey,
  Length,
  type Str,
  TRUE,
  typeName,
  type Undefined,
  type Value,
} from './value.js'

/** Python's truth, equality, order and membership. */

export type OrderOperator = '<' | '<=' | '>' | '>='

/** @throws PythonError always: the value was used where only a defined one can be */
export function undefinedError(value: Undefined): never {
  throw new PythonError(value.exception, value.message())
}

/** `bool(value)`. Whether it holds is a matter of shape, except for what `depends` names. */
export function truth(value: Value): boolean {
  // What most conditions come to: no look at the object is needed.
  if (value === TRUE) return true
  if (value === FALSE) return false
  switch (value.kind) {
    case 'str':
      return value.text.text !== ''
    case 'bytes':
      return value.data.length > 0
    case 'int':
    case 'float':
      return Number(value.value) !== 0 // not a number is true
    case 'bool':
      return value.value
    case 'none':
    case 'undefined':
      return false
    case 'list':
    case 'tuple':
      return value.items.length > 0
    case 'dict':
      return value.entries.size > 0
    case 'view':
      return value.dict.entries.size > 0
    case 'range':
      return value.length > 0
    case 'instance':
      return value.length !== 0
    default:
      return true
  }
}

/** `a == b`. */
export function equals(rendering: Rendering, a: Value, b: Value): boolean {
  if (a === b) return !(a.kind === 'float' && Number.isNaN(a.value))
  if (a.kind === 'str') {
    if (b.kind !== 'str') return false
    rendering.meter.read(Math.min(a.text.text.length, b.text.text.length))
    return a.text.text === b.text.text
  }
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return x === y || (typeof x !== typeof y && x <= y && x >= y)
  switch (a.kind) {
    case 'none':
    case 'undefined':
      return a.kind === b.kind
    case 'bytes':
      return b.kind === 'bytes' && Buffer.compare(a.data, b.data) === 0
    case 'list':
    case 'tuple':
      return a.kind === b.kind && a.items.length === b.items.length && allEqual(rendering, a.items, b.items)
    case 'dict':
      return b.kind === 'dict' && equalEntries(rendering, a.entries, b.entries)
    case 'range':
      return (
        b.kind === 'range' &&
        a.length === b.length &&
        (a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step)))
      )
    case 'view':
      return b.kind === 'view' && a.of === b.of && a.of !== 'values' && equalViews(rendering, a, b)
    case 'callable':
      return b.kind === 'callable' && a.owner !== undefined && a.owner === b.owner && a.repr === b.repr
    default:
      return false
  }
}

function allEqual(rendering: Rendering, a: readonly Value[], b: readonly Value[]): boolean {
  rendering.meter.step(a.length)
  return rendering.meter.nested(() =>
    a.every((item, i) => item === b[i] || equals(rendering, item, b[i] as Value)),
  )
}

function equalEntries(
  rendering: Rendering,
  a: ReadonlyMap<HashKey, Entry>,
  b: ReadonlyMap<HashKey, Entry>,
): boolean {
  if (a.size !== b.size) return false
  rendering.meter.step(a.size)
  return rendering.meter.nested(() => {
    for (const [key, { value }] of a) {
      const other = b.get(key)
      if (other === undefined || !equals(rendering, value, other.value)) return false
    }
    return true
  })
}

function equalViews(
  rendering: Rendering,
  a: Extract<Value, { kind: 'view' }>,
  b: Extract<Value, { kind: 'view' }>,
): boolean {
  if (a.of === 'items') return equalEntries(rendering, a.dict.entries, b.dict.entries)
  rendering.meter.step(a.dict.entries.size)
  return (
    a.dict.entries.size === b.dict.entries.size &&
    [...a.dict.entries.keys()].every((key) => b.dict.entries.has(key))
  )
}

/** What a comparison depends on; that of a length with zero is a matter of shape. */
function comparisonDepends(a: Value, b: Value): Dependence {
  if (a instanceof Length && isZero(b)) return a.emptiness
  if (b instanceof Length && isZero(a)) return b.emptiness
  return union(ofContent(a), ofContent(b))
}

function isZero(value: Value): boolean {
  return value.kind === 'int' && value.value === 0 && value.origin === null && value.depends === null
}

/** What `a == b` depends on. Whether a text is empty is shape, and so is whether types differ. */
export function equalityDepends(a: Value, b: Value): Dependence {
  if (a.kind === 'str' && b.kind === 'str') {
    if (isEmptyLiteral(a) || isEmptyLiteral(b)) return union(a.depends, b.depends)
    return union(ofContent(a), ofContent(b))
  }
  const comparable = a.kind === b.kind || (isNumber(a) && isNumber(b))
  return comparable ? comparisonDepends(a, b) : union(a.depends, b.depends)
}

function isEmptyLiteral(value: Str): boolean {
  return value.text.text === '' && value.text.isTrusted
}

/** `a < b` and its like. */
export function ordered(rendering: Rendering, operator: OrderOperator, a: Value, b: Value): boolean {
  if (a.kind === 'str' && b.kind === 'str') {
    rendering.meter.read(Math.min(a.text.text.length, b.text.text.length))
    return holds(operator, compareText(a.text.text, b.text.text))
  }
  if (a.kind === 'bytes' && b.kind === 'bytes') return holds(operator, Buffer.compare(a.data, b.data))
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) {
    if (operator === '<') return x < y
    if (operator === '<=') return x <= y
    return operator === '>' ? x > y : x >= y
  }
  if ((a.kind === 'list' && b.kind === 'list') || (a.kind === 'tuple' && b.kind === 'tuple')) {
    return orderedItems(rendering, operator, a.items, b.items)
  }
  if (a.kind === 'undefined') undefinedError(a)
  if (b.kind === 'undefined') undefinedError(b)
  throw typeError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

function orderedItems(
  rendering: Rendering,
  operator: OrderOperator,
  a: readonly Value[],
  b: readonly Value[],
): boolean {
  return rendering.meter.nested(() => {
    for (let i = 0; i < a.length && i < b.length; i++) {
      rendering.meter.step()
      const [x, y] = [a[i] as Value, b[i] as Value]
      if (x !== y && !equals(rendering, x, y)) return ordered(rendering, operator, x, y)
    }
    return holds(operator, a.length - b.length)
  })
}

function holds(operator: OrderOperator, difference: number): boolean {
  if (operator === '<') return difference < 0
  if (operator === '<=') return difference <= 0
  return operator === '>' ? difference > 0 : difference >= 0
}

/** Units that are compared at once. */
const CHUNK = 4096

/** By code point, as Python does; UTF-16 has astral characters before U+E000. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.slice(i, i + CHUNK) === b.slice(i, i + CHUNK)) i += CHUNK
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  if (i >= length) return a.length - b.length
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
  const isAstral = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
  return isAstral(x) === isAstral(y) ? x - y : isAstral(x) ? 1 : -1
}

/** `item in container`. */
export function contains(rendering: Rendering, item: Value, container: Value): boolean {
  switch (container.kind) {
    case 'str':
      if (item.kind !== 'str') {
        throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
      }
      rendering.read(container.text)
      return container.text.text.includes(item.text.text)
    case 'bytes':
      return bytesContain(container, item)
    case 'list':
    case 'tuple':
      return includes(rendering, container.items, item)
    case 'dict':
      return container.entries.has(hashKey(item))
    case 'view':
      return viewContains(rendering, container, item)
    case 'range': {
      const value = numberOf(item)
      if (value === undefined) return false
      const index = (Number(value) - container.start) / container.step
      return Number.isInteger(index) && index >= 0 && index < container.length
    }
    case 'undefined':
      return false
    case 'iterator':
      for (let next = container.next(); next !== undefined; next = container.next()) {
        rendering.meter.step()
        if (equals(rendering, next, item)) return true
      }
      return false
    default:
      throw typeError(`argument of type '${typeName(container)}' is not iterable`)
  }
}

function bytesContain({ data }: Bytes, item: Value): boolean {
  if (item.kind === 'bytes') return Buffer.from(data).includes(Buffer.from(item.data))
  if (item.kind !== 'int' && item.kind !== 'bool') {
    throw typeError(`a bytes-like object is required, not '${typeName(item)}'`)
  }
  const byte = Number(item.value)
  if (byte < 0 || byte > 255) throw valueError('byte must be in range(0, 256)')
  return data.includes(byte)
}

function viewContains(rendering: Rendering, view: Extract<Value, { kind: 'view' }>, item: Value): boolean {
  const { entries } = view.dict
  if (view.of === 'keys') return entries.has(hashKey(item))
  if (view.of === 'values')
    return includes(
      rendering,
      Array.from(entries.values(), (entry) => entry.value),
      item,
    )
  if (item.kind !== 'tuple' || item.items.length !== 2) return false
  const entry = entries.get(hashKey(item.items[0] as Value))
  return entry !== undefined && equals(rendering, entry.value, item.items[1] as Value)
}

/** Membership in a list: identity counts, as in Python. */
export function includes(rendering: Rendering, items: readonly Value[], item: Value): boolean {
  rendering.meter.step(items.length)
  return items.some((other) => other === item || equals(rendering, other, item))
}

/** What `item in container` depends on: presence of a key is shape. */
export function membershipDepends(item: Value, container: Value): Dependence {
  switch (container.kind) {
    case 'str':
    case 'bytes':
    case 'list':
    case 'tuple':
      return union(ofContent(item), ofContent(container))
    default:
      return union(ofContent(item), container.depends)
  }
}

const UNDEFINED_KEY = Symbol('undefined')

/**
 * What a dict finds a key by: 1, 1.0 and True are the same one. Texts are well-formed, so no text begins as the
 * key of a tuple or of bytes does.
 *
 * @throws PythonError for a list or dict
 */
export function hashKey(value: Value): HashKey {
  switch (value.kind) {
    case 'str':
      return value.text.text
    case 'bytes':
      return `\ud801${Buffer.from(value.data).toString('latin1')}`
    case 'int':
      return value.value
    case 'bool':
      return Number(value.value)
    case 'float':
      return Number.isInteger(value.value) && !Number.isSafeInteger(value.value)
        ? BigInt(value.value)
        : value.value
    case 'none':
      return null
    case 'undefined':
      return UNDEFINED_KEY
    case 'tuple':
      value.hash ??= `\ud800${value.items.map(tupleItemKey).join('')}`
      return value.hash
    case 'list':
    case 'dict':
      throw typeError(`unhashable type: '${value.kind}'`)
    case 'view':
      if (value.of !== 'values') throw typeError(`unhashable type: 'dict_${value.of}'`)
      return value
    default:
      return value
  }
}

/** UTF-16 units of the keys in a tuple that is a key itself. */
const MAX_TUPLE_KEY = 2 ** 14

function tupleItemKey(item: Value): string {
  const key = hashKey(item)
  if (typeof key === 'object' && key !== null) {
    throw new UnsupportedError(`a tuple with a ${typeName(item)} cannot be the key of a dict`)
  }
  const text = String(key)
  if (text.length > MAX_TUPLE_KEY) throw new LimitError('expected a tuple of less text as the key of a dict')
  return `${typeof key === 'string' ? 's' : 'n'}${text.length}:${text}`
}

/** The value of an int, float or bool. */
export function numberOf(value: Value): number | bigint | undefined {
  if (value.kind === 'int' || value.kind === 'float') return value.value
  return value.kind === 'bool' ? Number(value.value) : undefined
}

export function isNumber(value: Value): boolean {
  return value.kind === 'int' || value.kind === 'float' || value.kind === 'bool'
}

/** One comparison of a chain, with what it depends on. */
export function compare(
  rendering: Rendering,
  operator: '==' | '!=' | 'in' | 'not in' | OrderOperator,
  a: Value,
  b: Value,
): Value {
  if (a.kind === 'str') rendering.inspect(a.text)
  if (b.kind === 'str') rendering.inspect(b.text)
  switch (operator) {
    case '==':
      return bool(equals(rendering, a, b), equalityDepends(a, b))
    case '!=':
      return bool(!equals(rendering, a, b), equalityDepends(a, b))
    case 'in':
      return bool(contains(rendering, a, b), membershipDepends(a, b))
    case 'not in':
      return bool(!contains(rendering, a, b), membershipDepends(a, b))
    default:
      return bool(ordered(rendering, operator, a, b), comparisonDepends(a, b))
  }
}
