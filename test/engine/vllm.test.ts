import { expect, it } from 'vitest'
import { vllmEngine } from '../../src/engine/vllm.js'
import { fakeServer, sendEvents, sendJson } from './fake-server.js'
import { generate } from './generate.js'
import { type Cuts, type VllmEnd, vllmEvents } from './wire-shapes.js'

const answering = (cuts: Cuts, end: VllmEnd) =>
  fakeServer(({ body }, response) => sendEvents(response, vllmEvents(body, cuts, end)))

it('sends ids, and every option by its name there', async () => {
  await using server = await answering([[11], [12, 2]], { finish_reason: 'stop', stop_reason: 2 })
  const engine = vllmEngine({
    url: `${server.url}/v1/`,
    model: 'm',
    apiKey: 'secret',
    headers: { 'x-tenant': '7' },
    extraBody: { cache_salt: 's', prompt: [1] },
  })
  const sampling = {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    minP: 0.1,
    seed: 7,
    repetitionPenalty: 1.1,
    presencePenalty: 0.2,
    frequencyPenalty: 0.3,
  }
  expect(await generate(engine, { sampling })).toEqual({
    ids: [11, 12, 2],
    pieces: [[11], [12, 2]],
    end: { reason: 'stop', cachedTokens: 2 },
  })
  const [{ path, headers, body } = {} as never] = server.received
  expect(path).toBe('/v1/completions')
  expect(headers).toMatchObject({
    authorization: 'Bearer secret',
    'x-tenant': '7',
    'content-type': 'application/json',
  })
  expect(body).toEqual({
    model: 'm',
    prompt: [64790, 64792, 5, 6],
    max_tokens: 100,
    stop_token_ids: [2, 7],
    stream: true,
    stream_options: { include_usage: true },
    return_token_ids: true,
    skip_special_tokens: false,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    min_p: 0.1,
    seed: 7,
    repetition_penalty: 1.1,
    presence_penalty: 0.2,
    frequency_penalty: 0.3,
    cache_salt: 's',
  })
})

it.each<[string, Cuts, VllmEnd, number[], string]>([
  ['a stop id that is sent', [[11], [7]], { finish_reason: 'stop', stop_reason: 7 }, [11, 7], 'stop'],
  ['a stop id that is only named', [[11], []], { finish_reason: 'stop', stop_reason: 7 }, [11, 7], 'stop'],
  ['the eos, which is not named', [[11], [2]], { finish_reason: 'stop' }, [11, 2], 'stop'],
  ['the eos, which is not sent either', [[11], []], { finish_reason: 'stop' }, [11], 'stop'],
  ['an id behind the stop id', [[11], [7, 12]], { finish_reason: 'length' }, [11, 7], 'stop'],
  ['a stop id at once', [[7]], { finish_reason: 'stop', stop_reason: 7 }, [7], 'stop'],
  ['nothing', [[]], { finish_reason: 'stop' }, [], 'stop'],
  ['a stop text', [[11]], { finish_reason: 'stop', stop_reason: 'x' }, [11], 'stop'],
  ['the limit', [[11], [12]], { finish_reason: 'length' }, [11, 12], 'length'],
  ['something new', [[11]], { finish_reason: 'repetition' }, [11], 'other'],
])('ends at %s', async (_, cuts, end, ids, reason) => {
  await using server = await answering(cuts, end)
  expect(await generate(vllmEngine({ url: server.url }))).toMatchObject({ ids, end: { reason } })
})

it('takes a prompt that the server changed for an error', async () => {
  await using server = await fakeServer(({ body }, response) =>
    sendEvents(
      response,
      vllmEvents({ ...body, prompt: [1, ...(body.prompt as number[])] }, [[11]], { finish_reason: 'stop' }),
    ),
  )
  await expect(generate(vllmEngine({ url: server.url }))).rejects.toMatchObject({
    code: 'ENGINE',
    kind: 'protocol',
    message: 'vLLM: the server changed the prompt before the model read it',
  })
})

it('takes text without ids for an error', async () => {
  await using server = await fakeServer((_, response) =>
    sendEvents(response, [{ choices: [{ index: 0, text: 'hi', finish_reason: null }] }]),
  )
  await expect(generate(vllmEngine({ url: server.url }))).rejects.toMatchObject({
    kind: 'protocol',
    message: expect.stringContaining('vLLM 0.10.2'),
  })
})

it('reads an answer that is no stream', async () => {
  await using server = await fakeServer(({ body }, response) =>
    sendJson(response, vllmEvents(body, [[11, 7]], { finish_reason: 'stop', stop_reason: 7 })[0]),
  )
  expect(await generate(vllmEngine({ url: server.url }))).toMatchObject({
    ids: [11, 7],
    end: { reason: 'stop' },
  })
})
