import { type Dependence, ofOrigin, ofText, union } from './dependence.js'
import { typeError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { type DictView, type Entry, int, Str, Tuple, typeName, type Value } from './value.js'

/** Python's iteration. */

/** The next item, undefined at the end. */
export type Next = () => Value | undefined

/** @throws PythonError for a value that cannot be iterated */
export function iterate(value: Value): Next {
  switch (value.kind) {
    case 'iterator':
      return value.next
    case 'range': {
      let index = 0
      const { length } = value
      return () => (index < length ? value.at(index++) : undefined)
    }
    default: {
      const items = itemsOf(value)
      let index = 0
      return () => items[index++]
    }
  }
}

/** All items; an iterator is used up. */
export function toList(rendering: Rendering, value: Value): readonly Value[] {
  if (value.kind === 'list' || value.kind === 'tuple') return value.items
  if (value.kind !== 'iterator' && value.kind !== 'range') {
    const items = itemsOf(value)
    rendering.meter.step(items.length)
    return items
  }
  const next = iterate(value)
  const items: Value[] = []
  for (let item = next(); item !== undefined; item = next()) {
    rendering.meter.step()
    items.push(item)
  }
  return items
}

/** The items of a value that has them at hand. */
export function itemsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'list':
    case 'tuple':
      return value.items
    case 'dict':
      return Array.from(value.entries.values(), ({ key }) => key)
    case 'view':
      return Array.from(value.dict.entries.values(), viewItem(value))
    case 'str':
      return value.text.characters().map((character) => new Str(character, value.depends))
    case 'bytes':
      return Array.from(value.data, (byte) => int(byte, value.origin, value.depends))
    case 'undefined':
      return []
    default:
      throw typeError(`'${typeName(value)}' object is not iterable`)
  }
}

function viewItem({ of, dict }: DictView): (entry: Entry) => Value {
  if (of === 'keys') return ({ key }) => key
  if (of === 'values') return ({ value }) => value
  return ({ key, value }) => new Tuple([key, value], dict.origin)
}

export function isIterable(value: Value): boolean {
  return (
    !['int', 'float', 'bool', 'none', 'namespace', 'callable'].includes(value.kind) &&
    value.kind !== 'instance'
  )
}

/** Whose content decides how many items a value has. */
export function countDepends(value: Value): Dependence {
  if (value.kind === 'str') return union(ofText(value.text), value.depends)
  return value.kind === 'bytes' ? union(ofOrigin(value.origin), value.depends) : value.depends
}

/** Python's len. @throws PythonError for a value that has none */
export function lengthOf(value: Value): number {
  switch (value.kind) {
    case 'str':
      return value.text.length
    case 'bytes':
      return value.data.length
    case 'list':
    case 'tuple':
      return value.items.length
    case 'dict':
      return value.entries.size
    case 'view':
      return value.dict.entries.size
    case 'range':
      return value.length
    case 'undefined':
      return 0
    case 'instance':
      if (value.length !== undefined) return value.length
  }
  throw typeError(`object of type '${typeName(value)}' has no len()`)
}
