import { SafetokensError } from '../../errors.js'

/** An answer larger than this is none of a tokenizer's. */
const MAX_ANSWER = 2 ** 26
const TIMEOUT = 30_000

/** What a server answered: JSON, or the status of a refusal. */
export type JsonAnswer = { readonly json: unknown } | { readonly status: number }

/** Asks one server, and no other: paths are below its address, redirections are not followed. */
export class JsonServer {
  readonly #base: URL
  readonly #fetch: typeof fetch
  readonly #interval: number
  #next = 0
  #requests = 0

  /**
   * @param rate requests in a second, at most
   * @throws SafetokensError `INVALID_URL` for what is no http or https address
   */
  constructor(address: string, rate: number, fetchJson: typeof fetch = fetch) {
    const base = URL.canParse(address) ? new URL(address) : undefined
    if (base === undefined || !/^https?:$/.test(base.protocol)) {
      throw new SafetokensError('INVALID_URL', `${JSON.stringify(address)} is no http or https address`)
    }
    if (!base.pathname.endsWith('/')) base.pathname += '/'
    this.#base = base
    this.#fetch = fetchJson
    this.#interval = 1000 / rate
  }

  /** How many requests were made. */
  get requests(): number {
    return this.#requests
  }

  get address(): string {
    return this.#base.origin + this.#base.pathname
  }

  get(path: string): Promise<JsonAnswer> {
    return this.#ask(path, { method: 'GET' })
  }

  post(path: string, body: object): Promise<JsonAnswer> {
    const headers = { 'content-type': 'application/json' }
    return this.#ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** @throws SafetokensError `SERVER_UNREACHABLE` where there is no answer, `SERVER_ANSWER` for one that is no JSON */
  async #ask(path: string, init: RequestInit): Promise<JsonAnswer> {
    await this.#turn()
    this.#requests++
    const url = new URL(path, this.#base)
    let response: Response
    let text: string
    try {
      response = await this.#fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) })
      text = await limitedText(response)
    } catch (cause) {
      const reason = ((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message
      throw new SafetokensError('SERVER_UNREACHABLE', `${url.href}: no answer: ${reason}`, { cause })
    }
    if (!response.ok) return { status: response.status }
    try {
      return { json: JSON.parse(text) }
    } catch (cause) {
      throw new SafetokensError('SERVER_ANSWER', `${url.href}: JSON was expected`, { cause })
    }
  }

  /** Waits until the next request may be made. */
  async #turn(): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#next)
    this.#next = at + this.#interval
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
  }
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MAX_ANSWER) throw new Error('the answer is too long')
  }
  return text + decoder.decode()
}
