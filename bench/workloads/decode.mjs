// Decoding: documents as a whole, and id by id.
import { time } from '../measure.mjs'
import { bytesOf } from '../texts.mjs'

export const decode = {
  title: 'decode documents',
  needs: (engine) => engine.decode !== undefined,
  async run({ engine, texts, state }) {
    state.decode ??= await idsOf(engine, texts.documents)
    const decodeAll = () =>
      time(async () => {
        if (engine.waits) for (const ids of state.decode) await engine.decode(ids)
        else for (const ids of state.decode) engine.decode(ids)
      })
    if (!state.decoded) await decodeAll()
    state.decoded = true
    return { ms: await decodeAll(), bytes: bytesOf(texts.documents) }
  },
}

/** Each id is handed in alone, and each text comes out as soon as it is certain. */
export const stream = {
  title: 'streaming decode',
  needs: (engine) => engine.stream !== undefined || engine.streamAll !== undefined,
  async run({ engine, texts, state }) {
    const documents = texts.documents.slice(0, 150)
    const run = engine.streamAll ?? ((ids) => pushAll(engine.stream(), ids))
    if (state.stream === undefined) {
      state.stream = await idsOf(engine, documents)
      for (const [i, ids] of state.stream.entries()) {
        if (run(ids) !== (await engine.decode(ids))) throw new Error(`another text streamed: document ${i}`)
      }
    }
    const ms = await time(() => {
      for (const ids of state.stream) run(ids)
    })
    return { ms, bytes: bytesOf(documents) }
  },
}

function pushAll(decoder, ids) {
  let text = ''
  for (const id of ids) text += decoder.push(id)
  return text + decoder.end()
}

async function idsOf(engine, documents) {
  const all = []
  for (const text of documents) all.push(await engine.encode(text))
  return all
}
