import { EngineError, InvalidArgumentError } from '../errors.js'
import { eventError, serverMessage } from './server-message.js'
import { EventStreamParser } from './server-sent-events.js'

/** An engine on a server. */
export interface ServerOptions {
  /** Where the server listens, such as `http://127.0.0.1:8000`; a path prefix of a proxy is kept. */
  readonly url: string | URL
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** In milliseconds. The platform's fetch has limits of its own, 300,000 each. */
  readonly timeouts?:
    | {
        /** From the request to the first id. Default 300,000. */
        readonly firstId?: number | undefined
        /** Between two pieces of the answer. Default 60,000. */
        readonly betweenIds?: number | undefined
      }
    | undefined
  /** How often a request is repeated that failed before its first id. Default 2. */
  readonly retries?: number | undefined
  /** Further fields of the request's body, such as `{ cache_salt: 'tenant 7' }`. They cannot replace those set here. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined
  /** Default the platform's. */
  readonly fetch?: typeof fetch | undefined
}

/** JSON objects of an answer. */
export type ServerEvent = Readonly<Record<string, unknown>>

/** The longest answer that is no stream, and the longest error that is read, in bytes. */
const MAX_BODY = 2 ** 26
const MAX_ERROR_BODY = 2 ** 16
/** What a proxy or a busy server answers; the request was not worked on, or may be repeated. */
const RETRYABLE = [408, 425, 429, 500, 502, 503, 504]

/** Speaks HTTP with one server, by the platform's fetch. */
export class ServerConnection {
  readonly engine: string
  readonly retries: number
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #extraBody: Readonly<Record<string, unknown>>
  readonly #fetch: typeof fetch
  readonly #firstId: number
  readonly #betweenIds: number

  /** @throws InvalidArgumentError for options that make no sense */
  constructor(engine: string, options: ServerOptions) {
    this.engine = engine
    this.#base = baseUrl(options.url)
    this.#headers = {
      ...options.headers,
      ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
    }
    this.#extraBody = options.extraBody ?? {}
    this.#fetch = options.fetch ?? fetch
    this.retries = wholeNumber('retries', options.retries ?? 2, 0)
    this.#firstId = wholeNumber('timeouts.firstId', options.timeouts?.firstId ?? 300_000)
    this.#betweenIds = wholeNumber('timeouts.betweenIds', options.timeouts?.betweenIds ?? 60_000)
  }

  /**
   * Posts JSON and gives the JSON objects of the answer: the events of a stream up to `[DONE]`, or the one object of an
   * answer that is no stream.
   *
   * @throws EngineError; the signal's reason once it is aborted
   */
  async *post(
    path: string,
    body: object,
    signal?: AbortSignal,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    const init = {
      method: 'POST',
      headers: {
        ...this.#headers,
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
      },
      body: JSON.stringify({ ...this.#extraBody, ...body }),
    }
    yield* this.#exchange(path, init, signal)
  }

  /** The JSON object at a path. @throws as {@link ServerConnection.post} */
  async get(path: string, signal?: AbortSignal): Promise<ServerEvent> {
    for await (const answer of this.#exchange(path, { headers: this.#headers }, signal)) return answer
    throw this.#error('protocol', `${path} gave an empty answer`)
  }

  async *#exchange(
    path: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ServerEvent> {
    signal?.throwIfAborted()
    const request = new AbortController()
    const abort = (): void => request.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const waiting = new Deadline(request, this.#firstId)
      const response = await waiting.for(() =>
        this.#fetch(this.#base + path, { ...init, signal: request.signal }),
      )
      if (!response.ok) throw await this.#refusal(response, waiting)
      for await (const text of this.#texts(response, waiting)) {
        if (text === '[DONE]') return
        const event = this.#parsed(text)
        yield event
        waiting.restart(this.#betweenIds)
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw this.#asEngineError(error, path)
    } finally {
      signal?.removeEventListener('abort', abort)
      request.abort() // ends the request when the answer is not read to its end
    }
  }

  async *#texts(response: Response, waiting: Deadline): AsyncGenerator<string> {
    if (!isEventStream(response)) {
      yield await readText(response, MAX_BODY, waiting)
      return
    }
    const parser = new EventStreamParser()
    for await (const bytes of chunksOf(response, waiting)) yield* parser.push(bytes)
    yield* parser.end()
  }

  #parsed(text: string): ServerEvent {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw this.#error('protocol', `JSON was expected, not ${JSON.stringify(text.slice(0, 100))}`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.#error('protocol', `a JSON object was expected, not ${JSON.stringify(text.slice(0, 100))}`)
    }
    const words = eventError(value as ServerEvent)
    if (words !== undefined) {
      throw new EngineError('generation', this.engine, words, { serverMessage: words })
    }
    return value as ServerEvent
  }

  async #refusal(response: Response, waiting: Deadline): Promise<EngineError> {
    const { status, statusText, headers } = response
    const words = serverMessage(await readText(response, MAX_ERROR_BODY, waiting))
    return new EngineError('status', this.engine, `HTTP ${status}: ${words ?? statusText}`, {
      status,
      serverMessage: words,
      retryable: RETRYABLE.includes(status),
      retryAfter: retryAfter(headers.get('retry-after')),
    })
  }

  #asEngineError(error: unknown, path: string): unknown {
    if (error instanceof EngineError) return error
    if (error instanceof Deadline.Passed) {
      return this.#error('timeout', `nothing came for ${error.milliseconds} ms`, { retryable: true })
    }
    if (error instanceof RangeError) return this.#error('protocol', error.message, { cause: error })
    if (!(error instanceof TypeError)) return error
    // That is what fetch and the body of an answer throw.
    const reason = (error.cause as { code?: string; message?: string } | undefined) ?? error
    const why = 'code' in reason ? reason.code : reason.message
    return this.#error('connection', `${this.#base}${path}: ${why}`, { cause: error, retryable: true })
  }

  #error(
    kind: EngineError['kind'],
    message: string,
    options: ErrorOptions & { retryable?: boolean } = {},
  ): EngineError {
    return new EngineError(kind, this.engine, message, options)
  }
}

/** Limits the time that is spent on waiting, not the time between: a reader may take as long as it likes. */
class Deadline {
  static readonly Passed = class extends Error {
    constructor(readonly milliseconds: number) {
      super('too late')
    }
  }
  readonly #request: AbortController
  #allowed: number
  #left: number

  constructor(request: AbortController, milliseconds: number) {
    this.#request = request
    this.#allowed = milliseconds
    this.#left = milliseconds
  }

  restart(milliseconds: number): void {
    this.#allowed = milliseconds
    this.#left = milliseconds
  }

  /** @throws Deadline.Passed, which also ends the request */
  async for<T>(work: () => Promise<T>): Promise<T> {
    const passed = new Deadline.Passed(this.#allowed)
    const begin = performance.now()
    const timer = setTimeout(() => this.#request.abort(passed), this.#left)
    try {
      return await work()
    } catch (error) {
      throw this.#request.signal.reason === passed ? passed : error
    } finally {
      clearTimeout(timer)
      this.#left = Math.max(0, this.#left - (performance.now() - begin))
    }
  }
}

async function* chunksOf({ body }: Response, waiting: Deadline): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  for (;;) {
    const chunk = await waiting.for(async () => reader?.read())
    if (chunk === undefined || chunk.done) return
    yield chunk.value
  }
}

async function readText(response: Response, maxBytes: number, waiting: Deadline): Promise<string> {
  const utf8 = new TextDecoder()
  const texts: string[] = []
  let length = 0
  for await (const bytes of chunksOf(response, waiting)) {
    length += bytes.length
    texts.push(utf8.decode(bytes, { stream: true }))
    if (length <= maxBytes) continue
    if (response.ok) throw new RangeError(`the answer is longer than ${maxBytes} bytes`)
    break
  }
  return texts.join('') + utf8.decode()
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

/** Seconds, or a date, as milliseconds from now. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const milliseconds = /^\d+$/.test(header) ? 1000 * Number(header) : Date.parse(header) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}

/** What paths are put behind: without a slash at its end, and without the `/v1` that belongs to the paths. */
function baseUrl(url: string | URL): string {
  let base: URL
  try {
    base = new URL(url)
  } catch (cause) {
    throw new InvalidArgumentError(`url: ${JSON.stringify(String(url))} is not an address`, { cause })
  }
  if (!['http:', 'https:'].includes(base.protocol) || base.search !== '' || base.hash !== '') {
    throw new InvalidArgumentError('url must begin with http: or https:, and have neither ? nor #')
  }
  if (base.username !== '' || base.password !== '') {
    throw new InvalidArgumentError('url must hold no name and password; use apiKey or headers')
  }
  return base.href.replace(/\/+$/, '').replace(/\/v1$/, '')
}

function wholeNumber(name: string, value: number, least = 1): number {
  if (Number.isInteger(value) && value >= least && value < 2 ** 31) return value
  throw new InvalidArgumentError(`${name} must be a whole number from ${least} on, not ${String(value)}`)
}
