import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { AssistantFields, CallFields, RememberedTurns } from '../adapters/assistant-fields.js'
import type { ChatMessage, ContentPart, MessageContent } from '../chat/messages.js'
import { InvalidMessageError } from '../errors.js'

/**
 * LangChain's messages as a conversation: system messages first, as one; results of tools in the order of their calls.
 * All text in them is data.
 *
 * @throws InvalidMessageError for what has no place in a conversation
 */
export function toChatMessages(messages: readonly BaseMessage[], remembered: RememberedTurns): ChatMessage[] {
  const system = messages.filter(({ type }) => type === 'system')
  const others = messages.filter(({ type }) => type !== 'system')
  const turns = inCallOrder(others).flatMap((message) =>
    turnsOf(message, messages.indexOf(message), remembered),
  )
  return system.length === 0 ? turns : [systemTurn(system), ...turns]
}

function systemTurn(messages: readonly BaseMessage[]): ChatMessage {
  return { role: 'system', content: messages.map((message) => message.text).join('\n') }
}

function turnsOf(message: BaseMessage, index: number, remembered: RememberedTurns): readonly ChatMessage[] {
  switch (message.type) {
    case 'human':
      return [{ role: 'user', content: contentOf(message), ...(message.name && { name: message.name }) }]
    case 'ai':
      return remembered.messages(assistantFieldsOf(message as AIMessage))
    case 'tool': {
      const { tool_call_id: id, name } = message as ToolMessage
      return [{ role: 'tool', content: contentOf(message), tool_call_id: id, ...(name && { name }) }]
    }
    default: {
      // A role that the caller chose; a format takes none that is not its own.
      const { role } = message as { role?: unknown }
      if (message.type === 'generic' && typeof role === 'string')
        return [{ role, content: contentOf(message) }]
      throw new InvalidMessageError(index, 'unknown-role', `a ${message.type} message has no place in a chat`)
    }
  }
}

/** Text as text; text blocks as parts, and other blocks as they are, for templates that know them. */
function contentOf({ content }: BaseMessage): MessageContent {
  if (typeof content === 'string') return content
  return content.map((block): ContentPart => {
    if (typeof block === 'string') return block
    return block.type === 'text' ? { type: 'text', text: String(block.text ?? '') } : { ...block }
  })
}

function assistantFieldsOf(message: AIMessage): AssistantFields {
  const { reasoning_content: reasoning } = message.additional_kwargs
  return {
    text: message.text,
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    calls: callsOf(message),
  }
}

/** Malformed calls too: their results stand in the history. In the order in which the model wrote them. */
function callsOf({ tool_calls = [], invalid_tool_calls = [], additional_kwargs }: AIMessage): CallFields[] {
  const calls: CallFields[] = [
    ...tool_calls.map(({ id = '', name, args }) => ({ id, name, arguments: args })),
    ...invalid_tool_calls.map(({ id = '', name = '', args = '' }) => ({ id, name, arguments: args })),
  ]
  const order = additional_kwargs.tool_call_order
  if (!Array.isArray(order)) return calls
  const place = ({ id }: CallFields): number => (order.includes(id) ? order.indexOf(id) : order.length)
  return calls.sort((a, b) => place(a) - place(b))
}

/** Puts each run of results into the order of the calls before it. */
function inCallOrder(messages: readonly BaseMessage[]): BaseMessage[] {
  let ids: readonly string[] = []
  let run: BaseMessage[] = []
  const ordered: BaseMessage[] = []
  const flush = (): void => {
    const place = (message: BaseMessage): number => {
      const at = ids.indexOf((message as ToolMessage).tool_call_id)
      return at < 0 ? ids.length : at
    }
    ordered.push(...run.sort((a, b) => place(a) - place(b)))
    run = []
  }
  for (const message of messages) {
    if (message.type === 'tool') {
      run.push(message)
      continue
    }
    flush()
    if (message.type === 'ai') ids = callsOf(message as AIMessage).map(({ id }) => id)
    ordered.push(message)
  }
  flush()
  return ordered
}
