// Several threads: a batch on a pool of two, and eight workers with one model.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { megabytes, time } from '../measure.mjs'
import { bytesOf } from '../texts.mjs'

const WORKERS = 8

export const batch = {
  title: 'batch on two threads',
  needs: (engine) => engine.batch !== undefined,
  async run({ engine, texts, state }) {
    if (!state.batched) await engine.batch(texts.documents)
    state.batched = true
    return { ms: await time(() => engine.batch(texts.documents)), bytes: bytesOf(texts.documents) }
  },
}

/** Each thread loads the model and encodes all documents. `memory`: what eight of them take together. */
export const workers = {
  title: '8 worker threads',
  oursOnly: true,
  alone: true,
  async run({ model, peer, texts, quick }) {
    const before = process.memoryUsage.rss()
    const file = new URL('./worker.mjs', import.meta.url)
    const all = Array.from(
      { length: WORKERS },
      () => new Worker(file, { workerData: { peer, model, quick } }),
    )
    await Promise.all(all.map((worker) => once(worker, 'message')))
    const memory = megabytes(process.memoryUsage.rss() - before)
    const ms = await time(() =>
      Promise.all(
        all.map((worker) => {
          worker.postMessage('run')
          return once(worker, 'message')
        }),
      ),
    )
    await Promise.all(all.map((worker) => worker.terminate()))
    return { ms, bytes: WORKERS * bytesOf(texts.documents), memory }
  },
}
