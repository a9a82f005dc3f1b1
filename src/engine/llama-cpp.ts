import { EngineError, InvalidArgumentError } from '../errors.js'
import type { Engine, GenerateRequest } from './engine.js'
import { generation, type Piece } from './generation.js'
import { ServerConnection, type ServerEvent, type ServerOptions } from './server-connection.js'

export interface LlamaCppOptions extends ServerOptions {
  /** How many ids are asked for at a time. Default 16. */
  readonly chunkTokens?: number | undefined
}

/**
 * llama.cpp's server, by `/completion`.
 *
 * Ids are asked for a few at a time, each request going on where the last one ended: the server keeps what it computed
 * (`cache_prompt`), so nothing is computed twice. Its own stream would lose ids, since it sends the last id alone of those
 * that make up one character (a rare Chinese one, an emoji), and it knows no stop ids, so it would write on behind one.
 *
 * @throws InvalidArgumentError for options that make no sense
 * @example llamaCppEngine({ url: 'http://127.0.0.1:8080' })
 *
 * Source of behaviour: llama.cpp's tools/server, `process_token` and `send_partial_response`.
 */
export function llamaCppEngine(options: LlamaCppOptions): Engine {
  const name = 'llama.cpp'
  const server = new ServerConnection(name, options)
  const { chunkTokens = 16 } = options
  if (!Number.isInteger(chunkTokens) || chunkTokens < 1) {
    throw new InvalidArgumentError(`chunkTokens must be a whole number from 1 on, not ${String(chunkTokens)}`)
  }
  return {
    name,
    generate: (request) => generation(name, request, server.retries, () => pieces(request)),
  }

  async function* pieces(request: GenerateRequest): AsyncGenerator<Piece> {
    const prompt = Array.from(request.promptIds)
    const all = prompt.length + request.maxTokens
    while (prompt.length < all) {
      const body = requestBody(request, prompt, Math.min(chunkTokens, all - prompt.length))
      const answer = await only(server.post('/completion', body, request.signal))
      checkPrompt(answer, prompt.length)
      const piece = pieceOf(answer)
      const isFirst = prompt.length === request.promptIds.length
      yield isFirst ? { ...piece, cachedTokens: answer.timings?.cache_n } : piece
      if (piece.end !== undefined) return
      prompt.push(...piece.ids)
    }
  }

  async function only(answers: AsyncIterable<ServerEvent>): Promise<Completion> {
    for await (const answer of answers) return answer as unknown as Completion
    throw new EngineError('protocol', name, 'the answer is empty')
  }

  /** Older servers cut a prompt that is too long in its middle. */
  function checkPrompt(
    { truncated, tokens_evaluated: read = Number.POSITIVE_INFINITY }: Completion,
    sent: number,
  ): void {
    if (truncated && read < sent) {
      throw new EngineError('protocol', name, `the server cut the prompt from ${sent} to ${read} ids`)
    }
  }

  function pieceOf({ content, tokens, stop_type: stop, truncated }: Completion): Piece {
    if (!Array.isArray(tokens) || (tokens.length === 0 && content)) {
      throw new EngineError(
        'protocol',
        name,
        'text came without tokens; return_tokens needs a server of 2025',
      )
    }
    // The context is full: there the server stops as at a limit.
    if (truncated) return { ids: tokens, end: 'length' }
    if (stop === 'limit' && tokens.length > 0) return { ids: tokens }
    return { ids: tokens, end: stop === 'eos' ? 'stop' : 'other' }
  }
}

function requestBody(
  { promptIds, sampling = {} }: GenerateRequest,
  prompt: readonly number[],
  n: number,
): object {
  const written = prompt.length - promptIds.length
  return {
    prompt,
    n_predict: n,
    stream: false,
    return_tokens: true,
    cache_prompt: true,
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    // Each request draws its own numbers.
    seed: sampling.seed === undefined ? undefined : (sampling.seed + written) % 2 ** 32,
    repeat_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  }
}

interface Completion {
  readonly content?: string
  readonly tokens?: readonly number[]
  readonly stop_type?: 'none' | 'eos' | 'limit' | 'word'
  readonly truncated?: boolean
  readonly tokens_evaluated?: number
  readonly timings?: { readonly cache_n?: number }
}
