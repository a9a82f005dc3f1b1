// One of the threads of `workers`.
import { parentPort, workerData } from 'node:worker_threads'
import { PEERS } from '../peers.mjs'
import { readTexts } from '../texts.mjs'
import { encodeAll } from './encode.mjs'

const engine = await PEERS[workerData.peer].load(workerData.model)
const { documents } = readTexts(workerData.quick)
await encodeAll(engine, documents.slice(0, 20))
parentPort.on('message', async () => {
  await encodeAll(engine, documents)
  parentPort.postMessage('done')
})
parentPort.postMessage('ready')
