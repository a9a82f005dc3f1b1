import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { malformedText, TURN_SEPARATOR } from '../adapters/assistant-fields.js'
import type { ReplyEvent, ReplyUsage } from '../engine/generate-reply.js'
import type { ParsedToolCall } from '../output/types.js'

type ReplyEnd = Extract<ReplyEvent, { type: 'end' }>
type TextKind = 'text' | 'reasoning'

/** Events of one reply as parts of a stream. Texts of one kind are one block, until the other kind or a call comes. */
export class ReplyParts {
  #open: { readonly kind: TextKind; readonly id: string } | undefined
  #blocks = 0
  /** What is written before the next text of a kind: a line end where it belongs to another turn. */
  readonly #separate: Record<TextKind, string> = { text: '', reasoning: '' }
  readonly #written: Record<TextKind, boolean> = { text: false, reasoning: false }

  of(event: ReplyEvent): LanguageModelV3StreamPart[] {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#text(event.type, event.text)
      case 'tool-call-start':
        return [...this.#close(), { type: 'tool-input-start', id: event.id, toolName: event.name }]
      case 'tool-call-arguments':
        return [{ type: 'tool-input-delta', id: event.id, delta: event.text }]
      case 'tool-call-end':
        return [{ type: 'tool-input-end', id: event.id }, toolCall(event.call)]
      case 'turn-start':
      case 'turn-end':
        for (const kind of ['text', 'reasoning'] as const) {
          if (this.#written[kind]) this.#separate[kind] = TURN_SEPARATOR
        }
        return []
      case 'end':
        return [
          ...this.#close(),
          { type: 'finish', finishReason: finishReason(event), usage: usage(event.usage) },
        ]
    }
  }

  #text(kind: TextKind, text: string): LanguageModelV3StreamPart[] {
    const parts: LanguageModelV3StreamPart[] = []
    if (this.#open?.kind !== kind) {
      parts.push(...this.#close())
      this.#open = { kind, id: String(this.#blocks++) }
      parts.push({ type: `${kind}-start`, id: this.#open.id })
    }
    parts.push({ type: `${kind}-delta`, id: this.#open.id, delta: this.#separate[kind] + text })
    this.#separate[kind] = ''
    this.#written[kind] = true
    return parts
  }

  #close(): LanguageModelV3StreamPart[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}

/** The input of a malformed call is none that the SDK could read as one. */
function toolCall(call: ParsedToolCall): LanguageModelV3ToolCall {
  const input = call.error
    ? malformedText(call)
    : call.json === ''
      ? JSON.stringify(call.arguments)
      : call.json
  return { type: 'tool-call', toolCallId: call.id, toolName: call.name, input }
}

function finishReason({ finish, turns }: ReplyEnd): LanguageModelV3FinishReason {
  const calls = turns.some(({ toolCalls }) => toolCalls.length > 0)
  return { unified: finish === 'length' ? 'length' : calls ? 'tool-calls' : 'stop', raw: finish }
}

function usage({ promptTokens, outputTokens, cachedTokens }: ReplyUsage): LanguageModelV3Usage {
  return {
    inputTokens: {
      total: promptTokens,
      noCache: cachedTokens === undefined ? undefined : promptTokens - cachedTokens,
      cacheRead: cachedTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
  }
}
