import { AIMessageChunk, type AIMessageChunkFields } from '@langchain/core/messages'
import type { InvalidToolCall, ToolCall, ToolCallChunk } from '@langchain/core/messages/tool'

/** Errors of malformed calls by their ids, in the last chunk of a reply. */
export const CALL_ERRORS = 'invalid_tool_call_errors'

/**
 * A chunk that reads the calls of a whole reply strictly. LangChain repairs partial JSON, so that a call of which the model
 * wrote `{"a":` would run without arguments.
 */
export class StrictAIMessageChunk extends AIMessageChunk {
  constructor(fields: AIMessageChunkFields) {
    super(fields)
    const metadata = this.response_metadata as Record<string, unknown>
    const { tool_call_chunks: chunks = [] } = this
    if (metadata.finish_reason === undefined || chunks.length === 0) return
    Object.assign(this, strictCalls(chunks, metadata[CALL_ERRORS]))
  }
}

/** Calls of which nothing is missing, and the others. */
export function strictCalls(
  chunks: readonly ToolCallChunk[],
  errors: unknown,
): { tool_calls: ToolCall[]; invalid_tool_calls: InvalidToolCall[] } {
  const reasons = new Map(Object.entries((errors ?? {}) as Record<string, string>))
  const tool_calls: ToolCall[] = []
  const invalid_tool_calls: InvalidToolCall[] = []
  for (const { id = '', name = '', args = '' } of chunks) {
    const { value, error } = parsed(args, reasons.get(id))
    if (error === undefined) tool_calls.push({ type: 'tool_call', id, name, args: value })
    else invalid_tool_calls.push({ type: 'invalid_tool_call', id, name, args, error })
  }
  return { tool_calls, invalid_tool_calls }
}

function parsed(
  args: string,
  error: string | undefined,
): { value: Record<string, unknown>; error?: string | undefined } {
  if (error !== undefined) return { value: {}, error }
  try {
    const value: unknown = JSON.parse(args)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> }
    }
    return { value: {}, error: 'the arguments are not an object' }
  } catch (cause) {
    return { value: {}, error: (cause as Error).message }
  }
}
