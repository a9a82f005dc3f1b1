import { Chat } from '../../../src/chat/chat.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../../src/chat/prompt-maker.js'
import { SafetokensError } from '../../../src/errors.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import type { ChatResult, EncoderGolden } from '../../conformance/chat-pair-files.js'

/** The ids of a conversation; undefined where our format refuses it. */
export function idsOf(
  chat: Chat,
  messages: readonly ChatMessage[],
  options: EncodeChatOptions,
): readonly number[] | undefined {
  try {
    return [...chat.encode(messages, options).ids]
  } catch (error) {
    if (error instanceof SafetokensError) return undefined
    throw error
  }
}

/** Every result of a golden file: conversation, ending, and what the reference gave. */
export function resultsOf({ chats }: EncoderGolden): readonly (readonly [string, string, ChatResult])[] {
  return Object.entries(chats).flatMap(([id, endings]) =>
    Object.entries(endings).map(([ending, result]) => [id, ending, result] as const),
  )
}

/** A chat of a format over the bytes of a tokenizer's file. */
export function chatOf(bytes: Uint8Array, format: string, now?: () => Date): Chat {
  return Chat.over(Tokenizer.from(bytes), { format, now })
}
