import type { Origin } from './origin.js'
import type { OriginText } from './origin-text.js'
import { type Dict, FALSE, Length, type List, TRUE, type Tuple, type Value } from './value.js'

/** Whose content a value was computed from, so that a decision made by it depends on them; `null` for nobody's. */
export type Dependence = readonly Origin[] | null

/** More than this many origins are not told apart: a decision that depends on so many is reported for these. */
const MOST = 16

/** What depends on both. */
export function union(a: Dependence, b: Dependence): Dependence {
  if (a === null || a === b) return b
  if (b === null) return a
  const more = b.filter((origin) => !a.includes(origin))
  return more.length === 0 || a.length >= MOST ? a : [...a, ...more].slice(0, MOST)
}

/** What a decision by the content of a text depends on. */
export function ofText(text: OriginText): Dependence {
  const single = text.singleOrigin
  if (single !== undefined) return ofOrigin(single)
  let found: Dependence = null
  text.forEachRun((_start, _end, origin) => {
    found = union(found, ofOrigin(origin))
  })
  return found
}

export function ofOrigin(origin: Origin | null): Dependence {
  return origin === null || origin.shape ? null : origin.alone
}

/** What a decision by the truth of a value depends on. */
export function ofTruth(value: Value): Dependence {
  if (value === TRUE || value === FALSE) return null
  return value instanceof Length ? value.emptiness : value.depends
}

/**
 * What a decision by the content of a value depends on: the text of strings and the digits of numbers, in
 * containers too. Booleans and null of the request are shape, as presence, types and lengths of lists are.
 */
export function ofContent(value: Value): Dependence {
  switch (value.kind) {
    case 'str':
      return union(ofText(value.text), value.depends)
    case 'bytes':
    case 'int':
    case 'float':
      return union(ofOrigin(value.origin), value.depends)
    case 'list':
    case 'tuple':
    case 'dict':
      value.content ??= { depends: ofItems(value) }
      return value.content.depends
    default:
      return value.depends
  }
}

function ofItems(value: List | Tuple | Dict): Dependence {
  let found = value.depends
  const items = value.kind === 'dict' ? value.entries.values() : value.items
  for (const item of items) {
    if (found !== null && found.length >= MOST) break
    found = union(found, 'key' in item ? union(ofContent(item.key), ofContent(item.value)) : ofContent(item))
  }
  return found
}
