// Llama 3's formats beside its published one, llama-models' ChatFormat. The golden file is made by
// scripts/golden-chats.py. docs/formats.md tells why they differ where they do.
import { describe, expect, it } from 'vitest'
import type { Chat } from '../../../src/chat/chat.js'
import { trimContent } from '../../../src/chat/formats/content.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import {
  CONVERSATIONS,
  type EncoderGolden,
  MissingData,
  readEncoderGolden,
  readPair,
} from '../../conformance/chat-pair-files.js'
import { CHAT_PAIRS, type ChatPair } from '../../conformance/chat-pairs.js'
import { chatOf, idsOf, resultsOf } from './encoder-golden.js'

const golden = readEncoderGolden('llama-models') as EncoderGolden
const EOT = 128009

/** The template takes white space away at the ends of content; the published format leaves it. */
function hasOuterSpace({ content }: ChatMessage): boolean {
  const parts = Array.isArray(content)
    ? (content as { text: string }[]).map(({ text }) => text)
    : [content ?? '']
  const text = parts.join('')
  return (
    trimContent([{ part: text, path: '' }])
      .map(({ part }) => part)
      .join('') !== text
  )
}

describe.each(['llama3', 'llama3.1'])('%s', (name) => {
  const chat = (): Chat | undefined => {
    const files = readPair(CHAT_PAIRS.find((pair) => pair.name === 'llama3.1') as ChatPair)
    return files instanceof MissingData
      ? undefined
      : chatOf(files.files['tokenizer.json'] as Uint8Array, name)
  }
  /** What follows the system turn, which `llama3.1` always has, with dates in it. */
  const behindSystem = (ids: readonly number[], hasSystem: boolean) =>
    hasSystem ? ids.slice(ids.indexOf(EOT) + 1) : ids.slice(1)

  it('has the published ids but for calls and outer white space', ({ skip }) => {
    const ours = chat()
    if (ours === undefined) return skip('the data of the tokenizer are absent')
    let same = 0
    for (const [id, ending, result] of resultsOf(golden)) {
      const conversation = CONVERSATIONS.find((each) => each.id === id)
      if (conversation === undefined || 'error' in result) continue
      const { messages } = conversation
      const differs = messages.some(
        (message) => message.role === 'tool' || 'tool_calls' in message || hasOuterSpace(message),
      )
      const ids =
        idsOf(ours, messages, { addGenerationPrompt: ending === 'prompt', onInvalid: 'ignore' }) ?? []
      const hasSystem = messages[0]?.role === 'system'
      const [a, b] =
        name === 'llama3' ? [ids, result.ids] : [behindSystem(ids, true), behindSystem(result.ids, hasSystem)]
      if (differs) expect(a, `${id}, ${ending}`).not.toEqual(b)
      else {
        expect(a, `${id}, ${ending}`).toEqual(b)
        same++
      }
    }
    expect(same).toBeGreaterThan(80)
  })
})
