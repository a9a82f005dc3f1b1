/** Plain data that nobody can change, so that what a format makes of it is made once. */

/** Values inside each other deeper than this have no copy. */
const MAX_DEPTH = 100

/** What was made of constants; there is an entry for each of them. */
const made = new WeakMap<object, Map<string, unknown> | undefined>()

/** A copy that cannot be changed; undefined for what is more than plain data, or stands in itself. */
export function constantCopy(value: unknown): unknown {
  return copyOf(value, 0, new Map())
}

/** @param known copies of what was met before; undefined for what is being copied */
function copyOf(value: unknown, depth: number, known: Map<object, object | undefined>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || depth > MAX_DEPTH) return undefined
  if (typeof value !== 'object' || value === null) return value
  if (known.has(value)) return known.get(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  if (!isPlain && !Array.isArray(value)) return undefined
  known.set(value, undefined)
  const entries: (readonly [string, unknown])[] = []
  for (const [name, item] of Object.entries(value)) {
    const copy = copyOf(item, depth + 1, known)
    if (copy === undefined && item !== undefined) return undefined
    entries.push([name, copy])
  }
  const isList = Array.isArray(value)
  if (isList && entries.length !== value.length) return undefined
  const copy: object = isList ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  made.set(Object.freeze(copy), undefined)
  known.set(value, copy)
  return copy
}

/**
 * What is made of a value: once, where it is a constant.
 *
 * @param key tells what is made
 */
export function madeOnce<Made>(value: unknown, key: string, make: () => Made): Made {
  if (typeof value !== 'object' || value === null || !made.has(value)) return make()
  const known = made.get(value) ?? new Map<string, unknown>()
  made.set(value, known)
  if (!known.has(key)) known.set(key, make())
  return known.get(key) as Made
}
