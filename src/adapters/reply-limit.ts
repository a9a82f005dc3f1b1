import type { Chat } from '../chat/chat.js'
import { InvalidArgumentError } from '../errors.js'

/**
 * How many ids a reply may have where the caller does not say: what the context window leaves.
 *
 * @throws InvalidArgumentError when neither a limit nor a window is known, or the prompt fills the window
 */
export function replyLimit(
  chat: Chat,
  promptTokens: number,
  maxTokens: number | undefined,
  contextWindow: number | undefined = chat.contextWindow,
): number {
  if (maxTokens !== undefined) return maxTokens
  if (contextWindow === undefined) {
    throw new InvalidArgumentError('maxTokens must be given: the files of the model name no context window')
  }
  if (contextWindow <= promptTokens) {
    throw new InvalidArgumentError(
      `the prompt has ${promptTokens} tokens, which leaves no room for a reply in a window of ${contextWindow}`,
    )
  }
  return contextWindow - promptTokens
}
