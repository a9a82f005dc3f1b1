import { InvalidMessageError, TemplateError } from '../errors.js'
import { type RecallSetup, recalledParts, THOUGHT_MARKS } from '../output/turn-memory.js'
import { ControlToken, PartKind, TrustedText, trusted } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import type { Guarantee } from './formats/format.js'
import {
  type ChatMessage,
  type Compat,
  checkName,
  kindOf,
  messageFields,
  quote,
  type Violation,
  withCalls,
} from './messages.js'
import {
  type ChatWarning,
  type EncodeChatOptions,
  type GrowingPrompt,
  isAsSeen,
  type MadePrompt,
  type PromptMaker,
  type RecallInText,
} from './prompt-maker.js'
import { type DataSource, type Prompt, PromptWriter } from './prompt-writer.js'
import type { DataDecision } from './template/decisions.js'
import type { OriginText } from './template/origin-text.js'
import type { Stretch } from './template/rendering.js'
import { ROLES } from './template/request.js'
import type { ChatTemplate, RenderedTemplate } from './template/template.js'
import { type WrittenTurn, writtenTurns } from './template-turns.js'
import { ToolArguments } from './tool-arguments.js'

/** A model's template, and the one for requests with tools where it has two. */
export interface Templates {
  readonly plain: ChatTemplate
  readonly withTools?: ChatTemplate | undefined
}

export interface TemplateSetup {
  readonly templates: Templates
  /** Values of `bos_token`, `eos_token` and so on. */
  readonly specialTokens: Readonly<Record<string, string>>
  readonly guarantee: Guarantee
  readonly compat: Compat
  /** Further roles that the caller allows. */
  readonly roles: readonly string[]
  readonly now: (() => Date) | undefined
  /** Gives the id of a control token by name, or throws. */
  readonly resolve: (name: string) => number
  /** What is known of turns that the model wrote. */
  readonly recall?: RecallSetup | undefined
  /** Names of the stop tokens. */
  readonly stops?: readonly string[] | undefined
}

/** Prompts of a chat template. */
export class TemplatePrompts implements PromptMaker {
  readonly name = 'template'
  readonly guarantee: Guarantee
  readonly #setup: TemplateSetup
  readonly #roles: ReadonlySet<string>
  readonly #toolArguments: ToolArguments

  constructor(setup: TemplateSetup) {
    this.guarantee = setup.guarantee
    this.#setup = setup
    this.#roles = new Set([...ROLES, ...setup.roles])
    this.#toolArguments = new ToolArguments((messages) => this.#render(messages, {}).text.text)
  }

  prompt(messages: readonly ChatMessage[], options: EncodeChatOptions): MadePrompt {
    const checked = messages.map((message, i) => this.#check(message, i))
    const asSeen = isAsSeen(options, this.#setup.compat)
    const rendered =
      this.#setup.compat === 'exact'
        ? this.#render(checked.map(withoutNulls), options)
        : this.#renderEither(
            checked.map((message) => this.#toolArguments.fit(message)),
            options,
          )
    const prompt = this.#parts(
      rendered,
      options.continueFinalMessage ? checked.at(-1) : undefined,
      messages,
      extraTokens(messages),
      this.#writtenTurns(rendered, messages, options),
      asSeen,
    )
    return new MadeOfTemplate(prompt, rendered)
  }

  violations(messages: readonly ChatMessage[]): Violation[] {
    return messages.flatMap((message, index) => {
      try {
        this.#check(message, index)
        return []
      } catch (error) {
        if (!(error instanceof InvalidMessageError)) throw error
        return [{ index, rule: error.rule, message: error.message }]
      }
    })
  }

  /**
   * transformers leaves out fields that are null. Templates from before that read them (`content is none`) and fail
   * without, so what fails is tried again as it came.
   */
  #renderEither(messages: readonly Fields[], options: EncodeChatOptions): RenderedTemplate {
    const known = messages.map(withoutNulls)
    try {
      return this.#render(known, options)
    } catch (error) {
      const dropped = known.some((message, i) => message !== messages[i])
      if (!dropped || !(error instanceof TemplateError) || error.kind !== 'runtime') throw error
      try {
        return this.#render(messages, options)
      } catch {
        throw error
      }
    }
  }

  growing(options: EncodeChatOptions): GrowingPrompt | undefined {
    if (options.continueFinalMessage) return undefined
    const { compat, recall } = this.#setup
    const asSeen = isAsSeen(options, compat)
    const { template, context, how } = this.#request(undefined, options)
    const render = template.growing(context, how)
    if (render === undefined) return undefined
    const all: ChatMessage[] = []
    let extra = 0
    let knowsTurns = false
    let openings: Openings | undefined
    const recalled: RecallInText = {
      has: (message) => recall?.memory.has(all[message] as ChatMessage) === true,
      parts: (text) => {
        const written = { text, generations: [] }
        if (recall) openings ??= this.#openings(options, recall)
        const turns = recall && openings ? this.#turnsIn(text, all, openings, recall) : []
        return { prompt: this.#parts(written, undefined, all, 0, turns, asSeen), turns }
      },
    }
    return {
      add: (messages) => {
        const added: object[] = []
        for (const message of messages) {
          const checked = this.#check(message, all.length + added.length)
          added.push(withoutNulls(compat === 'exact' ? checked : this.#toolArguments.fit(checked)))
        }
        const { segments, same } = render.render(added)
        for (const message of messages) {
          all.push(message)
          knowsTurns ||= recall?.memory.has(message) === true
        }
        extra += extraTokens(messages)
        return { segments, same, extraTokens: extra, recall: knowsTurns ? recalled : undefined }
      },
    }
  }

  #render(messages: readonly object[], options: EncodeChatOptions): RenderedTemplate {
    const { template, context, how } = this.#request(messages, options)
    return template.render(context, how)
  }

  /** Which template is rendered, with which variables. */
  #request(messages: readonly object[] | undefined, options: EncodeChatOptions) {
    const { tools = null, documents = null, continueFinalMessage = false, templateOptions = {} } = options
    const { templates, specialTokens, roles, now } = this.#setup
    const addGenerationPrompt = options.addGenerationPrompt ?? !continueFinalMessage
    return {
      template: (tools === null ? undefined : templates.withTools) ?? templates.plain,
      context: { ...templateOptions, messages, tools, documents, add_generation_prompt: addGenerationPrompt },
      how: {
        specialTokens,
        roles,
        ...(now ? { now } : {}),
        onDataDependence: options.onDataDependence ?? 'report',
      },
    }
  }

  /** Where the template writes turns that this process has read. `{% generation %}` and open turns are left alone. */
  #writtenTurns(
    { text, generations }: Pick<RenderedTemplate, 'text' | 'generations'>,
    messages: readonly ChatMessage[],
    options: EncodeChatOptions,
  ): KnownTurn[] {
    const { recall } = this.#setup
    if (recall === undefined || generations.length > 0 || options.continueFinalMessage) return []
    if (!messages.some((message) => recall.memory.has(message))) return []
    return this.#turnsIn(text, messages, this.#openings(options, recall), recall)
  }

  #turnsIn(
    text: OriginText,
    messages: readonly ChatMessage[],
    { whole, openings }: Openings,
    recall: RecallSetup,
  ): KnownTurn[] {
    const isKnown = (index: number): boolean => {
      const message = messages[index]
      return message !== undefined && recall.memory.has(message)
    }
    return writtenTurns(text, isKnown, openings, this.#setup.stops ?? []).flatMap(({ opening, ...turn }) => {
      const given = idsBehind(recall.tokenizer, whole, opening)
      return given === undefined ? [] : [{ ...turn, given }]
    })
  }

  #openings(options: EncodeChatOptions, recall: RecallSetup): Openings {
    const whole = this.#opening(options)
    // Some generation prompts end with the beginning of thoughts, which is left out with them.
    const marks = options.history === 'as-seen' ? (recall.protocol.thoughtMarks ?? THOUGHT_MARKS) : []
    const thoughts = Math.min(...marks.map((mark) => whole.indexOf(mark)).filter((at) => at > 0))
    return { whole, openings: Number.isFinite(thoughts) ? [whole, whole.slice(0, thoughts)] : [whole] }
  }

  /**
   * The generation prompt: what the template writes more where it is asked for one. Where that is nothing, what stands
   * behind a question.
   */
  #opening(options: EncodeChatOptions): string {
    const render = (addGenerationPrompt: boolean): RenderedTemplate['text'] =>
      this.#render([{ role: 'user', content: 'x' }], { ...options, addGenerationPrompt }).text
    try {
      const without = render(false).text
      const whole = render(true)
      if (!whole.text.startsWith(without)) return ''
      let begin = without.length
      if (begin === whole.text.length) {
        begin = 0
        whole.forEachRun((_, end, origin) => {
          if (origin !== null) begin = end
        })
      }
      return whole.text.slice(begin)
    } catch {
      return '' // a template that does not take such a conversation
    }
  }

  /** Checks what templates take for granted, and makes control tokens in content trusted text. */
  #check(message: unknown, index: number): Fields {
    const fail = (rule: string, reason: string): never => {
      throw new InvalidMessageError(index, rule, reason)
    }
    const fields = withReasoning(withCalls(messageFields(message, fail)))
    const { role, content } = fields
    if (typeof role !== 'string' || !this.#roles.has(role)) {
      const known = [...this.#roles].join(', ')
      return fail('unknown-role', `the role must be one of ${known}, not ${quote(role)}; { roles } adds more`)
    }
    const { compat } = this.#setup
    checkName('name', fields.name, compat, fail)
    checkName('tool_call_id', fields.tool_call_id, compat, fail)
    if (ControlToken.is(content)) return { ...fields, content: this.#trusted(content) }
    if (!Array.isArray(content)) {
      if (typeof content === 'object' && content !== null && !TrustedText.is(content)) {
        return fail('content', `content must be a string or a list of parts, not ${kindOf(content)}`)
      }
      return fields
    }
    return {
      ...fields,
      content: content.map((part: unknown, i) => {
        if (ControlToken.is(part)) return this.#textPart(this.#trusted(part))
        if (typeof part === 'string' || TrustedText.is(part)) return this.#textPart(part)
        if (typeof part !== 'object' || part === null) {
          return fail('content-part', `content[${i}] must be a part, not ${kindOf(part)}`)
        }
        const { type } = part as { type?: unknown }
        if (type === 'control' || typeof type !== 'string') {
          return fail('content-part', `content[${i}] has the type ${quote(type)}, which is none`)
        }
        return part
      }),
    }
  }

  #textPart(text: unknown): object {
    return { type: 'text', text }
  }

  #trusted(token: ControlToken): unknown {
    this.#setup.resolve(token.name) // throws where the model has none of that name
    return trusted(token.name)
  }

  /**
   * @param open the message whose turn stays open, if one does
   * @param messages as they came
   * @param extraTokens what their control tokens with a `count` stand for
   * @param turns what the model itself wrote in this process
   * @param asSeen its thoughts stay
   */
  #parts(
    { text, generations }: Pick<RenderedTemplate, 'text' | 'generations'>,
    open: Fields | undefined,
    messages: readonly ChatMessage[],
    extraTokens: number,
    turns: readonly KnownTurn[],
    asSeen: boolean,
  ): Prompt {
    if (open === undefined && turns.length === 0) return promptOfRuns(text, generations, extraTokens)
    const { recall } = this.#setup
    const given = new Map(turns.map((turn) => [turn.message, turn.given]))
    const writer = new PromptWriter(
      this.#setup.resolve,
      recall &&
        ((index, written, next) => {
          const how = { asSeen, given: given.get(index) }
          return recalledParts(recall, messages[index] as ChatMessage, written, next, how)
        }),
    )
    const whole = text.text
    const end = open === undefined ? whole.length : endOfContent(text, messages.length - 1)
    const borders =
      generations.length > 0
        ? bordersOf(generations)
        : turns.flatMap(({ begin, end: close }) => [begin, close])
    let border = 0
    text.forEachRun((start, stop, origin) => {
      let at = start
      const until = Math.min(stop, end)
      if (start > end || (start === end && start < stop)) return
      while (true) {
        while (border < borders.length && (borders[border] as number) <= at) {
          if (border % 2 === 0) writer.beginAssistant(turns[border / 2]?.message)
          else writer.endAssistant()
          border++
        }
        const next = Math.min(until, borders[border] ?? until)
        const piece = whole.slice(at, next)
        if (origin === null) writer.trusted(piece)
        else writer.data(piece, origin)
        at = next
        if (at >= until) break
      }
    })
    writer.endAssistant().stands(extraTokens)
    // transformers finds the end of the content by a mark, which keeps white space from being trimmed where the
    // template writes a space behind it (Llama 2).
    if (open !== undefined && whole[end] === ' ')
      writer.data(trimmedEnd(open, whole.slice(0, end)), 'messages')
    return writer.finish(generations.length > 0)
  }
}

/** A prompt with its warnings, which are made when somebody reads them. */
class MadeOfTemplate implements MadePrompt {
  readonly prompt: Prompt
  readonly #rendered: RenderedTemplate
  #warnings: readonly ChatWarning[] | undefined

  constructor(prompt: Prompt, rendered: RenderedTemplate) {
    this.prompt = prompt
    this.#rendered = rendered
  }

  get warnings(): readonly ChatWarning[] {
    this.#warnings ??= this.#rendered.decisions.map(warningOf)
    return this.#warnings
  }
}

type Fields = Readonly<Record<string, unknown>>

interface KnownTurn extends Omit<WrittenTurn, 'opening'> {
  /** Ids of the generation prompt that the template does not write in front of it. */
  readonly given: Uint32Array
}

/** What stands in front of a turn of the model. */
interface Openings {
  /** The generation prompt. */
  readonly whole: string
  /** The same, and what may be left of it. */
  readonly openings: readonly string[]
}

/** The ids of a text behind those of its beginning; undefined where the beginning alone has others. */
function idsBehind(tokenizer: Tokenizer, whole: string, beginning: string): Uint32Array | undefined {
  if (whole === beginning) return new Uint32Array()
  const [all, first] = [tokenizer.encode(trusted(whole)), tokenizer.encode(trusted(beginning))]
  return first.every((id, i) => id === all[i]) ? all.slice(first.length) : undefined
}

/**
 * Each run is a part, or several where a stretch of the model's own begins or ends in it, and the whole text is that of
 * all parts: nothing is cut into pieces and joined again.
 */
function promptOfRuns(text: OriginText, generations: readonly Stretch[], extraTokens: number): Prompt {
  const borders = bordersOf(generations)
  let count = 0
  text.forEachRun(() => count++)
  const parts = new Uint32Array(2 * (count + borders.length))
  const sources = new Array<DataSource | undefined>(count + borders.length)
  let part = 0
  const assistant: [number, number][] = []
  let border = 0
  let begin = -1
  const close = (): void => {
    if (begin >= 0) assistant.push([begin, part])
    begin = -1
  }
  text.forEachRun((start, end, origin) => {
    let at = start
    do {
      for (; border < borders.length && (borders[border] as number) <= at; border++) {
        if (border % 2 === 0) begin = part
        else close()
      }
      const next = border < borders.length ? Math.min(end, borders[border] as number) : end
      parts[2 * part] = origin === null ? PartKind.trusted : PartKind.data
      parts[2 * part + 1] = next - at
      sources[part++] = origin ?? undefined
      at = next
    } while (at < end)
  })
  close()
  sources.length = part
  return {
    parts: 2 * part === parts.length ? parts : parts.slice(0, 2 * part),
    text: text.text,
    extraTokens,
    extra: extraTokens > 0 ? [{ part, tokens: extraTokens }] : [],
    sources,
    assistant: generations.length > 0 ? assistant : undefined,
  }
}

function bordersOf(generations: readonly Stretch[]): readonly number[] {
  return generations.flatMap(({ start, end }) => [start, end])
}

/** What control tokens with a `count` stand for beyond their own ids. */
function extraTokens(messages: readonly ChatMessage[]): number {
  let sum = 0
  const add = (part: unknown): void => {
    if (ControlToken.is(part)) sum += part.count - 1
  }
  for (const { content } of messages) {
    if (Array.isArray(content)) content.forEach(add)
    else add(content)
  }
  return sum
}

function withoutNulls(message: Fields): Fields {
  for (const name of Object.keys(message)) {
    if (message[name] !== null) continue
    return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null))
  }
  return message
}

/** Reasoning under the names that templates read, as `_alias_reasoning_fields` of transformers 5.23 gives it. */
function withReasoning(message: Fields): Fields {
  const reasoning = message.reasoning_content ?? message.thinking ?? message.reasoning
  if (reasoning === undefined || reasoning === null) return message
  return { thinking: reasoning, ...message, reasoning_content: reasoning }
}

/** Where the last run of a message's content ends. */
function endOfContent(text: RenderedTemplate['text'], index: number): number {
  const prefix = `messages[${index}].content`
  let end: number | undefined
  text.forEachRun((_, stop, origin) => {
    if (origin?.path.startsWith(prefix)) end = stop
  })
  if (end === undefined) {
    throw new InvalidMessageError(
      index,
      'continue-final-message',
      'the template does not write the content of the last message, so its turn cannot be left open',
    )
  }
  return end
}

/** The white space that a template took from the end of the content. */
function trimmedEnd({ content }: Fields, written: string): string {
  const last: unknown = Array.isArray(content) ? content.findLast((part) => Object(part).text)?.text : content
  const space = typeof last === 'string' ? last.slice(last.trimEnd().length) : ''
  return written.endsWith(space) ? '' : space
}

function warningOf({ kind, line, column, path, outcome }: DataDecision): ChatWarning {
  const what = {
    branch: 'decides a branch of the chat template',
    loop: 'decides how often a loop of the chat template runs',
    split: 'decides where the chat template parts it',
    cut: 'loses a part in the chat template',
    raise: 'made the chat template raise',
  }[kind]
  const index = /^messages\[(\d+)\]/.exec(path)?.[1]
  const lost = kind === 'cut' ? `: ${quote(outcome)}` : ''
  return {
    rule: `data-dependence:${kind}`,
    message: `the content of ${path} ${what}${lost}`,
    ...(index === undefined ? {} : { index: Number(index) }),
    path,
    line,
    column,
  }
}
