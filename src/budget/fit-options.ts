import type { EncodedChat } from '../chat/encoded-chat.js'
import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { InvalidArgumentError } from '../errors.js'
import { quoted } from '../load/quoted.js'
import { checkTokens, type TextTruncation } from '../tokenizer/truncate-text.js'

/** Long texts that may be cut, oldest first, and no more of them than it takes. */
export interface TruncateRule extends TextTruncation {
  /** Longer texts are cut to so many tokens. */
  maxTokens: number
  /** Whose content may be cut. Default: results of tools. The last question and pinned turns are never cut. */
  roles?: readonly string[] | undefined
  /** Whether texts of `documents` may be cut too. Default true. */
  documents?: boolean | undefined
}

/**
 * What is kept of turns that go. It is written before the first question that stays, so that any format takes it, and as
 * data: what users said gains no authority by being summed up.
 *
 * @param dropped the messages that go, in order
 * @param limits how many tokens there are for it; what is longer is cut
 * @returns a text, empty for none
 */
export type Summarise = (
  dropped: readonly ChatMessage[],
  limits: { readonly maxTokens: number },
) => string | Promise<string>

/**
 * A way to make a conversation shorter:
 * - `drop-oldest`: rounds go, oldest first, no more than it takes
 * - `lastRounds`: only so many rounds stay, the current one counted, even if more would fit
 * - `truncate`: long results and documents are cut
 * - `summarise`: what the others drop is summed up; its tokens count, and room is kept for `maxTokens` (default 256)
 */
export type FitStrategy =
  | 'drop-oldest'
  | { readonly lastRounds: number }
  | { readonly truncate: TruncateRule }
  | { readonly summarise: Summarise; readonly maxTokens?: number | undefined }

export interface FitOptions extends EncodeChatOptions {
  /** Tokens for prompt and reply together. Default: `chat.contextWindow`. */
  contextWindow?: number | undefined
  /** Tokens of the window that are left for the reply. Default 0. */
  reserveForReply?: number | undefined
  /** What may be done, in this order. Default `drop-oldest`. */
  strategy?: FitStrategy | readonly FitStrategy[] | undefined
  /** Messages that may neither go nor be cut, by index or by a test. Their rounds stay whole. */
  pinned?: readonly number[] | ((message: ChatMessage, index: number) => boolean) | undefined
}

/** A text that was cut. */
export interface TruncatedText {
  /** Where it stood in the request, such as `messages[3].content`. */
  readonly path: string
  /** Tokens before, and after. */
  readonly before: number
  readonly after: number
}

/** A conversation that fits. */
export interface FittedChat {
  readonly messages: readonly ChatMessage[]
  /** The documents of the options, where some were cut. */
  readonly documents: unknown
  /** As `chat.encode` gives it for these messages and documents. */
  readonly encoded: EncodedChat
  readonly ids: Uint32Array
  /** Tokens of the prompt: at most `budget`. */
  readonly count: number
  /** What the prompt may have: the window without the reply. */
  readonly budget: number
  /** What went, with its index in the conversation as it came. */
  readonly dropped: readonly { readonly index: number; readonly message: ChatMessage }[]
  readonly truncated: readonly TruncatedText[]
  /** What stands in place of what went. */
  readonly summary: string | undefined
}

/**
 * The strategies of a call, checked.
 *
 * @throws InvalidArgumentError for what is none
 */
export function strategiesOf({ strategy = 'drop-oldest' }: FitOptions): readonly FitStrategy[] {
  const list = Array.isArray(strategy) ? (strategy as readonly FitStrategy[]) : [strategy as FitStrategy]
  list.forEach(checkStrategy)
  return list
}

function checkStrategy(strategy: FitStrategy): void {
  if (strategy === 'drop-oldest') return
  const fields = Object(strategy) as Partial<Record<string, unknown>>
  if (typeof fields.summarise === 'function') {
    if (fields.maxTokens !== undefined) checkTokens('summarise.maxTokens', fields.maxTokens as number)
  } else if (fields.truncate !== undefined) {
    checkTokens('truncate.maxTokens', (fields.truncate as TruncateRule).maxTokens)
  } else if (!Number.isInteger(fields.lastRounds) || (fields.lastRounds as number) < 1) {
    throw new InvalidArgumentError(
      `strategy: 'drop-oldest', { lastRounds }, { truncate } or { summarise } was expected, not ${quoted(strategy)}`,
    )
  }
}

/**
 * What the prompt may have in tokens.
 *
 * @throws InvalidArgumentError without a window
 */
export function budgetOf(
  { contextWindow, reserveForReply = 0 }: FitOptions,
  known: number | undefined,
): { readonly contextWindow: number; readonly reserveForReply: number; readonly budget: number } {
  const window = contextWindow ?? known
  if (window === undefined) {
    throw new InvalidArgumentError("contextWindow: the model's files do not tell it, so it must be given")
  }
  checkTokens('contextWindow', window)
  checkTokens('reserveForReply', reserveForReply)
  return { contextWindow: window, reserveForReply, budget: window - reserveForReply }
}

/** Whether a message is pinned. */
export function pinnedTest(
  { pinned = [] }: FitOptions,
  messages: readonly ChatMessage[],
): (index: number) => boolean {
  if (typeof pinned === 'function') return (index) => pinned(messages[index] as ChatMessage, index)
  for (const index of pinned) {
    if (!Number.isInteger(index) || index < 0 || index >= messages.length) {
      throw new InvalidArgumentError(
        `pinned: an index below ${messages.length} was expected, not ${quoted(index)}`,
      )
    }
  }
  const indices = new Set(pinned)
  return (index) => indices.has(index)
}
