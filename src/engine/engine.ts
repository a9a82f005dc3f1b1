import { InvalidArgumentError } from '../errors.js'

/** How the next id is chosen. What is left out is up to the engine. */
export interface Sampling {
  /** 0 always takes the most likely id. */
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly minP?: number | undefined
  /** A whole number. The same one gives the same ids, as far as the engine is deterministic. */
  readonly seed?: number | undefined
  readonly repetitionPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
}

/** Why a generation ended: at a stop id or the model's own end, at `maxTokens`, or for reasons of the server's own. */
export type EndReason = 'stop' | 'length' | 'other'

/** What an engine knows of a generation when it is over. */
export interface GenerationEnd {
  readonly reason: EndReason
  /** How many ids of the prompt the engine had computed before; undefined when it does not tell. */
  readonly cachedTokens?: number | undefined
}

export interface GenerateRequest {
  /** The prompt, as `chat.encode(messages).ids`. It is sent as it is. */
  readonly promptIds: Uint32Array | readonly number[]
  /** Ids that end the generation, as `chat.eosTokenIds`. */
  readonly stopIds: readonly number[]
  /** How many ids may be generated, at least 1. */
  readonly maxTokens: number
  readonly sampling?: Sampling | undefined
  /** Ends the request; what waits for the next ids is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Is told once, before the last ids are given, how the generation ended; not when it fails. */
  readonly onEnd?: ((end: GenerationEnd) => void) | undefined
}

/**
 * What runs a model: ids in, ids out. Text never passes through it, so neither side can mistake text for structure.
 *
 * An engine of your own needs one method, an async generator. The ids are what the model wrote, in order, cut into pieces
 * at will, and with the stop id at their end if one ended the generation.
 *
 * @example
 * const engine: Engine = { name: 'mine', async *generate({ promptIds, stopIds, maxTokens, signal }) { yield [1, 2, 3] } }
 */
export interface Engine {
  /** For messages. */
  readonly name: string
  /**
   * @throws EngineError, while the ids are read
   * @throws InvalidArgumentError for a request that makes no sense
   */
  generate(request: GenerateRequest): AsyncIterable<Uint32Array | readonly number[]>
}

/** The largest id that a `Uint32Array` holds. */
const MAX_ID = 2 ** 32 - 1

/** Whether a value can be a token id. */
export function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ID
}

/**
 * Checks a request before anything is sent.
 *
 * @throws InvalidArgumentError naming the field
 */
export function checkRequest({ promptIds, stopIds, maxTokens, sampling }: GenerateRequest): void {
  const isIds = (value: unknown): boolean =>
    value instanceof Uint32Array || (Array.isArray(value) && value.every(isId))
  if (!isIds(promptIds) || promptIds.length === 0) {
    throw new InvalidArgumentError('promptIds must be a list of token ids with at least one id')
  }
  if (!isIds(stopIds)) throw new InvalidArgumentError('stopIds must be a list of token ids')
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new InvalidArgumentError(`maxTokens must be a whole number from 1 on, not ${String(maxTokens)}`)
  }
  for (const [name, value] of Object.entries(sampling ?? {})) {
    if (value === undefined) continue
    if (!Number.isFinite(value)) {
      throw new InvalidArgumentError(`sampling.${name} must be a number, not ${String(value)}`)
    }
    if ((name === 'seed' || name === 'topK') && !Number.isInteger(value)) {
      throw new InvalidArgumentError(`sampling.${name} must be a whole number, not ${value}`)
    }
  }
}
