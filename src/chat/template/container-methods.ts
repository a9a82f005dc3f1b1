import { sliceBounds } from './arguments.js'
import { ofContent, union } from './dependence.js'
import { toList } from './iteration.js'
import { lookUp } from './look-up.js'
import { type Methods, method } from './methods.js'
import { equals, hashKey, includes } from './operators.js'
import { valueError } from './python-error.js'
import { repr } from './python-text.js'
import type { Rendering } from './rendering.js'
import {
  bool,
  Dict,
  DictView,
  type Entry,
  type HashKey,
  int,
  List,
  NONE,
  type Range,
  type Tuple,
  type Value,
} from './value.js'

/** The methods of Python's containers that the immutable sandbox allows. */

type Argument = Value | undefined

/** What the sandbox refuses: they exist, but whoever uses one gets a SecurityError. */
export const UNSAFE_LIST_METHODS: ReadonlySet<string> = new Set(
  'append clear extend insert pop remove reverse sort'.split(' '),
)
export const UNSAFE_DICT_METHODS: ReadonlySet<string> = new Set(
  'clear pop popitem setdefault update'.split(' '),
)

function countItems(rendering: Rendering, self: List | Tuple, [wanted]: readonly Argument[]): Value {
  rendering.meter.step(self.items.length)
  const found = self.items.filter((item) => item === wanted || equals(rendering, item, wanted as Value))
  const depends = union(ofContent(self), ofContent(wanted as Value))
  return int(found.length, depends?.[0] ?? null, depends)
}

function indexOf(rendering: Rendering, self: List | Tuple, args: readonly Argument[]): Value {
  const [wanted, first, last] = args
  const { start, end } = sliceBounds(self.items.length, first, last)
  rendering.meter.step(self.items.length)
  const depends = union(ofContent(self), ofContent(wanted as Value))
  for (let i = start; i < end; i++) {
    if (self.items[i] === wanted || equals(rendering, self.items[i] as Value, wanted as Value)) {
      return int(i, depends?.[0] ?? null, depends)
    }
  }
  const shown = self.kind === 'tuple' ? 'tuple.index(x): x' : repr(rendering, wanted as Value).text
  throw valueError(`${shown} ${self.kind === 'tuple' ? 'not in tuple' : 'is not in list'}`)
}

export const LIST_METHODS: Methods<List> = new Map([
  method<List>('copy', '', (_rendering, self) => new List(self.items, self.origin, self.depends)),
  method<List>('count', 'value /', countItems),
  method<List>('index', 'value start? stop? /', indexOf),
])

export const TUPLE_METHODS: Methods<Tuple> = new Map([
  method<Tuple>('count', 'value /', countItems),
  method<Tuple>('index', 'value start? stop? /', indexOf),
])

export const DICT_METHODS: Methods<Dict> = new Map([
  method<Dict>('copy', '', (_rendering, self) => new Dict(self.entries, self.origin, self.depends)),
  method<Dict>('fromkeys', 'iterable value? /', (rendering, _self, [iterable, value = NONE]) => {
    const entries = new Map<HashKey, Entry>()
    for (const key of toList(rendering, iterable as Value)) {
      const hash = hashKey(key)
      entries.set(hash, { key: entries.get(hash)?.key ?? key, value })
    }
    return new Dict(entries, null, (iterable as Value).depends)
  }),
  method<Dict>('get', 'key default? /', (rendering, self, [key, other = NONE]) =>
    lookUp(rendering, self, key as Value, () => other),
  ),
  method<Dict>('items', '', (_rendering, self) => new DictView(self, 'items')),
  method<Dict>('keys', '', (_rendering, self) => new DictView(self, 'keys')),
  method<Dict>('values', '', (_rendering, self) => new DictView(self, 'values')),
])

export const VIEW_METHODS: Methods<DictView> = new Map([
  method<DictView>('isdisjoint', 'other /', (rendering, self, [other]) => {
    const items = toList(rendering, self)
    const shared = toList(rendering, other as Value).find((item) => includes(rendering, items, item))
    return bool(shared === undefined, ofContent(other as Value))
  }),
])

function indexInRange(rendering: Rendering, self: Range, wanted: Value): number {
  for (let i = 0; i < self.length; i++) {
    rendering.meter.step()
    if (equals(rendering, self.at(i), wanted)) return i
  }
  return -1
}

export const RANGE_METHODS: Methods<Range> = new Map([
  method<Range>('count', 'value /', (rendering, self, [wanted]) =>
    int(indexInRange(rendering, self, wanted as Value) < 0 ? 0 : 1, null, ofContent(wanted as Value)),
  ),
  method<Range>('index', 'value /', (rendering, self, [wanted]) => {
    const index = indexInRange(rendering, self, wanted as Value)
    if (index < 0) throw valueError(`${repr(rendering, wanted as Value).text} is not in range`)
    return int(index, null, ofContent(wanted as Value))
  }),
])
