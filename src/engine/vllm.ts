import { EngineError } from '../errors.js'
import type { Engine, GenerateRequest } from './engine.js'
import { generation, type Piece } from './generation.js'
import { ServerConnection, type ServerEvent, type ServerOptions } from './server-connection.js'

export interface VllmOptions extends ServerOptions {
  /** The name under which the server serves the model. Default: the server's only one. */
  readonly model?: string | undefined
}

/**
 * vLLM, by `/v1/completions` with token ids in both directions. SGLang and others that take `return_token_ids` there work
 * as well. The server repeats the ids of the prompt; a prompt that it changed is an error.
 *
 * @throws InvalidArgumentError for options that make no sense
 * @example vllmEngine({ url: 'http://127.0.0.1:8000', model: 'Qwen/Qwen3-8B' })
 *
 * Source of behaviour: vLLM since 0.10.2, which has `return_token_ids` (vllm-project/vllm#22587). It may or may not send
 * the stop id (#28185); `stop_reason` names it, but for the model's own eos.
 */
export function vllmEngine(options: VllmOptions): Engine {
  const name = 'vLLM'
  const server = new ServerConnection(name, options)
  return {
    name,
    generate: (request) =>
      generation(name, request, server.retries, () => {
        const body = requestBody(request, options.model)
        return pieces(server.post('/v1/completions', body, request.signal), request)
      }),
  }

  async function* pieces(
    events: AsyncIterable<ServerEvent>,
    request: GenerateRequest,
  ): AsyncGenerator<Piece> {
    for await (const event of events) {
      const { choices, usage } = event as unknown as Completion
      const cachedTokens = usage?.prompt_tokens_details?.cached_tokens
      const choice = choices?.[0]
      if (choice) {
        checkPrompt(choice.prompt_token_ids ?? event.prompt_token_ids, request)
        yield { ...pieceOf(choice), cachedTokens }
      } else {
        yield { ids: [], cachedTokens }
        if (usage) return // it is the last event
      }
    }
  }

  function pieceOf({ text, token_ids, finish_reason, stop_reason }: Choice): Piece {
    if (token_ids === undefined || token_ids === null) {
      if (text)
        throw protocolError('text came without token ids; return_token_ids needs vLLM 0.10.2 or later')
      return { ids: [], end: endReason(finish_reason) }
    }
    if (finish_reason === 'abort' || finish_reason === 'error') {
      throw new EngineError('generation', name, `the server gave up (${finish_reason})`)
    }
    return {
      ids: token_ids,
      end: endReason(finish_reason),
      stopId: typeof stop_reason === 'number' ? stop_reason : undefined,
    }
  }

  function checkPrompt(read: unknown, { promptIds }: GenerateRequest): void {
    if (!Array.isArray(read)) return
    if (read.length === promptIds.length && read.every((id, i) => id === promptIds[i])) return
    throw protocolError('the server changed the prompt before the model read it')
  }

  function protocolError(message: string): EngineError {
    return new EngineError('protocol', name, message)
  }
}

function endReason(reason: string | null | undefined): Piece['end'] {
  if (reason === null || reason === undefined) return undefined
  return reason === 'stop' || reason === 'length' ? reason : 'other'
}

function requestBody(
  { promptIds, stopIds, maxTokens, sampling = {} }: GenerateRequest,
  model?: string,
): object {
  return {
    model,
    prompt: Array.from(promptIds),
    max_tokens: maxTokens,
    stop_token_ids: Array.from(stopIds),
    stream: true,
    stream_options: { include_usage: true },
    return_token_ids: true,
    skip_special_tokens: false,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    seed: sampling.seed,
    repetition_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  }
}

interface Choice {
  readonly text?: string
  readonly token_ids?: readonly number[] | null
  readonly prompt_token_ids?: readonly number[] | null
  readonly finish_reason?: string | null
  readonly stop_reason?: number | string | null
}

interface Completion {
  readonly choices?: readonly Choice[]
  readonly usage?: { readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null } | null
}
