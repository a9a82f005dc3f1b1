import { unicodePattern } from './unicode-pattern.js'

/**
 * The base of every error that safetokens throws on purpose. `code` is stable across versions; the message
 * says what was expected, what came and where, and may be reworded. It may quote a hostile file or message, so
 * line breaks, control characters and invisible ones stand in it as `\u{202e}`.
 */
export class SafetokensError extends Error {
  /** A stable, machine-readable name for the kind of error. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(visible(message), options)
    this.name = new.target.name
    this.code = code
  }
}

/** An argument of the wrong type or out of range: a mistake in the calling code. */
export class InvalidArgumentError extends SafetokensError {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_ARGUMENT', message, options)
  }
}

/** A tokenizer file that cannot be found or read. */
export class ModelNotFoundError extends SafetokensError {
  /** The path as the caller gave it. */
  readonly path: string

  constructor(path: string, message: string, options?: ErrorOptions) {
    super('MODEL_NOT_FOUND', message, options)
    this.path = path
  }
}

/** A tokenizer file that breaks the rules of its own format. */
export class TokenizerFileError extends SafetokensError {
  /** The file, or `<bytes>` for a model that was given as bytes. */
  readonly file: string
  /** The place inside the file, for example `pieces[12].score, byte 340`. */
  readonly where: string

  constructor(file: string, where: string, message: string, options?: ErrorOptions) {
    super('TOKENIZER_FILE', `${file}: ${where}: ${message}`, options)
    this.file = file
    this.where = where
  }
}

/** A sound tokenizer file that uses something this version cannot reproduce exactly. It is never guessed at. */
export class UnsupportedTokenizerError extends SafetokensError {
  /** The name of the unsupported component, for example `model_type UNIGRAM`. */
  readonly component: string

  constructor(file: string, component: string, message: string) {
    super('UNSUPPORTED_TOKENIZER', `${file}: ${component}: ${message}`)
    this.component = component
  }
}

/**
 * The compiled tables could emit a reserved id from text. This is a bug in safetokens, whatever the model
 * file holds: please report it.
 */
export class CertificateError extends SafetokensError {
  constructor(message: string) {
    super('CERTIFICATE', message)
  }
}

/** A name that is not a control token of this tokenizer. */
export class UnknownControlTokenError extends SafetokensError {
  /** The name that was asked for. */
  readonly token: string

  constructor(token: string, known: readonly string[]) {
    const shown = known.slice(0, 12).join(' ')
    const rest = known.length > 12 ? ` and ${known.length - 12} more` : ''
    super(
      'UNKNOWN_CONTROL_TOKEN',
      `${JSON.stringify(token)} is not a control token of this tokenizer; it has ${known.length === 0 ? 'none' : shown + rest}`,
    )
    this.token = token
  }
}

/** A token id outside the vocabulary. */
export class InvalidTokenIdError extends SafetokensError {
  /** The id in question. */
  readonly id: number

  constructor(id: number, message: string) {
    super('INVALID_TOKEN_ID', message)
    this.id = id
  }
}

/** A tokenizer that was used after `dispose()`. */
export class DisposedError extends SafetokensError {
  constructor(message: string) {
    super('DISPOSED', message)
  }
}

/** A chat format that is unknown, or that does not fit the tokenizer. */
export class ChatFormatError extends SafetokensError {
  constructor(message: string) {
    super('CHAT_FORMAT', message)
  }
}

/** A message that cannot be encoded as it stands. */
export class InvalidMessageError extends SafetokensError {
  /** Index into the list of messages; the query of `buildChatInput` comes after its history. */
  readonly index: number
  /** The rule that was broken, for example `unknown-role` or `user-after-user`. */
  readonly rule: string

  constructor(index: number, rule: string, message: string, options?: ErrorOptions) {
    super('INVALID_MESSAGE', `message ${index}: ${message}`, options)
    this.index = index
    this.rule = rule
  }
}

/** A conversation that does not fit into its window, whatever may go of it. */
export class BudgetError extends SafetokensError {
  /** Tokens for prompt and reply together. */
  readonly contextWindow: number
  readonly reserveForReply: number
  /** Tokens of what may not go, the template's own among them. */
  readonly needed: number
  /** By how many tokens that is too much. */
  readonly over: number
  /** What may not go, and its tokens. */
  readonly needs: readonly (readonly [what: string, tokens: number])[]

  constructor(room: Pick<BudgetError, 'contextWindow' | 'reserveForReply' | 'needs'>) {
    const { contextWindow, reserveForReply, needs } = room
    const needed = needs.reduce((sum, [, tokens]) => sum + tokens, 0)
    const left = contextWindow - reserveForReply
    const largest = needs.filter(([, tokens]) => tokens > 0).sort(([, a], [, b]) => b - a)
    const shown = largest.slice(0, 4).map(([what, tokens]) => `${what} ${tokens}`)
    const rest = largest.length > 4 ? `, and ${largest.length - 4} more` : ''
    super(
      'BUDGET',
      `what may not go of the conversation has ${needed} tokens, ${needed - left} too many for the ${left} that a window of ${contextWindow} leaves beside ${reserveForReply} for the reply: ${shown.join(', ')}${rest}`,
    )
    this.contextWindow = contextWindow
    this.reserveForReply = reserveForReply
    this.needed = needed
    this.over = needed - left
    this.needs = needs
  }
}

/** What went wrong in a chat template. */
export type TemplateErrorKind =
  /** Jinja2 refuses the source, or it is nested too deeply. */
  | 'syntax'
  /** An operation that fails with these values, as in Jinja2. */
  | 'runtime'
  /** The template's own `raise_exception()`. */
  | 'raised'
  /** A render that costs more than its limits allow. */
  | 'limit'
  /** A decision that depends on data, where the caller refuses such. */
  | 'data-dependence'

/** A chat template that cannot be parsed or rendered. */
export class TemplateError extends SafetokensError {
  readonly kind: TemplateErrorKind
  /** In the template source, from 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** The message without the place; for `raised` the template's own words. */
  readonly reason: string
  /** Whose content led here, such as `messages[2].content`; only for `raised` and `data-dependence`. */
  readonly paths: readonly string[]

  constructor(
    kind: TemplateErrorKind,
    line: number,
    column: number,
    reason: string,
    options: ErrorOptions & { readonly paths?: readonly string[] } = {},
  ) {
    super('TEMPLATE', `template line ${line}, column ${column}: ${reason}`, options)
    this.kind = kind
    this.line = line
    this.column = column
    this.reason = reason
    this.paths = options.paths ?? []
  }
}

/**
 * A call of a tool that a model wrote and that cannot be read. It is part of a turn (`turn.toolCalls[i].error`) and
 * never thrown by `chat.parse`.
 */
export class ToolCallParseError extends SafetokensError {
  /** What the model wrote. */
  readonly raw: string
  /** Where in it reading stopped, in UTF-16 units. */
  readonly position: number
  /** The message without the place. */
  readonly reason: string

  constructor(reason: string, raw: string, position: number, options?: ErrorOptions) {
    super('TOOL_CALL_PARSE', `tool call, character ${position}: ${reason}`, options)
    this.raw = raw
    this.position = position
    this.reason = reason
  }

  /** For logs and stored turns. */
  toJSON(): { code: string; message: string; position: number } {
    return { code: this.code, message: this.message, position: this.position }
  }
}

/** What went wrong with an engine. */
export type EngineErrorKind =
  /** It cannot be reached, or the connection broke off. */
  | 'connection'
  /** It took longer than it may. */
  | 'timeout'
  /** It refused the request: `status` is the HTTP status. */
  | 'status'
  /** It failed while it generated. */
  | 'generation'
  /** It answered something else than ids, or did not take the prompt as it was sent. */
  | 'protocol'

/** An engine that did not generate, or not to the end. */
export class EngineError extends SafetokensError {
  readonly kind: EngineErrorKind
  /** The name of the engine. */
  readonly engine: string
  /** The HTTP status; only for `status`. */
  readonly status: number | undefined
  /** What the server itself said. */
  readonly serverMessage: string | undefined
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** After how many milliseconds, where the server says so. */
  readonly retryAfter: number | undefined

  constructor(
    kind: EngineErrorKind,
    engine: string,
    message: string,
    options: ErrorOptions & {
      readonly status?: number
      readonly serverMessage?: string | undefined
      readonly retryable?: boolean
      readonly retryAfter?: number | undefined
    } = {},
  ) {
    super('ENGINE', `${engine}: ${message}`, options)
    this.kind = kind
    this.engine = engine
    this.status = options.status
    this.serverMessage = options.serverMessage
    this.retryable = options.retryable ?? false
    this.retryAfter = options.retryAfter
  }
}

function visible(message: string): string {
  return message.replace(invisible(), (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

const invisible = unicodePattern(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`, 'gu')
