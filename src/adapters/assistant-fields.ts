import type { ChatMessage } from '../chat/messages.js'
import type { ParsedToolCall, Turn } from '../output/types.js'

/** A call of a tool as other libraries keep it. */
export interface CallFields {
  readonly id: string
  readonly name: string
  /** An object, or the text of a call that cannot be read. */
  readonly arguments: unknown
}

/** What an assistant message of another library holds. */
export interface AssistantFields {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly CallFields[]
}

/** What stands between the texts of several turns of one reply. */
export const TURN_SEPARATOR = '\n'

/** A reply as one message: it may be several turns. */
export function assistantFields(turns: readonly Turn[]): AssistantFields {
  const joined = (texts: readonly string[]): string =>
    texts.filter((text) => text !== '').join(TURN_SEPARATOR)
  return {
    text: joined(turns.map(({ content }) => content)),
    reasoning: joined(turns.map(({ reasoning = '' }) => reasoning)),
    calls: turns.flatMap(({ toolCalls }) => toolCalls.map(callFields)),
  }
}

/** The text of a malformed call, which no reader of JSON may take for arguments. */
export function malformedText({ rawArguments }: ParsedToolCall): string {
  try {
    JSON.parse(rawArguments === '' ? '{}' : rawArguments)
  } catch {
    return rawArguments
  }
  return `malformed: ${rawArguments}`
}

function callFields(call: ParsedToolCall): CallFields {
  return { id: call.id, name: call.name, arguments: call.error ? malformedText(call) : call.arguments }
}

/** The message that stands for these fields alone. */
export function assistantMessage({ text, reasoning, calls }: AssistantFields): ChatMessage {
  return {
    role: 'assistant',
    content: text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: value }) => ({
        id,
        type: 'function',
        function: { name, arguments: value },
      })),
    }),
  }
}

/** How many replies are remembered. */
const CAPACITY = 256

/**
 * The turns that an engine wrote, found again by what other libraries keep of them. Those libraries copy messages, and a
 * copy has lost the ids that the model wrote. A message that was changed in between is not found, and is encoded from its
 * fields.
 */
export class RememberedTurns {
  readonly #turns = new Map<string, readonly Turn[]>()

  remember(turns: readonly Turn[]): void {
    const key = keyOf(assistantFields(turns))
    this.#turns.delete(key)
    this.#turns.set(key, turns)
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > CAPACITY && oldest !== undefined) this.#turns.delete(oldest)
  }

  /** The turns, or a message made of the fields. */
  messages(fields: AssistantFields): readonly ChatMessage[] {
    return this.#turns.get(keyOf(fields)) ?? [assistantMessage(fields)]
  }
}

function keyOf({ text, reasoning, calls }: AssistantFields): string {
  return JSON.stringify([text, reasoning, calls.map(({ id, name, arguments: value }) => [id, name, value])])
}
