import type { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import type { ParseOptions, ReplyDelta, Turn } from '../../src/output/types.js'
import { trusted } from '../../src/prompt/parts.js'

/** The ids of a reply, written with the names of control tokens. */
export function idsOf(chat: Chat, text: string): Uint32Array {
  return chat.tokenizer.encode(trusted(text))
}

/** What the model itself writes of the last message of a conversation. */
export function writtenIds(
  chat: Chat,
  messages: readonly ChatMessage[],
  options: EncodeChatOptions = {},
): Uint32Array {
  const asked = chat.encode(messages.slice(0, -1), options).ids
  const whole = chat.encode(messages, { ...options, addGenerationPrompt: false }).ids
  return whole.slice(asked.length)
}

/** A turn without what is random, or about the reading itself. */
export function plain(turn: Turn): object {
  return {
    content: turn.content,
    ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
    ...(turn.metadata === '' ? {} : { metadata: turn.metadata }),
    ...(turn.unexpected.length === 0 ? {} : { unexpected: turn.unexpected.map(({ name }) => name) }),
    calls: turn.toolCalls.map((call) =>
      call.error
        ? { name: call.name, error: call.error.reason }
        : { name: call.name, arguments: call.arguments },
    ),
    finish: turn.finish,
  }
}

/** All deltas of a reply that is cut at these places. */
export async function streamed(
  chat: Chat,
  ids: Uint32Array,
  cuts: readonly number[],
  options: ParseOptions = {},
): Promise<ReplyDelta[]> {
  const borders = [0, ...[...cuts].sort((a, b) => a - b), ids.length]
  const pieces = borders.slice(1).map((end, i) => ids.slice(borders[i], end))
  const deltas: ReplyDelta[] = []
  for await (const delta of chat.stream(pieces, options)) deltas.push(delta)
  return deltas
}

/** What deltas tell, put together: it must be what the turns say. */
export function gathered(deltas: readonly ReplyDelta[]): object[] {
  const turns: { content: string; reasoning: string; calls: { id: string; name: string; json: string }[] }[] =
    []
  for (const delta of deltas) {
    if (delta.type === 'turn-start') turns.push({ content: '', reasoning: '', calls: [] })
    if (delta.type === 'end' || delta.type === 'turn-start' || delta.type === 'turn-end') continue
    const turn = turns[delta.turn] as (typeof turns)[number]
    if (delta.type === 'text') turn.content += delta.text
    if (delta.type === 'reasoning') turn.reasoning += delta.text
    if (delta.type === 'tool-call-start') turn.calls.push({ id: delta.id, name: delta.name, json: '' })
    const call = 'index' in delta ? turn.calls[delta.index] : undefined
    if (delta.type === 'tool-call-arguments' && call) call.json += delta.text
  }
  return turns
}
