import type { Chat } from '../chat/chat.js'
import type { FinishReason, ReplyDelta } from '../output/types.js'
import type { TokenIds } from '../tokenizer/tokenizer.js'
import type { Engine, GenerateRequest, GenerationEnd, Sampling } from './engine.js'

export interface ReplyOptions {
  /** How many ids the reply may have. */
  readonly maxTokens: number
  /** The tools that the prompt was made with: see `ParseOptions.tools`. */
  readonly tools?: unknown
  /** Texts that end the reply; they are found in the decoded text, not by the engine. */
  readonly stop?: readonly string[] | undefined
  readonly sampling?: Sampling | undefined
  readonly signal?: AbortSignal | undefined
}

/** Tokens of one request, counted, not estimated. */
export interface ReplyUsage {
  readonly promptTokens: number
  /** All ids that the engine gave, the stop id among them. */
  readonly outputTokens: number
  readonly totalTokens: number
  /** See {@link GenerationEnd.cachedTokens}. */
  readonly cachedTokens: number | undefined
}

/** A delta of a reply; the last one tells what it cost. */
export type ReplyEvent =
  | Exclude<ReplyDelta, { type: 'end' }>
  | (Extract<ReplyDelta, { type: 'end' }> & { readonly usage: ReplyUsage })

/**
 * Has an engine write a reply, and reads it while it comes. Leaving the loop ends the generation.
 *
 * @param prompt as `chat.encode` gives it, or its ids
 * @throws EngineError; InvalidArgumentError for options that make no sense
 * @example
 * const prompt = chat.encode(messages, { tools })
 * for await (const event of generateReply(chat, engine, prompt, { maxTokens: 512, tools })) {
 *   if (event.type === 'text') process.stdout.write(event.text)
 *   if (event.type === 'end') messages.push(...event.turns)
 * }
 */
export async function* generateReply(
  chat: Chat,
  engine: Engine,
  prompt: { readonly ids: Uint32Array } | Uint32Array,
  { maxTokens, tools, stop, sampling, signal }: ReplyOptions,
): AsyncGenerator<ReplyEvent, void, undefined> {
  const promptIds = prompt instanceof Uint32Array ? prompt : prompt.ids
  let outputTokens = 0
  let end: GenerationEnd | undefined
  const request: GenerateRequest = {
    promptIds,
    stopIds: chat.eosTokenIds,
    maxTokens,
    sampling,
    signal,
    onEnd: (told) => {
      end = told
    },
  }
  async function* counted(): AsyncGenerator<TokenIds, void, undefined> {
    for await (const ids of engine.generate(request)) {
      outputTokens += ids.length
      yield ids
    }
  }
  const finish = (): FinishReason => {
    if (end !== undefined) return end.reason === 'stop' ? 'stop' : 'length'
    return outputTokens < maxTokens ? 'stop' : 'length'
  }
  for await (const delta of chat.stream(counted(), { prompt: promptIds, tools, stop, finish })) {
    if (delta.type !== 'end') yield delta
    else {
      const promptTokens = promptIds.length
      const totalTokens = promptTokens + outputTokens
      yield { ...delta, usage: { promptTokens, outputTokens, totalTokens, cachedTokens: end?.cachedTokens } }
    }
  }
}
