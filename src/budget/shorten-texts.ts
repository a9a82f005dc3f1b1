import type { ChatMessage, ContentPart } from '../chat/messages.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import type { TruncatedText, TruncateRule } from './fit-options.js'
import { isInstruction, RESULT_ROLES } from './rounds.js'

/** A conversation and its documents. */
export interface Texts {
  readonly messages: readonly ChatMessage[]
  readonly documents: unknown
}

/** A text that is longer than a rule allows. */
export interface LongText {
  /** Of its message; undefined for a document. */
  readonly index: number | undefined
  cut(): CutText
}

interface CutText {
  /** Puts it in place of what was there. */
  apply(messages: ChatMessage[], documents: object[]): void
  readonly truncated: TruncatedText
}

/** A conversation with some of its texts cut. */
export function withCutTexts({ messages, documents }: Texts, cuts: readonly CutText[]): Texts {
  const [all, list] = [[...messages], Array.isArray(documents) ? [...(documents as object[])] : []]
  for (const cut of cuts) cut.apply(all, list)
  return { messages: all, documents: Array.isArray(documents) ? list : documents }
}

/**
 * The texts that a rule may cut, documents first, then messages from the oldest on.
 *
 * @param untouchable messages that are never cut
 */
export function longTexts(
  { messages, documents }: Texts,
  rule: TruncateRule,
  untouchable: (index: number) => boolean,
  tokenizer: Tokenizer,
): LongText[] {
  const { roles = RESULT_ROLES, maxTokens } = rule
  const isLong = (text: string) => tokenizer.countUpTo(text, maxTokens) === undefined
  const found = rule.documents === false ? [] : longDocuments(documents, rule, tokenizer, isLong)
  messages.forEach((message, index) => {
    if (!roles.includes(message.role) || isInstruction(message) || untouchable(index)) return
    const texts = textsOf(message.content)
    if (!texts.some(isLong) && !isLong(texts.join(''))) return
    const cut = (): CutText => {
      const { content, before, after } = shortened(message.content, rule, tokenizer)
      return {
        apply: (all) => {
          all[index] = { ...message, content }
        },
        truncated: { path: `messages[${index}].content`, before, after },
      }
    }
    found.push({ index, cut })
  })
  return found
}

/** Fields in which documents for retrieval have their text. */
const DOCUMENT_FIELDS = ['text', 'content', 'contents', 'snippet', 'page_content'] as const

function longDocuments(
  documents: unknown,
  rule: TruncateRule,
  tokenizer: Tokenizer,
  isLong: (text: string) => boolean,
): LongText[] {
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document: unknown, i) =>
    DOCUMENT_FIELDS.flatMap((field): LongText[] => {
      const text = (Object(document) as Record<string, unknown>)[field]
      if (typeof text !== 'string' || !isLong(text)) return []
      const cut = (): CutText => {
        const { content, before, after } = shortened(text, rule, tokenizer)
        return {
          apply: (_, list) => {
            list[i] = { ...list[i], [field]: content }
          },
          truncated: { path: `documents[${i}].${field}`, before, after },
        }
      }
      return [{ index: undefined, cut }]
    }),
  )
}

type Content = ChatMessage['content']

/** What may be cut of a content: its plain texts. */
function textsOf(content: Content): string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => textOf(part) ?? [])
}

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  const { type, text } = Object(part) as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : undefined
}

/** Cuts the longest texts of a content, until all together have no more tokens than the rule says. */
function shortened(
  content: Content,
  rule: TruncateRule,
  tokenizer: Tokenizer,
): { readonly content: Content; readonly before: number; readonly after: number } {
  const parts = Array.isArray(content) ? [...(content as readonly ContentPart[])] : [content as ContentPart]
  const counts = parts.map((part) => tokenizer.count(textOf(part) ?? ''))
  const before = counts.reduce((sum, count) => sum + count, 0)
  let total = before
  for (const i of [...counts.keys()].sort((a, b) => (counts[b] as number) - (counts[a] as number))) {
    if (total <= rule.maxTokens) break
    const count = counts[i] as number
    const most = Math.max(0, count - (total - rule.maxTokens))
    const marker = tokenizer.countUpTo(rule.marker ?? '', most) === undefined ? '' : rule.marker
    const part = parts[i] as ContentPart
    const text = tokenizer.truncate(textOf(part) ?? '', most, { ...rule, marker })
    if (count > 0) parts[i] = typeof part === 'string' ? text : { ...(part as object), type: 'text', text }
    total += tokenizer.count(text) - count
  }
  return { content: Array.isArray(content) ? parts : (parts[0] as Content), before, after: total }
}
