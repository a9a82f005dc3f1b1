import type { Prompt } from '../chat/prompt-writer.js'
import { sourcePath } from '../chat/prompt-writer.js'
import { tokenParts } from '../chat/token-spans.js'
import { PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'

/**
 * Where tokens of a prompt come from:
 * - `content`, `reasoning`, `toolCalls`: these fields of messages
 * - `tools`: tool definitions, in the options or in a message
 * - `documents`: those of the options
 * - `control`: control tokens that the caller put into content, each with its `count`
 * - `other`: further fields of messages (names, ids, metadata) and of the options
 * - `template`: what the format or chat template writes itself, control tokens and text
 */
export type TokenSource =
  | 'content'
  | 'reasoning'
  | 'toolCalls'
  | 'tools'
  | 'documents'
  | 'control'
  | 'other'
  | 'template'

/** Tokens by source. */
export type SourceCounts = Readonly<Record<TokenSource, number>>

/** What one message brings along. What the format writes around it is not among it. */
export interface MessageCount {
  readonly role: string
  readonly total: number
  readonly sources: SourceCounts
}

/**
 * How many tokens a conversation has, and where they come from. `total` is that of `encode`. A token over two texts
 * belongs to that of its first byte, so all sources together are the total. They are worked out when they are read first.
 */
export class ChatCount {
  /** Tokens of the prompt, a control token with a `count` as that many. */
  readonly total: number
  readonly #tokenizer: Tokenizer
  readonly #prompt: Prompt
  readonly #roles: readonly string[]
  #counted: Breakdown | undefined

  /** @internal Use `chat.count()`. */
  constructor(tokenizer: Tokenizer, prompt: Prompt, roles: readonly string[]) {
    this.total = tokenizer.countPacked(prompt) + prompt.extraTokens
    this.#tokenizer = tokenizer
    this.#prompt = prompt
    this.#roles = roles
  }

  get perSource(): SourceCounts {
    return this.#count().sources
  }

  /** One entry for each message, in order. */
  get perMessage(): readonly MessageCount[] {
    return this.#count().messages
  }

  #count(): Breakdown {
    this.#counted ??= breakdown(this.#tokenizer, this.#prompt, this.#roles)
    return this.#counted
  }
}

interface Breakdown {
  readonly sources: SourceCounts
  readonly messages: readonly MessageCount[]
}

type Counts = Record<TokenSource, number>

function breakdown(tokenizer: Tokenizer, prompt: Prompt, roles: readonly string[]): Breakdown {
  const sources = noTokens()
  const messages = roles.map(noTokens)
  const add = (part: number, tokens: number): void => {
    const path = sourcePath(prompt.sources[part])
    // Behind ids that the model wrote stands the end of its turn.
    const placed =
      path !== undefined &&
      prompt.parts[2 * part] === PartKind.control &&
      prompt.parts[2 * part - 2] !== PartKind.id
    const source = placed ? 'control' : sourceOf(path)
    sources[source] += tokens
    const counts = messages[messageIndex(path) ?? -1]
    if (counts) counts[source] += tokens
  }
  const ids = tokenizer.encodePacked(prompt)
  for (const part of tokenParts(prompt, ids, tokenizer.packedOffsets(prompt))) add(part, 1)
  for (const { part, tokens } of prompt.extra) {
    if (part < prompt.sources.length) add(part, tokens)
    else sources.control += tokens
  }
  return {
    sources,
    messages: messages.map((counts, i) => ({
      role: roles[i] as string,
      total: Object.values(counts).reduce((sum, tokens) => sum + tokens),
      sources: counts,
    })),
  }
}

function noTokens(): Counts {
  return {
    content: 0,
    reasoning: 0,
    toolCalls: 0,
    tools: 0,
    documents: 0,
    control: 0,
    other: 0,
    template: 0,
  }
}

const FIELDS: ReadonlyMap<string, TokenSource> = new Map([
  ['content', 'content'],
  ['reasoning_content', 'reasoning'],
  ['reasoning', 'reasoning'],
  ['thinking', 'reasoning'],
  ['tool_calls', 'toolCalls'],
  ['tools', 'tools'],
  ['documents', 'documents'],
])

/** The source that a path of the request stands for, such as `messages[2].content[0].text`. */
function sourceOf(path: string | undefined): TokenSource {
  if (path === undefined) return 'template'
  const field = /^(?:messages\[\d+\]\.)?(\w+)/.exec(path)?.[1]
  return FIELDS.get(field ?? '') ?? 'other'
}

function messageIndex(path: string | undefined): number | undefined {
  const index = path === undefined ? undefined : /^messages\[(\d+)\]/.exec(path)?.[1]
  return index === undefined ? undefined : Number(index)
}
