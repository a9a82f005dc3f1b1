import { Chat } from '../../../src/chat/chat.js'
import type { ChatOptions } from '../../../src/chat/chat-options.js'
import { chatFormat } from '../../../src/chat/formats/registry.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import { byteLevelJson } from '../../fixtures/tokenizer-json.js'

/** A chat of a built-in format over a small byte-level tokenizer that has the format's control tokens. */
export function formatChat(name: string, options: Omit<ChatOptions, 'format' | 'reserve'> = {}): Chat {
  const { controlTokens, stopTokens, padToken } = chatFormat(name)
  const added = new Set([...controlTokens, ...stopTokens, ...(padToken === undefined ? [] : [padToken])])
  const json = byteLevelJson({ added: [...added] })
  const tokenizer = Tokenizer.from(new TextEncoder().encode(JSON.stringify(json)))
  return Chat.over(tokenizer, { format: name, ...options })
}
