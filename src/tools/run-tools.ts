import type { FitOptions, TruncateRule } from '../budget/fit-options.js'
import type { Chat } from '../chat/chat.js'
import type { ChatMessage } from '../chat/messages.js'
import type { Engine, Sampling } from '../engine/engine.js'
import { generateReply, type ReplyEvent, type ReplyUsage } from '../engine/generate-reply.js'
import { InvalidArgumentError } from '../errors.js'
import type { FinishReason, ParsedToolCall, Turn } from '../output/types.js'
import { toolMessages } from './openai.js'
import { toolRegistry } from './registry.js'
import type { DispatchOptions, ResultLimit, ToolRegistry, ToolResult } from './types.js'

/** `reserveForReply` is 1,024 by default, or a quarter of a small window; `strategy` also cuts long results. */
export interface RunToolsOptions
  extends Omit<FitOptions, 'tools' | 'addGenerationPrompt' | 'continueFinalMessage'> {
  /** How many replies the model may write. Default 10. */
  maxRounds?: number | undefined
  /** How many tokens a reply may have. Default: what the window leaves, which is at least `reserveForReply`. */
  maxTokens?: number | undefined
  sampling?: Sampling | undefined
  /** Texts that end a reply. */
  stop?: readonly string[] | undefined
  /** Ends the loop: the reply that is being written, and the tools that are running, which get it. */
  signal?: AbortSignal | undefined
  /** How long a result may be. Default: the registry's. */
  limit?: ResultLimit | undefined
}

/**
 * Why the loop ended:
 * - `final`: the last turn calls no tool
 * - `length`: the last reply was cut off, so that its calls were not run
 * - `manual`: the last turn calls a tool without `execute`; none of its calls was run
 * - `max-rounds`: the calls of the last reply were run, and the model has not seen the results yet
 */
export type LoopEndReason = 'final' | 'length' | 'manual' | 'max-rounds'

/** What the loop tells, in order. Rounds count from 0. */
export type ToolLoopEvent =
  | {
      readonly type: 'round-start'
      readonly round: number
      /** What is sent, after it was made to fit. */
      readonly promptIds: Uint32Array
      readonly maxTokens: number
      /** Messages that had to go. */
      readonly dropped: readonly ChatMessage[]
    }
  | (Exclude<ReplyEvent, { type: 'end' }> & { readonly round: number })
  /** A result, as soon as it is there. */
  | {
      readonly type: 'tool-result'
      readonly round: number
      readonly call: ParsedToolCall
      readonly result: ToolResult
    }
  | {
      readonly type: 'round-end'
      readonly round: number
      readonly finish: FinishReason
      readonly turns: readonly Turn[]
      readonly usage: ReplyUsage
      /** In the order of the calls. */
      readonly results: readonly ToolResult[]
    }
  | ToolLoopEnd

export interface ToolLoopEnd {
  readonly type: 'end'
  readonly reason: LoopEndReason
  /** The last turn. */
  readonly turn: Turn
  /** The whole conversation: what it began with, all turns, all results. */
  readonly messages: readonly ChatMessage[]
  /** Calls that were not run, for `length` and `manual`. */
  readonly pending: readonly ParsedToolCall[]
  readonly rounds: number
  /** Of all rounds together. */
  readonly usage: ReplyUsage
}

const DEFAULT_ROUNDS = 10
const DEFAULT_RESERVE = 1024
/** In a conversation that is too long, results of more than a quarter of the window are cut before rounds go. */
const SHARE = 4
/** Where the last round alone is too long, its results are cut to these parts of that. */
const SHORTER = [4, 16]

/**
 * Lets a model answer with tools: makes the conversation fit, has the engine write a reply, runs the tools that it calls,
 * all at the same time, adds their results in the order of the calls, and so on, up to a turn without calls.
 *
 * What goes wrong with a call (an unknown tool, malformed or invalid arguments, an error of the tool) becomes its result,
 * which the model reads. The conversation that is passed in is not changed.
 *
 * @param tools a registry, or tools as `defineTool` makes them
 * @throws EngineError; BudgetError when the conversation cannot be made to fit; InvalidMessageError as `chat.encode`
 * @throws InvalidArgumentError for options that make no sense, and where no window is known and `maxTokens` is missing
 *
 * @example
 * for await (const event of runTools(chat, engine, messages, [getWeather], { maxRounds: 5 })) {
 *   if (event.type === 'text') process.stdout.write(event.text)
 *   if (event.type === 'end') messages = event.messages
 * }
 */
export async function* runTools(
  chat: Chat,
  engine: Engine,
  messages: readonly ChatMessage[],
  tools: ToolRegistry | Parameters<typeof toolRegistry>[0],
  options: RunToolsOptions = {},
): AsyncGenerator<ToolLoopEvent, void, undefined> {
  const { maxRounds = DEFAULT_ROUNDS, limit } = options
  if (!Number.isInteger(maxRounds) || maxRounds < 1) {
    throw new InvalidArgumentError(`maxRounds must be a whole number from 1 on, not ${String(maxRounds)}`)
  }
  const registry = 'dispatch' in tools ? tools : toolRegistry(tools)
  const all = [...messages]
  const usages: ReplyUsage[] = []
  for (let round = 0; ; round++) {
    const prompt = await nextPrompt(chat, all, registry, options)
    yield { type: 'round-start', round, ...prompt }
    const { finish, turns, usage } = yield* replied(round, chat, engine, prompt, registry, options)
    all.push(...turns)
    usages.push(usage)

    const calls = turns.flatMap(({ toolCalls }) => toolCalls)
    const stop = stopBeforeCalls(calls, finish, registry)
    const results = stop ? [] : yield* dispatched(round, calls, registry, { signal: options.signal, limit })
    if (!stop) all.push(...toolMessages(calls, results))
    yield { type: 'round-end', round, finish, turns, usage, results }
    const reason = stop ?? (round + 1 === maxRounds ? 'max-rounds' : undefined)
    if (reason !== undefined) {
      const turn = turns.at(-1) as Turn
      const pending = stop ? calls : []
      yield { type: 'end', reason, turn, messages: all, pending, rounds: round + 1, usage: total(usages) }
      return
    }
  }
}

function stopBeforeCalls(
  calls: readonly ParsedToolCall[],
  finish: FinishReason,
  registry: ToolRegistry,
): LoopEndReason | undefined {
  if (calls.length === 0) return 'final'
  if (finish === 'length') return 'length'
  const isManual = ({ error, name }: ParsedToolCall): boolean =>
    !error && registry.has(name) && registry.get(name)?.execute === undefined
  return calls.some(isManual) ? 'manual' : undefined
}

interface NextPrompt {
  readonly promptIds: Uint32Array
  readonly maxTokens: number
  readonly dropped: readonly ChatMessage[]
}

/** The conversation as it fits. Without a window that is known, the caller's limit is all there is to go by. */
async function nextPrompt(
  chat: Chat,
  messages: readonly ChatMessage[],
  registry: ToolRegistry,
  options: RunToolsOptions,
): Promise<NextPrompt> {
  const { contextWindow = chat.contextWindow, maxTokens, ...rest } = options
  const definitions = registry.definitions()
  const tools = definitions.length > 0 ? definitions : undefined
  if (contextWindow === undefined) {
    if (maxTokens === undefined) {
      throw new InvalidArgumentError(
        'contextWindow or maxTokens must be given: the files of the model name no context window',
      )
    }
    return { promptIds: chat.encode(messages, { ...rest, tools }).ids, maxTokens, dropped: [] }
  }
  const share = Math.floor(contextWindow / SHARE)
  const {
    reserveForReply = maxTokens ?? Math.min(DEFAULT_RESERVE, share),
    strategy = [
      truncation(share),
      'drop-oldest',
      ...SHORTER.map((part) => truncation(Math.ceil(share / part))),
    ],
  } = options
  const fitted = await chat.fit(messages, { ...rest, tools, contextWindow, reserveForReply, strategy })
  return {
    promptIds: fitted.ids,
    maxTokens: Math.min(maxTokens ?? contextWindow, contextWindow - fitted.count),
    dropped: fitted.dropped.map(({ message }) => message),
  }
}

function truncation(maxTokens: number): { truncate: TruncateRule } {
  return { truncate: { maxTokens } }
}

type ReplyEnd = Extract<ReplyEvent, { type: 'end' }>

/** One reply; what it came to is returned. */
async function* replied(
  round: number,
  chat: Chat,
  engine: Engine,
  { promptIds, maxTokens }: NextPrompt,
  tools: ToolRegistry,
  { sampling, stop, signal }: RunToolsOptions,
): AsyncGenerator<ToolLoopEvent, ReplyEnd, undefined> {
  for await (const event of generateReply(chat, engine, promptIds, {
    maxTokens,
    tools,
    sampling,
    stop,
    signal,
  })) {
    if (event.type === 'end') return event
    yield { ...event, round }
  }
  throw new Error('a reply without an end')
}

/** Runs calls at the same time. Tools that still run when nobody waits for them any more are told so. */
async function* dispatched(
  round: number,
  calls: readonly ParsedToolCall[],
  registry: ToolRegistry,
  { signal, limit }: DispatchOptions,
): AsyncGenerator<ToolLoopEvent, ToolResult[], undefined> {
  const control = new AbortController()
  const abort = (): void => control.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', abort, { once: true })
  const dispatch = async (call: ParsedToolCall, i: number) => ({
    i,
    result: await registry.dispatch(call, { signal: control.signal, limit }),
  })
  const running = new Map(calls.map((call, i) => [i, dispatch(call, i)]))
  const results: ToolResult[] = []
  try {
    while (running.size > 0) {
      const { i, result } = await Promise.race(running.values())
      signal?.throwIfAborted()
      running.delete(i)
      results[i] = result
      yield { type: 'tool-result', round, call: calls[i] as ParsedToolCall, result }
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    control.abort()
  }
  return results
}

function total(usages: readonly ReplyUsage[]): ReplyUsage {
  const sum = (field: keyof ReplyUsage): number => usages.reduce((all, usage) => all + (usage[field] ?? 0), 0)
  return {
    promptTokens: sum('promptTokens'),
    outputTokens: sum('outputTokens'),
    totalTokens: sum('totalTokens'),
    cachedTokens: usages.some(({ cachedTokens }) => cachedTokens !== undefined)
      ? sum('cachedTokens')
      : undefined,
  }
}
