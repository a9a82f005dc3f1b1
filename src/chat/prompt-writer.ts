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
 * What stands in place of the parts that a format wrote for a message of the assistant: parts without text, or undefined
 * where the format's own stay.
 *
 * @param message its index
 * @param next the kind of the part that follows; undefined at the end
 */
export type Recall = (
  message: number,
  written: PackedParts,
  next: number | undefined,
) => Uint32Array | undefined

/** What a message of the assistant has become, so far. */
interface Written {
  readonly message: number
  readonly begin: number
  /** Index of its first text. */
  readonly texts: number
  end: number
}

/**
 * Where a chat format writes its parts. What the format says is trusted or a control token; what the request holds
 * is data with its path. Nothing here looks into a text.
 */
export class PromptWriter {
  readonly #resolve: (name: string) => number
  readonly #recall: Recall | undefined
  readonly #parts: number[] = []
  readonly #sources: (DataSource | undefined)[] = []
  readonly #assistant: [number, number][] = []
  readonly #texts: string[] = []
  #assistantBegin = -1
  readonly #extra: { part: number; tokens: number }[] = []
  /** The message of the assistant that was written last, until it is known what follows. */
  #written: Written | undefined

  /**
   * @param resolve gives the id of a control token by name, or throws
   * @param recall gives the ids of turns that the model itself wrote in this process
   */
  constructor(resolve: (name: string) => number, recall?: Recall) {
    this.#resolve = resolve
    this.#recall = recall
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

  /**
   * What comes until `endAssistant` is what the model itself writes.
   *
   * @param message index of the message that it is, the whole of it and nothing else; without it, the message is
   *   always encoded from its fields
   */
  beginAssistant(message?: number): this {
    const written = this.#written
    // One message may be written in several pieces, with nothing between them. Else nobody knows what follows.
    if (written && written.message !== message) this.#settle(PartKind.data)
    this.#assistantBegin = this.#sources.length
    if (message !== undefined && this.#written === undefined && this.#recall) {
      const begin = this.#sources.length
      this.#written = { message, begin, texts: this.#texts.length, end: -1 }
    }
    return this
  }

  endAssistant(): this {
    if (this.#assistantBegin >= 0) this.#assistant.push([this.#assistantBegin, this.#sources.length])
    if (this.#assistantBegin >= 0 && this.#written) this.#written.end = this.#sources.length
    this.#assistantBegin = -1
    return this
  }

  /**
   * A turn as the model itself writes it, where the format writes it otherwise or not at all. It stays only if its ids are
   * known, and their control tokens are those of what is written here; else nothing is written.
   *
   * @param write writes the turn and what stands in front of it, with `beginAssistant(index)` and `endAssistant()`. A
   *   control token, a cut or the end of the prompt must stand on both sides of it
   */
  recalled(write: () => void): boolean {
    if (this.#recall === undefined) return false
    this.#settle(PartKind.control)
    const [parts, texts, extra, runs] = [this.#sources, this.#texts, this.#extra, this.#assistant].map(
      ({ length }) => length,
    ) as [number, number, number, number]
    write()
    if (this.#settle(PartKind.control)) return true
    this.#parts.length = 2 * parts
    this.#sources.length = parts
    this.#texts.length = texts
    this.#extra.length = extra
    this.#assistant.length = runs
    return false
  }

  finish(knowsAssistant = true): Prompt {
    this.#settle(undefined)
    return {
      parts: new Uint32Array(this.#parts), // much faster than Uint32Array.from
      text: this.#texts.join(''),
      extraTokens: this.#extra.reduce((sum, { tokens }) => sum + tokens, 0),
      extra: this.#extra,
      sources: this.#sources,
      assistant: knowsAssistant ? this.#assistant : undefined,
    }
  }

  /**
   * A message is whole: what the model wrote takes the place of what the format made of its fields.
   *
   * @returns whether it does
   */
  #settle(next: number | undefined): boolean {
    const written = this.#written
    this.#written = undefined
    if (written === undefined || this.#recall === undefined) return false
    if (written.end !== this.#sources.length) return false
    const { message, begin, texts } = written
    const parts = new Uint32Array(this.#parts.slice(2 * begin))
    const recalled = this.#recall(message, { parts, text: this.#texts.slice(texts).join('') }, next)
    if (recalled === undefined) return false
    this.#parts.length = 2 * begin
    this.#sources.length = begin
    this.#texts.length = texts
    const source = `messages[${message}].content`
    for (let i = 0; i < recalled.length; i += 2) {
      this.#parts.push(recalled[i] as number, recalled[i + 1] as number)
      this.#sources.push(source)
    }
    while ((this.#assistant.at(-1)?.[0] ?? -1) >= begin) this.#assistant.pop()
    while ((this.#extra.at(-1)?.part ?? -1) >= begin) this.#extra.pop()
    this.#assistant.push([begin, this.#sources.length])
    return true
  }

  #append(kind: number, text: string, source: DataSource | undefined): this {
    this.#put(kind, text.length, source)
    this.#texts.push(text)
    return this
  }

  #put(kind: number, value: number, source: DataSource | undefined): this {
    if (this.#written && this.#assistantBegin < 0) this.#settle(kind)
    this.#parts.push(kind, value)
    this.#sources.push(source)
    return this
  }
}

/** The path of a source. */
export function sourcePath(source: DataSource | undefined): string | undefined {
  return typeof source === 'object' ? source.path : source
}

/**
 * A prompt as text, control tokens by name. Only to be read.
 *
 * @param textOf the text of ids that a model wrote
 */
export function promptText(
  { parts, text }: Prompt,
  nameOf: (id: number) => string,
  textOf: (ids: readonly number[]) => string = () => '',
): string {
  let out = ''
  let at = 0
  let written: number[] = []
  for (let i = 0; i < parts.length; i += 2) {
    const value = parts[i + 1] as number
    if (parts[i] === PartKind.id) {
      written.push(value)
      if (parts[i + 2] === PartKind.id) continue
      out += textOf(written)
      written = []
    } else if (parts[i] === PartKind.control) out += nameOf(value)
    else {
      out += text.slice(at, at + value)
      at += value
    }
  }
  return out
}
