// The process of one peer with one model. It is sent the names of workloads and answers with what they took.
import { createHash } from 'node:crypto'
import { megabytes } from './measure.mjs'
import { CHAT_PEERS, PEERS } from './peers.mjs'
import { readTexts } from './texts.mjs'
import { conversation, TOOLS } from './workloads/chat.mjs'
import { WORKLOADS } from './workloads/index.mjs'

const { peer, model, quick, chats, threads } = JSON.parse(process.argv[2])
// Only the batch is about threads.
if (!threads) process.env.TOKENIZERS_PARALLELISM = 'false'
else process.env.RAYON_NUM_THREADS = process.env.RAYON_RS_NUM_THREADS = '2'

const state = {}
let context

process.on('message', async (name) => {
  try {
    context ??= await prepare()
    process.send(name === 'ids' ? await ids(context) : await measure(WORKLOADS[name], context))
  } catch (error) {
    process.send({ failed: String(error?.message ?? error).slice(0, 200) })
  }
})

async function prepare() {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const start = performance.now()
  const engine = await (chats ? CHAT_PEERS : PEERS)[peer].load(model)
  if (chats) engine.chat(conversation(2), [])
  else await engine.encode('hi')
  const ms = performance.now() - start
  globalThis.gc?.()
  const memory = megabytes(process.memoryUsage.rss() - before)
  return {
    engine,
    model,
    peer,
    quick,
    state,
    texts: readTexts(quick),
    loaded: { ms, memory },
    ours: peer.startsWith('safetokens'),
  }
}

async function measure(workload, context) {
  if (workload.needs && !workload.needs(context.engine)) return { lacks: true }
  globalThis.gc?.()
  return workload.run(context)
}

/** A hash of the ids of each text, and which texts spell a reserved token: others find the token in them. */
async function ids({ engine, texts }) {
  const hash = (list) => createHash('sha1').update(Uint32Array.from(list)).digest('base64').slice(0, 12)
  if (chats) return { ids: [100, 102].map((length) => hash(engine.chat(conversation(length), TOOLS))) }
  const of = async (list) => {
    const hashes = []
    for (const text of list) hashes.push(hash(await engine.encode(text)))
    return hashes
  }
  const all = [...texts.documents, ...texts.messages]
  return { ids: await of(all), spelled: engine.spells && all.map((text) => engine.spells(text)) }
}
