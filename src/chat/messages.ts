import { InvalidMessageError } from '../errors.js'
import { ControlToken, type Part, TrustedText } from '../prompt/parts.js'

/**
 * `exact` reproduces the reference with its quirks; `safe` gives the same ids for sound input and refuses the
 * rest. docs/chatglm3.md lists every difference.
 */
export type Compat = 'exact' | 'safe'

/** One turn as the caller writes it, or as it arrives as JSON. */
export interface ChatMessage {
  /** One of the format's roles. */
  role: string
  content: MessageContent
  /** ChatGLM3: the tool an assistant turn calls. One line of text. */
  metadata?: string | null | undefined
  /** ChatGLM3, system turns: tool definitions, written after the content as JSON. `jsonText()` keeps spelling. */
  tools?: unknown
}

/** Text, or text in several parts. `trusted()` and `control()` values can only come from code. */
export type MessageContent = string | TrustedText | ControlToken | readonly ContentPart[]

export type ContentPart =
  | string
  | TrustedText
  | ControlToken
  | { readonly type: 'text'; readonly text: string }

/** A message whose shape has been checked, ready for a format. */
export interface CheckedMessage {
  readonly role: string
  readonly metadata: string
  readonly content: readonly Part[]
  /** Tool definitions; `undefined` when there are none. */
  readonly tools: { readonly value: unknown } | undefined
}

/** A broken rule: which message, which rule, and what is wrong in words. */
export interface Violation {
  readonly index: number
  readonly rule: string
  readonly message: string
}

/** Control characters and line separators: metadata is one line, for Python and for a reader. */
const LINE_END = /[\p{Cc}\u2028\u2029]/u

/** Fields that carry part of a turn in some chat formats; where a format has none, dropping them would lose it. */
const OPTIONAL_FIELDS = ['metadata', 'tools', 'tool_calls', 'function_call'] as const
export type OptionalField = (typeof OPTIONAL_FIELDS)[number]

/**
 * Checks the shape of one message: role, content, metadata, tools.
 *
 * @throws InvalidMessageError naming the index and the rule
 */
export function checkMessage(
  message: unknown,
  index: number,
  format: { readonly roles: readonly string[]; readonly fields: readonly OptionalField[] },
  compat: Compat,
): CheckedMessage {
  const fail = (rule: string, reason: string): never => {
    throw new InvalidMessageError(index, rule, reason)
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return fail('not-a-message', `an object with role and content was expected, not ${kindOf(message)}`)
  }
  const { role, content, metadata, tools } = message as Record<string, unknown>
  if (typeof role !== 'string' || !format.roles.includes(role)) {
    return fail('unknown-role', `the role must be one of ${format.roles.join(', ')}, not ${quote(role)}`)
  }
  if (compat === 'safe') {
    const foreign = OPTIONAL_FIELDS.find((field) => {
      const value = (message as Record<string, unknown>)[field]
      return !format.fields.includes(field) && value !== undefined && value !== null && value !== ''
    })
    if (foreign) fail('unsupported-field', `the field ${foreign} is not part of this format`)
  }
  return {
    role,
    content: checkContent(content, fail),
    metadata: checkMetadata(metadata, compat, fail),
    tools: checkTools(tools, role, compat, fail),
  }
}

type Fail = (rule: string, reason: string) => never

function checkContent(content: unknown, fail: Fail): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  if (TrustedText.is(content) || ControlToken.is(content)) return [content]
  if (!Array.isArray(content)) {
    return fail('content', `content must be a string or a list of parts, not ${kindOf(content)}`)
  }
  return content.map((part: unknown, i) => {
    if (typeof part === 'string' || TrustedText.is(part) || ControlToken.is(part)) return part
    if (typeof part !== 'object' || part === null) {
      return fail('content-part', `content[${i}] must be a text part, not ${kindOf(part)}`)
    }
    const { type, text } = part as { type?: unknown; text?: unknown }
    if (type !== 'text')
      return fail('content-part', `content[${i}] has the type ${quote(type)}; only text parts are supported`)
    if (typeof text !== 'string')
      return fail('content-part', `content[${i}].text must be a string, not ${kindOf(text)}`)
    return text
  })
}

function checkMetadata(metadata: unknown, compat: Compat, fail: Fail): string {
  if (metadata === undefined) return ''
  if (metadata === null) return compat === 'exact' ? 'None' : '' // Python formats None into the text
  if (typeof metadata !== 'string')
    return fail('metadata', `metadata must be a string, not ${kindOf(metadata)}`)
  if (compat === 'safe' && LINE_END.test(metadata)) {
    return fail(
      'metadata-line',
      'metadata must be one line: a line end in it would move the border to the content',
    )
  }
  return metadata
}

function checkTools(tools: unknown, role: string, compat: Compat, fail: Fail): CheckedMessage['tools'] {
  if (tools === undefined) return undefined
  if (role !== 'system') {
    if (compat === 'safe' && tools !== null)
      fail('tools-outside-system', `tools belong to the system turn, not to ${role}`)
    return undefined // the reference ignores them
  }
  return tools === null && compat === 'safe' ? undefined : { value: tools }
}

/**
 * Joins neighbouring messages of the given roles with a newline, where their metadata agree.
 *
 * @example mergeNeighbours([user('a'), user('b')], ['user'])  // [user('a\nb')]
 */
export function mergeNeighbours(
  messages: readonly CheckedMessage[],
  roles: readonly string[],
): CheckedMessage[] {
  const merged: CheckedMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (
      last &&
      last.role === message.role &&
      roles.includes(message.role) &&
      last.metadata === message.metadata
    ) {
      merged[merged.length - 1] = { ...last, content: [...last.content, '\n', ...message.content] }
    } else {
      merged.push(message)
    }
  }
  return merged
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

function quote(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    : kindOf(value)
}
