import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import type { CheckedMessage, ContentItem, Violation } from '../messages.js'
import type { CheckedToolCall } from '../tool-calls.js'
import type { ChatRequest } from './format.js'

/** Which of the reference's rules a version follows. */
export interface Rules {
  /** System turns stay where they are and text may stand beside calls (v7). Else they go into a question. */
  readonly systemTurns: boolean
  /** Calls and results are told apart by ids (v3 and later). Without, a turn has one result. */
  readonly callIds: boolean
}

/** A turn of the normalized conversation: neighbours of one role are one, but for results. */
export interface Turn {
  readonly role: string
  /** Empty texts are left out. */
  readonly content: readonly ContentItem[]
  readonly calls: readonly CheckedToolCall[]
  /** It is several messages. */
  readonly joined: boolean
  /** Of the last message in it. */
  readonly index: number
  readonly name: string | undefined
  readonly callId: string | undefined
  /** The model goes on writing it. */
  readonly open: boolean
  /** Why the validator refuses it. Only as a model wrote it can it stand. */
  readonly fault: InvalidMessageError | undefined
}

type GrowingTurn = { -readonly [Field in keyof Turn]: Turn[Field] } & {
  content: ContentItem[]
  calls: CheckedToolCall[]
}

export const FUNCTION_NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/
const CALL_ID = /^[a-zA-Z0-9]{9}$/

/**
 * The turns as mistral-common's normalizer makes them of messages that its validator takes. System turns that go into a
 * question part their neighbours all the same; before a conversation that then does not begin with a question stands an
 * empty one.
 *
 * @throws InvalidMessageError for what the validator refuses but for the order of turns, and for what a model may have
 *   written so: that is the `fault` of its turn
 */
export function turnsOf({ messages, continueFinalMessage }: ChatRequest, rules: Rules): Turn[] {
  const final = messages.at(-1)
  if (continueFinalMessage && final?.role !== 'assistant') {
    throw new InvalidArgumentError('continueFinalMessage: this format continues a turn of the assistant')
  }
  const turns: GrowingTurn[] = []
  const empty = new Map<Turn, number>()
  let previous = ''
  for (const message of messages) {
    const { index, role, name, toolCallId: callId } = message
    checkFields(message, message === final, rules)
    const joins = role === previous && (role === 'user' || role === 'assistant')
    previous = role
    if (role === 'system' && !rules.systemTurns) continue
    const last = joins ? turns.at(-1) : undefined
    const turn: GrowingTurn = last ?? {
      role,
      content: [],
      calls: [],
      joined: false,
      index,
      name,
      callId,
      open: false,
      fault: undefined,
    }
    const isEmpty = message.content.length === 0 && message.toolCalls.length === 0
    if (role === 'assistant' && isEmpty && !rules.systemTurns) empty.set(turn, index)
    for (const item of withoutEmpty(message.content)) turn.content.push(item)
    for (const call of message.toolCalls) turn.calls.push(call)
    if (last) last.joined = true
    turn.index = index
    turn.open = continueFinalMessage && message === final
    if (!last) turns.push(turn)
  }
  for (const turn of turns) {
    turn.fault = faultOf(turn, empty.get(turn), rules)
    if (turn.fault && turn.joined) throw turn.fault
  }
  if (!rules.callIds) checkResults(turns)
  if (turns.length === 0 || (!rules.systemTurns && turns[0]?.role !== 'user')) {
    const rest = { joined: false, index: 0, name: undefined, callId: undefined, open: false }
    turns.unshift({ role: 'user', content: [], calls: [], fault: undefined, ...rest })
  }
  return turns
}

/** The system prompts of v1 to v3: all of them, to be joined as the texts of a turn. */
export function systemPrompt(messages: readonly CheckedMessage[]): readonly ContentItem[] {
  const prompts = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ content }) => {
      const texts = withoutEmpty(content)
      // A list of empty texts still is a prompt, if not the only one.
      return texts.length > 0 ? texts : content.slice(0, 1)
    })
  return prompts.length === 1 ? withoutEmpty(prompts) : prompts
}

function withoutEmpty(content: readonly ContentItem[]): readonly ContentItem[] {
  return content.filter(({ part }) => part !== '')
}

/** What the validator asks of a message by itself. */
function checkFields(message: CheckedMessage, isFinal: boolean, rules: Rules): void {
  const { index, role, toolCalls, name, toolCallId } = message
  if (role === 'assistant') {
    for (const call of toolCalls) {
      if (!FUNCTION_NAME.test(call.name)) failName(index, call.name)
      // Only a call that ends the conversation may lack an id.
      const mayLack = call.id === undefined && isFinal
      if (rules.callIds && !mayLack && !CALL_ID.test(call.id ?? ''))
        failId(index, 'the id of a call', call.id)
    }
  }
  if (role === 'tool') {
    if (name !== undefined && !FUNCTION_NAME.test(name)) failName(index, name)
    if (rules.callIds && !CALL_ID.test(toolCallId ?? '')) failId(index, 'tool_call_id', toolCallId)
  }
}

/** @param empty index of a message in the turn that holds nothing, where each must hold something */
function faultOf(
  { role, content, calls, index }: Turn,
  empty: number | undefined,
  { systemTurns }: Rules,
): InvalidMessageError | undefined {
  if (role !== 'assistant') return undefined
  if (empty !== undefined || (content.length === 0 && calls.length === 0)) {
    const reason = 'a turn of the assistant needs text or calls in this format'
    return new InvalidMessageError(empty ?? index, 'empty', reason)
  }
  if (content.length === 0 || calls.length === 0 || systemTurns) return undefined
  return new InvalidMessageError(index, 'tool-calls', 'this format has no text beside tool calls')
}

/** v2 cannot tell the results of a turn apart. What comes before the last question is not written. */
function checkResults(turns: readonly Turn[]): void {
  const last = turns.findLastIndex(({ role }) => role === 'user')
  let called = false
  let results = 0
  for (const { role, calls, index } of turns.slice(Math.max(last, 0))) {
    if (role !== 'tool') {
      called = calls.length > 0
      results = 0
    } else if (called && ++results > 1) {
      throw new InvalidMessageError(
        index,
        'tool-results',
        'this format knows one result for a turn with calls',
      )
    }
  }
}

function failName(index: number, name: string): never {
  throw new InvalidMessageError(
    index,
    'name',
    `the name of a function may hold letters, digits, _ and -, up to 64; it is ${JSON.stringify(name)}`,
  )
}

function failId(index: number, what: string, id: string | undefined): never {
  throw new InvalidMessageError(
    index,
    'tool-call-id',
    `${what} must be nine letters or digits in this format; it is ${JSON.stringify(id) ?? 'missing'}`,
  )
}

const MAY_FOLLOW: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  [undefined, ['system', 'user', 'assistant']],
  ['system', ['system', 'user', 'assistant']],
  ['user', ['system', 'user', 'assistant']],
  ['assistant', ['user', 'assistant', 'tool']],
  ['tool', ['user', 'assistant', 'tool']],
])

/**
 * Who may follow whom, and who may be alone; and as many results as calls before the assistant speaks again. Turns of one
 * role in a row are joined, so they are no violation.
 */
export function orderViolations(messages: readonly { readonly role: string }[]): Violation[] {
  const order = messages.flatMap(({ role }, index) => {
    const previous = messages[index - 1]?.role
    const alone = messages.length === 1 && role === 'assistant'
    if (MAY_FOLLOW.get(previous)?.includes(role) && !alone) return []
    const [rule, place] =
      previous === undefined ? ['first', 'be the first'] : [`after-${previous}`, `follow a ${previous} turn`]
    return [{ index, rule: `${role}-${rule}`, message: `the ${role} turn may not ${place}` }]
  })
  return order.length > 0 ? order : resultViolations(messages)
}

/** Calls at the end may wait for their results. */
function resultViolations(messages: readonly { readonly role: string }[]): Violation[] {
  const violations: Violation[] = []
  let calls = 0
  let results = 0
  const check = (index: number): void => {
    if (calls === results) return
    const message = `as many results as calls were expected: ${calls} calls have ${results} results`
    violations.push({ index, rule: 'tool-results', message })
  }
  messages.forEach((message, index) => {
    if (message.role === 'tool') results++
    if (message.role !== 'assistant') return
    const joins = messages[index - 1]?.role === 'assistant'
    if (!joins) {
      check(index)
      calls = results = 0
    }
    calls += callCount(message)
  })
  if (results > 0 || messages.at(-1)?.role !== 'assistant') check(messages.length - 1)
  return violations
}

/** Of a message that was checked, or as it came. */
function callCount(message: object): number {
  const { toolCalls, tool_calls: calls = toolCalls } = message as {
    toolCalls?: unknown
    tool_calls?: unknown
  }
  return Array.isArray(calls) ? calls.length : 0
}
