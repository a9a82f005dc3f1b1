import type { ChatMessage } from '../chat/messages.js'
import type { ToolCallParseError } from '../errors.js'
import type { TokenIds } from '../tokenizer/tokenizer.js'

/**
 * Why a turn ended: `stop` at a stop id; `tool-calls` the same, with calls in the turn; `stop-string` at a text of
 * `stop`; `length` when the ids ended without one; `continued` when the model began another turn of its own.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'stop-string' | 'length' | 'continued'

/** A control token that the model wrote where its format has no place for it. It is never shown as text. */
export interface UnexpectedToken {
  readonly id: number
  readonly name: string
  /** Index into the ids of the reply. */
  readonly index: number
}

interface CallOfModel {
  /** `call_` and 24 random letters or digits, unless the model wrote an id of its own. */
  readonly id: string
  /** Empty where a malformed call does not tell it. */
  readonly name: string
  /** What the model wrote for the arguments, or for the whole call where it is malformed. */
  readonly rawArguments: string
  /** The arguments as a text of JSON: the model's own where it writes JSON. Of a malformed call what there is. */
  readonly json: string
}

export interface ValidToolCall extends CallOfModel {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly error?: undefined
}

/** A call that cannot be read. Its registry turns it into a result that tells the model so. */
export interface MalformedToolCall extends CallOfModel {
  readonly arguments?: undefined
  readonly error: ToolCallParseError
}

/** A call of a tool as a model wrote it. */
export type ParsedToolCall = ValidToolCall | MalformedToolCall

/**
 * One turn of a model, as `chat.parse` and `chat.stream` read it. It is a message: append it to the history as it is,
 * or as JSON. The object itself remembers its ids, so that it is encoded as what the model wrote; what came through JSON
 * is encoded from its fields.
 */
export interface Turn extends ChatMessage {
  readonly role: 'assistant'
  /** What is meant for the user. Empty when there is nothing, as in a turn that only calls tools. */
  readonly content: string
  /** What the model thought; undefined where it did not, or its format keeps no thoughts apart. */
  readonly reasoning: string | undefined
  /** All calls in order, malformed ones too. */
  readonly toolCalls: readonly ParsedToolCall[]
  /** ChatGLM3 and GLM-4: the first line of the turn, the name of a tool. Empty elsewhere. */
  readonly metadata: string
  readonly finish: FinishReason
  /** Which text of `stop` ended the turn. It is not part of the content. */
  readonly stopString?: string | undefined
  /** Control tokens that have no place where they stood, in order. Nothing else of the reply is left out. */
  readonly unexpected: readonly UnexpectedToken[]
}

/** What a stream of a reply tells, in order. `turn` counts the turns of the reply, `index` the calls of a turn. */
export type ReplyDelta =
  | { readonly type: 'turn-start'; readonly turn: number; readonly role: 'assistant' }
  | { readonly type: 'text'; readonly turn: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly turn: number; readonly text: string }
  | {
      readonly type: 'tool-call-start'
      readonly turn: number
      readonly index: number
      readonly id: string
      readonly name: string
    }
  | {
      /** More of `json` of the call. */
      readonly type: 'tool-call-arguments'
      readonly turn: number
      readonly index: number
      readonly id: string
      readonly text: string
    }
  | {
      readonly type: 'tool-call-end'
      readonly turn: number
      readonly index: number
      readonly id: string
      readonly call: ParsedToolCall
    }
  | { readonly type: 'turn-end'; readonly turn: number; readonly value: Turn }
  | {
      readonly type: 'end'
      readonly finish: FinishReason
      readonly turns: readonly Turn[]
      /** How many ids were read, the stop id among them. */
      readonly tokenCount: number
    }

/** Ids of a reply as an engine gives them: one at a time, or several. */
export type ReplySource = Iterable<number | TokenIds> | AsyncIterable<number | TokenIds>

export interface ParseOptions {
  /** Texts that end the reply, matched in the decoded text across the borders of tokens. */
  readonly stop?: readonly string[] | undefined
  /** Further ids that end the reply, beside `chat.eosTokenIds`. */
  readonly stopIds?: readonly number[] | undefined
  /**
   * The ids that the model was given. Where they end within reasoning, as the generation prompts of some templates do
   * (`<think>`), the reply begins there.
   */
  readonly prompt?: { readonly ids: Uint32Array } | TokenIds | undefined
  /**
   * The tools that the model was given: a list in OpenAI's shape, or a registry. Where a format marks calls by plain
   * text alone, only these names are calls; where it writes arguments without types, their schemas tell the types.
   */
  readonly tools?: unknown
  /**
   * What the engine says about the end, for ids that end without a stop id: servers may leave it out. Asked for at the
   * end. Default `length`.
   */
  readonly finish?: FinishReason | (() => FinishReason | undefined) | undefined
}

/** What a model was told about its tools. */
export interface ToolShapes {
  readonly has: (name: string) => boolean
  /** The JSON Schema of a tool's arguments. */
  readonly schema: (name: string) => Readonly<Record<string, unknown>> | undefined
}

/** Where a reader of a protocol puts what it has read. It may be called in any number of pieces. */
export interface TurnSink {
  /** Text for the user. */
  text(piece: string): void
  reasoning(piece: string): void
  /** The name of a tool in front of the content. */
  metadata(text: string): void
  /** @param id the model's own, where it writes one */
  beginCall(name: string, id?: string): void
  /** More of the arguments as JSON, where the model writes JSON. */
  callJson(piece: string): void
  /**
   * @param raw what the model wrote
   * @param read gives the arguments, or throws ToolCallParseError. Default: `raw` read as an object of JSON
   */
  endCall(raw: string, read?: (raw: string) => Readonly<Record<string, unknown>>): void
  /** A call that does not even tell its name. Its text becomes part of the content, so that nothing is lost. */
  namelessCall(raw: string, error: ToolCallParseError): void
  /** Ends the turn, and begins another. */
  nextTurn(): void
  /** The control token that came last has no place here. */
  unexpected(): void
}

/** What a protocol may ask about the reply that it reads. */
export interface ReplyContext {
  readonly sink: TurnSink
  readonly tools: ToolShapes | undefined
  /** The prompt ended within reasoning. */
  readonly startsInReasoning: boolean
  /** Whether the model has this control token. */
  readonly hasControl: (name: string) => boolean
}

/** Reads one reply. What it gives must not depend on how texts are cut into pieces. */
export interface ReplyReader {
  text(piece: string): void
  /**
   * One of the protocol's `marks`, or a control token that is none of them.
   *
   * @param asId the model wrote the control token; else plain text, where the model has no such token
   */
  mark(name: string, asId: boolean): void
  /** The reply is at its end. */
  end(): void
}

/** How a family of models writes its turns. See docs/replies.md for one of your own. */
export interface ToolProtocol {
  readonly name: string
  /**
   * The marks that divide a turn, such as `<tool_call>`. Where a model has one as a control token, only its id is one,
   * and text that spells it is text.
   */
  readonly marks: readonly string[]
  /** Marks that are one only as a control token. */
  readonly idsOnly?: readonly string[] | undefined
  /** Control tokens that the model may write or leave out, compared with what its format writes. */
  readonly optionalMarks?: readonly string[] | undefined
  /** Marks around thoughts, which may stay where the format leaves thoughts out. Default: `<think>` and `</think>`. */
  readonly thoughtMarks?: readonly string[] | undefined
  /** Makes an id for a call to which the model gave none. Default: `call_` and 24 random letters and digits. */
  readonly callId?: (() => string) | undefined
  /** Stop tokens that stay at the end of a remembered turn, in place of the one that the format writes. */
  readonly keptStops?: readonly string[] | undefined
  reader(context: ReplyContext): ReplyReader
}
