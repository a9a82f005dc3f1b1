// Whole chats, from messages to ids: 100 messages with tools, and the same with one more turn.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { equal, time } from '../measure.mjs'
import { root } from '../places.mjs'

export const chat = {
  title: 'chat of 100 messages, first',
  chats: true,
  perCall: true,
  async run({ engine, state }) {
    state.turn = (state.turn ?? 0) + 1
    // Another conversation each time: nothing of its messages has been seen.
    const messages = conversation(100, state.turn)
    return {
      ms: await time(() => engine.chat(messages, TOOLS)),
      bytes: Buffer.byteLength(JSON.stringify(messages)),
    }
  },
}

export const chatAgain = {
  title: 'the same chat after one more turn',
  chats: true,
  perCall: true,
  async run({ engine, state }) {
    state.again = (state.again ?? 1000) + 1
    const messages = conversation(100, state.again)
    engine.chat(messages, TOOLS)
    const more = [...messages, ...conversation(102, state.again).slice(100)]
    return { ms: await time(() => engine.chat(more, TOOLS)), bytes: Buffer.byteLength(JSON.stringify(more)) }
  },
}

/** Whether two engines give the same ids. */
export const sameChat = (ids, others) => equal(Array.from(ids), Array.from(others))

export const TOOLS = Array.from({ length: 8 }, (_, i) => ({
  type: 'function',
  function: {
    name: `look_up_${i}`,
    description: 'Looks something up in a table and gives the rows that fit, the newest first.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer' } },
      required: ['query'],
    },
  },
}))

const prose = readFileSync(path.join(root, 'LICENSE'), 'utf8').replace(/\s+/g, ' ')

/** @param variant conversations of different numbers share no message */
export function conversation(length, variant = 0) {
  const piece = (i, size) => `${variant}.${i} ${prose.slice((i * 331 + variant * 97) % 8000).slice(0, size)}`
  const messages = [{ role: 'system', content: 'You answer questions about licences.' }]
  for (let i = 0; messages.length < length; i++) {
    const call = { name: 'look_up_1', arguments: { query: piece(i, 40), limit: i } }
    messages.push(
      { role: 'user', content: `Question: ${piece(i, 300)}` },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: `call0000${i % 10}`, type: 'function', function: call }],
      },
      { role: 'tool', name: 'look_up_1', tool_call_id: `call0000${i % 10}`, content: piece(i + 7, 500) },
      { role: 'assistant', content: piece(i + 11, 400) },
    )
  }
  return messages.slice(0, length)
}
