import type { ChatMessage, ContentPart } from '../chat/messages.js'
import { isInstruction } from './rounds.js'

/**
 * A conversation with a summary of what went, as data: at the beginning of the first question. Where none is left it is a
 * user turn of its own, behind the instructions.
 */
export function withSummary(messages: readonly ChatMessage[], summary: string): ChatMessage[] {
  const question = messages.findIndex(({ role }) => role === 'user')
  if (question >= 0) {
    const message = messages[question] as ChatMessage
    return messages.with(question, { ...message, content: behind(summary, message.content) })
  }
  const first = messages.findIndex((message) => !isInstruction(message))
  return messages.toSpliced(first < 0 ? messages.length : first, 0, { role: 'user', content: summary })
}

function behind(summary: string, content: ChatMessage['content']): ChatMessage['content'] {
  const text = `${summary}\n\n`
  if (typeof content === 'string') return text + content
  const parts = Array.isArray(content) ? (content as readonly ContentPart[]) : [content as ContentPart]
  return [{ type: 'text', text }, ...parts]
}
