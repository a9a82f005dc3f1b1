import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions, PromptMaker } from '../chat/prompt-maker.js'
import { type Prompt, sourcePath } from '../chat/prompt-writer.js'
import { InvalidArgumentError, InvalidMessageError } from '../errors.js'
import { isInstruction } from './rounds.js'
import { type PartRun, textLength } from './stretches.js'

/** A prompt without its first parts. */
export interface PromptTail extends PartRun {
  readonly extraTokens: number
}

/**
 * Writes the last rounds of a conversation alone, for formats in which they do not depend on those before them. What
 * they do depend on, the instructions and the first round, is written along and taken off again.
 */
export class RoundWindow {
  readonly #prompts: PromptMaker
  readonly #options: EncodeChatOptions
  readonly #head: readonly ChatMessage[]
  /** What every prompt begins with that begins with the head. */
  readonly #beginning: PartRun

  private constructor(
    prompts: PromptMaker,
    options: EncodeChatOptions,
    head: readonly ChatMessage[],
    beginning: PartRun,
  ) {
    this.#prompts = prompts
    this.#options = options
    this.#head = head
    this.#beginning = beginning
  }

  /**
   * A window of a conversation; undefined when there is but one round, or the format does not let its rounds be written
   * alone.
   */
  static open(
    prompts: PromptMaker,
    options: EncodeChatOptions,
    messages: readonly ChatMessage[],
  ): RoundWindow | undefined {
    const first = messages.findIndex((message) => !isInstruction(message))
    const second = messages.findIndex((_, i) => i > first && beginsRound(messages, i))
    if (second < 0 || messages.slice(first).some(isInstruction)) return undefined
    const head = messages.slice(0, second)
    const probe = { ...options, onInvalid: 'ignore', continueFinalMessage: false } as const
    try {
      const last = messages.slice(lastRound(messages))
      if (!prompts.independentRounds?.(head, last)) return undefined
      const more = [...last, ...(last.at(-1)?.role === 'assistant' ? [] : [ANSWER]), QUESTION]
      const [one, two] = [last, more].map((tail) => prompts.prompt([...head, ...tail], probe).prompt) as [
        Prompt,
        Prompt,
      ]
      const count = commonParts(one, two, second)
      return new RoundWindow(prompts, options, head, firstParts(one, count))
    } catch (error) {
      if (error instanceof InvalidMessageError || error instanceof InvalidArgumentError) return undefined
      throw error
    }
  }

  /**
   * What stands behind the beginning of the prompt of the head and these messages; undefined when they depend on what is
   * between, or the prompt begins otherwise, as with another date.
   *
   * @throws as the prompts, with other indices
   */
  tail(messages: readonly ChatMessage[]): PromptTail | undefined {
    const { prompt } = this.#prompts.prompt([...this.#head, ...messages], this.#options)
    if (!this.#prompts.independentRounds?.(this.#head, messages)) return undefined
    const { parts, text } = this.#beginning
    if (!startsWith(prompt, this.#beginning)) return undefined
    const count = parts.length / 2
    const extra = prompt.extra.filter(({ part }) => part >= count)
    return {
      parts: prompt.parts.subarray(parts.length),
      text: prompt.text.slice(text.length),
      extraTokens: extra.reduce((sum, { tokens }) => sum + tokens, 0),
    }
  }

  /** Whether a prompt begins so. */
  begins(prompt: PartRun): boolean {
    return startsWith(prompt, this.#beginning)
  }
}

const QUESTION: ChatMessage = { role: 'user', content: 'x' }
const ANSWER: ChatMessage = { role: 'assistant', content: 'x' }

/** Whether a message is the first of a round behind the first one. */
function beginsRound(messages: readonly ChatMessage[], index: number): boolean {
  return messages[index]?.role === 'user' && messages[index - 1]?.role !== 'user' && index > 0
}

/** Where the last round begins. */
export function lastRound(messages: readonly ChatMessage[]): number {
  return messages.findLastIndex((_, i) => beginsRound(messages, i))
}

/** With how many parts two prompts begin alike, none of which says anything of a message from an index on. */
function commonParts(a: Prompt, b: Prompt, index: number): number {
  let at = 0
  for (let i = 0; i < a.sources.length && i < b.sources.length; i++) {
    const [kind, value] = [a.parts[2 * i], a.parts[2 * i + 1] as number]
    const message = /^messages\[(\d+)\]/.exec(sourcePath(a.sources[i]) ?? '')?.[1]
    if (message !== undefined && Number(message) >= index) return i
    if (kind !== b.parts[2 * i] || value !== b.parts[2 * i + 1]) return i
    const length = textLength(a.parts.subarray(2 * i, 2 * i + 2))
    if (a.text.slice(at, at + length) !== b.text.slice(at, at + length)) return i
    at += length
  }
  return Math.min(a.sources.length, b.sources.length)
}

function firstParts({ parts, text }: Prompt, count: number): PartRun {
  const own = parts.slice(0, 2 * count)
  return { parts: own, text: text.slice(0, textLength(own)) }
}

export function startsWith(run: PartRun, beginning: PartRun): boolean {
  const { parts, text } = beginning
  for (let i = 0; i < parts.length; i++) if (parts[i] !== run.parts[i]) return false
  return run.text.slice(0, text.length) === text // many times as fast as `startsWith`
}

export function endsWith(run: PartRun, end: PartRun): boolean {
  const shift = run.parts.length - end.parts.length
  for (let i = 0; i < end.parts.length; i++) if (end.parts[i] !== run.parts[shift + i]) return false
  return shift >= 0 && run.text.slice(run.text.length - end.text.length) === end.text
}
