/** A copy of plain data that cannot be reached from outside, to tell later whether the data have changed. */

/** Values inside each other deeper than this have no copy. */
const MAX_DEPTH = 100

/** The fields of an object, in order. */
class Fields {
  readonly names: readonly string[]
  readonly values: readonly unknown[]

  constructor(names: readonly string[], values: readonly unknown[]) {
    this.names = names
    this.values = values
  }
}

/** Of what is no plain data the value itself. Undefined for what is too deep. */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return copies(value, depth)
  if (!isPlain(value)) return value
  const names = namesOf(value)
  const values = copies(
    names.map((name) => value[name]),
    depth,
  )
  return values && new Fields(names, values)
}

function copies(values: readonly unknown[], depth: number): readonly unknown[] | undefined {
  const all: unknown[] = []
  for (const value of values) {
    const copy = plainCopy(value, depth + 1)
    if (copy === undefined && value !== undefined) return undefined
    all.push(copy)
  }
  return all
}

/** Whether a value is what it was when it was copied; fields that hold nothing do not count. */
export function isAsCopied(value: unknown, copy: unknown): boolean {
  if (copy instanceof Fields) {
    if (!isPlain(value)) return false
    const names = namesOf(value)
    return (
      names.length === copy.names.length &&
      names.every((name, i) => name === copy.names[i] && isAsCopied(value[name], copy.values[i]))
    )
  }
  if (!Array.isArray(copy)) return Object.is(value, copy)
  if (!Array.isArray(value) || value.length !== copy.length) return false
  return copy.every((item, i) => isAsCopied(value[i], item))
}

function namesOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined)
}

/** An object literal, or one without a prototype. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
