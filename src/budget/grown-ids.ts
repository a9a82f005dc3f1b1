import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions, GrowingPrompt, GrownPrompt, PromptMaker } from '../chat/prompt-maker.js'
import { SafetokensError } from '../errors.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { SegmentIds } from './segment-ids.js'
import type { StretchUpdate } from './stretches.js'

interface GrownUpdate extends StretchUpdate {
  readonly extraTokens: number
  /** All was written anew. */
  readonly isWhole: boolean
}

/**
 * The ids of a conversation that grows, where the prompt maker tells what a turn changes. Where it cannot, or fails, the
 * whole prompt is made: it has the last word.
 */
export class GrownIds {
  readonly #prompts: PromptMaker
  readonly #options: EncodeChatOptions
  readonly #ids: SegmentIds
  #growing: GrowingPrompt | undefined
  /** No prompt of this conversation can grow. */
  #isOff = false

  constructor(tokenizer: Tokenizer, prompts: PromptMaker, options: EncodeChatOptions) {
    this.#prompts = prompts
    this.#options = options
    this.#ids = new SegmentIds(tokenizer)
  }

  get length(): number {
    return this.#ids.length
  }

  get bytes(): number {
    return this.#ids.bytes
  }

  from(begin: number): Uint32Array {
    return this.#ids.from(begin)
  }

  /**
   * @param same so many of the first messages are those of the update before; none where one may have changed
   * @throws as `chat.encode`; then the ids stay as they were
   */
  update(messages: readonly ChatMessage[], same: number): GrownUpdate {
    if (same === 0) this.#isOff = false
    const grows = this.#growing !== undefined && same > 0
    const growing = grows ? this.#growing : undefined
    this.#growing = undefined
    const grown = this.#isOff ? undefined : this.#grow(growing, messages, same)
    if (grown === undefined) {
      // What could not be finished has changed the segments.
      if (growing !== undefined) this.#ids.forget()
      const { prompt } = this.#prompts.prompt(messages, this.#options)
      // What can be written as a whole cannot grow.
      this.#isOff = true
      return grownUpdate(this.#ids.replace(prompt), prompt.extraTokens, true)
    }
    const update = this.#ids.update(grown.prompt, grows)
    this.#growing = grown.growing
    return grownUpdate(update, grown.prompt.extraTokens, !grows)
  }

  #grow(
    known: GrowingPrompt | undefined,
    messages: readonly ChatMessage[],
    same: number,
  ): { growing: GrowingPrompt; prompt: GrownPrompt } | undefined {
    try {
      const growing = known ?? this.#prompts.growing?.(this.#options)
      const prompt = growing?.add(known === undefined ? messages : messages.slice(same))
      return growing && prompt && { growing, prompt }
    } catch (error) {
      if (error instanceof SafetokensError) return undefined
      throw error
    }
  }
}

/** Written out: to spread an object takes as long as to run half a turn of a template. */
function grownUpdate(
  { kept, encoded, reused }: StretchUpdate,
  extraTokens: number,
  isWhole: boolean,
): GrownUpdate {
  return { kept, encoded, reused, extraTokens, isWhole }
}
