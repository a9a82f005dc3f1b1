import type { ModelLimits } from '../load/model-folder.js'

/** Larger numbers stand for "no limit" in configs: 1e30, 2^31 - 1, a thousand million. */
const MOST = 2 ** 27
/** Smaller ones are no window that a chat fits into. */
const LEAST = 16

/**
 * How many tokens a model takes, prompt and reply together: the smallest believable of `model_max_length` in
 * `tokenizer_config.json`, what `config.json` says of positions, and `context_length` of a GGUF file. Undefined when none
 * says so.
 */
export function believableWindow(limits: ModelLimits | undefined): number | undefined {
  const told = [limits?.modelMaxLength, limits?.maxPositionEmbeddings].filter(
    (limit): limit is number => limit !== undefined && limit >= LEAST && limit <= MOST,
  )
  return told.length === 0 ? undefined : Math.min(...told)
}
