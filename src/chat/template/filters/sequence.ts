import { toIndex } from '../arguments.js'
import { binary } from '../arithmetic.js'
import { ofContent, union } from '../dependence.js'
import { countDepends, itemsOf, iterate, lengthOf, toList } from '../iteration.js'
import { drop } from '../look-up.js'
import { equals, hashKey, ordered, truth, undefinedError } from '../operators.js'
import { PythonError, typeError } from '../python-error.js'
import type { Rendering } from '../rendering.js'
import { slice } from '../slices.js'
import { sortValues } from '../sorting.js'
import {
  FALSE,
  type HashKey,
  Iterator,
  int,
  Length,
  List,
  NONE,
  Str,
  Tuple,
  trustedStr,
  typeName,
  Undefined,
  type Value,
} from '../value.js'
import { attributeGetter, attributesGetter, type Getter, ignoreCase } from './attributes.js'
import { type Filter, filter, generator } from './filter.js'

/** Filters on sequences, except those that apply another filter or a test. @see Jinja2 3.1.6 `filters.py` */

type Arguments = readonly (Value | undefined)[]

function given(value: Value | undefined): value is Value {
  return value !== undefined && value.kind !== 'none'
}

function length(rendering: Rendering, value: Value): Value {
  if (value.kind === 'str') rendering.seek(value.text)
  const depends = countDepends(value)
  const count = lengthOf(value)
  return depends === null ? int(count) : new Length(count, depends[0] ?? null, depends, value.depends)
}

function list(rendering: Rendering, value: Value): Value {
  const depends = countDepends(value)
  if (value.kind === 'str') rendering.split(depends, value.text.length)
  const origin = value.kind === 'str' ? value.text.firstOrigin : originOfSequence(value)
  return new List(toList(rendering, value), origin, depends)
}

function originOfSequence(value: Value): List['origin'] {
  if (value.kind === 'list' || value.kind === 'tuple' || value.kind === 'dict') return value.origin
  return value.kind === 'view' ? value.dict.origin : null
}

function first(rendering: Rendering, value: Value): Value {
  dropOthers(rendering, value, 0)
  const item = iterate(value)()
  return item ?? new Undefined(() => 'No first item, sequence was empty.', countDepends(value))
}

function last(rendering: Rendering, value: Value): Value {
  const items = reversible(value)
  dropOthers(rendering, value, items.length - 1)
  const item = items.at(-1)
  // Markup is asked for its items one by one from behind, and gives Markup.
  if (item?.kind === 'str' && value.kind === 'str') return new Str(item.text, item.depends, value.markup)
  return item ?? new Undefined(() => 'No last item, sequence was empty.', countDepends(value))
}

/** Where one piece of a text is taken, the others are lost. */
function dropOthers(rendering: Rendering, value: Value, kept: number): void {
  if (value.kind === 'list' || value.kind === 'tuple') drop(rendering, value, (_item, i) => i !== kept)
  else if (value.kind === 'str') {
    const { text } = value
    const at = kept === 0 ? 0 : text.offsetOf(Math.max(0, text.length - 1))
    const end = Math.min(
      text.text.length,
      at + (kept === 0 && text.length > 0 ? text.offsetOf(1) : text.text.length),
    )
    rendering.cut(text.slice(0, at))
    rendering.cut(text.slice(end, text.text.length))
  }
}

/** @throws PythonError for what Python's `reversed` refuses */
function reversible(value: Value): readonly Value[] {
  if (value.kind === 'range') return Array.from({ length: value.length }, (_, i) => value.at(i))
  if (value.kind === 'iterator' || value.kind === 'instance') {
    throw typeError(`'${typeName(value)}' object is not reversible`)
  }
  return itemsOf(value)
}

function reverse(rendering: Rendering, value: Value): Value {
  if (value.kind === 'str') return slice(rendering, value, undefined, undefined, int(-1))
  if (value.kind === 'iterator' || value.kind === 'instance') {
    return new List([...toList(rendering, value)].reverse(), null, value.depends)
  }
  if (!isReversible(value)) throw new PythonError('FilterArgumentError', 'argument must be iterable')
  const items = reversible(value)
  let index = items.length
  const name = { list: 'list_reverseiterator', range: 'range_iterator', dict: 'dict_reversekeyiterator' }
  return new Iterator(
    () => (index > 0 ? items[--index] : undefined),
    name[value.kind as keyof typeof name] ?? 'reversed',
    value.depends,
  )
}

function isReversible(value: Value): boolean {
  return ['list', 'tuple', 'dict', 'view', 'range', 'undefined'].includes(value.kind)
}

function batch(rendering: Rendering, value: Value, [count, fill]: Arguments): Value {
  return generator(rendering, function* () {
    let group: Value[] = []
    const next = iterate(value)
    for (let item = next(); item !== undefined; item = next()) {
      if (equals(rendering, int(group.length), count as Value)) {
        yield new List(group)
        group = []
      }
      group.push(item)
    }
    if (group.length === 0) return
    if (given(fill) && ordered(rendering, '<', int(group.length), count as Value)) {
      const missing = toIndex(binary(rendering, '-', count as Value, int(group.length)))
      rendering.meter.step(missing)
      group.push(...Array.from({ length: missing }, () => fill))
    }
    yield new List(group)
  })
}

function sliceInto(rendering: Rendering, value: Value, [count, fill]: Arguments): Value {
  return generator(rendering, function* () {
    const items = toList(rendering, value)
    const slices = toIndex(count as Value)
    if (slices === 0) throw new PythonError('ZeroDivisionError', 'integer division or modulo by zero')
    const each = Math.floor(items.length / slices)
    const longer = items.length - each * slices
    let end = 0
    for (let i = 0; i < slices; i++) {
      rendering.meter.step()
      const start = end
      end += each + (i < longer ? 1 : 0)
      const part = items.slice(start, end)
      yield new List(given(fill) && i >= longer ? [...part, fill] : part)
    }
  })
}

/** The key to compare by, in lower case unless case counts. */
function keyed(get: Getter, caseSensitive: Value | undefined): Getter {
  if (caseSensitive !== undefined && truth(caseSensitive)) return get
  return (rendering, item) => {
    const key = get(rendering, item)
    return key.kind === 'list'
      ? new List(key.items.map(ignoreCase), key.origin, key.depends)
      : ignoreCase(key)
  }
}

/** Items by key. Where texts of the request order what the template wrote, that is a decision. */
function sortBy(
  rendering: Rendering,
  items: readonly Value[],
  key: (item: Value) => Value,
  reverse: boolean,
): Value[] {
  const pairs = items.map((item) => ({ item, key: key(item) }))
  for (const pair of pairs) {
    if (originOfItem(pair.item) === null) rendering.branch(ofContent(pair.key), true)
  }
  const less = (a: { key: Value }, b: { key: Value }): boolean => ordered(rendering, '<', a.key, b.key)
  // Python reverses before and after, so that equal items keep their order.
  const sorted = sortValues(rendering, reverse ? pairs.reverse() : pairs, less)
  return (reverse ? sorted.reverse() : sorted).map(({ item }) => item)
}

function originOfItem(item: Value): unknown {
  return item.kind === 'str' ? item.text.firstOrigin : 'origin' in item ? item.origin : undefined
}

function sort(rendering: Rendering, value: Value, [reversed, caseSensitive, attribute]: Arguments): Value {
  const get = keyed(attributesGetter(attribute ?? NONE), caseSensitive)
  const items = toList(rendering, value)
  const sorted = sortBy(
    rendering,
    items,
    (item) => get(rendering, item),
    reversed !== undefined && truth(reversed),
  )
  return new List(sorted, originOfSequence(value), countDepends(value))
}

function dictSort(rendering: Rendering, value: Value, [caseSensitive, by, reversed]: Arguments): Value {
  const name = by === undefined ? 'key' : by.kind === 'str' ? by.text.text : ''
  if (name !== 'key' && name !== 'value') {
    throw new PythonError('FilterArgumentError', 'You can only sort by either "key" or "value"')
  }
  if (value.kind === 'undefined') undefinedError(value)
  if (value.kind !== 'dict') {
    throw new PythonError('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  }
  const get = keyed(
    (_rendering, item) => (item as Tuple).items[name === 'key' ? 0 : 1] as Value,
    caseSensitive,
  )
  const pairs = Array.from(
    value.entries.values(),
    (entry) => new Tuple([entry.key, entry.value], value.origin),
  )
  const sorted = sortBy(
    rendering,
    pairs,
    (pair) => get(rendering, pair),
    reversed !== undefined && truth(reversed),
  )
  return new List(sorted, value.origin, value.depends)
}

function unique(rendering: Rendering, value: Value, [caseSensitive, attribute]: Arguments): Value {
  const get = keyed(attributeGetter(attribute ?? NONE), caseSensitive)
  return generator(rendering, function* () {
    const seen = new Set<HashKey>()
    const next = iterate(value)
    for (let item = next(); item !== undefined; item = next()) {
      rendering.meter.step()
      const key = get(rendering, item)
      const hash = hashKey(key)
      rendering.branch(ofContent(key), !seen.has(hash))
      if (seen.has(hash)) continue
      seen.add(hash)
      yield item
    }
  })
}

function extreme(operator: '<' | '>') {
  return (rendering: Rendering, value: Value, [caseSensitive, attribute]: Arguments): Value => {
    const get = keyed(attributeGetter(attribute ?? NONE), caseSensitive)
    const next = iterate(value)
    let best = next()
    if (best === undefined) {
      return new Undefined(() => 'No aggregated item, sequence was empty.', countDepends(value))
    }
    let bestKey = get(rendering, best)
    let depends = ofContent(bestKey)
    for (let item = next(); item !== undefined; item = next()) {
      rendering.meter.step()
      const key = get(rendering, item)
      depends = union(depends, ofContent(key))
      if (ordered(rendering, operator, key, bestKey)) [best, bestKey] = [item, key]
    }
    if (originOfItem(best) === null) rendering.branch(depends, true)
    return best
  }
}

function groupBy(rendering: Rendering, value: Value, [attribute, fallback, caseSensitive]: Arguments): Value {
  const plain = attributeGetter(attribute as Value, fallback)
  const get = keyed(plain, caseSensitive)
  const keys = new Map<Value, Value>()
  const sorted = sortBy(
    rendering,
    toList(rendering, value),
    (item) => {
      const key = get(rendering, item)
      keys.set(item, key)
      return key
    },
    false,
  )
  const groups: { key: Value; items: Value[] }[] = []
  for (const item of sorted) {
    const key = keys.get(item) as Value
    const group = groups.at(-1)
    rendering.branch(ofContent(key), true)
    if (group !== undefined && (group.key === key || equals(rendering, group.key, key)))
      group.items.push(item)
    else groups.push({ key, items: [item] })
  }
  const names = ['grouper', 'list']
  const tuples = groups.map(({ key, items }) => {
    const isExact = caseSensitive !== undefined && truth(caseSensitive)
    const grouper = isExact ? key : plain(rendering, items[0] as Value)
    return new Tuple([grouper, new List(items)], null, null, names)
  })
  return new List(tuples)
}

function sum(rendering: Rendering, value: Value, [attribute, start = int(0)]: Arguments): Value {
  if (start.kind === 'str') throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  const get = given(attribute) ? attributeGetter(attribute) : undefined
  const next = iterate(value)
  let total: Value = start
  for (let item = next(); item !== undefined; item = next()) {
    rendering.meter.step()
    total = binary(rendering, '+', total, get === undefined ? item : get(rendering, item))
  }
  return total
}

function items(rendering: Rendering, value: Value): Value {
  return generator(rendering, function* () {
    if (value.kind === 'undefined') return
    if (value.kind !== 'dict') throw typeError('Can only get item pairs from a mapping.')
    for (const { key, value: item } of value.entries.values()) yield new Tuple([key, item], value.origin)
  })
}

function defaultTo(_rendering: Rendering, value: Value, [fallback, boolean = FALSE]: Arguments): Value {
  const isMissing = value.kind === 'undefined' || (truth(boolean) && !truth(value))
  return isMissing ? (fallback ?? trustedStr('')) : value
}

/** `random.choice`. */
function random(rendering: Rendering, value: Value): Value {
  if (value.kind === 'undefined') undefinedError(value)
  const choice = ['list', 'tuple', 'range', 'str'].includes(value.kind) ? toList(rendering, value) : undefined
  if (choice === undefined) throw typeError(`'${typeName(value)}' object is not subscriptable`)
  const item = choice[Math.floor(Math.random() * choice.length)]
  return item ?? new Undefined(() => 'No random item, sequence was empty.', countDepends(value))
}

export const SEQUENCE_FILTERS: readonly [string, Filter][] = [
  filter('batch', 'linecount fill_with?', batch),
  filter('count', '', length),
  filter('d', 'default_value? boolean?', defaultTo),
  filter('default', 'default_value? boolean?', defaultTo),
  filter('dictsort', 'case_sensitive? by? reverse?', dictSort),
  filter('first', '', first),
  filter('groupby', 'attribute default? case_sensitive?', groupBy),
  filter('items', '', items),
  filter('last', '', last),
  filter('length', '', length),
  filter('list', '', list),
  filter('max', 'case_sensitive? attribute?', extreme('>')),
  filter('min', 'case_sensitive? attribute?', extreme('<')),
  filter('random', '', random),
  filter('reverse', '', reverse),
  filter('slice', 'slices fill_with?', sliceInto),
  filter('sort', 'reverse? case_sensitive? attribute?', sort),
  filter('sum', 'attribute? start?', sum),
  filter('unique', 'case_sensitive? attribute?', unique),
]
