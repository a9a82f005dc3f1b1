import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sglangEngine } from '../../src/engine/sglang.js'
import { type Delivery, fakeServer, sendEvents } from './fake-server.js'
import { generate } from './generate.js'
import { type Cuts, type SglangShape, sglangEvents } from './wire-shapes.js'

const answering = (cuts: Cuts, shape: SglangShape, delivery?: Delivery) =>
  fakeServer(({ body }, response) => sendEvents(response, sglangEvents(body, cuts, shape), delivery))

it('sends ids, and every option by its name there', async () => {
  await using server = await answering([[11], [7]], {
    cumulative: true,
    finish: { type: 'stop', matched: 7 },
  })
  const engine = sglangEngine({ url: server.url, extraBody: { rid: 'r1' } })
  const sampling = { temperature: 0, topK: 1, seed: 3 }
  expect(await generate(engine, { sampling })).toEqual({
    ids: [11, 7],
    pieces: [[11], [7]],
    end: { reason: 'stop', cachedTokens: 2 },
  })
  expect(server.received[0]).toMatchObject({
    path: '/generate',
    body: {
      rid: 'r1',
      input_ids: [64790, 64792, 5, 6],
      stream: true,
      sampling_params: {
        max_new_tokens: 100,
        stop_token_ids: [2, 7],
        skip_special_tokens: false,
        no_stop_trim: true,
        temperature: 0,
        top_k: 1,
        sampling_seed: 3,
      },
    },
  })
})

describe.each([true, false])('events with all ids so far: %s', (cumulative) => {
  it.each<[string, Cuts, Omit<SglangShape, 'cumulative'>, number[], string]>([
    ['a stop id', [[5], [5, 5], [7]], { finish: { type: 'stop', matched: 7 } }, [5, 5, 5, 7], 'stop'],
    [
      'a stop id that is only named',
      [[5], [6], []],
      { finish: { type: 'stop', matched: 7 }, trimmed: true },
      [5, 6, 7],
      'stop',
    ],
    ['one of another list', [[5], [9]], { finish: { type: 'stop', matched: 9 } }, [5, 9], 'stop'],
    [
      'the limit',
      [
        [5, 5],
        [5, 5],
      ],
      { finish: { type: 'length', length: 4 } },
      [5, 5, 5, 5],
      'length',
    ],
    ['something new', [[5]], { finish: { type: 'elsewhere' } }, [5], 'other'],
  ])('ends at %s', async (_, cuts, shape, ids, reason) => {
    await using server = await answering(cuts, { cumulative, ...shape })
    expect(await generate(sglangEngine({ url: server.url }))).toMatchObject({ ids, end: { reason } })
  })
})

it('tells the two sorts of events apart, whatever the ids are', async () => {
  const cuts = fc.array(fc.array(fc.constantFrom(5, 6), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(cuts, fc.boolean(), fc.boolean(), async (pieces, cumulative, trimmed) => {
      const all = trimmed ? pieces : [...pieces, [7]]
      const finish = { type: 'stop', matched: 7 }
      await using server = await answering(all, { cumulative, finish, trimmed })
      const { ids } = await generate(sglangEngine({ url: server.url }))
      expect(ids).toEqual([...pieces.flat(), 7])
    }),
    { numRuns: 60 },
  )
})

it('reads cumulative events from a server that does not count', async () => {
  await using server = await fakeServer((_, response) =>
    sendEvents(response, [
      { output_ids: [5] },
      { output_ids: [5, 6] },
      { output_ids: [5, 6, 7], meta_info: { finish_reason: { type: 'stop' } } },
    ]),
  )
  expect((await generate(sglangEngine({ url: server.url }))).ids).toEqual([5, 6, 7])
})

it('says what an aborted generation says', async () => {
  const finish = { type: 'abort', message: 'out of memory', status_code: 500 }
  await using server = await answering([[11], [12]], { cumulative: true, finish })
  await expect(generate(sglangEngine({ url: server.url }))).rejects.toMatchObject({
    kind: 'generation',
    serverMessage: 'out of memory',
    message: 'SGLang: out of memory',
  })
})
