import { EngineError } from '../errors.js'
import type { Engine, GenerateRequest, Sampling } from './engine.js'
import { generation, type Piece } from './generation.js'

/** What is used of a `LlamaContextSequence` of node-llama-cpp 3. */
export interface LlamaSequence {
  readonly contextSize: number
  /** How many tokens it holds. */
  readonly nextTokenIndex: number
  adaptStateToTokens(tokens: number[], allowShift?: boolean): Promise<void>
  evaluate(tokens: number[], options?: object): AsyncGenerator<number, void, undefined>
}

export interface NodeLlamaCppOptions {
  /** As `context.getSequence()`. It belongs to this engine from now on; its owner disposes of it. */
  readonly sequence: LlamaSequence
}

/** Over how many of the last ids the penalties count, as in llama.cpp. */
const PENALTY_WINDOW = 64

/**
 * llama.cpp in this process, by node-llama-cpp, which is installed and loaded by the caller. Its own tokenizer and its chat
 * wrappers have no part in it. What a prompt has in common with the last one is not computed again.
 *
 * Requests wait for one another; for several at a time make an engine of each sequence of a context. An aborted request
 * ends when the step that is being computed does.
 *
 * @example
 * const llama = await getLlama()
 * const model = await llama.loadModel({ modelPath: 'model.gguf' })
 * const context = await model.createContext()
 * const engine = nodeLlamaCppEngine({ sequence: context.getSequence() })
 *
 * Source of behaviour: node-llama-cpp 3.21.1.
 */
export function nodeLlamaCppEngine({ sequence }: NodeLlamaCppOptions): Engine {
  const name = 'node-llama-cpp'
  let free: Promise<void> = Promise.resolve()
  return { name, generate: (request) => generation(name, request, 0, () => pieces(request)) }

  async function* pieces(request: GenerateRequest): AsyncGenerator<Piece> {
    const release = await lock()
    try {
      request.signal?.throwIfAborted()
      yield* evaluated(request)
    } finally {
      release()
    }
  }

  /** Waits for its turn; what it gives ends the turn. */
  async function lock(): Promise<() => void> {
    const before = free
    let release = (): void => {}
    free = new Promise((resolve) => {
      release = resolve
    })
    await before
    return release
  }

  async function* evaluated({
    promptIds,
    maxTokens,
    sampling = {},
    signal,
  }: GenerateRequest): AsyncGenerator<Piece> {
    const prompt = Array.from(promptIds)
    const room = sequence.contextSize - prompt.length
    if (room < 1) {
      throw new EngineError(
        'generation',
        name,
        `a prompt of ${prompt.length} ids and a reply do not fit into the context of ${sequence.contextSize}`,
      )
    }
    await sequence.adaptStateToTokens(prompt.slice(0, -1), false) // at least one is left to compute
    const cachedTokens = sequence.nextTokenIndex
    const written: number[] = []
    const steps = sequence.evaluate(prompt.slice(cachedTokens), evaluateOptions(sampling, written))
    for await (const id of steps) {
      signal?.throwIfAborted()
      written.push(id)
      // A step beyond the context would make it drop the beginning of the prompt.
      yield {
        ids: [id],
        cachedTokens,
        end: written.length >= Math.min(room, maxTokens) ? 'length' : undefined,
      }
      if (written.length >= room) return
    }
    yield { ids: [], end: 'stop' } // an end of the model's own
  }
}

function evaluateOptions(sampling: Sampling, written: readonly number[]): object {
  const { temperature, topP, topK, minP, seed, repetitionPenalty, presencePenalty, frequencyPenalty } =
    sampling
  const penalizes = [repetitionPenalty, presencePenalty, frequencyPenalty].some(
    (value) => value !== undefined,
  )
  return {
    yieldEogToken: true,
    temperature,
    topP,
    topK,
    minP,
    seed,
    ...(penalizes && {
      repeatPenalty: {
        punishTokens: () => written.slice(-PENALTY_WINDOW),
        maxPunishTokens: PENALTY_WINDOW,
        penalty: repetitionPenalty ?? 1,
        presencePenalty,
        frequencyPenalty,
      },
    }),
  }
}
