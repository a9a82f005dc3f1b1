// Conversations for all built-in formats: with and without instructions, calls of tools, reasoning, several parts.
import path from 'node:path'
import { Chat } from '../../src/chat/chat.js'
import { chatFormat, chatFormats } from '../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { ATTACKS } from '../attacks.js'
import { formatChat } from '../chat/formats/format-chat.js'

/** Names of all built-in formats. */
export const FORMATS: readonly string[] = chatFormats().map(({ name }) => name)

/** A chat of a format over a small tokenizer. */
export async function chatOfFormat(format: string): Promise<Chat> {
  const now = () => new Date(0)
  if (chatFormat(format).commands === undefined) return formatChat(format, { now })
  return Chat.load(path.join(defaultModelPath(), 'tokenizer.model'), { format, now })
}

/** Numbers from 0 to below 1, the same for a seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const TOOLS: readonly object[] = [
  {
    type: 'function',
    function: {
      name: 'look_up',
      description: 'Looks something up.',
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
    },
  },
]

export interface Generated {
  readonly messages: ChatMessage[]
  readonly options: EncodeChatOptions
}

/** A conversation that the format takes, of up to so many rounds. */
export function conversation(format: string, random: () => number, maxRounds = 8): Generated {
  const { roles, fields, takesTools } = chatFormat(format)
  const below = (most: number): number => Math.floor(random() * most)
  const text = (): string => {
    const words = Array.from({ length: 1 + below(below(4) === 0 ? 60 : 8) }, () => WORDS[below(WORDS.length)])
    return words.join(below(5) === 0 ? '' : ' ')
  }
  const content = (): ChatMessage['content'] =>
    below(6) === 0
      ? [
          { type: 'text', text: text() },
          { type: 'text', text: text() },
        ]
      : text()
  const resultRole = ['tool', 'observation'].find((role) => roles.includes(role))
  let calls = 0
  const step = (): ChatMessage[] => {
    if (!fields.includes('tool_calls')) {
      return [
        { role: 'assistant', metadata: 'look_up', content: text() },
        { role: resultRole as string, content: content() },
      ]
    }
    const several =
      ['qwen3', 'harmony', 'deepseek-r1', 'mistral-v3', 'mistral-v7'].includes(format) && below(3) === 0
    const ids = Array.from({ length: several ? 2 : 1 }, () => `call${String(calls++).padStart(5, '0')}`)
    return [
      {
        role: 'assistant',
        content: null,
        ...(below(3) === 0 ? { reasoning_content: text() } : {}),
        tool_calls: ids.map((id) => ({
          id,
          type: 'function',
          function: { name: 'look_up', arguments: { query: text() } },
        })),
      },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, name: 'look_up', content: text() })),
    ]
  }
  const messages: ChatMessage[] = []
  if (roles.includes('system') && below(3) > 0) messages.push({ role: 'system', content: text() })
  const rounds = 1 + below(maxRounds)
  for (let round = 0; round < rounds; round++) {
    messages.push({ role: 'user', content: content() })
    const steps = resultRole === undefined || below(3) > 0 ? 0 : 1 + below(4)
    for (let i = 0; i < steps; i++) messages.push(...step())
    if (round < rounds - 1 || below(4) === 0) {
      const reasoning = below(3) === 0 ? { reasoning_content: text() } : {}
      messages.push({ role: 'assistant', content: content(), ...reasoning })
    }
  }
  return { messages, options: takesTools && below(3) === 0 ? { tools: TOOLS } : {} }
}

const WORDS = [
  ...[
    'hello',
    'world',
    'What',
    'is',
    'the',
    'weather',
    '\n',
    '你好',
    '世界',
    '\u00e9',
    '👋',
    '  ',
    '.',
    '{"a": 1}',
  ],
  ...ATTACKS.slice(0, 40),
]
