import type { ChatMessage } from '../chat/messages.js'

/** Turns that go together or stay together. */
export interface Round {
  /** Indices of the messages, in order. System turns are not among them: they stay. */
  readonly indices: readonly number[]
  /** It may not go. */
  readonly isProtected: boolean
  /** Its place among the rounds of the conversation, the one with the last question being 0, the one before it 1. */
  readonly age: number
}

/** Turns that tell the model what it is: they never go. */
export const isInstruction = (message: ChatMessage): boolean => INSTRUCTION_ROLES.includes(message?.role) // what a caller appends may be anything
const INSTRUCTION_ROLES: readonly string[] = ['system', 'developer']
/** Results of tools, by the names that chat formats give them. */
export const RESULT_ROLES: readonly string[] = ['tool', 'observation', 'ipython', 'function']
const isResult = ({ role }: ChatMessage): boolean => RESULT_ROLES.includes(role)

/**
 * A conversation as rounds: a question, which may be several user turns, and all that follows it up to the next question.
 * Behind the last question each step of the model, its calls with their results, stands for itself, so that a long run of
 * calls can be shortened. The last question and the last step are protected, and what `pinned` says.
 */
export function roundsOf(messages: readonly ChatMessage[], pinned: (index: number) => boolean): Round[] {
  const turns = messages
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => !isInstruction(message))
  const lastQuestion = turns.findLastIndex(({ message }) => message.role === 'user')
  const groups: number[][] = []
  turns.forEach(({ message, index }, i) => {
    const previous = turns[i - 1]?.message
    const begins =
      previous === undefined ||
      (message.role === 'user' && previous.role !== 'user') ||
      (i > lastQuestion && previous.role === 'user') ||
      (i > lastQuestion && !isResult(message) && isResult(previous))
    if (begins) groups.push([])
    groups.at(-1)?.push(index)
  })
  const question = turns[lastQuestion]?.index
  const joined = withTheirCalls(groups, messages)
  const current = joined.findIndex((indices) => question !== undefined && indices.includes(question))
  return joined.map((indices, i) => ({
    indices,
    isProtected: i === current || i === joined.length - 1 || indices.some(pinned),
    age: Math.max(0, current - i),
  }))
}

/** Joins groups so that a result stands with its call, and with all that is between them. */
function withTheirCalls(groups: readonly number[][], messages: readonly ChatMessage[]): number[][] {
  const callers = new Map<string, number>()
  const begins: number[] = [] // the groups with which the joined ones begin
  groups.forEach((group, i) => {
    let begin = i
    for (const index of group) {
      begin = Math.min(begin, callers.get(messages[index]?.tool_call_id ?? '') ?? i)
      for (const id of callIds(messages[index])) callers.set(id, i)
    }
    while ((begins.at(-1) ?? -1) > begin) begins.pop()
    if (begins.length === 0 || begin === i) begins.push(i)
  })
  return begins.map((begin, i) => groups.slice(begin, begins[i + 1]).flat())
}

function callIds(message: ChatMessage | undefined): string[] {
  const calls: readonly unknown[] = Array.isArray(message?.tool_calls) ? message.tool_calls : []
  return calls.flatMap((call) => {
    const { id } = Object(call) as { id?: unknown }
    return typeof id === 'string' ? [id] : []
  })
}
