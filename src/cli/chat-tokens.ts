import type { ChatCount, TokenSource } from '../budget/chat-count.js'
import { Chat } from '../chat/chat.js'
import { type Io, UsageError } from './command.js'
import { requestOf } from './conversation.js'
import { fileInput, type Input, standardInput } from './input.js'
import type { LineAnswer } from './json-lines.js'
import type { Palette } from './terminal.js'
import { tokenBars } from './token-bars.js'

/** So many messages are drawn: the longest ones of longer conversations. */
const MAX_MESSAGES = 24

const LABELS: Readonly<Record<TokenSource, string>> = {
  content: 'content',
  reasoning: 'reasoning',
  toolCalls: 'tool calls',
  tools: 'tool definitions',
  documents: 'documents',
  control: 'control tokens of the caller',
  other: 'names and options',
  template: 'template',
}

/** Opens the input that a command reads, once the model is there: one FILE, or standard input. */
export function inputOf(command: string, positionals: readonly string[], io: Io): () => Input {
  if (positionals.length > 1) throw new UsageError(`${command} takes one FILE, or - for standard input`)
  const [file = '-'] = positionals
  return () => (file === '-' ? standardInput(io) : fileInput(file))
}

/** What answers the lines of `count --chat --jsonl`. */
export async function countLineAnswer(model: string, format: string | undefined): Promise<LineAnswer> {
  const chat = await Chat.load(model, { format })
  return (value, text) => countAnswer(countRequest(chat, value, text))
}

/** Where the tokens of a request go. */
export function countRequest(chat: Chat, value: unknown, text: string): ChatCount {
  const { messages, options } = requestOf(value, text)
  return chat.count(messages, options)
}

/** Where the tokens of a conversation go, as JSON has it. */
export function countAnswer({ total, perSource, perMessage }: ChatCount): {
  readonly count: number
  readonly sources: object
  readonly messages: readonly object[]
} {
  return {
    count: total,
    sources: perSource,
    messages: perMessage.map(({ role, total, sources }) => ({ role, count: total, sources })),
  }
}

/** The same as a picture. */
export function countPicture(
  { total, perSource, perMessage }: ChatCount,
  columns: number,
  paint: Palette,
): string[] {
  const sources = (Object.keys(LABELS) as TokenSource[])
    .filter((source) => perSource[source] > 0)
    .map((source) => ({
      label: LABELS[source],
      tokens: perSource[source],
      style: source === 'template' || source === 'control' ? ('control' as const) : undefined,
    }))
  const digits = String(perMessage.length - 1).length
  const all = perMessage.map(({ role, total }, i) => ({
    label: `${String(i).padStart(digits)} ${role}`,
    tokens: total,
    i,
  }))
  const longest = all.toSorted((a, b) => b.tokens - a.tokens).slice(0, MAX_MESSAGES)
  const shown = longest.toSorted((a, b) => a.i - b.i)
  const more = all.length > shown.length ? [paint.dim(`the longest ${shown.length} of ${all.length}`)] : []
  return [
    paint.bold(`${total} tokens`),
    ...tokenBars(sources, total, columns, paint),
    '',
    paint.bold('messages'),
    ...tokenBars(shown, total, columns, paint),
    ...more,
  ]
}
