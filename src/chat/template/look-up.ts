import { type Dependence, ofContent, union } from './dependence.js'
import { hashKey } from './operators.js'
import type { Rendering } from './rendering.js'
import { Bool, Bytes, Dict, Float, Int, List, None, Str, Tuple, Undefined, type Value } from './value.js'

/**
 * The value under a key. Which value it is depends on the key: that is a decision of its own where the template
 * made the dict, since its values may be trusted text.
 */
export function lookUp(rendering: Rendering, dict: Dict, key: Value, missing: () => Value): Value {
  const entry = dict.entries.get(hashKey(key))
  const depends = ofContent(key)
  if (depends !== null && dict.origin === null) rendering.branch(depends, entry !== undefined)
  return dependent(entry === undefined ? missing() : entry.value, union(dict.depends, depends))
}

/** The item at an index, which may be negative; undefined beyond the ends. */
export function itemAt(
  rendering: Rendering,
  list: List | Tuple,
  index: Value,
  at: number,
): Value | undefined {
  const { items } = list
  const position = at < 0 ? at + items.length : at
  const item = items[position]
  const depends = ofContent(index)
  if (depends !== null && list.origin === null) rendering.branch(depends, item !== undefined)
  if (item !== undefined && list.depends !== null) drop(rendering, list, (_item, i) => i !== position)
  return item === undefined ? undefined : dependent(item, union(list.depends, depends))
}

/** Some pieces of a text that was parted are not used here. */
export function drop(
  rendering: Rendering,
  { items, depends }: List | Tuple,
  isDropped: (item: Value, index: number) => boolean,
): void {
  if (depends === null) return
  items.forEach((item, i) => {
    if (item.kind === 'str' && isDropped(item, i)) rendering.cut(item.text)
  })
}

/** The same value, chosen by the content of others. */
export function dependent(value: Value, depends: Dependence): Value {
  if (depends === null) return value
  const all = union(value.depends, depends)
  switch (value.kind) {
    case 'str':
      return new Str(value.text, all, value.markup)
    case 'bytes':
      return new Bytes(value.data, value.origin, all)
    case 'int':
      return new Int(value.value, value.origin, all)
    case 'float':
      return new Float(value.value, value.origin, all)
    case 'bool':
      return new Bool(value.value, value.origin, all)
    case 'none':
      return new None(value.origin, all)
    case 'undefined':
      return new Undefined(value.message, all, value.exception)
    case 'list':
      return new List(value.items, value.origin, all)
    case 'tuple':
      return new Tuple(value.items, value.origin, all, value.names)
    case 'dict':
      return new Dict(value.entries, value.origin, all)
    default:
      return value
  }
}
