// Servers on the loopback address that answer as the APIs of engines do, cut anywhere, late, with errors or not at all.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Body = Readonly<Record<string, unknown>>

/** A request as it came. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Body
}

/** Answers the request; `number` counts from 0. */
export type Handler = (request: Received, response: ServerResponse, number: number) => unknown

export interface FakeServer extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Settles once a client has gone before its answer ended. */
  readonly clientGone: Promise<void>
}

export async function fakeServer(handler: Handler): Promise<FakeServer> {
  const received: Received[] = []
  let clientLeft = (): void => {}
  const clientGone = new Promise<void>((resolve) => {
    clientLeft = resolve
  })
  const server = createServer(async (message, response) => {
    response.on('close', () => {
      if (!response.writableEnded) clientLeft()
    })
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url: path = '', headers } = message
    const request = { method, path, headers, body: text === '' ? {} : (JSON.parse(text) as Body) }
    received.push(request)
    await handler(request, response, received.length - 1)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    clientGone,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** How an answer is cut into what the network delivers. */
export interface Delivery {
  /** Bytes of a piece; default all at once. */
  readonly size?: number
  /** Milliseconds between two. Default only as long as it takes that they are not joined. */
  readonly pause?: number
}

export async function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers = {},
): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** The events of a stream as vLLM, SGLang and llama.cpp write them. */
export const eventText = (events: readonly unknown[]): string =>
  [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')

export async function sendEvents(
  response: ServerResponse,
  events: readonly unknown[],
  delivery: Delivery = {},
): Promise<void> {
  await sendStream(response, Buffer.from(eventText(events)), delivery)
  response.end()
}

/** Sends bytes of a stream, and leaves it open. */
export async function sendStream(
  response: ServerResponse,
  bytes: Uint8Array,
  { size = bytes.length, pause }: Delivery = {},
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size))
    if (pause !== undefined) await sleep(pause)
    else await new Promise(setImmediate)
  }
}
