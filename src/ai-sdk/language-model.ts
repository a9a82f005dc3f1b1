import { Readable } from 'node:stream'
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  SharedV3Warning,
} from '@ai-sdk/provider'
import { RememberedTurns } from '../adapters/assistant-fields.js'
import { replyLimit } from '../adapters/reply-limit.js'
import type { Chat } from '../chat/chat.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import type { Engine, Sampling } from '../engine/engine.js'
import { generateReply, type ReplyEvent } from '../engine/generate-reply.js'
import { ReplyParts } from './reply-parts.js'
import { toChatMessages } from './to-chat-messages.js'

export interface SafetokensModelOptions {
  /** The tokenizer and chat format of the model. */
  readonly chat: Chat
  /** What runs the model. */
  readonly engine: Engine
  /** The name of the model. Default: the chat's format. */
  readonly modelId?: string | undefined
  /** How many tokens a reply may have where a call does not say. Default: what the context window leaves. */
  readonly maxOutputTokens?: number | undefined
  /** Tokens for prompt and reply together. Default: `chat.contextWindow`. */
  readonly contextWindow?: number | undefined
  /** Sampling of calls that do not say. `providerOptions.safetokens` takes the same fields for one call. */
  readonly sampling?: Sampling | undefined
  /** How conversations are encoded, such as `{ templateOptions: { enable_thinking: false } }`. */
  readonly encodeOptions?:
    | Omit<EncodeChatOptions, 'tools' | 'addGenerationPrompt' | 'continueFinalMessage'>
    | undefined
}

/** A model for the AI SDK: conversations become token ids in this process, and replies are read by id. */
export class SafetokensLanguageModel implements LanguageModelV3 {
  readonly specificationVersion = 'v3'
  readonly provider = 'safetokens'
  readonly supportedUrls: Record<string, RegExp[]> = {}
  readonly modelId: string
  readonly #options: SafetokensModelOptions
  readonly #remembered = new RememberedTurns()

  constructor(options: SafetokensModelOptions) {
    this.#options = options
    this.modelId = options.modelId ?? options.chat.format
  }

  async doGenerate(options: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> {
    const { parts, warnings } = this.#reply(options)
    const content: LanguageModelV3Content[] = []
    for await (const part of parts) {
      const last = content.at(-1)
      if (part.type === 'text-start') content.push({ type: 'text', text: '' })
      else if (part.type === 'reasoning-start') content.push({ type: 'reasoning', text: '' })
      else if ((part.type === 'text-delta' || part.type === 'reasoning-delta') && last && 'text' in last) {
        last.text += part.delta
      } else if (part.type === 'tool-call') content.push(part)
      else if (part.type === 'finish') {
        const { finishReason, usage } = part
        return { content, finishReason, usage, warnings, response: { modelId: this.modelId } }
      }
    }
    throw new Error('a reply without an end')
  }

  async doStream(options: LanguageModelV3CallOptions): Promise<LanguageModelV3StreamResult> {
    const { parts, warnings } = this.#reply(options)
    // What goes wrong before the first part is an error of the call, not of the stream.
    const first = await parts.next()
    const { modelId } = this
    async function* stream(): AsyncGenerator<LanguageModelV3StreamPart> {
      yield { type: 'stream-start', warnings }
      yield { type: 'response-metadata', modelId }
      if (first.done) return
      yield first.value
      try {
        yield* parts
      } catch (error) {
        if (options.abortSignal?.aborted) throw error
        yield { type: 'error', error }
      }
    }
    return { stream: Readable.toWeb(Readable.from(stream())) as ReadableStream<LanguageModelV3StreamPart> }
  }

  #reply(options: LanguageModelV3CallOptions): {
    readonly parts: AsyncGenerator<LanguageModelV3StreamPart>
    readonly warnings: SharedV3Warning[]
  } {
    const warnings: SharedV3Warning[] = []
    const events = this.#events(options, warnings)
    async function* parts(): AsyncGenerator<LanguageModelV3StreamPart> {
      const reply = new ReplyParts()
      for await (const event of events) yield* reply.of(event)
    }
    return { parts: parts(), warnings }
  }

  /** Encodes at once, so that all warnings are there. */
  #events(call: LanguageModelV3CallOptions, warnings: SharedV3Warning[]): AsyncGenerator<ReplyEvent> {
    const { chat, engine, contextWindow, encodeOptions } = this.#options
    warnOf(call, warnings)
    const tools = chosenTools(call, warnings)
    const encoded = chat.encode(toChatMessages(call.prompt, this.#remembered), {
      mergeConsecutive: true,
      ...encodeOptions,
      tools,
    })
    warnings.push(...encoded.warnings.map(({ message }) => ({ type: 'other' as const, message })))
    const maxTokens = call.maxOutputTokens ?? this.#options.maxOutputTokens
    return this.#remembering(
      generateReply(chat, engine, encoded, {
        maxTokens: replyLimit(chat, encoded.ids.length, maxTokens, contextWindow),
        tools,
        stop: call.stopSequences,
        sampling: this.#sampling(call),
        signal: call.abortSignal,
      }),
    )
  }

  async *#remembering(events: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent> {
    for await (const event of events) {
      if (event.type === 'end') this.#remembered.remember(event.turns)
      yield event
    }
  }

  #sampling(call: LanguageModelV3CallOptions): Sampling {
    const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty, providerOptions } = call
    const said = { temperature, topP, topK, seed, presencePenalty, frequencyPenalty }
    return {
      ...this.#options.sampling,
      ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
      ...(providerOptions?.safetokens as Sampling | undefined),
    }
  }
}

function warnOf({ responseFormat, headers }: LanguageModelV3CallOptions, warnings: SharedV3Warning[]): void {
  if (responseFormat?.type === 'json') {
    const details = 'the model is not held to JSON; a tool with the schema does more'
    warnings.push({ type: 'unsupported', feature: 'responseFormat', details })
  }
  const named = Object.keys(headers ?? {}).filter((name) => name.toLowerCase() !== 'user-agent')
  if (named.length > 0) {
    warnings.push({ type: 'unsupported', feature: 'headers', details: 'headers are options of the engine' })
  }
}

/** Definitions in OpenAI's shape; undefined for none. */
function chosenTools(
  { tools = [], toolChoice }: LanguageModelV3CallOptions,
  warnings: SharedV3Warning[],
): object[] | undefined {
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool') {
    const details = 'no model can be made to call a tool'
    warnings.push({ type: 'unsupported', feature: 'toolChoice', details })
  }
  const known = tools.filter((tool): tool is LanguageModelV3FunctionTool => {
    if (tool.type === 'function') return true
    warnings.push({ type: 'unsupported', feature: `tool ${tool.id}` })
    return false
  })
  const chosen = known.filter(({ name }) => toolChoice?.type !== 'tool' || toolChoice.toolName === name)
  if (chosen.length === 0 || toolChoice?.type === 'none') return undefined
  return chosen.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters: inputSchema },
  }))
}
