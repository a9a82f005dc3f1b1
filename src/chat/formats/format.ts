import type { ToolProtocol } from '../../output/types.js'
import type { EncodeInput, Part } from '../../prompt/parts.js'
import type { CommandSet } from '../../tokenizer/commands.js'
import type { ChatMessage, CheckedMessage, CheckedTools, OptionalField, Violation } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'

/**
 * What encoding promises for a format: `reserved-ids` when every role marker is a reserved id, which no text can
 * produce; `textual` when turns are divided by ordinary text, which content can imitate.
 */
export type Guarantee = 'reserved-ids' | 'textual'

/** A conversation whose shape has been checked, and all that a format may write of a request. */
export interface ChatRequest {
  readonly messages: readonly CheckedMessage[]
  /** Tool definitions beside the messages. */
  readonly tools: CheckedTools | undefined
  /** End with the beginning of an assistant turn. */
  readonly addGenerationPrompt: boolean
  /** The last message is the beginning of what the model writes: its turn stays open. */
  readonly continueFinalMessage: boolean
  /** Earlier turns and what was in front of them stand as the model saw them, whatever the reference leaves out or moves. */
  readonly asSeen: boolean
  /** Whether the message of an index is a turn that this process has read, and says the same. */
  readonly remembers: (index: number) => boolean
  /** Named values that the caller gave, such as `enable_thinking` or `date_string`. Strings in it are data. */
  readonly options: Readonly<Record<string, unknown>>
  /** The clock that the caller gave, for formats that write the date. */
  readonly now: (() => Date) | undefined
}

/** The built-in ways to write and read turns with calls of tools: see src/output/protocols. */
export type ToolProtocolName =
  | 'chatglm3'
  | 'glm4'
  | 'glm45'
  | 'hermes'
  | 'qwen3-coder'
  | 'llama3'
  | 'mistral'
  | 'deepseek'
  | 'harmony'
  | 'gemma'
  | 'phi4'
  | 'text'

/** A chat format: its control tokens, its roles, its rules, and how messages become parts. */
export interface ChatFormat {
  readonly name: string
  readonly guarantee: Guarantee
  /** Control tokens that the format expects behind the text vocabulary. */
  readonly commands?: CommandSet | undefined
  /** Names of the control tokens that it writes. A model that lacks one is not a model of this format. */
  readonly controlTokens: readonly string[]
  /** The closed set of roles. It never comes from a vocabulary. */
  readonly roles: readonly string[]
  /** The fields of a message beyond role and content that the format writes out. */
  readonly fields: readonly OptionalField[]
  /** Whether tool definitions beside the messages have a place in the prompt. */
  readonly takesTools: boolean
  /** How the model writes its turns. Default: text, and reasoning where the vocabulary has `<think>`. */
  readonly toolProtocol?: ToolProtocolName | ToolProtocol | undefined
  /** Names of the control tokens at which generation ends. */
  readonly stopTokens: readonly string[]
  /** Name of the token that fills short rows of a batch; undefined when the model has none of its own. */
  readonly padToken: string | undefined
  /** Whether the reference's decode shows commands by name. */
  readonly decodesCommands: boolean
  /** Roles whose neighbouring turns `mergeConsecutive` joins. */
  readonly mergeableRoles: readonly string[]
  /**
   * Roles of OpenAI's shape that stand for roles of the format. A format with them translates foreign conversations, calls
   * of tools too; with `compat: 'exact'` it knows its own shape alone.
   */
  readonly roleAliases?: ReadonlyMap<string, string> | undefined
  /** Of a textual format: the texts that divide turns, as they stand at the beginning of a line. */
  readonly markers?: readonly string[] | undefined
  /**
   * A round is a question and all up to the next one. True: how it is written depends on nothing but itself, the turns up
   * to the end of the first round, and whether it is the last one. Then `chat.session()` writes the last rounds alone. A
   * function tells it of these turns and of the last rounds. Default false, and for a `write` of your own.
   */
  readonly independentRounds?:
    | boolean
    | ((first: readonly ChatMessage[], last: readonly ChatMessage[]) => boolean)
    | undefined

  /**
   * Writes a conversation. The list of parts depends on the shape of the request alone (roles, presence and emptiness
   * of fields, number of parts and calls, keys and types of arguments), never on what its texts say.
   *
   * @throws InvalidMessageError for what the format has no place for
   */
  write(request: ChatRequest, writer: PromptWriter): void
  /** The parts of one text, or of a pair, outside a conversation; without it the text alone. */
  text?(text: EncodeInput, pair?: EncodeInput): Part[]
  /** Turns that stand where the format does not expect them. */
  orderViolations(messages: readonly { readonly role: string }[]): Violation[]
}
