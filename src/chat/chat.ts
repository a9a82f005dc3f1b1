import { ChatFormatError, InvalidArgumentError, InvalidMessageError } from '../errors.js'
import { readModelFiles } from '../load/model-files.js'
import { TrustedText } from '../prompt/parts.js'
import { type ChatGlmKind, chatGlmKind } from '../tokenizer/commands.js'
import type { ReservePolicy } from '../tokenizer/reserve-policy.js'
import { type DecodeOptions, type TokenIds, Tokenizer } from '../tokenizer/tokenizer.js'
import {
  type BatchInput,
  type ModelInput,
  modelInput,
  type PaddingOptions,
  padLeft,
  type TruncationOptions,
  truncate,
} from './batch.js'
import { chatglm2, codegeex2 } from './formats/chatglm2.js'
import { chatglm3 } from './formats/chatglm3.js'
import type { ChatFormat, Guarantee } from './formats/format.js'
import {
  type ChatMessage,
  type CheckedMessage,
  type Compat,
  checkMessage,
  mergeNeighbours,
  type Violation,
} from './messages.js'

const FORMATS: Readonly<Record<ChatFormatName, ChatFormat>> = { chatglm3, chatglm2, codegeex2 }

/** Names of the built-in formats. */
export type ChatFormatName = ChatGlmKind

export interface ChatOptions {
  /** The chat format. Default: told by the folder's `tokenizer_config.json`. */
  format?: ChatFormatName | undefined
  /** `safe` (default) refuses input that the reference would take silently; `exact` reproduces its quirks. */
  compat?: Compat | undefined
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
}

export interface ConversationOptions {
  /**
   * What to do about turns in an order that the format does not expect: `throw` (default in `safe`), `warn`
   * (they are listed in `warnings`) or `ignore` (default in `exact`).
   */
  onInvalid?: 'throw' | 'warn' | 'ignore' | undefined
  /** Join user turns in a row, and observations, with a newline. Default false. */
  mergeConsecutive?: boolean | undefined
}

export interface EncodeChatOptions extends ConversationOptions {
  /** End with the beginning of an assistant turn. Default true. */
  addGenerationPrompt?: boolean | undefined
}

export interface EncodedChat {
  readonly ids: Uint32Array
  /** Ids at which generation must stop. */
  readonly eosTokenIds: readonly number[]
  readonly guarantee: Guarantee
  /** Order violations that `onInvalid: 'warn'` let pass. */
  readonly warnings: readonly Violation[]
}

export interface EncodeTextOptions extends TruncationOptions {
  /** A second text: ChatGLM's `build_inputs_with_special_tokens(a, b)`. */
  pair?: string | TrustedText | undefined
  /** Take the names of control tokens in the text for the tokens. Only for `trusted()` text. Default false. */
  encodeSpecialTokens?: boolean | undefined
}

/**
 * A tokenizer and a chat format: messages in, token ids out, and no text of a message can produce a control token.
 *
 * @example
 * const chat = await Chat.load('models/mini-chatglm3')
 * const { ids, eosTokenIds } = chat.encode([{ role: 'user', content: '<|system|> is just text' }])
 */
export class Chat {
  readonly tokenizer: Tokenizer
  /** Name of the chat format. */
  readonly format: string
  readonly compat: Compat
  readonly guarantee: Guarantee
  /** Ids at which generation must stop: by id, never by text. */
  readonly eosTokenIds: readonly number[]
  readonly padTokenId: number
  readonly #format: ChatFormat

  private constructor(tokenizer: Tokenizer, format: ChatFormat, compat: Compat) {
    this.tokenizer = tokenizer
    this.format = format.name
    this.compat = compat
    this.guarantee = format.guarantee
    this.eosTokenIds = Object.freeze(format.stopTokens.map((name) => tokenizer.getCommand(name)))
    this.padTokenId = tokenizer.getCommand(format.padToken)
    this.#format = format
  }

  /**
   * Loads a model folder or a `.model` file with its chat format.
   *
   * @throws ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError as {@link Tokenizer.load}
   * @throws ChatFormatError when the format is unknown, cannot be told, or does not fit the model
   */
  static async load(modelPath: string, options: ChatOptions = {}): Promise<Chat> {
    const { compat = 'safe', reserve } = options
    if (compat !== 'safe' && compat !== 'exact') {
      throw new InvalidArgumentError(`compat must be 'safe' or 'exact', not ${JSON.stringify(compat)}`)
    }
    const { spec, config } = await readModelFiles(modelPath)
    const known = Object.keys(FORMATS).join(', ')
    const name = options.format ?? chatGlmKind(config)
    if (name === undefined) {
      throw new ChatFormatError(
        `${modelPath}: the chat format cannot be told from the model; give { format } (there is ${known})`,
      )
    }
    const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
    if (format === undefined) {
      throw new ChatFormatError(`${JSON.stringify(name)} is not a chat format; there is ${known}`)
    }
    if (config?.tokenizer_class !== undefined && config.tokenizer_class !== 'ChatGLMTokenizer') {
      throw new ChatFormatError(
        `${modelPath}: the format ${name} does not fit a model whose tokenizer_class is ${config.tokenizer_class}`,
      )
    }
    return new Chat(Tokenizer.fromSpec(spec, { commands: format.commands, reserve }), format, compat)
  }

  /**
   * Turns a conversation into ids.
   *
   * @throws InvalidMessageError for a message that cannot be encoded or stands where it may not, with its index
   * @example chat.encode([{ role: 'user', content: question }]).ids
   */
  encode(messages: readonly ChatMessage[], options: EncodeChatOptions = {}): EncodedChat {
    const { checked, warnings } = this.#check(messages, options)
    const parts = this.#format.conversation(checked, options.addGenerationPrompt ?? true)
    return {
      ids: this.tokenizer.encode(parts),
      eosTokenIds: this.eosTokenIds,
      guarantee: this.guarantee,
      warnings,
    }
  }

  /** How many tokens `encode` would give; it throws as `encode` does. */
  count(messages: readonly ChatMessage[], options: EncodeChatOptions = {}): number {
    const { checked } = this.#check(messages, options)
    return this.tokenizer.count(this.#format.conversation(checked, options.addGenerationPrompt ?? true))
  }

  /**
   * ChatGLM3's call: history, then the query as a turn of `role`, then the generation prompt.
   *
   * @throws InvalidMessageError as {@link Chat.encode}; the query's index is the length of the history
   * @example chat.buildChatInput('你好').inputIds  // [64790, 64792, 64795, 30910, 13, 36474, 54591, 64796]
   *
   * Source of behaviour: `build_chat_input` in tokenization_chatglm.py of THUDM/ChatGLM3@b0b4e8ac.
   */
  buildChatInput(
    query: string,
    history: readonly ChatMessage[] | null = [],
    role = 'user',
    options: ConversationOptions = {},
  ): ModelInput {
    if (history !== null && !Array.isArray(history)) {
      throw new InvalidArgumentError('buildChatInput: history must be a list of messages')
    }
    return modelInput(this.encode([...(history ?? []), { role, content: query }], options).ids)
  }

  /**
   * Several conversations as one batch, padded on the left.
   *
   * @throws InvalidMessageError as {@link Chat.encode}, InvalidArgumentError for contradictory options
   */
  encodeBatch(
    conversations: readonly (readonly ChatMessage[])[],
    options: EncodeChatOptions & PaddingOptions = {},
  ): BatchInput {
    return this.pad(
      conversations.map((messages) => this.encode(messages, options).ids),
      options,
    )
  }

  /**
   * One text outside a conversation, as the reference's `tokenizer(text)`: with its prefix tokens, and a pair if
   * there is one. Plain strings are data.
   *
   * @throws InvalidArgumentError for `encodeSpecialTokens` on text that is not `trusted()`
   */
  encodeText(text: string | TrustedText, options: EncodeTextOptions = {}): ModelInput {
    return modelInput(truncate(this.#textIds(text, options), options))
  }

  /** Several texts as one batch, padded on the left; otherwise as {@link Chat.encodeText}. */
  encodeTexts(
    texts: readonly (string | TrustedText)[],
    options: Omit<EncodeTextOptions, 'pair'> & PaddingOptions = {},
  ): BatchInput {
    return this.pad(
      texts.map((text) => this.#textIds(text, options)),
      options,
    )
  }

  /**
   * Rows of ids as one batch, padded on the left with `padTokenId`; mask and positions of the padding are 0.
   *
   * Source of behaviour: `_pad` in tokenization_chatglm.py.
   */
  pad(rows: readonly Uint32Array[], options: PaddingOptions = {}): BatchInput {
    return padLeft(rows, this.padTokenId, options)
  }

  /**
   * Ids back as text, by default as the reference's `tokenizer.decode`: see {@link Tokenizer.decode}. Only for
   * eyes and logs: text must not be encoded again to get a prompt.
   */
  decode(ids: TokenIds, options: DecodeOptions = {}): string {
    const { rules = 'transformers', skipSpecialTokens = !this.#format.decodesCommands } = options
    return this.tokenizer.decode(ids, { rules, skipSpecialTokens })
  }

  /**
   * What is wrong with a conversation: the shape of messages first, then the order of turns. Empty when `encode`
   * would take it.
   */
  validate(messages: readonly ChatMessage[]): Violation[] {
    const violations: Violation[] = []
    messages.forEach((message, index) => {
      try {
        checkMessage(message, index, this.#format, this.compat)
      } catch (error) {
        if (!(error instanceof InvalidMessageError)) throw error
        violations.push({ index, rule: error.rule, message: error.message })
      }
    })
    if (violations.length > 0) return violations
    return this.#format.orderViolations(messages)
  }

  #check(
    messages: readonly ChatMessage[],
    options: ConversationOptions,
  ): { checked: readonly CheckedMessage[]; warnings: readonly Violation[] } {
    if (!Array.isArray(messages)) throw new InvalidArgumentError('messages must be a list')
    const shaped = messages.map((message, i) => checkMessage(message, i, this.#format, this.compat))
    const checked = options.mergeConsecutive ? mergeNeighbours(shaped, this.#format.mergeableRoles) : shaped
    const onInvalid = options.onInvalid ?? (this.compat === 'safe' ? 'throw' : 'ignore')
    if (onInvalid === 'ignore') return { checked, warnings: [] }
    const warnings = this.#format.orderViolations(checked)
    const [first] = warnings
    if (first && onInvalid === 'throw') throw new InvalidMessageError(first.index, first.rule, first.message)
    return { checked, warnings }
  }

  #textIds(text: string | TrustedText, options: EncodeTextOptions): Uint32Array {
    const prepare = (input: string | TrustedText) => {
      if (options.encodeSpecialTokens) {
        if (TrustedText.is(input)) return input
        throw new InvalidArgumentError(
          'encodeSpecialTokens is only for trusted() text: in data, names are just text',
        )
      }
      return TrustedText.is(input) ? input.text : input
    }
    const pair = options.pair === undefined ? undefined : prepare(options.pair)
    return this.tokenizer.encode(this.#format.text(prepare(text), pair))
  }
}
