import type { Chat } from '../chat/chat.js'
import type { ChatMessage, MessageContent } from '../chat/messages.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import type { ToolCall } from '../chat/tool-calls.js'
import { InvalidArgumentError, InvalidMessageError, TemplateError } from '../errors.js'
import { quoted } from '../load/quoted.js'

/** What is read of LangChain's messages. */
export interface LangChainMessage {
  readonly content: unknown
  readonly type?: string | undefined
  getType?(): string
  readonly name?: string | undefined
}

/** LangChain's names of roles. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

/**
 * Counts lists of LangChain's messages, as `Chat.tokenCounter` tells.
 *
 * `trimMessages` hands lists over from the newest message to the oldest where it keeps the last ones, and parts of a
 * conversation that no format would take. So both orders are written, and the larger number counts.
 *
 * @param roles of the format; undefined for a chat template
 */
export function tokenCounter(
  chat: Chat,
  roles: readonly string[] | undefined,
  options: EncodeChatOptions,
): (messages: readonly LangChainMessage[]) => number {
  const resultRole = roles === undefined || roles.includes('tool') ? 'tool' : 'observation'
  const count = (messages: readonly ChatMessage[]): number | InvalidMessageError | TemplateError => {
    try {
      return chat.count(messages, { ...options, onInvalid: 'ignore' }).total
    } catch (error) {
      if (error instanceof InvalidMessageError || error instanceof TemplateError) return error
      throw error
    }
  }
  return (messages) => {
    const turns = messages.map((message, i) => turnOf(message, i, resultRole))
    if (turns.length === 0) return 0
    const orders = bothOrders(turns)
    const counts = orders.map(count)
    const known = counts.filter((each) => typeof each === 'number')
    if (known.length > 0) return Math.max(...known)
    // Templates that insist on a question at the beginning get one.
    const again = orders.map((order) => count(withQuestion(order))).filter((each) => typeof each === 'number')
    if (again.length > 0) return Math.max(...again)
    throw counts[0]
  }
}

/** As they came, and the other way round; instructions that come last are the first of a list that was turned. */
function bothOrders(turns: readonly ChatMessage[]): ChatMessage[][] {
  const instructions = turns.filter(({ role }) => role === 'system')
  const others = turns.filter(({ role }) => role !== 'system')
  const turned = turns[0]?.role !== 'system' && turns.at(-1)?.role === 'system'
  return [turned ? [...instructions, ...others] : [...turns], [...instructions, ...others.toReversed()]]
}

function withQuestion(turns: readonly ChatMessage[]): ChatMessage[] {
  const begin = turns.findIndex(({ role }) => role !== 'system')
  return turns.toSpliced(begin < 0 ? turns.length : begin, 0, { role: 'user', content: '' })
}

function turnOf(message: LangChainMessage, index: number, resultRole: string): ChatMessage {
  const fields = Object(message) as LangChainMessage & Readonly<Record<string, unknown>>
  const type = typeof fields.getType === 'function' ? fields.getType() : fields.type
  const role = ROLES.get(String(type)) ?? fields.role
  if (typeof role !== 'string') {
    throw new InvalidArgumentError(
      `tokenCounter: messages[${index}]: a message of LangChain was expected, not one of type ${quoted(type)}`,
    )
  }
  const { content, name, tool_calls: calls, tool_call_id: id } = fields
  const reasoning = Object(fields.additional_kwargs).reasoning_content as unknown
  return {
    role: role === 'tool' ? resultRole : role,
    content: content as MessageContent,
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning_content: reasoning } : {}),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls.map(callOf) } : {}),
    ...(typeof id === 'string' && id !== '' ? { tool_call_id: id } : {}),
  }
}

function callOf(call: unknown): ToolCall {
  const { id, name, args } = Object(call) as { id?: string; name: string; args?: unknown }
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: args } }
}
