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
const WARM_AGAIN_MS = 1000
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
  title: 'one more turn in a session of 100 messages',
  chats: true,
  perCall: true,
  needs: (engine) => engine.session !== undefined,
  run: ({ engine, state }) => {
    const { later, bytes } = measureSessions(state, engine)
    return { ms: later, bytes }
  },
}

export const chatSessionFirst = {
  title: 'the first turn in a session that was just made of 100 messages',
  chats: true,
  perCall: true,
  needs: (engine) => engine.session !== undefined,
  run: ({ engine, state }) => {
    const { first, bytes } = measureSessions(state, engine)
    return { ms: first, bytes }
  },
}

/** Conversations that a server has open, and turns of each. */
const SESSIONS = 8
const TURNS = 20

/**
 * What a server does that keeps a session for each conversation: the sessions get a turn in turn, an answer with the next
 * question or a call with its result, none of which has been seen. What is timed is a turn until all ids of its prompt
 * stand in memory of the server's own. At last the ids are compared with those of the whole conversation.
 *
 * @returns the median of first turns, and the mean of the medians of the second, the third and so on: messages of
 *   different roles take turns
 */
function measureSessions(state, engine) {
  const times = Array.from({ length: TURNS }, () => [])
  let bytes = 0
  const round = (isTimed) => {
    const open = Array.from({ length: SESSIONS }, () => openSession(state, engine))
    for (let turn = 0; turn < TURNS; turn++) {
      for (const { session, messages, prompt } of open) {
        const more = messages.slice(100 + 2 * turn, 102 + 2 * turn)
        const start = performance.now()
        const { kept, ids } = session.append(...more)
        prompt.ids.set(ids, kept)
        prompt.length = kept + ids.length
        const ms = performance.now() - start
        if (isTimed) times[turn].push(ms)
      }
    }
    for (const { messages, prompt } of open) {
      if (!equal(prompt.ids.subarray(0, prompt.length), engine.chat(messages, TOOLS)))
        throw new Error('ids differ')
      if (isTimed) bytes += Buffer.byteLength(JSON.stringify(messages.slice(0, 102)))
    }
  }
  const until = warmUntil(state, 'session')
  while (performance.now() < until) round(false)
  const rounds = Math.ceil(CALLS / SESSIONS)
  for (let i = 0; i < rounds; i++) round(true)
  const [first, ...later] = times.map(median)
  return {
    first,
    later: later.reduce((sum, ms) => sum + ms, 0) / later.length,
    bytes: bytes / (rounds * SESSIONS),
  }
}

function openSession(state, engine) {
  state.conversations = (state.conversations ?? 0) + 1
  const messages = conversation(100 + 2 * TURNS, state.conversations)
  const session = engine.session(TOOLS)
  const { ids } = session.append(...messages.slice(0, 100))
  const prompt = { ids: new Uint32Array(2 * ids.length), length: ids.length }
  prompt.ids.set(ids)
  return { session, messages, prompt }
}

/** When an engine is warm: later for the first time. */
function warmUntil(state, name) {
  state.warm ??= new Set()
  const until = performance.now() + (state.warm.has(name) ? WARM_AGAIN_MS : WARM_MS)
  state.warm.add(name)
  return until
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
  const until = warmUntil(state, name)
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
