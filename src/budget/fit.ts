import type { Chat } from '../chat/chat.js'
import type { EncodedChat } from '../chat/encoded-chat.js'
import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { BudgetError, InvalidArgumentError, InvalidMessageError, TemplateError } from '../errors.js'
import {
  budgetOf,
  type FitOptions,
  type FitStrategy,
  type FittedChat,
  pinnedTest,
  type Summarise,
  strategiesOf,
  type TruncatedText,
  type TruncateRule,
} from './fit-options.js'
import { type Round, roundsOf } from './rounds.js'
import { type LongText, longTexts, type Texts, withCutTexts } from './shorten-texts.js'
import { withSummary } from './summary.js'

/** Room for a summary where the strategy does not say. */
const SUMMARY_TOKENS = 256

/**
 * Makes a conversation fit, as `Chat.fit` tells.
 *
 * @throws BudgetError when what may not go is too long
 */
export async function fitConversation(
  chat: Chat,
  messages: readonly ChatMessage[],
  options: FitOptions,
): Promise<FittedChat> {
  const { fitting, summary, room, whole } = shortened(chat, messages, options)
  return fitting.result(summary && (await fitting.summarise(summary, room)), whole)
}

/** The same at once, without a summary. */
export function fitWithoutSummary(
  chat: Chat,
  messages: readonly ChatMessage[],
  options: FitOptions,
): FittedChat {
  const { fitting, whole } = shortened(chat, messages, options)
  return fitting.result(undefined, whole)
}

interface Shortened {
  readonly fitting: Fitting
  readonly summary: Summarise | undefined
  /** Tokens of the summary. */
  readonly room: number
  /** All of it, where nothing has to go. */
  readonly whole?: EncodedChat
}

function shortened(chat: Chat, messages: readonly ChatMessage[], options: FitOptions): Shortened {
  const strategies = strategiesOf(options)
  const { contextWindow, reserveForReply, budget } = budgetOf(options, chat.contextWindow)
  const whole = chat.encode(messages, options) // throws what is wrong with it as it came
  const fitting = new Fitting(chat, messages, options, budget)
  const last = strategies.find((strategy) => typeof strategy === 'object' && 'summarise' in strategy)
  const room = last ? (last.maxTokens ?? SUMMARY_TOKENS) : 0
  const keeps = strategies.every((strategy) => strategy === 'drop-oldest' || !('lastRounds' in strategy))
  if (keeps && whole.tokenCount <= budget) return { fitting, summary: undefined, room, whole }
  for (const strategy of strategies) fitting.apply(strategy, room)
  const state = fitting.state()
  if (state !== 'fits') {
    const needs = state === 'over' ? fitting.needs() : [['all of it', whole.tokenCount] as const]
    throw new BudgetError({ contextWindow, reserveForReply, needs })
  }
  return { fitting, summary: last?.summarise, room }
}

type State = 'fits' | 'over' | 'invalid'

/** A conversation that is being shortened. */
class Fitting {
  readonly #chat: Chat
  readonly #original: readonly ChatMessage[]
  readonly #options: EncodeChatOptions
  readonly #budget: number
  readonly #pinned: (index: number) => boolean
  /** Those that may go, oldest first. */
  readonly #rounds: readonly Round[]
  readonly #lastQuestion: readonly number[]
  readonly #violations: number
  #texts: Texts
  readonly #truncated = new Map<number | string, TruncatedText>()
  /** How many rounds have gone. */
  #gone = 0

  constructor(chat: Chat, messages: readonly ChatMessage[], options: FitOptions, budget: number) {
    this.#chat = chat
    this.#original = messages
    this.#options = options
    this.#budget = budget
    this.#pinned = pinnedTest(options, messages)
    const rounds = roundsOf(messages, this.#pinned)
    this.#rounds = rounds.filter(({ isProtected }) => !isProtected)
    const question = messages.findLastIndex(({ role }) => role === 'user')
    this.#lastQuestion = rounds.find(({ indices }) => indices.includes(question))?.indices ?? []
    this.#violations = chat.validate(messages).length
    this.#texts = { messages, documents: options.documents }
  }

  apply(strategy: FitStrategy, summaryTokens: number): void {
    if (strategy === 'drop-oldest') this.#dropOldest(summaryTokens)
    else if ('lastRounds' in strategy) this.#keepLast(strategy.lastRounds)
    else if ('truncate' in strategy) this.#truncate(strategy.truncate)
  }

  /** What becomes of it with so many rounds gone. */
  state(gone: number = this.#gone, budget: number = this.#budget, texts: Texts = this.#texts): State {
    return this.#stateOf(this.#kept(gone, texts), budget, texts.documents)
  }

  /** What stays, by length: what it is, and its tokens. */
  needs(): [what: string, tokens: number][] {
    const messages = this.#kept(this.#gone, this.#texts)
    const indices = this.#keptIndices(this.#gone)
    const { total, perMessage, perSource } = this.#chat.count(
      messages,
      this.#withDocuments(this.#texts.documents),
    )
    const inMessages = perMessage.map(({ role, total }, i): [string, number] => [
      `messages[${indices[i]}] (${role})`,
      total,
    ])
    const rest = total - inMessages.reduce((sum, [, tokens]) => sum + tokens, 0) - perSource.template
    return [...inMessages, ['the template', perSource.template], ['tools, documents and options', rest]]
  }

  /** The summary of what went, as long as there is room; undefined for none. */
  async summarise(summarise: Summarise, maxTokens: number): Promise<string | undefined> {
    const dropped = this.#dropped()
    if (dropped.length === 0 || maxTokens === 0) return undefined
    const said: unknown = await summarise(
      dropped.map(({ message }) => message),
      { maxTokens },
    )
    if (typeof said !== 'string') {
      throw new InvalidArgumentError(`summarise: a text was expected, not ${typeof said}`)
    }
    const { tokenizer } = this.#chat
    let most = maxTokens
    while (most > 0 && said !== '') {
      const summary = tokenizer.truncate(said, most)
      if (summary === '') return undefined
      const messages = withSummary(this.#kept(this.#gone, this.#texts), summary)
      if (this.#stateOf(messages, this.#budget, this.#texts.documents) === 'fits') return summary
      most = Math.floor((Math.min(most, tokenizer.count(summary)) * 3) / 4)
    }
    return undefined
  }

  result(summary: string | undefined, whole: EncodedChat | undefined): FittedChat {
    const kept = this.#kept(this.#gone, this.#texts)
    const messages = summary === undefined ? kept : withSummary(kept, summary)
    const { documents } = this.#texts
    const encoded = whole ?? this.#chat.encode(messages, this.#withDocuments(documents))
    const stays = new Set<number | string>(this.#keptIndices(this.#gone))
    return {
      messages,
      documents,
      encoded,
      ids: encoded.ids,
      count: encoded.tokenCount,
      budget: this.#budget,
      dropped: this.#dropped(),
      truncated: [...this.#truncated]
        .filter(([index]) => typeof index === 'string' || stays.has(index))
        .map(([, text]) => text),
      summary,
    }
  }

  #keepLast(rounds: number): void {
    while (this.#gone < this.#rounds.length) {
      const next = this.#rounds[this.#gone] as Round
      if (next.age < rounds && this.state() !== 'invalid') return
      this.#gone++
    }
    while (this.#gone > 0 && this.state() === 'invalid') this.#gone--
  }

  /** As few rounds as it takes go; all of them, if that is not enough. */
  #dropOldest(summaryTokens: number): void {
    if (this.state() === 'fits') return
    for (const budget of [this.#budget - summaryTokens, this.#budget]) {
      const enough = this.#enough(budget)
      if (enough === undefined) continue
      this.#gone = least(this.#gone, enough, (gone) => this.state(gone, budget) === 'fits')
      return
    }
    this.#gone = this.#rounds.length
  }

  /** So many rounds gone are enough: all, or where only fewer leave an order that the format takes, those. */
  #enough(budget: number): number | undefined {
    for (let gone = this.#rounds.length; gone > this.#gone; gone--) {
      const state = this.state(gone, budget)
      if (state !== 'invalid') return state === 'fits' ? gone : undefined
    }
    return undefined
  }

  /** As few texts as it takes are cut, oldest first. */
  #truncate(rule: TruncateRule): void {
    if (this.state() === 'fits') return
    const gone = new Set(this.#goneIndices(this.#gone))
    const untouchable = (index: number) =>
      gone.has(index) ||
      this.#pinned(index) ||
      (this.#lastQuestion.includes(index) && this.#isQuestion(index))
    const long = longTexts(this.#texts, rule, untouchable, this.#chat.tokenizer)
    const cuts: ReturnType<LongText['cut']>[] = []
    const withCuts = (count: number): Texts => {
      for (const text of long.slice(cuts.length, count)) cuts.push(text.cut())
      return withCutTexts(this.#texts, cuts.slice(0, count))
    }
    const fits = (count: number) => this.state(this.#gone, this.#budget, withCuts(count)) === 'fits'
    const count = long.length > 0 && fits(long.length) ? least(0, long.length, fits) : long.length
    this.#texts = withCuts(count)
    cuts.slice(0, count).forEach(({ truncated }, i) => {
      this.#truncated.set(long[i]?.index ?? truncated.path, truncated)
    })
  }

  #isQuestion(index: number): boolean {
    return this.#original[index]?.role === 'user'
  }

  #stateOf(messages: readonly ChatMessage[], budget: number, documents: unknown): State {
    if (this.#chat.validate(messages).length > this.#violations) return 'invalid'
    try {
      const { prompt } = this.#chat.prompt(messages, this.#withDocuments(documents))
      const limit = budget - prompt.extraTokens
      const fits = limit >= 0 && this.#chat.tokenizer.countPackedUpTo(prompt, limit) !== undefined
      return fits ? 'fits' : 'over'
    } catch (error) {
      if (isRefusal(error)) return 'invalid'
      throw error
    }
  }

  #withDocuments(documents: unknown): EncodeChatOptions {
    return { ...this.#options, documents }
  }

  #goneIndices(gone: number): number[] {
    return this.#rounds.slice(0, gone).flatMap(({ indices }) => indices)
  }

  #keptIndices(gone: number): number[] {
    const dropped = new Set(this.#goneIndices(gone))
    return [...this.#original.keys()].filter((index) => !dropped.has(index))
  }

  #kept(gone: number, { messages }: Texts): ChatMessage[] {
    return this.#keptIndices(gone).map((index) => messages[index] as ChatMessage)
  }

  #dropped(): { index: number; message: ChatMessage }[] {
    return this.#goneIndices(this.#gone).map((index) => ({
      index,
      message: this.#original[index] as ChatMessage,
    }))
  }
}

/** What formats and templates throw for a conversation that they do not take. */
function isRefusal(error: unknown): boolean {
  return error instanceof InvalidMessageError || error instanceof TemplateError
}

/** The smallest number above `not` that will do, where `enough` does: the one below it does not. */
function least(not: number, enough: number, does: (count: number) => boolean): number {
  let [low, high] = [not, enough]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (does(middle)) high = middle
    else low = middle
  }
  return high
}
