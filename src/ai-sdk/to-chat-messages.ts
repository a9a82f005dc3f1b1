import {
  type LanguageModelV3CallOptions,
  type LanguageModelV3Message,
  type LanguageModelV3ToolResultOutput,
  type LanguageModelV3ToolResultPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import type { AssistantFields, CallFields, RememberedTurns } from '../adapters/assistant-fields.js'
import type { ChatMessage } from '../chat/messages.js'

type Content<Role extends string> = Extract<LanguageModelV3Message, { role: Role }>['content']

/**
 * A prompt of the AI SDK as a conversation: system messages first, as one; results of tools in the order of their calls.
 * All text in it is data.
 *
 * @throws UnsupportedFunctionalityError for parts that are no text
 */
export function toChatMessages(
  prompt: LanguageModelV3CallOptions['prompt'],
  remembered: RememberedTurns,
): ChatMessage[] {
  const system: string[] = []
  const turns: ChatMessage[] = []
  let calls: readonly CallFields[] = []
  for (const message of prompt) {
    switch (message.role) {
      case 'system':
        system.push(message.content)
        break
      case 'user':
        turns.push({ role: 'user', content: userText(message.content) })
        break
      case 'assistant': {
        const fields = assistantFieldsOf(message.content)
        calls = fields.calls
        turns.push(...remembered.messages(fields))
        break
      }
      case 'tool':
        turns.push(...results(message.content, calls))
        break
      default:
        throw unsupported(`a message of the role ${(message satisfies never as { role: string }).role}`)
    }
  }
  return system.length === 0 ? turns : [{ role: 'system', content: system.join('\n') }, ...turns]
}

function userText(content: Content<'user'>): string {
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      throw unsupported(`a file of the type ${part.mediaType}`)
    })
    .join('')
}

function assistantFieldsOf(content: Content<'assistant'>): AssistantFields {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: CallFields[] = []
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'reasoning') thoughts.push(part.text)
    else if (part.type === 'tool-call') {
      calls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input })
    } else throw unsupported(`a ${part.type} part in an assistant message`)
  }
  return { text: texts.join(''), reasoning: thoughts.join(''), calls }
}

function results(content: Content<'tool'>, calls: readonly CallFields[]): ChatMessage[] {
  const place = ({ toolCallId }: LanguageModelV3ToolResultPart): number => {
    const at = calls.findIndex(({ id }) => id === toolCallId)
    return at < 0 ? calls.length : at
  }
  return content
    .map((part) => {
      if (part.type === 'tool-result') return part
      throw unsupported(`a ${part.type} part in a tool message`)
    })
    .sort((a, b) => place(a) - place(b))
    .map(({ toolCallId, toolName, output }) => ({
      role: 'tool',
      content: resultText(output),
      tool_call_id: toolCallId,
      name: toolName,
    }))
}

function resultText(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'The user did not allow this call.'
    case 'content':
      return output.value
        .map((part) => {
          if (part.type === 'text') return part.text
          throw unsupported(`a ${part.type} part in a result of a tool`)
        })
        .join('')
    default:
      throw unsupported(`a result of the type ${(output satisfies never as { type: string }).type}`)
  }
}

function unsupported(functionality: string): UnsupportedFunctionalityError {
  return new UnsupportedFunctionalityError({ functionality })
}
