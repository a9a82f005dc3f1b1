// Whole chats, from messages to ids: 100 messages with tools, and the same with one more turn.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { equal, median, time } from '../measure.mjs'
import { root } from '../places.mjs'

/**
 * A server has encoded other conversations before, so engines are warmed: for so long at first, and shortly in each round,
 * as the collection of garbage before it makes V8 forget what it has compiled.
 */
const WARM_MS = 2000
const WARM_AGAIN_MS = 300
/** Conversations in a round. */
const CALLS = 20

export const chat = {
  title: 'chat of 100 messages, first',
  chats: true,
  perCall: true,
  run: ({ engine, state }) =>
    measure(state, 'first', (messages) => [messages, () => engine.chat(messages, TOOLS)]),
}

export const chatAgain = {
  title: 'the same chat after one more turn',
  chats: true,
  perCall: true,
  run: ({ engine, state }) =>
    measure(state, 'again', (messages, more) => {
      engine.chat(messages, TOOLS)
      return [more, () => engine.chat(more, TOOLS)]
    }),
}

export const chatSession = {
  title: 'one more turn in a session',
  chats: true,
  perCall: true,
  needs: (engine) => engine.session !== undefined,
  run: ({ engine, state }) =>
    measure(state, 'session', (messages, more) => {
      const session = engine.session(TOOLS)
      session.append(...messages)
      session.ids
      return [
        more,
        () => {
          session.append(...more.slice(messages.length))
          return session.ids
        },
      ]
    }),
}

/**
 * The median of several conversations, none of whose messages has been seen.
 *
 * @param name what is warmed once
 * @param prepare of the messages, and of those with one more turn, gives what is encoded and what is timed
 */
async function measure(state, name, prepare) {
  const next = () => {
    state.conversations = (state.conversations ?? 0) + 1
    return prepare(conversation(100, state.conversations), conversation(102, state.conversations))
  }
  state.warm ??= new Set()
  const until = performance.now() + (state.warm.has(name) ? WARM_AGAIN_MS : WARM_MS)
  state.warm.add(name)
  while (performance.now() < until) next()[1]()
  const times = []
  let bytes = 0
  for (let i = 0; i < CALLS; i++) {
    const [messages, run] = next()
    bytes += Buffer.byteLength(JSON.stringify(messages))
    times.push(await time(run))
  }
  return { ms: median(times), bytes: bytes / CALLS }
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
