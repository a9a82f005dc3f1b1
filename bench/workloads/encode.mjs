// Encoding: new text, text seen before, short messages, one long text, counting.
import { percentile, time } from '../measure.mjs'
import { bytesOf } from '../texts.mjs'

const WARM_MS = 3000

/** Texts that the engine has not met, when its code and tables are warm. In a process of its own. */
export const fresh = {
  title: 'fresh documents',
  alone: true,
  async run({ engine, texts, quick }) {
    const end = performance.now() + (quick ? WARM_MS / 10 : WARM_MS)
    for (let i = 0; performance.now() < end; i++) await encodeAll(engine, [texts.warm[i % texts.warm.length]])
    return { ms: await encodeAll(engine, texts.documents), bytes: bytesOf(texts.documents) }
  },
}

/** The same documents again and again. */
export const replay = {
  title: 'replay of documents',
  async run({ engine, texts, state }) {
    const { documents } = texts
    if (!state.replayed) await encodeAll(engine, documents)
    state.replayed = true
    return { ms: await encodeAll(engine, documents), bytes: bytesOf(documents) }
  },
}

/** One call for each message, timed one by one; `ms` is the time of one, on average. */
export const messages = {
  title: 'chat messages',
  perCall: true,
  async run({ engine, texts, state }) {
    const list = texts.messages
    if (!state.messages) await encodeAll(engine, list)
    state.messages = true
    const times = new Float64Array(list.length)
    for (let i = 0; i < list.length; i++) {
      const start = performance.now()
      if (engine.waits) await engine.encode(list[i])
      else engine.encode(list[i])
      times[i] = performance.now() - start
    }
    const total = times.reduce((sum, ms) => sum + ms, 0)
    return {
      ms: total / list.length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      bytes: bytesOf(list) / list.length,
    }
  },
}

/** The same where no whole texts are remembered: what the tokenizer itself takes. */
export const replayWithoutMemo = withoutMemo(replay)
export const messagesWithoutMemo = withoutMemo(messages)

function withoutMemo(workload) {
  return {
    ...workload,
    title: `${workload.title}, no memo`,
    oursOnly: true,
    async run({ engine, texts, state }) {
      state.withoutMemo ??= await engine.withoutMemo()
      state.stateWithoutMemo ??= {}
      return workload.run({ engine: state.withoutMemo, texts, state: state.stateWithoutMemo })
    },
  }
}

/** All documents as one string. What a quadratic engine would need is told from parts of it. */
export const one = {
  title: 'one long string',
  async run({ engine, texts, state }) {
    state.one ??= await joined(engine, texts)
    if (typeof state.one !== 'string') return { skipped: state.one.skipped }
    return { ms: await time(() => engine.encode(state.one)), bytes: Buffer.byteLength(state.one) }
  },
}

async function joined(engine, texts) {
  const whole = texts.documents.join('\n')
  for (const parts of [64, 16, 4]) {
    const part = whole.slice(0, whole.length / parts)
    const ms = await time(() => engine.encode(part))
    if (ms > 6000) return { skipped: `${(part.length / 1e6).toFixed(1)} MB took ${(ms / 1000).toFixed(0)} s` }
  }
  await engine.encode(whole)
  return whole
}

/** How many ids; encoding counts where a peer has nothing better. */
export const count = {
  title: 'count only',
  async run({ engine, texts, state }) {
    const countOne = engine.count ?? (async (text) => (await engine.encode(text)).length)
    const { documents } = texts
    const countAll = () =>
      time(async () => {
        for (const text of documents) await countOne(text)
      })
    if (!state.counted) await countAll()
    state.counted = true
    return { ms: await countAll(), bytes: bytesOf(documents) }
  },
}

export async function encodeAll(engine, list) {
  if (engine.encodeAll) return engine.encodeAll(list)
  const start = performance.now()
  // Waiting takes time of its own, so that only those wait who must.
  if (engine.waits) for (const text of list) await engine.encode(text)
  else for (const text of list) engine.encode(text)
  return performance.now() - start
}
