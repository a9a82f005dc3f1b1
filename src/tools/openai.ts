import type { ChatMessage } from '../chat/messages.js'
import type { ToolCall } from '../chat/tool-calls.js'
import { InvalidArgumentError, ToolCallParseError } from '../errors.js'
import { jsonArguments } from '../output/call-arguments.js'
import { callId } from '../output/call-ids.js'
import type { ParsedToolCall, Turn } from '../output/types.js'
import { defineTool } from './define-tool.js'
import type { OpenAITool, Tool, ToolContext, ToolResult } from './types.js'

/** A call in OpenAI's shape, as servers send it: arguments are a string of JSON. */
export interface OpenAIToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A turn in OpenAI's shape. */
export interface OpenAIMessage {
  readonly role: 'assistant'
  /** Null where there are calls and no text. */
  readonly content: string | null
  readonly reasoning_content?: string | undefined
  readonly tool_calls?: readonly OpenAIToolCall[] | undefined
}

/**
 * A turn as servers in OpenAI's shape send it. Malformed calls are left out unless they have a name: then they are sent
 * with the text that the model wrote.
 */
export function openAIMessage(turn: Turn): OpenAIMessage {
  const calls = turn.toolCalls.filter(({ name }) => name !== '').map(openAIToolCall)
  return {
    role: 'assistant',
    content: turn.content === '' && calls.length > 0 ? null : turn.content,
    ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

export function openAIToolCall({ id, name, json }: ParsedToolCall): OpenAIToolCall {
  return { id, type: 'function', function: { name, arguments: json } }
}

/** Calls in OpenAI's shape, as those of a model: for `dispatch`. Calls without an id get one. */
export function parsedToolCall({ id, function: { name, arguments: given } }: ToolCall): ParsedToolCall {
  const raw = typeof given === 'string' ? given : JSON.stringify(given ?? {})
  const call = { id: id || callId(), name, rawArguments: raw, json: raw }
  try {
    return { ...call, arguments: jsonArguments(raw) }
  } catch (error) {
    if (!(error instanceof ToolCallParseError)) throw error
    return { ...call, error }
  }
}

/**
 * Tools of definitions in OpenAI's shape.
 *
 * @param execute runs a tool by its name; without it the caller runs them
 * @throws InvalidArgumentError for another shape
 */
export function toolsFromOpenAI(
  definitions: readonly OpenAITool[],
  execute?: (name: string, input: Record<string, unknown>, context: ToolContext) => unknown,
): Tool<Record<string, unknown>>[] {
  if (!Array.isArray(definitions)) throw new InvalidArgumentError('toolsFromOpenAI: a list was expected')
  return (definitions as readonly OpenAITool[]).map((definition, i) => {
    const { type = 'function', function: inner } = Object(definition) as Partial<OpenAITool>
    if (type !== 'function' || typeof inner?.name !== 'string') {
      throw new InvalidArgumentError(
        `toolsFromOpenAI: [${i}]: { type: 'function', function: { name, … } } was expected`,
      )
    }
    const { name, description, parameters } = inner
    const run =
      execute && ((input: Record<string, unknown>, context: ToolContext) => execute(name, input, context))
    return defineTool({ name, description, parameters: parameters ?? undefined, execute: run })
  })
}

/**
 * Results as messages, in the order of the calls whatever order they came in. A call without a result gets one that says
 * so, since formats want one for each.
 *
 * @throws InvalidArgumentError for a result of no call, and for two of one
 */
export function toolMessages(
  calls: readonly Pick<ParsedToolCall, 'id' | 'name'>[],
  results: readonly Pick<ToolResult, 'callId' | 'content'>[],
): ChatMessage[] {
  const byId = new Map<string, string>()
  for (const { callId: id, content } of results) {
    if (byId.has(id) || !calls.some((call) => call.id === id)) {
      const problem = byId.has(id) ? 'there are two results of the call' : 'there is no call'
      throw new InvalidArgumentError(`toolMessages: ${problem} ${JSON.stringify(id)}`)
    }
    byId.set(id, content)
  }
  return calls.map(({ id, name }) => ({
    role: 'tool',
    tool_call_id: id,
    ...(name === '' ? {} : { name }),
    content: byId.get(id) ?? 'Error: the call has no result.',
  }))
}
