import { checkTokens } from '../tokenizer/truncate-text.js'

/** What a call cost, in OpenAI's shape. */
export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens: number }
  readonly completion_tokens_details?: { readonly reasoning_tokens: number }
}

export interface UsageDetails {
  /** Tokens of the prompt that the server had computed before. */
  cachedTokens?: number | undefined
  /** Tokens of the reply that were reasoning. */
  reasoningTokens?: number | undefined
}

/** A number of tokens, or what has one: ids, `chat.count()`, `chat.encode()`, a session. */
export type TokenAmount =
  | number
  | { readonly length: number }
  | { readonly total: number }
  | { readonly tokenCount: number }
  | { readonly count: number }

/**
 * The usage of a call as OpenAI's API tells it.
 *
 * @throws InvalidArgumentError for what is no number of tokens
 * @example openAIUsage(chat.encode(messages), replyIds)  // { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
 */
export function openAIUsage(
  prompt: TokenAmount,
  completion: TokenAmount = 0,
  { cachedTokens, reasoningTokens }: UsageDetails = {},
): Usage {
  const promptTokens = amountOf('prompt', prompt)
  const completionTokens = amountOf('completion', completion)
  if (cachedTokens !== undefined) checkTokens('cachedTokens', cachedTokens)
  if (reasoningTokens !== undefined) checkTokens('reasoningTokens', reasoningTokens)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}

function amountOf(name: string, amount: TokenAmount): number {
  const fields = Object(amount) as Partial<Record<'total' | 'tokenCount' | 'count' | 'length', unknown>>
  const tokens =
    typeof amount === 'number' ? amount : (fields.total ?? fields.tokenCount ?? fields.count ?? fields.length)
  checkTokens(name, tokens as number)
  return tokens as number
}
