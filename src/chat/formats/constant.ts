/** Plain data that nobody can change, so that what a format makes of it is made once. */

/** Values inside each other deeper than this have no copy. */
const MAX_DEPTH = 100

/** What was made of constants; there is an entry for each of them. */
const made = new WeakMap<object, Map<string, unknown> | undefined>()

/** A copy that cannot be changed; undefined for what is more than plain data. */
export function constantCopy(value: unknown, depth = 0): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || depth > MAX_DEPTH) return undefined
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  if (!isPlain && !Array.isArray(value)) return undefined
  const entries: (readonly [string, unknown])[] = []
  for (const [name, item] of Object.entries(value)) {
    const copy = constantCopy(item, depth + 1)
    if (copy === undefined && item !== undefined) return undefined
    entries.push([name, copy])
  }
  const isList = Array.isArray(value)
  if (isList && entries.length !== value.length) return undefined
  const copy: object = isList ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  made.set(Object.freeze(copy), undefined)
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
