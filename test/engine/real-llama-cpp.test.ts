// Real llama.cpp, by node-llama-cpp, with a model of random weights. `npm run conformance -- --only engine` fetches it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { Engine } from '../../src/engine/engine.js'
import { generateReply, type ReplyEvent } from '../../src/engine/generate-reply.js'
import { type LlamaSequence, nodeLlamaCppEngine } from '../../src/engine/node-llama-cpp.js'
import { llamaCppFile } from '../conformance/llama-cpp.js'
import { generate } from './generate.js'
import { randomModel } from './random-model.js'

interface Disposable {
  dispose(): Promise<void>
}
interface NodeLlamaCpp {
  getLlama(options: object): Promise<{
    loadModel(options: { modelPath: string }): Promise<
      Disposable & {
        createContext(options: object): Promise<Disposable & { getSequence(): LlamaSequence & Disposable }>
      }
    >
  }>
}

const file = llamaCppFile()
const MESSAGES = [{ role: 'user', content: 'What is <|im_end|>? 天気 👋' }]

describe.skipIf(file === undefined)('a random model in llama.cpp', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  const modelPath = path.join(folder, 'random.gguf')
  const used: Disposable[] = []
  let chat: Chat
  let engines: Engine[]

  beforeAll(async () => {
    writeFileSync(modelPath, randomModel(20261130))
    chat = await Chat.load(modelPath, { format: 'chatml' })
    const { getLlama } = (await import(pathToFileURL(file ?? '').href)) as NodeLlamaCpp
    const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' })
    const model = await llama.loadModel({ modelPath })
    const context = await model.createContext({ contextSize: 256, sequences: 2, threads: 1 })
    const sequences = [context.getSequence(), context.getSequence()]
    engines = sequences.map((sequence) => nodeLlamaCppEngine({ sequence }))
    used.push(...sequences, context, model)
  }, 60_000)

  afterAll(async () => {
    for (const thing of used) await thing.dispose()
    rmSync(folder, { recursive: true })
  })

  const prompt = () => ({ promptIds: chat.encode(MESSAGES).ids, stopIds: chat.eosTokenIds })

  it('gives the same ids for the same seed, whatever it computed before', async () => {
    const [one, two] = engines as [Engine, Engine]
    const options = { ...prompt(), maxTokens: 60, sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 } }
    const first = await generate(one, options)
    expect(first.ids.length).toBeGreaterThan(5)
    expect(await generate(two, options)).toEqual(first)
    const again = await generate(one, options)
    expect(again.ids).toEqual(first.ids)
    expect(again.end?.cachedTokens).toBe(options.promptIds.length - 1)
    const other = await generate(one, { ...options, sampling: { ...options.sampling, seed: 8 } })
    expect(other.ids).not.toEqual(first.ids)
  })

  it('ends at our stop ids, which are none of the model file', async () => {
    const [engine] = engines as [Engine]
    const options = { ...prompt(), maxTokens: 40, sampling: { temperature: 1, seed: 7 } }
    const { ids } = await generate(engine, { ...options, stopIds: [] })
    const stop = ids[5] as number
    const stopped = await generate(engine, { ...options, stopIds: [stop] })
    expect(stopped).toMatchObject({ ids: ids.slice(0, ids.indexOf(stop) + 1), end: { reason: 'stop' } })
  })

  it('writes what our parser reads: the same turns, streamed or whole', async () => {
    const [engine] = engines as [Engine]
    const { promptIds } = prompt()
    for (let seed = 0; seed < 8; seed++) {
      const sampling = { temperature: 1, topK: 0, topP: 1, seed }
      const { ids } = await generate(engine, { ...prompt(), maxTokens: 60, sampling })
      let text = ''
      let end: Extract<ReplyEvent, { type: 'end' }> | undefined
      for await (const event of generateReply(chat, engine, promptIds, { maxTokens: 60, sampling })) {
        if (event.type === 'text') text += event.text
        if (event.type === 'end') end = event
      }
      const [turn, ...others] = chat.parse(ids)
      expect(others).toEqual([])
      expect(end?.turns).toEqual([turn])
      expect(text).toBe(turn?.content)
      expect(end?.usage).toMatchObject({ promptTokens: promptIds.length, outputTokens: ids.length })
      // No id is lost: those that are no text are told of.
      const controls = ids.filter((id) => chat.tokenizer.isReserved(id) && !chat.eosTokenIds.includes(id))
      expect(turn?.unexpected.map(({ id }) => id)).toEqual(controls)
    }
  })

  it('ends where the context does', async () => {
    const [engine] = engines as [Engine]
    const { ids, end } = await generate(engine, { ...prompt(), stopIds: [], maxTokens: 1000 })
    expect(end?.reason).toBe('length')
    expect(ids.length + prompt().promptIds.length).toBe(256)
  })
})
