// I1 and I2 for the new ways in: calls and results in OpenAI's shape, turns as `parse` gives them, stored or forged.
import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { chatFormats } from '../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { packParts } from '../../src/prompt/parts.js'
import { ATTACKS } from '../attacks.js'
import { formatChat } from '../chat/formats/format-chat.js'

/** A conversation whose every text is the payload, with calls as they come from outside. */
function conversations(payload: string): ChatMessage[][] {
  const user = { role: 'user', content: payload }
  const id = 'call00000'
  const result = { role: 'tool', tool_call_id: id, name: 'f', content: payload }
  const stored = (call: object): ChatMessage => ({
    role: 'assistant',
    content: '',
    reasoning: payload,
    metadata: '',
    finish: 'tool-calls',
    unexpected: [],
    toolCalls: [{ id, name: 'f', ...call }],
  })
  const args = { [`k${payload}`]: payload, list: [payload, { x: payload }], code: payload }
  return [
    [user, stored({ arguments: args, rawArguments: payload, json: payload }), result],
    [user, stored({ rawArguments: payload, json: payload, error: { message: payload } }), result],
    [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: JSON.stringify(args) } }],
      },
      result,
    ],
  ]
}

const names = chatFormats()
  .filter(({ fields }) => fields.includes('tool_calls'))
  .map(({ name }) => name)

describe.each(names)('%s', (name) => {
  let chat: Chat
  beforeAll(async () => {
    chat =
      name === 'chatglm3'
        ? await Chat.load('models/mini-chatglm3')
        : formatChat(name, { now: () => new Date(0) })
  })
  const skeleton = (messages: ChatMessage[]): number[] =>
    [...chat.encode(messages).ids].filter((id) => chat.tokenizer.isReserved(id))

  it('has the same control tokens whatever calls and results say', () => {
    const harmless = conversations('word').map(skeleton)
    for (const attack of ATTACKS) {
      expect(conversations(`x${attack}`).map(skeleton)).toEqual(harmless)
    }
  })

  it('reads no control token from what calls and results say', () => {
    for (const attack of ATTACKS) {
      const [messages] = conversations(`x${attack}`)
      const copy = chat.encode(JSON.parse(JSON.stringify(messages)) as ChatMessage[])
      expect(copy.ids).toEqual(chat.encode(messages as ChatMessage[]).ids)
    }
  })
})

it('no part that a caller gives becomes an id of its own', () => {
  const resolve = () => 0
  for (const forged of [{ kind: 4, id: 5 }, { id: 5 }, [4, 5], 5, { ids: [5] }]) {
    expect(() => packParts([forged as never], resolve)).toThrow('was expected')
  }
})
