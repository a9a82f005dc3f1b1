import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
  type LangSmithParams,
} from '@langchain/core/language_models/chat_models'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import {
  assembleStructuredOutputPipeline,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output'
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isSerializableSchema, type SerializableSchema } from '@langchain/core/utils/standard_schema'
import { type InteropZodType, isInteropZodSchema } from '@langchain/core/utils/types'
import { RememberedTurns } from '../adapters/assistant-fields.js'
import { replyLimit } from '../adapters/reply-limit.js'
import type { Chat } from '../chat/chat.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import type { Engine, Sampling } from '../engine/engine.js'
import { generateReply, type ReplyEvent } from '../engine/generate-reply.js'
import { ReplyChunks, replyMessage } from './reply-chunks.js'
import { toChatMessages } from './to-chat-messages.js'

export interface ChatSafetokensInput extends BaseChatModelParams, Sampling {
  /** The tokenizer and chat format of the model. */
  chat: Chat
  /** What runs the model. */
  engine: Engine
  /** The name of the model, for traces. Default: the chat's format. */
  model?: string | undefined
  /** How many tokens a reply may have. Default: what the context window leaves. */
  maxTokens?: number | undefined
  /** Tokens for prompt and reply together. Default: `chat.contextWindow`. */
  contextWindow?: number | undefined
  /** Texts that end a reply. */
  stop?: string[] | undefined
  /** How conversations are encoded, such as `{ templateOptions: { enable_thinking: false } }`. */
  encodeOptions?:
    | Omit<EncodeChatOptions, 'tools' | 'addGenerationPrompt' | 'continueFinalMessage'>
    | undefined
}

export interface ChatSafetokensCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[] | undefined
  maxTokens?: number | undefined
  sampling?: Sampling | undefined
}

type Schema<T extends Record<string, unknown>> =
  | InteropZodType<T>
  | SerializableSchema<T>
  | Record<string, unknown>
type SchemaOptions = StructuredOutputMethodOptions<boolean>

/**
 * A chat model for LangChain: conversations become token ids in this process, and replies are read by id.
 *
 * `tool_choice` can leave tools out (`none`) or leave one of them (its name); no model can be made to call one.
 *
 * @example
 * const model = new ChatSafetokens({ chat, engine, maxTokens: 1024, temperature: 0 })
 * const agent = createAgent({ model, tools: [getWeather] })
 */
export class ChatSafetokens extends BaseChatModel<ChatSafetokensCallOptions, AIMessageChunk> {
  readonly chat: Chat
  readonly engine: Engine
  readonly model: string
  readonly maxTokens: number | undefined
  readonly contextWindow: number | undefined
  readonly stop: string[] | undefined
  readonly sampling: Sampling
  readonly encodeOptions: NonNullable<ChatSafetokensInput['encodeOptions']>
  readonly #remembered = new RememberedTurns()

  static override lc_name(): string {
    return 'ChatSafetokens'
  }

  constructor(fields: ChatSafetokensInput) {
    super(fields)
    this.chat = fields.chat
    this.engine = fields.engine
    this.model = fields.model ?? fields.chat.format
    this.maxTokens = fields.maxTokens
    this.contextWindow = fields.contextWindow ?? fields.chat.contextWindow
    this.stop = fields.stop
    this.encodeOptions = fields.encodeOptions ?? {}
    const { temperature, topP, topK, minP, seed, repetitionPenalty, presencePenalty, frequencyPenalty } =
      fields
    this.sampling = {
      temperature,
      topP,
      topK,
      minP,
      seed,
      repetitionPenalty,
      presencePenalty,
      frequencyPenalty,
    }
  }

  override _llmType(): string {
    return 'safetokens'
  }

  /** What a cached reply depends on. */
  override _identifyingParams(): Record<string, unknown> {
    const { model, maxTokens, stop, sampling, encodeOptions } = this
    const { format, compat } = this.chat
    return { model, engine: this.engine.name, format, compat, maxTokens, stop, ...sampling, encodeOptions }
  }

  override invocationParams(options?: this['ParsedCallOptions']): Record<string, unknown> {
    return {
      ...this._identifyingParams(),
      ...options?.sampling,
      stop: options?.stop ?? this.stop,
      tools: options?.tools,
    }
  }

  override getLsParams(options: this['ParsedCallOptions']): LangSmithParams {
    const { temperature } = { ...this.sampling, ...options.sampling }
    const maxTokens = options.maxTokens ?? this.maxTokens
    const stop = options.stop ?? this.stop
    return {
      ls_provider: 'safetokens',
      ls_model_name: this.model,
      ls_model_type: 'chat',
      ...(temperature !== undefined && { ls_temperature: temperature }),
      ...(maxTokens !== undefined && { ls_max_tokens: maxTokens }),
      ...(stop !== undefined && { ls_stop: stop }),
    }
  }

  override get profile(): ModelProfile {
    return {
      ...(this.contextWindow !== undefined && { maxInputTokens: this.contextWindow }),
      toolCalling: true,
      structuredOutput: false,
    }
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ChatSafetokensCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatSafetokensCallOptions> {
    return this.withConfig({ tools: tools.map((tool) => convertToOpenAITool(tool)), ...kwargs })
  }

  // The one of the base class validates nothing, and refuses the message that _generate gives.
  override withStructuredOutput<T extends Record<string, unknown>>(
    schema: Schema<T>,
    config?: SchemaOptions,
    // biome-ignore lint/suspicious/noExplicitAny: the base class has four overloads
  ): any {
    const name = config?.name ?? 'extract'
    const isSchema = isInteropZodSchema(schema) || isSerializableSchema(schema)
    const parameters = isSchema ? toJsonSchema(schema) : schema
    const { description } = schema as { description?: unknown }
    const definition = { name, ...(typeof description === 'string' && { description }), parameters }
    const llm = this.bindTools([{ type: 'function', function: definition }], { tool_choice: name })
    return assembleStructuredOutputPipeline(
      llm,
      createFunctionCallingParser(schema, name),
      config?.includeRaw,
    )
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    options.signal?.throwIfAborted()
    for await (const event of this.#reply(messages, options)) {
      if (event.type === 'text') await runManager?.handleLLMNewToken(event.text)
      if (event.type !== 'end') continue
      const message = replyMessage(this.model, event)
      const { promptTokens, outputTokens: completionTokens, totalTokens } = event.usage
      return {
        generations: [
          {
            text: message.text,
            message,
            generationInfo: { finish_reason: message.response_metadata.finish_reason },
          },
        ],
        llmOutput: { tokenUsage: { promptTokens, completionTokens, totalTokens } },
      }
    }
    throw new Error('a reply without an end')
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const chunks = new ReplyChunks(this.model)
    for await (const event of this.#reply(messages, options)) {
      if (options.signal?.aborted) return
      const chunk = chunks.of(event)
      if (chunk === undefined) continue
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  async *#reply(messages: BaseMessage[], options: this['ParsedCallOptions']): AsyncGenerator<ReplyEvent> {
    const tools = chosenTools(options)
    const { ids } = this.chat.encode(toChatMessages(messages, this.#remembered), {
      mergeConsecutive: true,
      ...this.encodeOptions,
      tools,
    })
    const maxTokens = options.maxTokens ?? this.maxTokens
    const events = generateReply(this.chat, this.engine, ids, {
      maxTokens: replyLimit(this.chat, ids.length, maxTokens, this.contextWindow),
      tools,
      stop: options.stop ?? this.stop,
      sampling: { ...this.sampling, ...options.sampling },
      signal: options.signal,
    })
    for await (const event of events) {
      if (event.type === 'end') this.#remembered.remember(event.turns)
      yield event
    }
  }
}

/** Definitions in OpenAI's shape; undefined for none. */
function chosenTools({ tools = [], tool_choice: choice }: ChatSafetokensCallOptions): object[] | undefined {
  const definitions = tools.map((tool) => convertToOpenAITool(tool))
  const named =
    typeof choice === 'object' ? (choice as { function?: { name?: string } }).function?.name : choice
  if (choice === 'none') return undefined
  const chosen = definitions.filter(({ function: { name } }) => name === named)
  const all = chosen.length > 0 ? chosen : definitions
  return all.length > 0 ? all : undefined
}
