import { EngineError } from '../errors.js'
import type { Engine, GenerateRequest } from './engine.js'
import { generation, type Piece } from './generation.js'
import { ServerConnection, type ServerEvent, type ServerOptions } from './server-connection.js'

/**
 * SGLang, by its own `/generate`.
 *
 * @throws InvalidArgumentError for options that make no sense
 * @example sglangEngine({ url: 'http://127.0.0.1:30000' })
 *
 * Source of behaviour: SGLang. Its events hold all ids so far, or with `--incremental-streaming-output` the new ones.
 */
export function sglangEngine(options: ServerOptions): Engine {
  const name = 'SGLang'
  const server = new ServerConnection(name, options)
  return {
    name,
    generate: (request) =>
      generation(name, request, server.retries, () =>
        pieces(name, server.post('/generate', requestBody(request), request.signal)),
      ),
  }
}

async function* pieces(engine: string, events: AsyncIterable<ServerEvent>): AsyncGenerator<Piece> {
  const fresh = new FreshIds()
  for await (const event of events) {
    const { text, output_ids: ids, meta_info: meta } = event as unknown as Generated
    const finish = meta?.finish_reason
    if (finish?.type === 'abort') throw abortError(engine, finish) // its ids are the last one only
    if (!Array.isArray(ids)) {
      if (text) throw new EngineError('protocol', engine, 'text came without output_ids')
      continue
    }
    const stopId = typeof finish?.matched === 'number' ? finish.matched : undefined
    const left = stopId !== undefined && ids.at(-1) !== stopId ? 1 : 0
    yield {
      ids: fresh.of(ids, meta?.completion_tokens === undefined ? undefined : meta.completion_tokens - left),
      end: finish ? (finish.type === 'stop' || finish.type === 'length' ? finish.type : 'other') : undefined,
      stopId,
      cachedTokens: meta?.cached_tokens,
    }
    if (finish) return
  }
}

/** Finds out which ids of an event are new. */
class FreshIds {
  readonly #seen: number[] = []
  #cumulative: boolean | undefined

  /** @param total how many ids there should be by now, where the server tells */
  of(ids: readonly number[], total: number | undefined): readonly number[] {
    const known = this.#seen.length
    if (known > 0) this.#cumulative ??= this.#repeats(ids, total)
    const fresh = this.#cumulative ? ids.slice(known) : ids
    this.#seen.push(...fresh)
    return fresh
  }

  #repeats(ids: readonly number[], total: number | undefined): boolean {
    if (total !== undefined && ids.length === total - this.#seen.length) return false
    return this.#seen.every((id, i) => ids[i] === id)
  }
}

function abortError(engine: string, { message, status_code: status }: Finish): EngineError {
  return new EngineError('generation', engine, message ?? 'the server gave up', {
    serverMessage: message,
    retryable: status === 503,
  })
}

function requestBody({ promptIds, stopIds, maxTokens, sampling = {} }: GenerateRequest): object {
  return {
    input_ids: Array.from(promptIds),
    stream: true,
    sampling_params: {
      max_new_tokens: maxTokens,
      stop_token_ids: Array.from(stopIds),
      skip_special_tokens: false,
      no_stop_trim: true, // else the stop id is taken away
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: sampling.topK,
      min_p: sampling.minP,
      sampling_seed: sampling.seed,
      repetition_penalty: sampling.repetitionPenalty,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
    },
  }
}

interface Finish {
  readonly type: string
  readonly matched?: number | string | null
  readonly message?: string
  readonly status_code?: number | null
}

interface Generated {
  readonly text?: string
  readonly output_ids?: readonly number[]
  readonly meta_info?: {
    readonly finish_reason?: Finish | null
    readonly completion_tokens?: number
    readonly cached_tokens?: number
  }
}
