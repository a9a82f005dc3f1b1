// What holds for every engine on a server; vLLM's shape stands for all where the shape does not matter.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.js'
import { llamaCppEngine } from '../../src/engine/llama-cpp.js'
import type { ServerOptions } from '../../src/engine/server-connection.js'
import { sglangEngine } from '../../src/engine/sglang.js'
import { vllmEngine } from '../../src/engine/vllm.js'
import { EngineError, InvalidArgumentError } from '../../src/errors.js'
import {
  type Body,
  type FakeServer,
  fakeServer,
  type Handler,
  sendEvents,
  sendJson,
  sendStream,
} from './fake-server.js'
import { generate, request } from './generate.js'
import { llamaCppAnswer, sglangEvents, vllmEvents } from './wire-shapes.js'

const STOP = { finish_reason: 'stop', stop_reason: 7 }
const CUTS = [[11], [12, 13], [7]]
const IDS = [11, 12, 13, 7]

interface Kind {
  readonly name: string
  engine(options: ServerOptions): Engine
  events(body: Body): readonly object[]
}
const KINDS: readonly Kind[] = [
  { name: 'vLLM', engine: vllmEngine, events: (body) => vllmEvents(body, CUTS, STOP) },
  {
    name: 'SGLang',
    engine: sglangEngine,
    events: (body) => sglangEvents(body, CUTS, { cumulative: true, finish: { type: 'stop', matched: 7 } }),
  },
]
const vllm = (server: FakeServer, options: Partial<ServerOptions> = {}): Engine =>
  vllmEngine({ url: server.url, ...options })
const good: Handler = ({ body }, response) => sendEvents(response, vllmEvents(body, CUTS, STOP))
const failed = async (work: Promise<unknown>): Promise<EngineError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

describe.each(KINDS)('the stream of $name', ({ engine, events }) => {
  it.each([1, 2, 3, 7, 64])('may be cut into pieces of %i bytes', async (size) => {
    await using server = await fakeServer(({ body }, response) =>
      sendEvents(response, events(body), { size }),
    )
    expect((await generate(engine({ url: server.url }))).ids).toEqual(IDS)
  })

  it('may break off nowhere without being an error', async () => {
    await using server = await fakeServer(async ({ body }, response, number) => {
      const text = events(body).map((event) => `data: ${JSON.stringify(event)}\n\n`)
      const whole = Buffer.from(text.join(''))
      const ended = Buffer.from(text.slice(0, CUTS.length - 1).join('')).length
      await sendStream(response, whole.subarray(0, (40 * number) % ended))
      response.end()
    })
    for (let i = 0; i < 20; i++) {
      const error = await failed(generate(engine({ url: server.url, retries: 0 })))
      expect(['connection', 'protocol']).toContain(error.kind)
    }
  })

  it('is not read behind our own stop id', async () => {
    await using server = await fakeServer(async ({ body }, response) => {
      const endless = events(body).slice(0, -1)
      for (let i = 0; !response.destroyed && i < 1000; i++) {
        await sendStream(
          response,
          Buffer.from(endless.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
        )
      }
    })
    expect((await generate(engine({ url: server.url }), { stopIds: [12] })).ids).toEqual([11, 12])
    await server.clientGone
  })

  it('is not read behind maxTokens', async () => {
    await using server = await fakeServer(({ body }, response) => sendEvents(response, events(body)))
    expect(await generate(engine({ url: server.url }), { maxTokens: 2 })).toMatchObject({
      ids: [11, 12],
      end: { reason: 'length' },
    })
  })
})

describe('errors', () => {
  it.each<[string, number, unknown, string]>([
    ['vLLM', 400, { error: { message: 'too long', type: 'BadRequestError', code: 400 } }, 'too long'],
    ['older vLLM', 400, { object: 'error', message: 'no such model' }, 'no such model'],
    [
      'llama.cpp',
      400,
      { error: { code: 400, message: 'exceeds the context', type: 'x' } },
      'exceeds the context',
    ],
    [
      'FastAPI',
      422,
      { detail: [{ loc: ['body'], msg: 'field required' }, { msg: 'x' }] },
      'field required; x',
    ],
    ['a gateway', 401, { detail: 'no key' }, 'no key'],
    ['text', 404, 'nothing here', 'nothing here'],
    ['no words', 400, '', 'Bad Request'],
  ])('say what %s says', async (_, status, body, words) => {
    await using server = await fakeServer((_, response) =>
      typeof body === 'string' ? response.writeHead(status).end(body) : sendJson(response, body, status),
    )
    const error = await failed(generate(vllm(server)))
    expect(error).toMatchObject({ code: 'ENGINE', kind: 'status', status, engine: 'vLLM', retryable: false })
    expect(error.message).toBe(`vLLM: HTTP ${status}: ${words}`)
    expect(server.received).toHaveLength(1)
  })

  it.each([
    ['an object', { error: { message: 'CUDA out of memory', code: 500 } }],
    ['an object of older vLLM', { object: 'error', message: 'CUDA out of memory' }],
    ['a string', { error: 'CUDA out of memory' }],
  ])('are found in the stream: %s', async (_, event) => {
    await using server = await fakeServer(({ body }, response) =>
      sendEvents(response, [...vllmEvents(body, CUTS, STOP).slice(0, 1), event]),
    )
    expect(await failed(generate(vllm(server)))).toMatchObject({
      kind: 'generation',
      serverMessage: 'CUDA out of memory',
    })
  })

  it('show control characters of a hostile server as escapes, and at most 2,000 characters', async () => {
    await using server = await fakeServer((_, response) =>
      response.writeHead(400).end(`\x1b[2J\u202e${'x'.repeat(100_000)}`),
    )
    const { message } = await failed(generate(vllm(server)))
    expect(message).toContain('\\u{1b}[2J\\u{202e}xxx')
    expect(message.length).toBeLessThan(2100)
  })

  it.each([
    ['no JSON', 'data: {"choices"\n\n', 'JSON was expected, not "{\\"choices\\""'],
    ['no object', 'data: 5\n\n', 'a JSON object was expected, not "5"'],
    ['no id', `data: {"choices":[{"token_ids":["a"]}]}\n\n`, 'a token id was expected, not "a"'],
    ['a fraction', `data: {"choices":[{"token_ids":[1.5]}]}\n\n`, 'a token id was expected, not 1.5'],
    ['a negative number', `data: {"choices":[{"token_ids":[-1]}]}\n\n`, 'a token id was expected, not -1'],
    [
      'a number too large',
      `data: {"choices":[{"token_ids":[4294967296]}]}\n\n`,
      'a token id was expected, not 4294967296',
    ],
  ])('of protocol: %s', async (_, text, message) => {
    await using server = await fakeServer(async (_, response) => {
      await sendStream(response, Buffer.from(text))
      response.end()
    })
    expect(await failed(generate(vllm(server)))).toMatchObject({
      kind: 'protocol',
      message: `vLLM: ${message}`,
    })
  })

  it('name the address that cannot be reached', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    closed.close()
    const error = await failed(generate(vllmEngine({ url, retries: 0 })))
    expect(error).toMatchObject({ kind: 'connection', retryable: true })
    expect(error.message).toBe(`vLLM: ${url}/v1/completions: ECONNREFUSED`)
  })

  it.each([
    ['no address', { url: 'localhost' }],
    ['another protocol', { url: 'ftp://127.0.0.1' }],
    ['a query', { url: 'http://127.0.0.1/?a=1' }],
    ['a password', { url: 'http://me:secret@127.0.0.1' }],
    ['a negative number of retries', { url: 'http://127.0.0.1', retries: -1 }],
    ['no time', { url: 'http://127.0.0.1', timeouts: { firstId: 0 } }],
  ])('come at once for options with %s', (_, options) => {
    expect(() => vllmEngine(options)).toThrow(InvalidArgumentError)
  })

  it.each<[string, object]>([
    ['an empty prompt', { promptIds: [] }],
    ['a prompt of text', { promptIds: 'hi' }],
    ['a prompt with text', { promptIds: [1, '2'] }],
    ['a stop id that is none', { stopIds: [-1] }],
    ['no room', { maxTokens: 0 }],
    ['no limit', { maxTokens: Number.POSITIVE_INFINITY }],
    ['a temperature that is none', { sampling: { temperature: Number.NaN } }],
    ['half a seed', { sampling: { seed: 0.5 } }],
  ])('come before anything is sent for %s', async (_, more) => {
    await using server = await fakeServer(good)
    await expect(generate(vllm(server), more)).rejects.toThrow(InvalidArgumentError)
    expect(server.received).toHaveLength(0)
  })
})

describe('retries', () => {
  it.each<[string, Handler]>([
    [
      'a status',
      (_, response) => sendJson(response, { error: { message: 'busy' } }, 503, { 'retry-after': '0' }),
    ],
    ['a connection that breaks off', (_, response) => void response.destroy()],
    ['an answer without ids', (_, response) => sendEvents(response, [])],
  ])('follow %s', async (_, bad) => {
    await using server = await fakeServer((request, response, number) =>
      (number === 0 ? bad : good)(request, response, number),
    )
    expect((await generate(vllm(server))).ids).toEqual(IDS)
    expect(server.received).toHaveLength(2)
    expect(server.received[1]?.body).toEqual(server.received[0]?.body)
  })

  it('come to an end', async () => {
    await using server = await fakeServer((_, response) =>
      sendJson(response, { error: { message: 'busy' } }, 429, { 'retry-after': '0' }),
    )
    expect(await failed(generate(vllm(server, { retries: 3 })))).toMatchObject({ status: 429, retryAfter: 0 })
    expect(server.received).toHaveLength(4)
  })

  it('do not come once an id has come', async () => {
    await using server = await fakeServer(async ({ body }, response) => {
      await sendStream(response, Buffer.from(`data: ${JSON.stringify(vllmEvents(body, CUTS, STOP)[0])}\n\n`))
      response.destroy()
    })
    const pieces: number[][] = []
    const reading = (async () => {
      for await (const ids of vllm(server).generate(request())) pieces.push(Array.from(ids))
    })()
    expect((await failed(reading)).kind).toBe('connection')
    expect(pieces).toEqual([[11]])
    expect(server.received).toHaveLength(1)
  })

  it('are given up when the request is', async () => {
    const control = new AbortController()
    await using server = await fakeServer((_, response) => {
      setTimeout(() => control.abort(new Error('enough')), 20)
      return sendJson(response, {}, 503, { 'retry-after': '30' })
    })
    await expect(generate(vllm(server), { signal: control.signal })).rejects.toThrow('enough')
    expect(server.received).toHaveLength(1)
  })
})

describe('timeouts', () => {
  it('count until the first id', async () => {
    await using server = await fakeServer(() => {})
    const error = await failed(generate(vllm(server, { timeouts: { firstId: 30 }, retries: 1 })))
    expect(error).toMatchObject({ kind: 'timeout', message: 'vLLM: nothing came for 30 ms' })
    expect(server.received).toHaveLength(2)
    await server.clientGone
  })

  it('count between ids, and comments are no ids', async () => {
    await using server = await fakeServer(async ({ body }, response) => {
      await sendStream(response, Buffer.from(`data: ${JSON.stringify(vllmEvents(body, CUTS, STOP)[0])}\n\n`))
      while (!response.destroyed)
        await sendStream(response, Buffer.from(': ping\n\n: ping\n\n'), { size: 9, pause: 5 })
    })
    const error = await failed(generate(vllm(server, { timeouts: { betweenIds: 50 } })))
    expect(error).toMatchObject({ kind: 'timeout', message: 'vLLM: nothing came for 50 ms' })
  })

  it('do not count the time that the reader takes', async () => {
    await using server = await fakeServer(good)
    const ids: number[] = []
    for await (const piece of vllm(server, { timeouts: { firstId: 1000, betweenIds: 20 } }).generate(
      request(),
    )) {
      ids.push(...piece)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    expect(ids).toEqual(IDS)
  })
})

describe('an aborted request', () => {
  const kinds: readonly [string, (url: string) => Engine, Handler][] = [
    ...KINDS.map(({ name, engine, events }): [string, (url: string) => Engine, Handler] => [
      name,
      (url) => engine({ url }),
      ({ body }, response) =>
        sendStream(response, Buffer.from(`data: ${JSON.stringify(events(body)[0])}\n\n`)),
    ]),
    [
      'llama.cpp',
      (url) => llamaCppEngine({ url, chunkTokens: 1 }),
      ({ body }, response, number) => number === 0 && sendJson(response, llamaCppAnswer(body, [11], 'limit')),
    ],
  ]

  it.each(kinds)('of %s ends the connection and rejects with the reason', async (_, engine, handler) => {
    await using server = await fakeServer(handler)
    const control = new AbortController()
    const reason = new Error('enough')
    const pieces: number[][] = []
    const reading = (async () => {
      for await (const ids of engine(server.url).generate(request({ signal: control.signal }))) {
        pieces.push(Array.from(ids))
        setTimeout(() => control.abort(reason), 10)
      }
    })()
    await expect(reading).rejects.toBe(reason)
    expect(pieces).toEqual([[11]])
    await server.clientGone
  })

  it('is not sent when the signal was aborted before', async () => {
    await using server = await fakeServer(good)
    const signal = AbortSignal.abort()
    await expect(generate(vllm(server), { signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.received).toHaveLength(0)
  })

  it('is what leaving the loop makes of it', async () => {
    await using server = await fakeServer(({ body }, response) =>
      sendStream(response, Buffer.from(`data: ${JSON.stringify(vllmEvents(body, CUTS, STOP)[0])}\n\n`)),
    )
    for await (const ids of vllm(server).generate(request())) {
      expect(Array.from(ids)).toEqual([11])
      break
    }
    await server.clientGone
  })
})
