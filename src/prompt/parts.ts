import { InvalidArgumentError } from '../errors.js'

/**
 * Text that was written by the programmer, the template or the chat format: it may name control tokens.
 * Only {@link trusted} makes one; an object of the same shape, from JSON for example, is not trusted.
 */
export class TrustedText {
  readonly #text: string

  /** @internal Use {@link trusted}. */
  constructor(key: symbol, text: string) {
    if (key !== BRAND) throw new InvalidArgumentError('TrustedText: call trusted(text) instead')
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  /** The brand check: false for everything that `trusted()` did not make. */
  static is(value: unknown): value is TrustedText {
    return typeof value === 'object' && value !== null && #text in value
  }
}

/** A control token, placed by name. Only {@link control} makes one. */
export class ControlToken {
  readonly #name: string
  readonly #count: number

  /** @internal Use {@link control}. */
  constructor(key: symbol, name: string, count = 1) {
    if (key !== BRAND) throw new InvalidArgumentError('ControlToken: call control(name) instead')
    this.#name = name
    this.#count = count
  }

  get name(): string {
    return this.#name
  }

  /** For how many tokens it stands in budgets. */
  get count(): number {
    return this.#count
  }

  /** The brand check: false for everything that `control()` did not make. */
  static is(value: unknown): value is ControlToken {
    return typeof value === 'object' && value !== null && #name in value
  }
}

const BRAND = Symbol('safetokens')

/**
 * Marks text as trusted: control tokens that it spells become control tokens. Never call it on anything that
 * came from outside.
 *
 * @throws InvalidArgumentError when `text` is not a string
 * @example tokenizer.encode([trusted('<|user|>'), question])
 */
export function trusted(text: string): TrustedText {
  if (typeof text !== 'string')
    throw new InvalidArgumentError(`trusted: a string was expected, not ${typeof text}`)
  return new TrustedText(BRAND, text)
}

/**
 * A control token by name; which id it is, or that there is none, is known when a tokenizer encodes it.
 *
 * @param options.count for how many tokens it stands in budgets: an engine puts so many embeddings of an image in its
 *   place. Default 1
 * @throws InvalidArgumentError when `name` is not a string, or `count` no whole number from 1
 * @example tokenizer.encode([control('<|user|>'), question])
 */
export function control(name: string, options: { readonly count?: number } = {}): ControlToken {
  if (typeof name !== 'string')
    throw new InvalidArgumentError(`control: a string was expected, not ${typeof name}`)
  const { count = 1 } = options
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError(`control: count must be a whole number from 1, not ${String(count)}`)
  return new ControlToken(BRAND, name, count)
}

/**
 * Forces a border: what follows is encoded as a fresh call of the text pipeline, with its own dummy prefix.
 * Chat formats use it where their reference encodes in several calls.
 */
export const cut: unique symbol = Symbol('safetokens.cut')

/** One part of a prompt. A plain string is data: it can never produce a reserved id. */
export type Part = string | TrustedText | ControlToken | typeof cut

/** What `encode` takes: one text, or parts in order. */
export type EncodeInput = Part | readonly Part[]

/**
 * Kinds of packed parts, as native/core/parts.hpp numbers them. An `id` is kept as it is: only turns that this process
 * has read become such, see src/output/turn-memory.ts.
 */
export const PartKind = { control: 0, trusted: 1, data: 2, cut: 3, id: 4 } as const

/** Parts as the native encoder takes them: pairs of kind and value, and all texts one after the other. */
export interface PackedParts {
  readonly parts: Uint32Array
  readonly text: string
}

/**
 * Packs parts so that they cross into native code in one call.
 *
 * @param resolve gives the id of a control token by name, or throws
 * @throws InvalidArgumentError for a value that is no part, with its index
 */
export function packParts(input: EncodeInput, resolve: (name: string) => number): PackedParts {
  const list = Array.isArray(input) ? (input as readonly Part[]) : [input as Part]
  const parts = new Uint32Array(list.length * 2)
  let text = ''
  list.forEach((part, i) => {
    if (typeof part === 'string') {
      put(i, PartKind.data, part.length)
      text += part
    } else if (TrustedText.is(part)) {
      put(i, PartKind.trusted, part.text.length)
      text += part.text
    } else if (ControlToken.is(part)) {
      put(i, PartKind.control, resolve(part.name))
    } else if (part === cut) {
      put(i, PartKind.cut, 0)
    } else {
      throw new InvalidArgumentError(
        `parts[${i}]: a string, trusted(text), control(name) or cut was expected, not ${describe(part)}`,
      )
    }
  })
  return { parts, text }

  function put(i: number, kind: number, value: number): void {
    parts[i * 2] = kind
    parts[i * 2 + 1] = value
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'a plain object (objects from JSON are never control or trusted)'
  return typeof value
}
