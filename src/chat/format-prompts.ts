import { InvalidArgumentError, InvalidMessageError } from '../errors.js'
import { type RecallSetup, recalledParts } from '../output/turn-memory.js'
import { constantCopy } from './formats/constant.js'
import type { ChatFormat, Guarantee } from './formats/format.js'
import { writesAsBuiltIn } from './formats/registry.js'
import {
  type ChatMessage,
  type CheckedMessage,
  type Compat,
  checkMessage,
  mergeNeighbours,
  roleOf,
  type Violation,
} from './messages.js'
import {
  type ChatWarning,
  type EncodeChatOptions,
  isAsSeen,
  type MadePrompt,
  type PromptMaker,
} from './prompt-maker.js'
import { PromptWriter } from './prompt-writer.js'

/** Prompts of a built-in or registered chat format. */
export class FormatPrompts implements PromptMaker {
  readonly #format: ChatFormat
  readonly #compat: Compat
  readonly #resolve: (name: string) => number
  readonly #now: (() => Date) | undefined
  readonly #recall: RecallSetup | undefined

  constructor(
    format: ChatFormat,
    compat: Compat,
    resolve: (name: string) => number,
    now: (() => Date) | undefined,
    recall?: RecallSetup,
  ) {
    this.#format = format
    this.#compat = compat
    this.#resolve = resolve
    this.#now = now
    this.#recall = recall
  }

  get name(): string {
    return this.#format.name
  }

  get guarantee(): Guarantee {
    return this.#format.guarantee
  }

  independentRounds(first: readonly ChatMessage[], last: readonly ChatMessage[]): boolean {
    // A format that was made of another has its word for it, but maybe a way to write of its own.
    if (!writesAsBuiltIn(this.#format)) return false
    const { independentRounds: independent = false } = this.#format
    return typeof independent === 'function' ? independent(first, last) : independent
  }

  constant(options: EncodeChatOptions): EncodeChatOptions {
    const tools = writesAsBuiltIn(this.#format) ? constantCopy(options.tools) : undefined
    return tools === undefined ? options : { ...options, tools }
  }

  prompt(messages: readonly ChatMessage[], options: EncodeChatOptions): MadePrompt {
    const { tools, documents, continueFinalMessage = false } = options
    const shaped = messages.map((message, i) => checkMessage(message, i, this.#format, this.#compat))
    const checked = options.mergeConsecutive ? mergeNeighbours(shaped, this.#format.mergeableRoles) : shaped
    const warnings: ChatWarning[] = [...this.#order(checked, options), ...this.#markers(checked, options)]
    const given = tools !== undefined && tools !== null
    if (given && !this.#format.takesTools) {
      throw new InvalidArgumentError(`tools: the format ${this.name} has no place for tool definitions`)
    }
    if (documents !== undefined && documents !== null) {
      throw new InvalidArgumentError(`documents: the format ${this.name} has no place for documents`)
    }
    const recall = messages.some((message) => this.#recall?.memory.has(message)) ? this.#recall : undefined
    const asSeen = isAsSeen(options, this.#compat)
    const writer = new PromptWriter(
      this.#resolve,
      recall &&
        ((index, written, next) =>
          recalledParts(recall, messages[index] as ChatMessage, written, next, { asSeen })),
    )
    this.#format.write(
      {
        messages: checked,
        tools: given ? { value: tools, path: 'tools' } : undefined,
        addGenerationPrompt: options.addGenerationPrompt ?? !continueFinalMessage,
        continueFinalMessage,
        asSeen,
        remembers: (index) => recall?.memory.recall(messages[index] as ChatMessage) !== undefined,
        options: options.templateOptions ?? {},
        now: this.#now,
      },
      writer,
    )
    return { prompt: writer.finish(), warnings }
  }

  violations(messages: readonly ChatMessage[]): Violation[] {
    const violations: Violation[] = []
    messages.forEach((message, index) => {
      try {
        checkMessage(message, index, this.#format, this.#compat)
      } catch (error) {
        if (!(error instanceof InvalidMessageError)) throw error
        violations.push({ index, rule: error.rule, message: error.message })
      }
    })
    if (violations.length > 0) return violations
    const own = messages.map((message) => ({
      ...message,
      role: roleOf(message.role, this.#format, this.#compat) as string,
    }))
    return this.#format.orderViolations(own)
  }

  #order(messages: readonly CheckedMessage[], options: EncodeChatOptions): Violation[] {
    const onInvalid = options.onInvalid ?? (this.#compat === 'safe' ? 'throw' : 'ignore')
    if (onInvalid === 'ignore') return []
    const violations = this.#format.orderViolations(messages)
    const [first] = violations
    if (first && onInvalid === 'throw') throw new InvalidMessageError(first.index, first.rule, first.message)
    return violations
  }

  /** Content of textual formats that spells a role marker where a turn would begin. */
  #markers(messages: readonly CheckedMessage[], options: EncodeChatOptions): ChatWarning[] {
    const { onMarkerInContent = 'report' } = options
    const { markers = [], guarantee } = this.#format
    if (guarantee !== 'textual' || onMarkerInContent === 'allow') return []
    const warnings: ChatWarning[] = []
    for (const { index, content } of messages) {
      for (const { part, path } of content) {
        const marker = typeof part === 'string' ? spelledMarker(part, markers) : undefined
        if (marker === undefined) continue
        const message = `the content spells the role marker ${JSON.stringify(marker)}, which is plain text in the format ${this.name}`
        if (onMarkerInContent === 'throw') throw new InvalidMessageError(index, 'marker-in-content', message)
        warnings.push({ index, rule: 'marker-in-content', message, path })
      }
    }
    return warnings
  }
}

/** The first marker at the beginning of a line, white space aside. */
function spelledMarker(text: string, markers: readonly string[]): string | undefined {
  for (const line of text.split(/[\n\r\u0085\u2028\u2029]/)) {
    const start = line.trimStart()
    const marker = markers.find((each) => start.startsWith(each))
    if (marker !== undefined) return marker
  }
  return undefined
}
