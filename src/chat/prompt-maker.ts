import { InvalidArgumentError } from '../errors.js'
import type { Guarantee } from './formats/format.js'
import { type ChatMessage, type Compat, quote, type Violation } from './messages.js'
import type { Prompt } from './prompt-writer.js'
import type { OriginText } from './template/origin-text.js'
import type { TurnPlace } from './template-turns.js'

/** Something about a conversation that the caller may want to know; the prompt was made all the same. */
export interface ChatWarning {
  /** The rule, such as `user-after-user`, `marker-in-content` or `data-dependence`. */
  readonly rule: string
  readonly message: string
  /** The message that it is about. */
  readonly index?: number | undefined
  /** The field of the request that it is about, such as `messages[2].content`. */
  readonly path?: string | undefined
  /** Where the chat template decided. */
  readonly line?: number | undefined
  readonly column?: number | undefined
}

export interface ConversationOptions {
  /**
   * What to do about turns in an order that the format does not expect: `throw` (default in `safe`), `warn`
   * (they are listed in `warnings`) or `ignore` (default in `exact`). A chat template has rules of its own.
   */
  onInvalid?: 'throw' | 'warn' | 'ignore' | undefined
  /** Join user turns in a row, and observations, with a newline. Default false. */
  mergeConsecutive?: boolean | undefined
}

export interface EncodeChatOptions extends ConversationOptions {
  /** End with the beginning of an assistant turn. Default true, without `continueFinalMessage`. */
  addGenerationPrompt?: boolean | undefined
  /** Leave the turn of the last message open, so that the model goes on writing it. Default false. */
  continueFinalMessage?: boolean | undefined
  /** Definitions of tools: a list in OpenAI's shape, or what the format expects. `jsonText()` keeps spelling. */
  tools?: unknown
  /** Documents for retrieval, for formats and templates that have a place for them. */
  documents?: unknown
  /** Further values that a format or a chat template reads, such as `enable_thinking` or `date_string`. */
  templateOptions?: Readonly<Record<string, unknown>> | undefined
  /**
   * How the model's own earlier turns are written: `as-trained` (default) as the format does, which may leave thoughts out
   * and move tools to the last question; `as-seen` as the model saw and wrote them, so that each prompt begins with the
   * one before and its reply. docs/replies.md tells more. Not with `compat: 'exact'`.
   */
  history?: 'as-trained' | 'as-seen' | undefined
  /**
   * Chat templates that decide by what data say (`'</think>' in content`): `report` (default) lists the decisions in
   * `warnings`, `refuse` throws, `ignore` does not look.
   */
  onDataDependence?: 'ignore' | 'report' | 'refuse' | undefined
  /**
   * Textual formats: what to do about content that spells a role marker at the beginning of a line. `report` (default)
   * lists it in `warnings`.
   */
  onMarkerInContent?: 'allow' | 'report' | 'throw' | undefined
}

/**
 * Whether earlier turns are to stand as the model saw them.
 *
 * @throws InvalidArgumentError for another word, and where the reference's ids are wanted
 */
export function isAsSeen({ history = 'as-trained' }: EncodeChatOptions, compat: Compat): boolean {
  if (history !== 'as-trained' && history !== 'as-seen') {
    throw new InvalidArgumentError(`history must be 'as-trained' or 'as-seen', not ${quote(history)}`)
  }
  if (history === 'as-seen' && compat === 'exact') {
    throw new InvalidArgumentError(
      "history: 'as-seen' is not what the reference writes, and compat is 'exact'",
    )
  }
  return history === 'as-seen'
}

/** Turns conversations into prompts: a built-in format, or a model's own chat template. */
export interface PromptMaker {
  /** Name of the format; `template` for a chat template. */
  readonly name: string
  readonly guarantee: Guarantee
  /** As of the format: see `ChatFormat.independentRounds`. Not known of chat templates. */
  independentRounds?(first: readonly ChatMessage[], last: readonly ChatMessage[]): boolean
  /**
   * @throws InvalidMessageError for a message that cannot be encoded or stands where it may not, with its index
   * @throws TemplateError as the chat template
   */
  prompt(messages: readonly ChatMessage[], options: EncodeChatOptions): MadePrompt
  /** The same options for many calls, in a form that is written faster. What is changed in the given ones is not seen. */
  constant?(options: EncodeChatOptions): EncodeChatOptions
  /**
   * Prompts of a conversation that grows, at a cost of what changes; undefined where there are none. What a chat template
   * writes for it is the text of `prompt`, in stretches.
   *
   * @throws as `prompt`
   */
  growing?(options: EncodeChatOptions): GrowingPrompt | undefined
  /** What is wrong with a conversation; empty when `prompt` would take it. */
  violations(messages: readonly ChatMessage[]): Violation[]
}

/** Prompts of one conversation, each for more messages than the one before. */
export interface GrowingPrompt {
  /**
   * The prompt with further messages. Undefined where only `prompt` can tell; then, and after an error, it is of no use any
   * more.
   *
   * @throws an error, where `prompt` may or may not do so; which it is, only that can tell
   */
  add(messages: readonly ChatMessage[]): GrownPrompt | undefined
}

export interface GrownPrompt {
  /** Stretches of the prompt. They are a list that the next call changes, or one that fails. */
  readonly segments: readonly OriginText[]
  /** So many of the first are those of the prompt before. */
  readonly same: number
  /** As of a prompt. */
  readonly extraTokens: number
  /** Where ids stand for turns that the model wrote in this process. */
  readonly recall?: RecallInText | undefined
}

/** Puts the ids of turns that the model wrote in place of what a template wrote for them. */
export interface RecallInText {
  /** Whether a message may be such a turn. */
  has(message: number): boolean
  /** The parts of a text that holds such messages whole, and where they stand in it. */
  parts(text: OriginText): { readonly prompt: Prompt; readonly turns: readonly TurnPlace[] }
}

export interface MadePrompt {
  readonly prompt: Prompt
  readonly warnings: readonly ChatWarning[]
}
