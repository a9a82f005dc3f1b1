import { FormatPrompts } from '../../../src/chat/format-prompts.js'
import { chatFormat } from '../../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../../src/chat/prompt-maker.js'
import { promptText } from '../../../src/chat/prompt-writer.js'
import { PartKind } from '../../../src/prompt/parts.js'

/** What the model itself writes of a conversation, run by run. */
export function assistantTexts(
  format: string,
  messages: readonly ChatMessage[],
  options: EncodeChatOptions = {},
): string[] {
  const names: string[] = []
  const resolve = (name: string): number => names.push(name) - 1
  const prompts = new FormatPrompts(chatFormat(format), 'safe', resolve, () => new Date(0))
  const { prompt } = prompts.prompt(messages, options)
  const { parts, assistant = [] } = prompt
  const textLength = (end: number): number => {
    let length = 0
    for (let i = 0; i < end; i++) if (parts[2 * i] !== PartKind.control) length += parts[2 * i + 1] as number
    return length
  }
  return assistant.map(([begin, end]) =>
    promptText(
      {
        ...prompt,
        parts: parts.slice(2 * begin, 2 * end),
        text: prompt.text.slice(textLength(begin), textLength(end)),
      },
      (id) => names[id] ?? '',
    ),
  )
}
