// Replies as `generateReply` tells them, without a model.
import type { ReplyEvent, ReplyUsage } from '../../src/engine/generate-reply.js'
import { ToolCallParseError } from '../../src/errors.js'
import type { FinishReason, ParsedToolCall, Turn } from '../../src/output/types.js'

export const USAGE: ReplyUsage = {
  promptTokens: 5,
  outputTokens: 9,
  totalTokens: 14,
  cachedTokens: undefined,
}

export function turn(more: Partial<Turn> = {}): Turn {
  return {
    role: 'assistant',
    content: '',
    reasoning: undefined,
    toolCalls: [],
    metadata: '',
    finish: 'stop',
    unexpected: [],
    ...more,
  }
}

export function call(id: string, name: string, json: string): ParsedToolCall {
  return { id, name, rawArguments: json, json, arguments: JSON.parse(json) as Record<string, unknown> }
}

export function malformed(id: string, name: string, raw: string, json: string = raw): ParsedToolCall {
  return {
    id,
    name,
    rawArguments: raw,
    json,
    error: new ToolCallParseError('a value was expected', raw, raw.length),
  }
}

/** The events of these turns, with texts cut into pieces of three. */
export function* events(turns: readonly Turn[], usage: ReplyUsage = USAGE): Generator<ReplyEvent> {
  for (const [n, value] of turns.entries()) {
    yield { type: 'turn-start', turn: n, role: 'assistant' }
    for (const text of pieces(value.reasoning ?? '')) yield { type: 'reasoning', turn: n, text }
    for (const text of pieces(value.content)) yield { type: 'text', turn: n, text }
    for (const [index, one] of value.toolCalls.entries()) {
      const { id, name } = one
      yield { type: 'tool-call-start', turn: n, index, id, name }
      for (const text of pieces(one.json)) yield { type: 'tool-call-arguments', turn: n, index, id, text }
      yield { type: 'tool-call-end', turn: n, index, id, call: one }
    }
    yield { type: 'turn-end', turn: n, value }
  }
  const finish: FinishReason = turns.at(-1)?.finish ?? 'stop'
  yield { type: 'end', finish, turns, tokenCount: usage.outputTokens, usage }
}

const pieces = (text: string): string[] => text.match(/.{1,3}/gsu) ?? []
