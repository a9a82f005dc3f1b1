import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { jsonText } from '../chat/python-json.js'
import { InvalidMessageError, SafetokensError } from '../errors.js'
import { isObject, payload, rawMembers } from './json.js'

/** Fields beside the messages that would change the prompt, if this version knew how. */
const UNSUPPORTED = ['tools', 'functions'] as const

/**
 * The messages of a conversation: a list of them, or an object that holds it, such as a request body. Tools keep
 * the spelling of numbers and the order of keys that the text has, as in Python; `JSON.parse` would turn `1.0`
 * into `1`. The shape of the messages is left to the chat.
 *
 * @param value what `JSON.parse` gave, with the text it came from
 * @throws SafetokensError when there is no list of messages, or tools stand outside of it
 */
export function conversationOf(value: unknown, text: string): ChatMessage[] {
  const messages = payload(value, 'messages', 'an array of messages', Array.isArray)
  if (isObject(value)) {
    const field = UNSUPPORTED.find((name) => value[name] !== undefined && value[name] !== null)
    if (field !== undefined) {
      throw new SafetokensError(
        'UNSUPPORTED_FIELD',
        `the field ${field} beside messages is not supported; tools belong into the system message`,
      )
    }
  }
  if (!messages.some(hasTools)) return messages
  const list = isObject(value) ? rawMembers(text).get('messages') : text
  const raw = rawMembers(list ?? '')
  return messages.map((message: unknown, i) =>
    hasTools(message) ? { ...message, tools: losslessTools(raw.get(String(i)) ?? '', i) } : message,
  ) as ChatMessage[]
}

/** A conversation and what stands beside it that the prompt depends on. */
export interface ConversationRequest {
  readonly messages: ChatMessage[]
  readonly options: Pick<EncodeChatOptions, 'tools' | 'documents'>
}

/**
 * A conversation with its tools and documents, as the body of a request has them. Tools keep their spelling.
 *
 * @param value what `JSON.parse` gave, with the text it came from
 * @throws SafetokensError as {@link conversationOf}, for `functions` too, which servers no longer take
 */
export function requestOf(value: unknown, text: string): ConversationRequest {
  if (!isObject(value)) return { messages: conversationOf(value, text), options: {} }
  const { tools, documents, ...others } = value
  const messages = conversationOf(others, text)
  const isGiven = tools !== undefined && tools !== null
  const spelled = isGiven ? jsonText(rawMembers(text).get('tools') ?? '') : undefined
  return { messages, options: { tools: spelled, documents: documents ?? undefined } }
}

function hasTools(message: unknown): message is Record<string, unknown> {
  return isObject(message) && message.tools !== undefined && message.tools !== null
}

function losslessTools(message: string, index: number): unknown {
  try {
    return jsonText(rawMembers(message).get('tools') ?? '')
  } catch (cause) {
    throw new InvalidMessageError(index, 'tools', `tools: ${(cause as Error).message}`, { cause })
  }
}
