import { InvalidMessageError } from '../errors.js'
import { ControlToken, type Part, TrustedText } from '../prompt/parts.js'
import { type CheckedToolCall, checkToolCalls, openAICalls, type ToolCall } from './tool-calls.js'

/**
 * `exact` reproduces the reference with its quirks; `safe` gives the same ids for sound input and refuses the
 * rest. docs/chatglm3.md lists every difference for ChatGLM3.
 */
export type Compat = 'exact' | 'safe'

/** One turn as the caller writes it, or as it arrives as JSON, in OpenAI's shape or in ChatGLM3's. */
export interface ChatMessage {
  /** One of the format's roles. */
  role: string
  /** Null or missing only beside `tool_calls`. */
  content?: MessageContent | null | undefined
  /** Assistant turns: the calls of tools. */
  tool_calls?: readonly ToolCall[] | null | undefined
  /** The same as `chat.parse` gives them; `tool_calls` counts where both are there. */
  toolCalls?: unknown
  /** Tool turns: the id of the call that they answer. */
  tool_call_id?: string | null | undefined
  /** Tool turns: the name of the tool. Other turns: the name of who speaks, where a format writes it. */
  name?: string | null | undefined
  /** Assistant turns: what the model thought before it answered. `reasoning` and `thinking` are the same field. */
  reasoning_content?: string | null | undefined
  reasoning?: string | null | undefined
  thinking?: string | null | undefined
  /** ChatGLM3 and GLM-4: the tool an assistant turn calls. One line of text. */
  metadata?: string | null | undefined
  /** ChatGLM3, system turns: tool definitions, written after the content as JSON. `jsonText()` keeps spelling. */
  tools?: unknown
  /** Fields that only a chat template knows. */
  [field: string]: unknown
}

/** Text, or text in several parts. `trusted()` and `control()` values can only come from code. */
export type MessageContent = string | TrustedText | ControlToken | readonly ContentPart[]

export type ContentPart =
  | string
  | TrustedText
  | ControlToken
  | { readonly type: 'text'; readonly text: string }
  /** Parts that only a chat template knows, such as images. */
  | { readonly type: string; readonly [field: string]: unknown }

/** A piece of a message with the place that it came from. */
export interface ContentItem {
  readonly part: Part
  readonly path: string
}

/** Tool definitions with the place that they came from. */
export interface CheckedTools {
  readonly value: unknown
  readonly path: string
}

/** A message whose shape has been checked, ready for a format. */
export interface CheckedMessage {
  /** Index in the list of messages. */
  readonly index: number
  readonly role: string
  readonly content: readonly ContentItem[]
  readonly metadata: string
  /** Tool definitions in the message itself; `undefined` when there are none. */
  readonly tools: CheckedTools | undefined
  readonly reasoning: ContentItem | undefined
  readonly toolCalls: readonly CheckedToolCall[]
  readonly toolCallId: string | undefined
  readonly name: string | undefined
}

/** A broken rule: which message, which rule, and what is wrong in words. */
export interface Violation {
  readonly index: number
  readonly rule: string
  readonly message: string
}

/** What is checked by a format. */
export interface MessageRules {
  readonly roles: readonly string[]
  readonly fields: readonly OptionalField[]
  /** Foreign roles, and the format's own that they stand for. */
  readonly roleAliases?: ReadonlyMap<string, string> | undefined
}

/** Control characters and line separators: metadata is one line, for Python and for a reader. */
const LINE_END = /[\p{Cc}\u2028\u2029]/u

/**
 * Names and ids stand in places where a format has structure of its own (headers, JSON, calls), so they are words:
 * letters, marks, digits and a few signs.
 */
const NAME = /^[\p{L}\p{M}\p{N}_.:/@+$#-]{1,256}$/u

/** Whether a text may be the name of a tool, or the id of a call. */
export const isName = (text: string): boolean => NAME.test(text)

/** Fields that carry part of a turn in some chat formats; where a format has none, dropping them would lose it. */
const OPTIONAL_FIELDS = ['metadata', 'tools', 'tool_calls', 'function_call'] as const
export type OptionalField = (typeof OPTIONAL_FIELDS)[number]

/** What a model thought, by the names that servers give it. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const

export type Fail = (rule: string, reason: string) => never

/**
 * Checks the shape of one message.
 *
 * @throws InvalidMessageError naming the index and the rule
 */
export function checkMessage(
  message: unknown,
  index: number,
  rules: MessageRules,
  compat: Compat,
): CheckedMessage {
  const fail: Fail = (rule, reason) => {
    throw new InvalidMessageError(index, rule, reason)
  }
  const fields = withCalls(messageFields(message, fail))
  const { metadata, tools } = fields
  const role = roleOf(fields.role, rules, compat)
  if (typeof role !== 'string' || !rules.roles.includes(role)) {
    return fail('unknown-role', `the role must be one of ${rules.roles.join(', ')}, not ${quote(role)}`)
  }
  if (compat === 'safe') {
    const foreign = OPTIONAL_FIELDS.find((field) => {
      const value = fields[field]
      const empty = value === undefined || value === null || value === ''
      const noCalls = field === 'tool_calls' && Array.isArray(value) && value.length === 0
      return !rules.fields.includes(field) && !empty && !noCalls
    })
    if (foreign) fail('unsupported-field', `the field ${foreign} is not part of this format`)
  }
  const path = `messages[${index}]`
  const knowsCalls = rules.fields.includes('tool_calls') && (compat === 'safe' || !rules.roleAliases)
  const calls = knowsCalls ? fields.tool_calls : undefined
  const toolCalls = checkToolCalls(calls, `${path}.tool_calls`, fail, compat)
  const mayLack = toolCalls.length > 0 && (fields.content === undefined || fields.content === null)
  return {
    index,
    role,
    content: mayLack ? [] : checkContent(fields.content, `${path}.content`, fail),
    metadata: checkMetadata(metadata, compat, fail),
    tools: checkTools(tools, role, `${path}.tools`, compat, fail),
    reasoning: checkReasoning(fields, path, fail),
    toolCalls,
    toolCallId: checkName('tool_call_id', fields.tool_call_id, compat, fail),
    name: checkName('name', fields.name, compat, fail),
  }
}

/** The format's own role, where a foreign one stands for it. */
export function roleOf(role: unknown, { roleAliases }: MessageRules, compat: Compat): unknown {
  return (compat === 'safe' && typeof role === 'string' && roleAliases?.get(role)) || role
}

/** Calls as `chat.parse` gives them, under the name that servers give them. */
export function withCalls(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { toolCalls } = fields
  if (!Array.isArray(toolCalls) || toolCalls.length === 0) return fields
  const { tool_calls: given, toolCalls: _, ...rest } = fields
  if (given !== undefined && given !== null) return fields
  return { ...rest, tool_calls: openAICalls(toolCalls) } // a malformed call holds an error, which is no data
}

/** A message as a record, without any look at its fields. */
export function messageFields(message: unknown, fail: Fail): Readonly<Record<string, unknown>> {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return fail('not-a-message', `an object with role and content was expected, not ${kindOf(message)}`)
  }
  return message as Record<string, unknown>
}

function checkContent(content: unknown, path: string, fail: Fail): readonly ContentItem[] {
  if (typeof content === 'string') return content === '' ? [] : [{ part: content, path }]
  if (TrustedText.is(content) || ControlToken.is(content)) return [{ part: content, path }]
  if (!Array.isArray(content)) {
    return fail('content', `content must be a string or a list of parts, not ${kindOf(content)}`)
  }
  return content.map((part: unknown, i) => {
    if (typeof part === 'string' || TrustedText.is(part) || ControlToken.is(part)) {
      return { part, path: `${path}[${i}]` }
    }
    if (typeof part !== 'object' || part === null) {
      return fail('content-part', `content[${i}] must be a text part, not ${kindOf(part)}`)
    }
    const { type } = part as { type?: unknown }
    if (type !== 'text')
      return fail('content-part', `content[${i}] has the type ${quote(type)}; only text parts are supported`)
    const { text } = part as { text?: unknown }
    if (typeof text !== 'string')
      return fail('content-part', `content[${i}].text must be a string, not ${kindOf(text)}`)
    return { part: text, path: `${path}[${i}].text` }
  })
}

function checkReasoning(
  fields: Readonly<Record<string, unknown>>,
  path: string,
  fail: Fail,
): ContentItem | undefined {
  const field = REASONING_FIELDS.find((name) => fields[name] !== undefined && fields[name] !== null)
  if (field === undefined) return undefined
  const value = fields[field]
  if (typeof value !== 'string' && !TrustedText.is(value)) {
    return fail('reasoning', `${field} must be a string, not ${kindOf(value)}`)
  }
  return value === '' ? undefined : { part: value, path: `${path}.${field}` }
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

/**
 * A name or an id: undefined when there is none.
 *
 * @throws InvalidMessageError, unless `compat` is `exact`, for one with white space, quotes, brackets or control
 * characters
 */
export function checkName(field: string, value: unknown, compat: Compat, fail: Fail): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') return fail('name', `${field} must be a string, not ${kindOf(value)}`)
  if (compat === 'safe' && !NAME.test(value)) {
    return fail('name', `${field} may hold letters, digits and _.:/@+$#-, up to 256; it is ${quote(value)}`)
  }
  return value
}

function checkTools(
  tools: unknown,
  role: string,
  path: string,
  compat: Compat,
  fail: Fail,
): CheckedTools | undefined {
  if (tools === undefined) return undefined
  if (role !== 'system') {
    if (compat === 'safe' && tools !== null)
      fail('tools-outside-system', `tools belong to the system turn, not to ${role}`)
    return undefined // the reference ignores them
  }
  return tools === null && compat === 'safe' ? undefined : { value: tools, path }
}

/**
 * Joins neighbouring messages of the given roles with a newline, where nothing but their content differs.
 *
 * @example mergeNeighbours([user('a'), user('b')], ['user'])  // [user('a\nb')]
 */
export function mergeNeighbours(
  messages: readonly CheckedMessage[],
  roles: readonly string[],
): CheckedMessage[] {
  const merged: CheckedMessage[] = []
  let open: ContentItem[] = [] // of the last one: more may join it
  for (const message of messages) {
    const last = merged.at(-1)
    const joins =
      last &&
      last.role === message.role &&
      roles.includes(message.role) &&
      last.metadata === message.metadata &&
      last.name === message.name &&
      last.toolCallId === message.toolCallId
    if (joins) {
      open.push({ part: '\n', path: `messages[${message.index}]` })
      for (const part of message.content) open.push(part)
    } else {
      open = [...message.content]
      merged.push({ ...message, content: open })
    }
  }
  return merged
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

/** A value for a message: a string as it is written, shortened; else what it is. */
export function quote(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    : kindOf(value)
}
