import { LateTable, type NumberTable } from './container.js'

/** What is written as JSON: tables of numbers are kept beside it, and stand in it as their number. */
export type Flat = null | boolean | number | string | readonly Flat[] | { readonly [name: string]: Flat }

/**
 * How values of a type are written as JSON and read again. Reading trusts nothing: it gives a value of the type, or
 * fails. `Shape<T>` is checked against `T`, so a field that is added to a type must be added here too.
 */
export interface Shape<T> {
  write(value: T, tables: TableWriter): Flat
  read(flat: unknown, context: ReadContext): T
}

/** Gathers the tables of a value. One that stands in it twice is kept once. */
export class TableWriter {
  readonly tables: NumberTable[] = []
  /** The numbers of those that are rarely needed. */
  readonly late: Set<number> = new Set()
  readonly #hasLate: boolean

  /** @param hasLate whether there may be some */
  constructor(hasLate: boolean) {
    this.#hasLate = hasLate
  }

  add(table: NumberTable): number {
    const known = this.tables.indexOf(table)
    return known >= 0 ? known : this.tables.push(table) - 1
  }

  /** One that stands nowhere else. */
  addLate(table: NumberTable): number {
    const number = this.tables.push(table) - 1
    if (this.#hasLate) this.late.add(number)
    return number
  }
}

/** Where in the JSON is read, and its tables. */
export class ReadContext {
  readonly #path: (string | number)[] = []
  readonly #tables: readonly (NumberTable | LateTable)[]
  readonly #error: (path: string, message: string) => Error

  constructor(tables: readonly (NumberTable | LateTable)[], error: (path: string, message: string) => Error) {
    this.#tables = tables
    this.#error = error
  }

  /** Reads a part. */
  at<T>(step: string | number, shape: Shape<T>, flat: unknown): T {
    this.#path.push(step)
    const value = shape.read(flat, this)
    this.#path.pop()
    return value
  }

  table(number: unknown): NumberTable | undefined {
    const table = this.tableOrLate(number)
    return table instanceof LateTable ? table.read() : table
  }

  tableOrLate(number: unknown): NumberTable | LateTable | undefined {
    return typeof number === 'number' ? this.#tables[number] : undefined
  }

  fail(message: string): Error {
    const path = this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
    return this.#error(`$${path}`, message)
  }
}

function primitive<T extends string | number | boolean>(
  what: string,
  is: (value: unknown) => value is T,
): Shape<T> {
  return {
    write: (value) => value,
    read(flat, context) {
      if (is(flat)) return flat
      throw context.fail(`${what} was expected`)
    },
  }
}

export const text: Shape<string> = primitive('a string', (value) => typeof value === 'string')
export const flag: Shape<boolean> = primitive('true or false', (value) => typeof value === 'boolean')
/** A whole number from 0 up. */
export const count: Shape<number> = primitive(
  'a whole number',
  (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
)

export const number: Shape<number> = primitive(
  'a number',
  (value): value is number => typeof value === 'number',
)

/** One of some words. */
export function word<T extends string>(...words: readonly T[]): Shape<T> {
  return primitive(words.join(' or '), (value): value is T => (words as readonly unknown[]).includes(value))
}

/** A table of numbers of this kind. */
export function table<T extends NumberTable>(Kind: {
  new (length: number): T
  readonly name: string
}): Shape<T> {
  return {
    write: (value, tables) => tables.add(value),
    read(flat, context) {
      const found = context.table(flat)
      if (found instanceof Kind) return found
      throw context.fail(`the number of a ${Kind.name} was expected`)
    },
  }
}

/** Something that may be undefined. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return {
    write: (value, tables) => (value === undefined ? null : shape.write(value, tables)),
    read: (flat, context) => (flat === null || flat === undefined ? undefined : shape.read(flat, context)),
  }
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return {
    write: (values, tables) => values.map((value) => shape.write(value, tables)),
    read(flat, context) {
      if (!Array.isArray(flat)) throw context.fail('a list was expected')
      return flat.map((item, i) => context.at(i, shape, item))
    },
  }
}

/** A map from strings, as a list of pairs. */
export function mapOf<T>(shape: Shape<T>): Shape<ReadonlyMap<string, T>> {
  const pairs = list(pair(text, shape))
  return {
    write: (map, tables) => pairs.write([...map], tables),
    read: (flat, context) => new Map(pairs.read(flat, context)),
  }
}

export function pair<A, B>(first: Shape<A>, second: Shape<B>): Shape<readonly [A, B]> {
  return {
    write: ([a, b], tables) => [first.write(a, tables), second.write(b, tables)],
    read(flat, context) {
      if (!Array.isArray(flat) || flat.length !== 2) throw context.fail('a pair was expected')
      return [context.at(0, first, flat[0]), context.at(1, second, flat[1])]
    },
  }
}

/** An object with these fields. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const names = Object.keys(fields) as (keyof T & string)[]
  return {
    write: (value, tables) =>
      Object.fromEntries(names.map((name) => [name, fields[name].write(value[name], tables)])),
    read(flat, context) {
      if (typeof flat !== 'object' || flat === null || Array.isArray(flat))
        throw context.fail('an object was expected')
      const value = {} as T
      for (const name of names) {
        const given = Object.hasOwn(flat, name) ? (flat as Record<string, unknown>)[name] : undefined
        value[name] = context.at(name, fields[name], given)
      }
      return value
    },
  }
}

/** The members of a union whose field `type` may be `K`. */
type OfType<T, K> = T extends { readonly type: infer U } ? (K extends U ? T : never) : never

/** One that is made when a model has such a value: most of them have few kinds of steps. */
type Later<T> = () => Shape<T>

/**
 * One of several kinds of objects, told apart by their field `type`.
 *
 * @param kinds the other fields of each
 */
export function variant<T extends { readonly type: string }>(
  kinds: {
    readonly [K in T['type']]: Later<Omit<OfType<T, K>, 'type'>>
  },
): Shape<T> {
  const shapeOf = (type: unknown): Shape<object> | undefined =>
    typeof type === 'string' && Object.hasOwn(kinds, type)
      ? (kinds[type as T['type']] as Later<object>)()
      : undefined
  return {
    write: (value, tables) => ({
      ...(shapeOf(value.type)?.write(value, tables) as object),
      type: value.type,
    }),
    read(flat, context) {
      const type = (flat as { type?: unknown } | null)?.type
      const shape = shapeOf(type)
      if (shape === undefined) throw context.fail(`a type was expected: ${Object.keys(kinds).join(', ')}`)
      // A copy would read what is left for later.
      return Object.assign(shape.read(flat, context), { type }) as unknown as T
    },
  }
}

/** One of two shapes. `isFirst` tells of a value, `isFirstFlat` of what was written, which it is. */
export function either<A, B>(
  isFirst: (value: A | B) => value is A,
  first: Later<A>,
  isFirstFlat: (flat: unknown) => boolean,
  second: Later<B>,
): Shape<A | B> {
  return {
    write: (value, tables) =>
      isFirst(value) ? first().write(value, tables) : second().write(value as B, tables),
    read: (flat, context) => (isFirstFlat(flat) ? first : second)().read(flat, context),
  }
}
