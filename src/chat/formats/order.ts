import { InvalidMessageError } from '../../errors.js'
import type { CheckedMessage, Violation } from '../messages.js'

export interface OrderRules {
  /** Where system turns may stand. */
  readonly system: 'first' | 'anywhere'
  /** Roles that answer an assistant turn: results of tools. */
  readonly results?: readonly string[]
  /** User and assistant turns take turns strictly: two assistant turns in a row are none. */
  readonly alternating?: boolean
}

/**
 * The order that chat formats share: a system turn at the beginning, no two user turns in a row, an assistant turn
 * after a user turn, results of tools after an assistant turn.
 */
export function turnOrder(
  messages: readonly { readonly role: string }[],
  { system, results = [], alternating = false }: OrderRules,
): Violation[] {
  const violations: Violation[] = []
  let previous = ''
  let seenUser = false
  let answered = false
  messages.forEach(({ role }, index) => {
    const report = (rule: string, message: string) => violations.push({ index, rule, message })
    const isResult = results.includes(role)
    if (role === 'system' && index > 0 && system === 'first') {
      report('system-not-first', 'a system turn must be the first')
    }
    if (role === 'user' && previous === 'user') {
      report('user-after-user', 'two user turns in a row (mergeConsecutive joins them)')
    }
    if (role === 'assistant' && !seenUser) {
      report('assistant-before-user', 'an assistant turn needs a user turn before it')
    }
    if (role === 'assistant' && previous === 'assistant' && alternating) {
      report('assistant-after-assistant', 'two assistant turns in a row')
    }
    if (isResult && !answered) {
      report(
        `${role}-before-assistant`,
        'the result of a tool needs an assistant turn since the last user turn',
      )
    }
    if (role === 'user') {
      seenUser = true
      answered = false
    }
    if (role === 'assistant') answered = true
    previous = role
  })
  return violations
}

/**
 * The system turn at the beginning, if there is one, and the turns behind it, for formats that have no place for
 * another.
 *
 * @throws InvalidMessageError for a system turn elsewhere, whatever `onInvalid` says: it would be lost
 */
export function leadingSystem(messages: readonly CheckedMessage[]): {
  readonly system: CheckedMessage | undefined
  readonly turns: readonly CheckedMessage[]
} {
  const system = messages[0]?.role === 'system' ? messages[0] : undefined
  const turns = system ? messages.slice(1) : messages
  const another = turns.find(({ role }) => role === 'system')
  if (another) {
    throw new InvalidMessageError(another.index, 'system-not-first', 'a system turn must be the first')
  }
  return { system, turns }
}
