import { describe, expect, it } from 'vitest'
import { connectEngine } from '../../src/engine/detect.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { type Body, fakeServer, sendEvents, sendJson } from './fake-server.js'
import { generate } from './generate.js'
import { llamaCppAnswer, sglangEvents, vllmEvents } from './wire-shapes.js'

const serving = (owner: string) =>
  fakeServer(({ path, body }, response) => {
    if (path === '/v1/models')
      return sendJson(response, { object: 'list', data: [{ id: 'served', owned_by: owner }] })
    if (path === '/completion') return sendJson(response, llamaCppAnswer(body, [11, 7], 'eos'))
    return sendEvents(response, events(path, body))
  })

function events(path: string, body: Body): object[] {
  return path === '/generate'
    ? sglangEvents(body, [[11, 7]], { cumulative: true, finish: { type: 'stop', matched: 7 } })
    : vllmEvents(body, [[11, 7]], { finish_reason: 'stop', stop_reason: 7 })
}

it.each([
  ['vllm', 'vLLM', '/v1/completions'],
  ['sglang', 'SGLang', '/generate'],
  ['llamacpp', 'llama.cpp', '/completion'],
] as const)('finds %s', async (owner, name, path) => {
  await using server = await serving(owner)
  const engine = await connectEngine({ url: server.url, apiKey: 'k' })
  expect(engine.name).toBe(name)
  expect((await generate(engine)).ids).toEqual([11, 7])
  expect(server.received.map((request) => request.path)).toEqual(['/v1/models', path])
  expect(server.received[0]?.headers.authorization).toBe('Bearer k')
  if (owner === 'vllm') expect(server.received[1]?.body.model).toBe('served')
})

it('asks nothing when it is told', async () => {
  await using server = await serving('vllm')
  const engine = await connectEngine({ url: server.url, type: 'sglang' })
  expect(engine.name).toBe('SGLang')
  expect(server.received).toHaveLength(0)
})

describe('says what is wrong with', () => {
  it('another server', async () => {
    await using server = await serving('openai')
    await expect(connectEngine({ url: server.url })).rejects.toMatchObject({
      kind: 'protocol',
      message: `engine: the server at ${server.url} says it is "openai"; vllm, sglang and llamacpp take token ids`,
    })
  })

  it('a server that serves none', async () => {
    await using server = await fakeServer((_, response) => sendJson(response, {}))
    await expect(connectEngine({ url: server.url })).rejects.toThrow('says it is nothing')
  })

  it('a server that wants a key', async () => {
    await using server = await fakeServer((_, response) => sendJson(response, { error: 'Unauthorized' }, 401))
    await expect(connectEngine({ url: server.url })).rejects.toMatchObject({ status: 401 })
  })

  it('an address', async () => {
    await expect(connectEngine({ url: 'nowhere' })).rejects.toThrow(InvalidArgumentError)
  })
})
