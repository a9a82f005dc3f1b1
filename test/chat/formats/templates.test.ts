// Built-in formats write what the models' own templates write. The golden file is made by scripts/golden-formats.py.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { chatFormats } from '../../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import { SafetokensError } from '../../../src/errors.js'
import { formatChat } from './format-chat.js'

const golden = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'golden', 'templates.json'), 'utf8'),
) as {
  clock: string
  chats: Record<string, ChatMessage[]>
  options: Record<string, { add_generation_prompt: boolean; tools?: unknown } & Record<string, unknown>>
  cases: [format: string, chat: string, options: string, text: string | null][]
}

/** Cases in which a format differs from the template on purpose. */
const DELIBERATE: readonly { format: RegExp; chat: RegExp; options: RegExp; why: string }[] = [
  {
    format: /^llama3\./,
    chat: /as text/,
    options: /./,
    why: 'the template writes a string of JSON as a JSON string; servers send strings, and they are parsed',
  },
  {
    format: /^glm4$/,
    chat: /./,
    options: /^tools/,
    why: 'the template knows tools of a turn only; those beside the messages would be lost',
  },
  {
    format: /^glm4$/,
    chat: /call|waiting for a result|result last/,
    options: /./,
    why: 'the template loses calls in the shape of servers',
  },
  {
    format: /^deepseek-v3$/,
    chat: /^(call|parallel calls|waiting for a result|result last|reasoning and call)$/,
    options: /./,
    why: 'the template drops the calls of a turn whose content is empty and not null',
  },
]

const known = new Set(chatFormats().map(({ name }) => name))
const formats = [...new Set(golden.cases.map(([format]) => format))].filter((format) => known.has(format))

describe.each(formats)('%s', (format) => {
  const chat = formatChat(format, { now: format === 'llama3.1' ? undefined : () => new Date(golden.clock) })
  const render = (messages: readonly ChatMessage[], options: string): string | undefined => {
    const {
      add_generation_prompt: addGenerationPrompt,
      tools,
      ...templateOptions
    } = golden.options[options] as (typeof golden.options)[string]
    try {
      return chat.render(messages, { addGenerationPrompt, tools, templateOptions, onInvalid: 'ignore' })
    } catch (error) {
      if (error instanceof SafetokensError) return undefined
      throw error
    }
  }

  it('writes what the template writes, or refuses', () => {
    let compared = 0
    for (const [name, chatName, options, text] of golden.cases) {
      if (name !== format || text === null) continue
      if (
        DELIBERATE.some(
          (each) => each.format.test(name) && each.chat.test(chatName) && each.options.test(options),
        )
      )
        continue
      const ours = render(golden.chats[chatName] ?? [], options)
      if (ours === undefined) continue
      expect(ours, `${chatName}, ${options}`).toBe(text)
      compared++
    }
    expect(compared).toBeGreaterThan(12)
  })
})
