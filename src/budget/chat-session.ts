import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions, PromptMaker } from '../chat/prompt-maker.js'
import { InvalidArgumentError, SafetokensError } from '../errors.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { GrownIds } from './grown-ids.js'
import { endsWith, lastRound, type PromptTail, RoundWindow } from './round-window.js'
import { isInstruction } from './rounds.js'
import { StretchIds, type StretchUpdate } from './stretches.js'

export interface SessionOptions extends EncodeChatOptions {
  /** The conversation to begin with. */
  messages?: readonly ChatMessage[] | undefined
}

/** What a turn did to the prompt: behind its first `kept` ids it has these now. */
export interface SessionUpdate {
  readonly kept: number
  readonly ids: Uint32Array
}

/** What a session did so far. */
export interface SessionStats {
  /**
   * Stretches of the prompt that were encoded, and those that were not, since they were the same. For chat templates: what
   * the turns of its loops wrote.
   */
  readonly encoded: number
  readonly reused: number
  /** How often the whole prompt had to be written to know what a turn changes, and how often its end was enough. */
  readonly wholePrompts: number
  readonly lastRounds: number
  /** Memory for ids and texts, about. */
  readonly bytes: number
}

/**
 * A conversation that grows. Adding a turn encodes what is new in the prompt, and its ids are always those that `encode`
 * gives for all messages. Where a later message changes what the format says of earlier ones (reasoning that is left
 * out, tools at the last question), the stretches that change are encoded anew.
 *
 * A stretch is what stands between two control tokens. Formats without any between turns (ChatGLM2) are one stretch, so
 * that each turn encodes it all.
 *
 * The time for a turn hardly grows with the conversation in formats whose rounds do not depend on each other, and for most
 * chat templates. For the others the prompt is written anew, which takes a time in proportion to it.
 *
 * Messages and options belong to the session once they are given: what is changed in them later may or may not be seen.
 * `replace` reads all again.
 *
 * @example
 * const session = chat.session()
 * const { kept, ids } = session.append({ role: 'user', content: 'hi' })  // behind the first `kept` ids come these
 */
export class ChatSession {
  readonly #prompts: PromptMaker
  readonly #options: EncodeChatOptions
  #messages: ChatMessage[] = []
  readonly #ids: StretchIds
  /** For chat templates, in place of those. */
  readonly #grown: GrownIds | undefined
  #window: RoundWindow | undefined
  /** Where the messages begin that the window writes. */
  #base = 0
  #settledExtra = 0
  #extra = 0
  #encoded = 0
  #reused = 0
  #wholePrompts = 0
  #lastRounds = 0

  /** @internal Use `chat.session()`. */
  constructor(tokenizer: Tokenizer, prompts: PromptMaker, { messages = [], ...options }: SessionOptions) {
    this.#prompts = prompts
    this.#options = prompts.constant?.(options) ?? options
    this.#ids = new StretchIds(tokenizer)
    this.#grown = prompts.growing && new GrownIds(tokenizer, prompts, options)
    if (options.addGenerationPrompt && options.continueFinalMessage) {
      throw new InvalidArgumentError('addGenerationPrompt and continueFinalMessage exclude each other')
    }
    if (messages.length > 0) this.#append(messages)
  }

  /** The conversation so far. */
  get messages(): readonly ChatMessage[] {
    return [...this.#messages]
  }

  /** The ids of the prompt, a copy of their own. */
  get ids(): Uint32Array {
    return this.#from(0)
  }

  /** Tokens of the prompt: ids, and for control parts with a `count` that many in place of one. */
  get count(): number {
    return (this.#grown ?? this.#ids).length + this.#settledExtra + this.#extra
  }

  get stats(): SessionStats {
    return {
      encoded: this.#encoded,
      reused: this.#reused,
      wholePrompts: this.#wholePrompts,
      lastRounds: this.#lastRounds,
      bytes: (this.#grown ?? this.#ids).bytes,
    }
  }

  /**
   * Adds turns.
   *
   * @returns what changed of the ids, for servers that keep what they computed of a prompt's beginning
   * @throws as `chat.encode` for all messages; then none of them is added
   */
  append(...messages: readonly ChatMessage[]): SessionUpdate {
    const { kept } = this.#append(messages)
    return { kept, ids: this.#from(kept) }
  }

  /**
   * Takes another conversation in place of this one: a turn was edited, or `chat.fit` left some out. What is the same in
   * both is not encoded again.
   *
   * @throws as `chat.encode`; then the conversation stays as it was
   */
  replace(messages: readonly ChatMessage[]): SessionUpdate {
    const before = this.#messages
    this.#messages = [...messages]
    try {
      const { kept } = this.#grown ? this.#updateGrown(this.#grown, 0) : this.#updateAll()
      return { kept, ids: this.#from(kept) }
    } catch (error) {
      this.#messages = before
      throw error
    }
  }

  #from(begin: number): Uint32Array {
    return (this.#grown ?? this.#ids).from(begin)
  }

  #append(messages: readonly ChatMessage[]): StretchUpdate {
    const before = this.#messages.length
    for (let i = 0; i < messages.length; i++) this.#messages.push(messages[i] as ChatMessage)
    try {
      if (this.#grown) return this.#updateGrown(this.#grown, before)
      return this.#update(messages.some(isInstruction))
    } catch (error) {
      this.#messages.length -= messages.length
      throw error
    }
  }

  /** @param same so many of the first messages are those of the update before */
  #updateGrown(grown: GrownIds, same: number): StretchUpdate {
    const update = grown.update(this.#messages, same)
    if (update.isWhole) this.#wholePrompts++
    else this.#lastRounds++
    this.#extra = update.extraTokens
    this.#add(update)
    return update
  }

  #update(hasInstruction: boolean): StretchUpdate {
    return (hasInstruction ? undefined : this.#updateWindow()) ?? this.#updateAll()
  }

  #updateWindow(): StretchUpdate | undefined {
    if (this.#window === undefined) return undefined
    let tail: ReturnType<RoundWindow['tail']>
    try {
      tail = this.#window.tail(this.#messages.slice(this.#base))
    } catch (error) {
      if (error instanceof SafetokensError) return undefined // told again with the right index
      throw error
    }
    if (tail === undefined) return undefined
    this.#lastRounds++
    const update = this.#ids.update(tail)
    this.#extra = tail.extraTokens
    this.#add(update)
    const begin = lastRound(this.#messages)
    if (begin > this.#base) this.#settle(this.#window, tail, begin)
    return update
  }

  #updateAll(): StretchUpdate {
    const { prompt } = this.#prompts.prompt(this.#messages, this.#options)
    this.#wholePrompts++
    this.#close()
    const update = this.#ids.update(prompt)
    this.#extra = prompt.extraTokens
    this.#add(update)
    const window = RoundWindow.open(this.#prompts, this.#options, this.#messages)
    if (window?.begins(prompt)) this.#settle(window, prompt, lastRound(this.#messages))
    return update
  }

  /** Settles all before the last round, if its parts stand at the end of what was written. */
  #settle(window: RoundWindow, written: PromptTail, begin: number): void {
    const round = window.tail(this.#messages.slice(begin))
    if (round === undefined || !endsWith(written, round)) return
    if (!this.#ids.settle((written.parts.length - round.parts.length) / 2)) return
    this.#window = window
    this.#base = begin
    this.#settledExtra += this.#extra - round.extraTokens
    this.#extra = round.extraTokens
  }

  /** From now on all is written. */
  #close(): void {
    if (this.#window === undefined) return
    this.#window = undefined
    this.#base = 0
    this.#settledExtra = 0
    this.#ids.unsettle()
  }

  #add({ encoded, reused }: StretchUpdate): void {
    this.#encoded += encoded
    this.#reused += reused
  }
}
