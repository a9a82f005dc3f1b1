/**
 * Which ids no text may produce.
 * - `structural` (default): control and unused pieces, commands, and user-defined pieces whose name is a
 *   bracketed mark such as `<|im_end|>` or `[INST]`; of a tokenizer.json special added tokens, those that are such
 *   marks, and what the post-processor adds
 * - `special`: control and unused pieces and commands only
 * - `all-added`: every user-defined piece as well
 * - a list: as `special`, and these pieces (by name or id)
 */
export type ReservePolicy = 'structural' | 'special' | 'all-added' | readonly (string | number)[]

/** An id that no text can produce, and why. */
export interface ReservedToken {
  readonly id: number
  readonly name: string
  readonly reason: ReserveReason
}

/** The reserved ids of a tokenizer, in order. What they are called, and why they are reserved, is listed when it is asked for. */
export class ReservedTokens {
  readonly ids: Uint32Array
  /** All are added tokens, no two with one id, which go by their contents. */
  readonly areAdded: boolean
  /** A one for each added token that is among them, where no two added tokens have one id. */
  readonly chosen: Uint8Array | undefined
  #list: readonly ReservedToken[] | (() => readonly ReservedToken[])

  constructor(
    ids: Uint32Array,
    list: () => readonly ReservedToken[],
    from: Uint8Array | 'added' | 'anywhere',
  ) {
    this.ids = ids
    this.#list = list
    this.areAdded = from !== 'anywhere'
    this.chosen = typeof from === 'string' ? undefined : from
  }

  static of(list: readonly ReservedToken[]): ReservedTokens {
    const ids = Uint32Array.from(list, ({ id }) => id)
    return new ReservedTokens(ids, () => list, 'anywhere')
  }

  get list(): readonly ReservedToken[] {
    if (typeof this.#list === 'function') this.#list = Object.freeze(this.#list())
    return this.#list
  }
}

export type ReserveReason =
  | 'control piece'
  | 'unused piece'
  | 'unknown piece, which byte fallback replaces'
  | 'command'
  | 'user-defined piece that is a bracketed mark'
  | 'user-defined piece'
  | 'special added token'
  | 'added token that is a bracketed mark'
  | 'added token'
  | 'token of the post-processor'
  | 'written by the chat template'
  | 'word that is a bracketed mark'
  | 'listed by the caller'
