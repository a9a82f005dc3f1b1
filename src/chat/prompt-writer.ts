import { ControlToken, cut, type PackedParts, type Part, PartKind, TrustedText } from '../prompt/parts.js'

/** A place in the request, such as `messages[2].content`, or what can tell it when it is asked for. */
export type DataSource = string | { readonly path: string }

/** A prompt as the encoder takes it, with the place in the request that each part came from. */
export interface Prompt extends PackedParts {
  /** What control parts with a `count` stand for beyond their own ids, in tokens. */
  readonly extraTokens: number
  /** The same by index of part; one behind the last part where the part is not known. */
  readonly extra: readonly { readonly part: number; readonly tokens: number }[]
  /** For each part where its data came from; undefined for what the format wrote. */
  readonly sources: readonly (DataSource | undefined)[]
  /** Pairs of part indices, begin and end: what the model itself is to write. Undefined: the format cannot tell. */
  readonly assistant: readonly (readonly [begin: number, end: number])[] | undefined
}

/**
 * Where a chat format writes its parts. What the format says is trusted or a control token; what the request holds
 * is data with its path. Nothing here looks into a text.
 */
export class PromptWriter {
  readonly #resolve: (name: string) => number
  readonly #parts: number[] = []
  readonly #sources: (DataSource | undefined)[] = []
  readonly #assistant: [number, number][] = []
  #assistantBegin = -1
  #text = ''
  readonly #extra: { part: number; tokens: number }[] = []

  /** @param resolve gives the id of a control token by name, or throws */
  constructor(resolve: (name: string) => number) {
    this.#resolve = resolve
  }

  /** A control token by name. */
  control(name: string): this {
    return this.#put(PartKind.control, this.#resolve(name), undefined)
  }

  /** Text of the format itself; control tokens that it spells are meant. */
  trusted(text: string): this {
    return text === '' ? this : this.#append(PartKind.trusted, text, undefined)
  }

  /** Text of the request. Even an empty one keeps the trusted texts around it apart. */
  data(text: string, source: DataSource): this {
    return this.#append(PartKind.data, text, source)
  }

  /** What follows is a fresh call of the text pipeline. */
  cut(): this {
    return this.#put(PartKind.cut, 0, undefined)
  }

  /** A part that came with the request: a string is data, the others are what code made them. */
  part(part: Part, path: string): this {
    if (typeof part === 'string') return this.data(part, path)
    if (TrustedText.is(part)) return this.#append(PartKind.trusted, part.text, path)
    if (ControlToken.is(part)) {
      this.stands(part.count - 1)
      return this.#put(PartKind.control, this.#resolve(part.name), path)
    }
    return part === cut ? this.cut() : this
  }

  /** What is written next, or something that was written, stands for so many tokens more. */
  stands(more: number): this {
    if (more > 0) this.#extra.push({ part: this.#sources.length, tokens: more })
    return this
  }

  /** Several parts of the request in order. */
  items(items: readonly { readonly part: Part; readonly path: string }[]): this {
    for (const { part, path } of items) this.part(part, path)
    return this
  }

  /** What comes until `endAssistant` is what the model itself writes. */
  beginAssistant(): this {
    this.#assistantBegin = this.#sources.length
    return this
  }

  endAssistant(): this {
    if (this.#assistantBegin >= 0) this.#assistant.push([this.#assistantBegin, this.#sources.length])
    this.#assistantBegin = -1
    return this
  }

  finish(knowsAssistant = true): Prompt {
    return {
      parts: Uint32Array.from(this.#parts),
      text: this.#text,
      extraTokens: this.#extra.reduce((sum, { tokens }) => sum + tokens, 0),
      extra: this.#extra,
      sources: this.#sources,
      assistant: knowsAssistant ? this.#assistant : undefined,
    }
  }

  #append(kind: number, text: string, source: DataSource | undefined): this {
    this.#text += text
    return this.#put(kind, text.length, source)
  }

  #put(kind: number, value: number, source: DataSource | undefined): this {
    this.#parts.push(kind, value)
    this.#sources.push(source)
    return this
  }
}

/** The path of a source. */
export function sourcePath(source: DataSource | undefined): string | undefined {
  return typeof source === 'object' ? source.path : source
}

/** A prompt as text, control tokens by name. Only to be read. */
export function promptText({ parts, text }: Prompt, nameOf: (id: number) => string): string {
  let out = ''
  let at = 0
  for (let i = 0; i < parts.length; i += 2) {
    const value = parts[i + 1] as number
    if (parts[i] === PartKind.control) out += nameOf(value)
    else {
      out += text.slice(at, at + value)
      at += value
    }
  }
  return out
}
