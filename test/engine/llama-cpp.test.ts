import { expect, it } from 'vitest'
import { llamaCppEngine } from '../../src/engine/llama-cpp.js'
import { type Body, fakeServer, sendJson } from './fake-server.js'
import { generate } from './generate.js'
import { llamaCppAnswer } from './wire-shapes.js'

/** A server whose model writes these ids, and knows one eos. */
const writing = (ids: readonly number[], eos?: number) =>
  fakeServer(({ body }, response) => {
    const { prompt, n_predict } = body as { prompt: number[]; n_predict: number }
    const rest = ids.slice(prompt.length - 4)
    const end = eos === undefined ? -1 : rest.indexOf(eos)
    const eosCounts = end >= 0 && end < n_predict
    const written = eosCounts ? rest.slice(0, end + 1) : rest.slice(0, n_predict)
    return sendJson(response, llamaCppAnswer(body, written, eosCounts ? 'eos' : 'limit'))
  })

it('asks for a few ids at a time, each time behind what was written, with numbers of their own', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => 100 + i)
  await using server = await writing([...ids, 7, 8, 9])
  const engine = llamaCppEngine({ url: server.url, extraBody: { id_slot: 1 } })
  const sampling = { temperature: 0.5, topK: 1, seed: 3, repetitionPenalty: 1.1 }
  const { ids: got, pieces, end } = await generate(engine, { sampling })
  expect(got).toEqual([...ids, 7])
  expect(pieces.map(({ length }) => length)).toEqual([16, 16, 9])
  expect(end).toEqual({ reason: 'stop', cachedTokens: 2 })
  expect(server.received.map(({ path }) => path)).toEqual(['/completion', '/completion', '/completion'])
  expect(server.received[1]?.body).toEqual({
    id_slot: 1,
    prompt: [64790, 64792, 5, 6, ...ids.slice(0, 16)],
    n_predict: 16,
    stream: false,
    return_tokens: true,
    cache_prompt: true,
    temperature: 0.5,
    top_k: 1,
    seed: 19,
    repeat_penalty: 1.1,
  })
})

it.each<[string, readonly number[], number | undefined, number[], string]>([
  ['the eos', [11, 2], 2, [11, 2], 'stop'],
  ['an end of the model that is none of ours', [11, 9], 9, [11, 9], 'stop'],
  ['a stop id that the server does not know', [11, 7, 12], undefined, [11, 7], 'stop'],
  ['the limit', Array(40).fill(11), undefined, Array(20).fill(11), 'length'],
])('ends at %s', async (_, written, eos, ids, reason) => {
  await using server = await writing(written, eos)
  const result = await generate(llamaCppEngine({ url: server.url }), { maxTokens: 20 })
  expect(result).toMatchObject({ ids, end: { reason } })
  const asked = server.received.map(({ body }) => body.n_predict)
  expect(asked).toEqual(reason === 'length' ? [16, 4] : [16])
})

it('ends at the limit when the context is full', async () => {
  await using server = await fakeServer(({ body }, response) =>
    sendJson(response, llamaCppAnswer(body, [11, 12], 'limit', { truncated: true })),
  )
  expect(await generate(llamaCppEngine({ url: server.url }))).toMatchObject({
    ids: [11, 12],
    end: { reason: 'length' },
  })
})

it.each<[string, (body: Body) => object, string]>([
  [
    'text without ids',
    (body) => ({ ...llamaCppAnswer(body, [11], 'limit'), tokens: [] }),
    'text came without tokens',
  ],
  [
    'a prompt that the server cut',
    (body) => llamaCppAnswer(body, [11], 'limit', { truncated: true, tokens_evaluated: 3 }),
    'the server cut the prompt from 4 to 3 ids',
  ],
])('takes %s for an error', async (_, answer, message) => {
  await using server = await fakeServer(({ body }, response) => sendJson(response, answer(body)))
  await expect(generate(llamaCppEngine({ url: server.url }))).rejects.toMatchObject({
    kind: 'protocol',
    message: expect.stringContaining(message),
  })
})

it('asks no second time once ids have come', async () => {
  await using server = await fakeServer(({ body }, response, number) =>
    number === 0
      ? sendJson(response, llamaCppAnswer(body, Array(16).fill(11), 'limit'))
      : sendJson(
          response,
          { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
          503,
        ),
  )
  await expect(generate(llamaCppEngine({ url: server.url }))).rejects.toMatchObject({ status: 503 })
  expect(server.received).toHaveLength(2)
})
