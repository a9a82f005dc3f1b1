import { describe, expect, it } from 'vitest'
import { type LlamaSequence, nodeLlamaCppEngine } from '../../src/engine/node-llama-cpp.js'
import { generate, request } from './generate.js'

/** A sequence whose model writes these ids, over and over. */
class FakeSequence implements LlamaSequence {
  readonly contextSize: number
  readonly evaluated: number[][] = []
  readonly options: Record<string, unknown>[] = []
  running = 0
  mostRunning = 0
  #held: number[] = []
  readonly #writes: readonly number[]
  readonly #eog: number

  constructor(writes: readonly number[], { contextSize = 100, eog = -1 } = {}) {
    this.#writes = writes
    this.contextSize = contextSize
    this.#eog = eog
  }

  get nextTokenIndex(): number {
    return this.#held.length
  }

  async adaptStateToTokens(tokens: readonly number[], allowShift?: boolean): Promise<void> {
    expect(allowShift).toBe(false)
    const same = this.#held.findIndex((id, i) => id !== tokens[i])
    if (same >= 0) this.#held = this.#held.slice(0, same)
  }

  async *evaluate(
    tokens: number[],
    options: Record<string, unknown> = {},
  ): AsyncGenerator<number, void, undefined> {
    expect(tokens.length).toBeGreaterThan(0)
    this.evaluated.push(tokens)
    this.options.push(options)
    this.mostRunning = Math.max(this.mostRunning, ++this.running)
    try {
      this.#held.push(...tokens)
      for (let i = 0; ; i++) {
        await new Promise(setImmediate)
        const id = this.#writes[i % this.#writes.length] as number
        yield id
        if (id === this.#eog) return
        expect(this.#held.length).toBeLessThan(this.contextSize)
        this.#held.push(id)
      }
    } finally {
      this.running--
    }
  }
}

describe('ends at', () => {
  it.each<[string, FakeSequence, number[], string]>([
    ['a stop id', new FakeSequence([11, 7]), [11, 7], 'stop'],
    ['an end of the model that is none of ours', new FakeSequence([11, 9], { eog: 9 }), [11, 9], 'stop'],
    ['the limit', new FakeSequence([11]), Array(20).fill(11), 'length'],
    ['the end of the context', new FakeSequence([11], { contextSize: 9 }), Array(5).fill(11), 'length'],
  ])('%s', async (_, sequence, ids, reason) => {
    const result = await generate(nodeLlamaCppEngine({ sequence }), { maxTokens: 20 })
    expect(result).toMatchObject({ ids, end: { reason } })
    expect(sequence.running).toBe(0)
  })
})

it('gives every option by its name there', async () => {
  const sequence = new FakeSequence([7])
  const sampling = { temperature: 0.5, topP: 0.9, topK: 4, minP: 0.1, seed: 3, presencePenalty: 0.2 }
  await generate(nodeLlamaCppEngine({ sequence }), { sampling })
  expect(sequence.options[0]).toMatchObject({
    yieldEogToken: true,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    minP: 0.1,
    seed: 3,
    repeatPenalty: { penalty: 1, presencePenalty: 0.2 },
  })
})

it('computes only what is new, and always something', async () => {
  const sequence = new FakeSequence([11, 7])
  const engine = nodeLlamaCppEngine({ sequence })
  await generate(engine)
  const { end } = await generate(engine, { promptIds: [64790, 64792, 5, 6, 11, 8] })
  await generate(engine, { promptIds: [64790, 64792] })
  expect(sequence.evaluated).toEqual([[64790, 64792, 5, 6], [8], [64792]])
  expect(end).toEqual({ reason: 'stop', cachedTokens: 5 })
})

it('lets requests wait for one another', async () => {
  const sequence = new FakeSequence([11, 12, 7])
  const engine = nodeLlamaCppEngine({ sequence })
  const results = await Promise.all([1, 2, 3].map((id) => generate(engine, { promptIds: [id] })))
  expect(results.map(({ ids }) => ids)).toEqual(Array(3).fill([11, 12, 7]))
  expect(sequence.mostRunning).toBe(1)
})

it('is free again after a request that was aborted, left, or too long', async () => {
  const sequence = new FakeSequence([11])
  const engine = nodeLlamaCppEngine({ sequence })
  const control = new AbortController()
  const reason = new Error('enough')
  const aborted = (async () => {
    for await (const _ of engine.generate(request({ signal: control.signal }))) control.abort(reason)
  })()
  await expect(aborted).rejects.toBe(reason)
  await expect(generate(engine, { signal: control.signal })).rejects.toBe(reason)
  for await (const _ of engine.generate(request())) break
  await expect(generate(engine, { promptIds: Array(100).fill(1) })).rejects.toMatchObject({
    code: 'ENGINE',
    message: 'node-llama-cpp: a prompt of 100 ids and a reply do not fit into the context of 100',
  })
  expect((await generate(engine, { maxTokens: 1 })).ids).toEqual([11])
})
