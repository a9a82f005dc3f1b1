import { AIMessage, type UsageMetadata } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { assistantFields, malformedText, TURN_SEPARATOR } from '../adapters/assistant-fields.js'
import type { ReplyEvent, ReplyUsage } from '../engine/generate-reply.js'
import type { ParsedToolCall, Turn } from '../output/types.js'
import { CALL_ERRORS, StrictAIMessageChunk } from './strict-chunk.js'

type ReplyEnd = Extract<ReplyEvent, { type: 'end' }>
type ChunkFields = ConstructorParameters<typeof StrictAIMessageChunk>[0]

/** Events of one reply as chunks. Put together they are one message, of whose calls none is repaired. */
export class ReplyChunks {
  readonly #model: string
  #calls = -1
  /** Which kind of text came in an earlier turn, so that what comes now is set apart. */
  readonly #separate = { text: '', reasoning: '' }
  readonly #written = { text: false, reasoning: false }
  #json = ''

  constructor(model: string) {
    this.#model = model
  }

  /** What an event adds; undefined for one that adds nothing. */
  of(event: ReplyEvent): ChatGenerationChunk | undefined {
    switch (event.type) {
      case 'text': {
        const text = this.#separated('text') + event.text
        return chunk({ content: text }, text)
      }
      case 'reasoning':
        return chunk({
          content: '',
          additional_kwargs: { reasoning_content: this.#separated('reasoning') + event.text },
        })
      case 'tool-call-start':
        this.#calls++
        this.#json = ''
        return this.#callChunk({ id: event.id, name: event.name, args: '' })
      case 'tool-call-arguments':
        this.#json += event.text
        return this.#callChunk({ args: event.text })
      case 'tool-call-end':
        return this.#rest(event.call)
      case 'turn-start':
      case 'turn-end':
        for (const kind of ['text', 'reasoning'] as const) {
          if (this.#written[kind]) this.#separate[kind] = TURN_SEPARATOR
        }
        return undefined
      case 'end':
        return this.#last(event)
    }
  }

  #separated(kind: 'text' | 'reasoning'): string {
    const separator = this.#separate[kind]
    this.#separate[kind] = ''
    this.#written[kind] = true
    return separator
  }

  /** Makes sure that nobody reads a malformed call as one without arguments. */
  #rest(call: ParsedToolCall): ChatGenerationChunk | undefined {
    if (!call.error) return undefined
    const text = malformedText(call)
    const rest = text.startsWith(this.#json) ? text.slice(this.#json.length) : `\n${text}`
    return rest === '' ? undefined : this.#callChunk({ args: rest })
  }

  /** LangChain's event streams count text as the block 0, so that calls begin at 1. */
  #callChunk(fields: { id?: string; name?: string; args: string }): ChatGenerationChunk {
    return chunk({
      content: '',
      tool_call_chunks: [{ type: 'tool_call_chunk', index: this.#calls + 1, ...fields }],
    })
  }

  #last(end: ReplyEnd): ChatGenerationChunk {
    const errors = malformedCalls(end.turns).map(({ id, error }) => [id, error.message])
    const metadata = responseMetadata(this.#model, end)
    return chunk(
      {
        content: '',
        additional_kwargs: callOrder(end.turns),
        response_metadata: {
          ...metadata,
          ...(errors.length > 0 && { [CALL_ERRORS]: Object.fromEntries(errors) }),
        },
        usage_metadata: usageMetadata(end.usage),
      },
      '',
      { finish_reason: metadata.finish_reason },
    )
  }
}

function chunk(
  fields: ChunkFields,
  text = '',
  generationInfo?: Record<string, unknown>,
): ChatGenerationChunk {
  return new ChatGenerationChunk({
    text,
    message: new StrictAIMessageChunk(fields),
    ...(generationInfo && { generationInfo }),
  })
}

/** A whole reply as one message. */
export function replyMessage(model: string, end: ReplyEnd): AIMessage {
  const { text, reasoning } = assistantFields(end.turns)
  const calls = end.turns.flatMap(({ toolCalls }) => toolCalls)
  return new AIMessage({
    content: text,
    tool_calls: calls.flatMap(({ id, name, arguments: args }) =>
      args === undefined
        ? []
        : [{ type: 'tool_call' as const, id, name, args: args as Record<string, unknown> }],
    ),
    invalid_tool_calls: malformedCalls(end.turns).map((call) => ({
      type: 'invalid_tool_call' as const,
      id: call.id,
      name: call.name,
      args: malformedText(call),
      error: call.error.message,
    })),
    additional_kwargs: { ...(reasoning !== '' && { reasoning_content: reasoning }), ...callOrder(end.turns) },
    response_metadata: responseMetadata(model, end),
    usage_metadata: usageMetadata(end.usage),
  })
}

function malformedCalls(turns: readonly Turn[]) {
  return turns.flatMap(({ toolCalls }) => toolCalls).filter((call) => call.error !== undefined)
}

/** LangChain keeps malformed calls apart; where there are some, this tells where they stood. */
function callOrder(turns: readonly Turn[]): { tool_call_order?: string[] } {
  if (malformedCalls(turns).length === 0) return {}
  return { tool_call_order: turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)) }
}

function responseMetadata(model: string, { finish, turns }: ReplyEnd): Record<string, unknown> {
  const calls = turns.some(({ toolCalls }) => toolCalls.length > 0)
  const finish_reason = finish === 'length' ? 'length' : calls ? 'tool_calls' : 'stop'
  const stopString = turns.at(-1)?.stopString
  return {
    model_name: model,
    model_provider: 'safetokens',
    finish_reason,
    ...(stopString !== undefined && { stop_sequence: stopString }),
  }
}

/** LangChain's types for it do not hold with `exactOptionalPropertyTypes`. */
function usageMetadata({ promptTokens, outputTokens, totalTokens, cachedTokens }: ReplyUsage): never {
  const usage: UsageMetadata = {
    input_tokens: promptTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    ...(cachedTokens !== undefined && { input_token_details: { cache_read: cachedTokens } }),
  }
  return usage as never
}
