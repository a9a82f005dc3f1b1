import { PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import type { Guarantee } from './formats/format.js'
import type { ChatWarning, MadePrompt } from './prompt-maker.js'
import { type Prompt, sourcePath } from './prompt-writer.js'
import { maskOf, type TokenSpan, tokenParts, tokenSpans } from './token-spans.js'

/** Data that spells a reserved token. The text is unchanged, and its ids are ordinary ones. */
export interface Neutralised {
  /** Where in the request it stands, such as `messages[2].content`. */
  readonly path: string
  /** The token that it spells. */
  readonly token: string
  /** Where in that text it begins, in UTF-16 units. */
  readonly offset: number
}

/**
 * A conversation as token ids. What is seldom asked for (`spans`, `assistantMask`, `neutralised`, `warnings`) is worked
 * out when it is read first.
 */
export class EncodedChat {
  readonly ids: Uint32Array
  /** Ids at which generation must stop. */
  readonly eosTokenIds: readonly number[]
  readonly guarantee: Guarantee
  readonly #tokenizer: Tokenizer
  readonly #prompt: Prompt
  readonly #made: MadePrompt
  #owners: Uint32Array | undefined
  #spans: readonly TokenSpan[] | undefined
  #neutralised: readonly Neutralised[] | undefined

  /** @internal */
  constructor(tokenizer: Tokenizer, made: MadePrompt, eosTokenIds: readonly number[], guarantee: Guarantee) {
    this.ids = tokenizer.encodePacked(made.prompt)
    this.eosTokenIds = eosTokenIds
    this.guarantee = guarantee
    this.#tokenizer = tokenizer
    this.#made = made
    this.#prompt = made.prompt
  }

  /** What was let pass: turns out of order, markers in content, decisions of the template that depend on data. */
  get warnings(): readonly ChatWarning[] {
    return this.#made.warnings
  }

  /** What `JSON.stringify` writes: the ids as a list, and what goes with them. */
  toJSON(): {
    ids: number[]
    eosTokenIds: readonly number[]
    guarantee: Guarantee
    warnings: readonly ChatWarning[]
  } {
    const { eosTokenIds, guarantee, warnings } = this
    return { ids: Array.from(this.ids), eosTokenIds, guarantee, warnings }
  }

  /** For budgets: the ids, and for control parts with a `count` that many in place of one. */
  get tokenCount(): number {
    return this.ids.length + this.#prompt.extraTokens
  }

  /** For each run of ids where it came from. Together they cover all ids. */
  get spans(): readonly TokenSpan[] {
    this.#spans ??= tokenSpans(this.#prompt, this.ids, this.#parts(), (id) => this.#tokenizer.isReserved(id))
    return this.#spans
  }

  /**
   * 1 for each id that the model itself wrote or is to write, else 0: for training. Undefined where the format cannot
   * tell, as chat templates without `{% generation %}`.
   */
  get assistantMask(): Uint8Array | undefined {
    const { assistant } = this.#prompt
    return assistant && maskOf(assistant, this.#parts())
  }

  /** Data that spells reserved tokens, in order: a sign of an attack, or of talk about tokens. */
  get neutralised(): readonly Neutralised[] {
    this.#neutralised ??= this.#findNeutralised()
    return this.#neutralised
  }

  #parts(): Uint32Array {
    this.#owners ??= tokenParts(this.#prompt, this.ids, this.#tokenizer.packedOffsets(this.#prompt))
    return this.#owners
  }

  #findNeutralised(): Neutralised[] {
    const { parts, text, sources } = this.#prompt
    const found: Neutralised[] = []
    let at = 0
    sources.forEach((source, i) => {
      const kind = parts[2 * i]
      if (kind !== PartKind.trusted && kind !== PartKind.data) return
      const end = at + (parts[2 * i + 1] as number)
      const path = sourcePath(source)
      if (kind === PartKind.data && path !== undefined) {
        for (const { token, offset } of this.#tokenizer.findReserved(text.slice(at, end))) {
          found.push({ path, token, offset })
        }
      }
      at = end
    })
    return found
  }
}
