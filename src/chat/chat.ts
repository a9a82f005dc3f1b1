import { ChatCount } from '../budget/chat-count.js'
import { ChatSession, type SessionOptions } from '../budget/chat-session.js'
import { fitConversation } from '../budget/fit.js'
import type { FitOptions, FittedChat } from '../budget/fit-options.js'
import { type LangChainMessage, tokenCounter } from '../budget/token-counter.js'
import { InvalidArgumentError } from '../errors.js'
import type { EosToken } from '../load/eos-tokens.js'
import { parseReply, type ReplySetup, streamReply } from '../output/reply-parser.js'
import type { ParseOptions, ReplyDelta, ReplySource, Turn } from '../output/types.js'
import { TrustedText } from '../prompt/parts.js'
import type { DecodeOptions, TokenIds, Tokenizer } from '../tokenizer/tokenizer.js'
import {
  type BatchInput,
  type ModelInput,
  modelInput,
  type PaddingOptions,
  padLeft,
  type TruncationOptions,
  truncate,
} from './batch.js'
import type { ChatOptions } from './chat-options.js'
import type { ChatSetup } from './chat-setup.js'
import { EncodedChat } from './encoded-chat.js'
import type { Guarantee } from './formats/format.js'
import { chatOver, loadChat } from './load-chat.js'
import type { ChatMessage, Compat, Violation } from './messages.js'
import type { ConversationOptions, EncodeChatOptions, MadePrompt } from './prompt-maker.js'
import { promptText } from './prompt-writer.js'

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
  /** The same with who says so: the format, or a file of the model's folder. */
  readonly eosTokens: readonly EosToken[]
  /** What fills short rows of a batch; undefined when the model names nothing. */
  readonly padTokenId: number | undefined
  /** How many tokens the model takes, prompt and reply together; undefined when its files do not say. */
  readonly contextWindow: number | undefined
  /** How the model writes its turns and calls: see docs/replies.md. */
  readonly toolProtocol: string
  readonly #setup: ChatSetup

  private constructor(setup: ChatSetup) {
    this.tokenizer = setup.tokenizer
    this.format = setup.prompts.name
    this.compat = setup.compat
    this.guarantee = setup.prompts.guarantee
    this.eosTokens = Object.freeze([...setup.eosTokens])
    this.eosTokenIds = Object.freeze(setup.eosTokens.map(({ id }) => id))
    this.padTokenId = setup.padTokenId
    this.contextWindow = setup.contextWindow
    this.toolProtocol = setup.protocol.name
    this.#setup = setup
  }

  /**
   * Loads a model folder or file. How its chats are written is chosen in this order: `format` or `chatTemplate` of the
   * options; ChatGLM's format for its tokenizer class, whose template is not what its code does; the folder's own chat
   * template; a built-in format that is recognised by its control tokens.
   *
   * @throws ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError as {@link Tokenizer.load}
   * @throws ChatFormatError when the format is unknown, cannot be told, or does not fit the model
   */
  static async load(modelPath: string, options: ChatOptions = {}): Promise<Chat> {
    return new Chat(await loadChat(modelPath, options))
  }

  /**
   * A chat over a tokenizer that is there already.
   *
   * @throws ChatFormatError when no format is given, or it does not fit the tokenizer
   * @example Chat.over(Tokenizer.from(bytes), { format: 'chatml' })
   */
  static over(tokenizer: Tokenizer, options: Omit<ChatOptions, 'reserve' | 'memoBytes'>): Chat {
    return new Chat(chatOver(tokenizer, options))
  }

  /**
   * Turns a conversation into ids.
   *
   * @throws InvalidMessageError for a message that cannot be encoded or stands where it may not, with its index
   * @example chat.encode([{ role: 'user', content: question }]).ids
   */
  encode(messages: readonly ChatMessage[], options: EncodeChatOptions = {}): EncodedChat {
    const made = this.prompt(messages, options)
    return new EncodedChat(this.tokenizer, made, this.eosTokenIds, this.guarantee)
  }

  /**
   * How many tokens the prompt of a conversation has, and where they come from: `total` is the `tokenCount` of `encode`.
   *
   * @throws as {@link Chat.encode}
   * @example
   * const { total, perSource, perMessage } = chat.count(messages, { tools })
   * perSource.tools  // tokens of the tool definitions
   */
  count(messages: readonly ChatMessage[], options: EncodeChatOptions = {}): ChatCount {
    const { prompt } = this.prompt(messages, options)
    return new ChatCount(
      this.tokenizer,
      prompt,
      messages.map(({ role }) => role),
    )
  }

  /**
   * Makes a conversation fit into the model's context window: what is too much goes, oldest rounds first, and never the
   * system turns or the last question. A tool call and its results go together, and the order of turns stays one that the
   * format takes. docs/budgets.md tells more.
   *
   * @throws BudgetError when what may not go is too long, telling by how much
   * @throws as {@link Chat.encode} for the conversation as it came
   * @throws InvalidArgumentError for options that make no sense, and without a window where the model's files name none
   * @example const { messages, ids } = await chat.fit(history, { contextWindow: 8192, reserveForReply: 1024 })
   */
  fit(messages: readonly ChatMessage[], options: FitOptions = {}): Promise<FittedChat> {
    return fitConversation(this, messages, options)
  }

  /**
   * A `tokenCounter` for LangChain's `trimMessages`: exact for whole conversations, and never too small for the parts of
   * one that it is asked about.
   *
   * @throws (when it is called) InvalidMessageError, TemplateError for messages that the format has no place for
   * @example await trimMessages(messages, { maxTokens: 4096, tokenCounter: chat.tokenCounter() })
   */
  tokenCounter(options: EncodeChatOptions = {}): (messages: readonly LangChainMessage[]) => number {
    return tokenCounter(this, this.#setup.format?.roles, options)
  }

  /**
   * A conversation that grows: adding a turn encodes that turn alone. Its ids are always those of `encode`.
   *
   * @throws InvalidArgumentError for contradictory options
   * @example
   * const session = chat.session({ tools })
   * session.append({ role: 'user', content: question })
   * session.ids
   */
  session(options: SessionOptions = {}): ChatSession {
    return new ChatSession(this.tokenizer, this.#setup.prompts, options)
  }

  /**
   * The prompt as text, control tokens by name: for eyes and logs. It must not be tokenized again: what data spell and
   * what the format says look alike in it.
   *
   * @throws as {@link Chat.encode}
   */
  render(messages: readonly ChatMessage[], options: EncodeChatOptions = {}): string {
    const { tokenizer } = this
    const { prompt } = this.prompt(messages, options)
    return promptText(
      prompt,
      (id) => tokenizer.controlName(id),
      (ids) => tokenizer.decode(ids),
    )
  }

  /**
   * Reads what a model wrote: its turns, with content, reasoning and calls of tools. Control tokens count by id; text that
   * spells one is text. A stop id ends the reply, and nothing behind it is read.
   *
   * @throws InvalidTokenIdError for what is no token id. A malformed call is no error: see `turn.toolCalls[i].error`
   * @example
   * const [turn] = chat.parse(outputIds, { tools })
   * messages.push(turn)  // it is a message, and remembers its ids
   */
  parse(ids: TokenIds, options: ParseOptions = {}): Turn[] {
    return parseReply(this.#reply(), ids, options)
  }

  /**
   * Reads a reply as it comes: texts, reasoning, names and arguments of calls, and the turns. No text ends within a
   * character. All deltas together are what `parse` gives, however the ids are cut. Once the reply is at its end, the
   * source is closed.
   *
   * @throws as {@link Chat.parse}, and what the source throws
   * @example for await (const delta of chat.stream(ids)) if (delta.type === 'text') process.stdout.write(delta.text)
   */
  stream(source: ReplySource, options: ParseOptions = {}): AsyncGenerator<ReplyDelta, void, undefined> {
    return streamReply(this.#reply(), source, options)
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
    if (this.padTokenId === undefined) {
      throw new InvalidArgumentError('this model names no padding token, so rows of a batch cannot be filled')
    }
    return padLeft(rows, this.padTokenId, options)
  }

  /**
   * Ids back as text, by default as the reference's `tokenizer.decode`: see {@link Tokenizer.decode}. Only for
   * eyes and logs: text must not be encoded again to get a prompt.
   */
  decode(ids: TokenIds, options: DecodeOptions = {}): string {
    const { rules = 'transformers', skipSpecialTokens = !this.#setup.format?.decodesCommands } = options
    return this.tokenizer.decode(ids, { rules, skipSpecialTokens })
  }

  /**
   * What is wrong with a conversation: the shape of messages first, then the order of turns. Empty when `encode`
   * would take it.
   */
  validate(messages: readonly ChatMessage[]): Violation[] {
    return this.#setup.prompts.violations(messages)
  }

  #reply(): ReplySetup {
    const { tokenizer, protocol, memory } = this.#setup
    return {
      tokenizer,
      protocol,
      eosTokenIds: this.eosTokenIds,
      remember: (turn, ids, stopId) => memory.remember(turn, ids, stopId),
    }
  }

  /** @internal A conversation as packed parts. */
  prompt(messages: readonly ChatMessage[], options: EncodeChatOptions): MadePrompt {
    if (!Array.isArray(messages)) throw new InvalidArgumentError('messages must be a list')
    if (options.addGenerationPrompt && options.continueFinalMessage) {
      throw new InvalidArgumentError('addGenerationPrompt and continueFinalMessage exclude each other')
    }
    return this.#setup.prompts.prompt(messages, options)
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
    const parts = this.#setup.format?.text?.(prepare(text), pair)
    if (parts) return this.tokenizer.encode(parts)
    return this.tokenizer.encode(prepare(text), { addSpecialTokens: true, pair })
  }
}
