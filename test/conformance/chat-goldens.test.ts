// Chats as transformers encodes them: real tokenizers with real templates, by our own evaluator and encoder.
// The golden files are made by scripts/golden-chats.py.
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { SafetokensError } from '../../src/errors.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import {
  type ChatEnding,
  type ChatGolden,
  type ChatResult,
  type Conversation,
  conversationsOf,
  MissingData,
  readChatGolden,
  readPair,
} from './chat-pair-files.js'
import { CHAT_PAIRS, type ChatPair } from './chat-pairs.js'

const ENDINGS: Readonly<Partial<Record<ChatEnding, EncodeChatOptions>>> = {
  plain: { addGenerationPrompt: false },
  prompt: { addGenerationPrompt: true },
  continue: { continueFinalMessage: true },
}

/** Models whose role markers are plain text. */
const TEXTUAL = ['zephyr', 'tulu3']

describe.each(CHAT_PAIRS.map((pair) => [pair.name, pair] as const))('%s', (name, pair) => {
  const files = readPair(pair)
  const golden = readChatGolden(name)
  if (files instanceof MissingData || golden === undefined) {
    it.skip(`${files instanceof MissingData ? files.what : 'the golden file'} is absent`)
    return
  }
  it('has the ids of transformers for every harmless conversation', () => {
    const chat = chatOf(pair, files.files, files.template, golden)
    let compared = 0
    for (const conversation of conversationsOf(pair)) {
      for (const [ending, options] of Object.entries(ENDINGS) as [ChatEnding, EncodeChatOptions][]) {
        const results = golden.chats[conversation.id]
        const expected = results?.[ending]
        if (expected === undefined) continue
        const ours = encoded(chat, conversation, options)
        const also = results?.[`${ending}-none` as ChatEnding]
        expectSame(ours, expected, also, `${conversation.id}, ${ending}`)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(30)
  })
})

function chatOf(
  pair: ChatPair,
  files: Readonly<Record<string, Uint8Array>>,
  chatTemplate: string,
  golden: ChatGolden,
): Chat {
  const [, bytes] = Object.entries(files).find(([file]) => file !== 'tokenizer_config.json') as [
    string,
    Uint8Array,
  ]
  const tokenizer = Tokenizer.from(bytes)
  return Chat.over(tokenizer, {
    chatTemplate,
    specialTokens: pair.special,
    compat: 'exact',
    textualMarkers: TEXTUAL.includes(pair.name),
    now: () => new Date(golden.clock),
  })
}

interface Ours {
  readonly text: string
  readonly ids: number[]
  readonly count: number
}

function encoded(chat: Chat, conversation: Conversation, options: EncodeChatOptions): Ours | SafetokensError {
  const { messages, tools, documents, template_options: templateOptions } = conversation
  const all = { ...options, tools, documents, templateOptions }
  try {
    return {
      text: chat.render(messages as never, all),
      ids: Array.from(chat.encode(messages as never, all).ids),
      count: chat.count(messages as never, all).total,
    }
  } catch (error) {
    if (error instanceof SafetokensError) return error
    throw error
  }
}

/** What transformers refuses may go where null fields are kept; what it takes must be the same. */
function expectSame(
  ours: Ours | SafetokensError,
  expected: ChatResult,
  also: ChatResult | undefined,
  where: string,
): void {
  if ('error' in expected) {
    if (ours instanceof SafetokensError) return
    expect(also && 'ids' in also ? also.text : expected.error, where).toBe(ours.text)
    return
  }
  if (ours instanceof SafetokensError) throw new Error(`${where}: ${ours.message}`)
  expect(ours.text, where).toBe(expected.text)
  expect(ours.ids, where).toEqual(expected.ids)
  expect(ours.count, where).toBe(expected.ids.length)
}
