import { InvalidArgumentError } from '../errors.js'
import type { DecodeStream } from '../tokenizer/decode-stream.js'
import { idArray, type TokenIds } from '../tokenizer/native-call.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { TextMatcher } from './text-matcher.js'
import type { ToolProtocol } from './types.js'

/** Who is told what a reply consists of. */
export interface LexerHandler {
  text(piece: string): void
  /**
   * @param index of the control token among the ids of the reply; undefined for a mark in plain text
   * @param id of the control token
   */
  mark(name: string, id?: number, index?: number): void
}

/** Why a reply is at its end. */
export type ReplyEnd =
  | { readonly by: 'id'; readonly id: number; readonly index: number }
  | { readonly by: 'text'; readonly stop: string }

export interface LexerSetup {
  readonly tokenizer: Tokenizer
  readonly protocol: ToolProtocol
  readonly stopIds: ReadonlySet<number>
  readonly stop: readonly string[]
  readonly handler: LexerHandler
}

/**
 * Ids of a reply to texts and marks. A reserved id is always a mark and never text; a text is a mark only where the
 * model has no control token of that name. Each run of text between reserved ids is decoded for itself.
 */
export class ReplyLexer {
  readonly #tokenizer: Tokenizer
  readonly #handler: LexerHandler
  readonly #decoder: DecodeStream
  readonly #stopIds: ReadonlySet<number>
  readonly #stop: readonly string[]
  readonly #stopMatcher: TextMatcher
  readonly #marks: readonly string[]
  readonly #markMatcher: TextMatcher
  #count = 0
  #end: ReplyEnd | undefined

  constructor({ tokenizer, protocol, stopIds, stop, handler }: LexerSetup) {
    this.#tokenizer = tokenizer
    this.#handler = handler
    this.#decoder = tokenizer.decodeStream({ cleanUpTokenizationSpaces: false })
    this.#stopIds = stopIds
    this.#stop = checkedStops(stop)
    this.#stopMatcher = new TextMatcher(this.#stop)
    const byIdOnly = new Set(protocol.idsOnly ?? [])
    this.#marks = protocol.marks.filter((name) => !byIdOnly.has(name) && !tokenizer.hasCommand(name))
    this.#markMatcher = new TextMatcher(this.#marks)
  }

  /** How many ids were read; those behind the end are not. */
  get count(): number {
    return this.#count
  }

  /** Set once a stop id or a stop text has come. */
  get end(): ReplyEnd | undefined {
    return this.#end
  }

  /**
   * Reads ids up to the end of the reply.
   *
   * @throws InvalidTokenIdError for what is no id at all
   */
  push(ids: number | TokenIds): void {
    const list = idArray(typeof ids === 'number' ? [ids] : ids)
    let begin = 0 // of the run of text
    for (let i = 0; i < list.length && this.#end === undefined; i++) {
      const id = list[i] as number
      const stops = this.#stopIds.has(id)
      const known = id < this.#tokenizer.vocabSize
      if (!stops && known && !this.#tokenizer.isReserved(id)) continue
      this.#decode(list, begin, i)
      begin = i + 1
      // A text that ends the reply may have come with the run.
      if (this.#end !== undefined) return
      this.#text(this.#decoder.end())
      this.#releaseStops()
      if (this.#end !== undefined) return
      const index = this.#count++
      if (stops) this.#end = { by: 'id', id, index }
      else this.#handler.mark(known ? this.#tokenizer.controlName(id) : '', id, index)
    }
    if (this.#end === undefined) this.#decode(list, begin, list.length)
  }

  /** The ids are at their end: gives what was held back. */
  finish(): void {
    if (this.#end === undefined) this.#text(this.#decoder.end())
    if (this.#end?.by !== 'text') this.#releaseStops()
  }

  #decode(list: Uint32Array, begin: number, end: number): void {
    // With stop texts one by one, so that it is known which id ends the reply.
    const step = this.#stop.length > 0 ? 1 : end - begin
    for (let at = begin; at < end && this.#end === undefined; at += step) {
      this.#count += step
      this.#text(this.#decoder.push(list.subarray(at, at + step)))
    }
  }

  /** Text to what stands before a stop text. */
  #text(piece: string): void {
    if (piece === '') return
    for (const found of this.#stopMatcher.push(piece)) {
      if ('text' in found) this.#unstopped(found.text)
      else {
        this.#releaseMarks()
        this.#end = { by: 'text', stop: this.#stop[found.pattern] as string }
        return
      }
    }
  }

  /** Behind a control token no stop text goes on, and no mark. */
  #releaseStops(): void {
    const rest = this.#stopMatcher.end()
    if (rest !== '') this.#unstopped(rest)
    this.#releaseMarks()
  }

  #releaseMarks(): void {
    const rest = this.#markMatcher.end()
    if (rest !== '') this.#handler.text(rest)
  }

  #unstopped(text: string): void {
    for (const found of this.#markMatcher.push(text)) {
      if ('text' in found) this.#handler.text(found.text)
      else this.#handler.mark(this.#marks[found.pattern] as string)
    }
  }
}

function checkedStops(stop: readonly string[]): readonly string[] {
  if (!Array.isArray(stop) || stop.some((text) => typeof text !== 'string' || text === '')) {
    throw new InvalidArgumentError('stop: a list of texts was expected, none of them empty')
  }
  return stop
}
