import type { Dependence } from './dependence.js'
import type { Origin } from './origin.js'
import { OriginText } from './origin-text.js'
import type { Rendering } from './rendering.js'

/**
 * The values of a template, as Python has them. `origin` says where the printed form comes from, `null` for the
 * template itself; `depends` whose content the value was computed from.
 *
 * Lists, tuples and dicts never change once made: the sandbox of transformers forbids it.
 */
export type Value =
  | Str
  | Bytes
  | Int
  | Float
  | Bool
  | None
  | Undefined
  | List
  | Tuple
  | Dict
  | DictView
  | Range
  | Iterator
  | Namespace
  | Callable
  | Instance

export class Str {
  readonly kind = 'str'

  /** @param markup after `|safe`, where Python has `markupsafe.Markup` */
  constructor(
    readonly text: OriginText,
    readonly depends: Dependence = null,
    readonly markup: boolean = false,
  ) {}
}

/** Python's bytes, which only `str.encode` makes. */
export class Bytes {
  readonly kind = 'bytes'

  constructor(
    readonly data: Uint8Array,
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

export class Int {
  readonly kind = 'int'

  /** @param value a bigint only beyond the safe integers; `int()` sees to it */
  constructor(
    readonly value: number | bigint,
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

/** The length of a text: whether it is zero is a matter of shape, unlike the number. */
export class Length extends Int {
  /** @param emptiness what its being zero depends on */
  constructor(
    value: number,
    origin: Origin | null,
    depends: Dependence,
    readonly emptiness: Dependence,
  ) {
    super(value, origin, depends)
  }
}

export class Float {
  readonly kind = 'float'

  constructor(
    readonly value: number,
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

export class Bool {
  readonly kind = 'bool'

  constructor(
    readonly value: boolean,
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

export class None {
  readonly kind = 'none'

  constructor(
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

/** jinja2.Undefined: empty where it is printed, an error where it is used. */
export class Undefined {
  readonly kind = 'undefined'

  /** @param message what the error says, made when it is needed */
  constructor(
    readonly message: () => string,
    readonly depends: Dependence = null,
    readonly exception: 'UndefinedError' | 'SecurityError' = 'UndefinedError',
  ) {}
}

/** Lists of which each is the one before it with more items. */
export interface Growth {
  /** Whether more items stand in front, or at the end. */
  readonly isBackwards: boolean
  /** The same lists from the end on. */
  readonly reversed: Growth
}

export class List {
  readonly kind = 'list'
  /** What its content depends on, once somebody asked: see `ofContent`. */
  content: { readonly depends: Dependence } | undefined

  /**
   * @param depends whose content its length depends on, and which items stand in it
   * @param growth the lists of which it is one
   */
  constructor(
    readonly items: readonly Value[],
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
    readonly growth: Growth | null = null,
  ) {}
}

export class Tuple {
  readonly kind = 'tuple'
  /** What it is found by in dicts, once somebody asked: see `hashKey`. */
  hash: string | undefined
  /** What its content depends on, once somebody asked: see `ofContent`. */
  content: { readonly depends: Dependence } | undefined

  /** @param names of the items, for a named tuple */
  constructor(
    readonly items: readonly Value[],
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
    readonly names: readonly string[] | undefined = undefined,
  ) {}
}

/** What Python's dicts compare keys by; see `hashKey`. */
export type HashKey = string | number | bigint | symbol | object | null

export interface Entry {
  readonly key: Value
  readonly value: Value
}

/** Keys are those of a Map, so `__proto__` is a key as any other. */
export type Entries = ReadonlyMap<HashKey, Entry>

export class Dict {
  readonly kind = 'dict'
  /** What its content depends on, once somebody asked: see `ofContent`. */
  content: { readonly depends: Dependence } | undefined

  constructor(
    readonly entries: Entries,
    readonly origin: Origin | null = null,
    readonly depends: Dependence = null,
  ) {}
}

/** `dict.keys()`, `dict.values()`, `dict.items()`. */
export class DictView {
  readonly kind = 'view'

  constructor(
    readonly dict: Dict,
    readonly of: 'keys' | 'values' | 'items',
  ) {}

  get depends(): Dependence {
    return this.dict.depends
  }
}

export class Range {
  readonly kind = 'range'

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
    readonly depends: Dependence = null,
  ) {}

  get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step))
  }

  at(index: number): Value {
    return int(this.start + index * this.step, this.depends?.[0] ?? null, this.depends)
  }
}

/** A generator or another Python iterator: it can be walked once. */
export class Iterator {
  readonly kind = 'iterator'

  /** @param next the next item, undefined at the end */
  constructor(
    readonly next: () => Value | undefined,
    readonly typeName: string = 'generator',
    readonly depends: Dependence = null,
  ) {}
}

/** `namespace()`, the one value that a template can change. */
export class Namespace {
  readonly kind = 'namespace'
  readonly depends: Dependence = null

  constructor(readonly attributes: Map<HashKey, Entry>) {}
}

/** Named arguments. The keys are those of a Dict, so that `**kwargs` of a macro can be one. */
export type KeywordArguments = Map<HashKey, Entry>

export type CallFunction = (
  rendering: Rendering,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
) => Value

const NO_ATTRIBUTES: ReadonlyMap<string, Value> = new Map()

/** A function, method, class or macro. */
export class Callable {
  readonly kind = 'callable'
  readonly depends: Dependence = null

  constructor(
    readonly typeName: string,
    /** As Python prints it; where Python prints an address, without one. */
    readonly repr: string,
    readonly call: CallFunction,
    readonly attributes: ReadonlyMap<string, Value> = NO_ATTRIBUTES,
    /** What a method is bound to. A `repr` without a bracket at its end goes on with it. */
    readonly owner: Value | undefined = undefined,
  ) {}
}

/** An object of one of Jinja's own classes, such as the `loop` of a loop. */
export abstract class Instance {
  readonly kind = 'instance'
  readonly depends: Dependence = null
  /** With its module, as in `jinja2.utils.Cycler`. */
  abstract readonly className: string

  get repr(): string {
    return `<${this.className} object>`
  }

  /** Python's len, where the class has one. */
  get length(): number | undefined {
    return undefined
  }

  /** Undefined where there is none. */
  abstract attribute(name: string, rendering: Rendering): Value | undefined

  /** Undefined where the object cannot be called. */
  get call(): CallFunction | undefined {
    return undefined
  }
}

export const NONE: None = new None()
export const TRUE: Bool = new Bool(true)
export const FALSE: Bool = new Bool(false)
export const EMPTY: Str = new Str(OriginText.empty)

const SMALL_INTS = Array.from({ length: 257 }, (_, i) => new Int(i))

/** An int; a bigint may be of any size, a number must be a safe integer. */
export function int(value: number | bigint, origin: Origin | null = null, depends: Dependence = null): Int {
  if (typeof value === 'bigint') {
    const safe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    return new Int(safe ? Number(value) : value, origin, depends)
  }
  if (origin === null && depends === null && value >= 0) {
    const small = SMALL_INTS[value]
    if (small !== undefined) return small
  }
  return new Int(value === 0 ? 0 : value, origin, depends)
}

/** A bool that was computed from the content of others; its printed form counts as theirs. */
export function bool(value: boolean, depends: Dependence = null): Bool {
  if (depends === null) return value ? TRUE : FALSE
  return new Bool(value, depends[0] ?? null, depends)
}

/** Trusted text. */
export function trustedStr(text: string): Str {
  return text === '' ? EMPTY : new Str(OriginText.trusted(text))
}

/** Where the printed form of a value comes from. */
export function originOf(value: Value): Origin | null {
  switch (value.kind) {
    case 'str':
      return value.text.firstOrigin
    case 'bytes':
    case 'int':
    case 'float':
    case 'bool':
    case 'none':
    case 'list':
    case 'tuple':
    case 'dict':
      return value.origin
    case 'view':
      return value.dict.origin
    default:
      return value.depends?.[0] ?? null
  }
}

/** Python's `type(value).__name__`. */
export function typeName(value: Value): string {
  switch (value.kind) {
    case 'str':
      return value.markup ? 'Markup' : 'str'
    case 'none':
      return 'NoneType'
    case 'undefined':
      return 'Undefined'
    case 'view':
      return `dict_${value.of}`
    case 'iterator':
    case 'callable':
      return value.typeName
    case 'namespace':
      return 'Namespace'
    case 'instance':
      return value.className.slice(value.className.lastIndexOf('.') + 1)
    case 'tuple':
      return value.names === undefined ? 'tuple' : '_GroupTuple'
    default:
      return value.kind
  }
}
