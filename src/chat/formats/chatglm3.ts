import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import { type ControlToken, control, cut, type Part, trusted } from '../../prompt/parts.js'
import { CHATGLM3_COMMANDS } from '../../tokenizer/commands.js'
import type { CheckedMessage, Violation } from '../messages.js'
import { pythonJsonDumps } from '../python-json.js'
import { chatglmText, PREFIX } from './chatglm.js'
import type { ChatFormat } from './format.js'

/** A map, not a string put together: a role reaches a control token only from this closed set. */
const ROLE_TOKENS: ReadonlyMap<string, ControlToken> = new Map([
  ['system', control('<|system|>')],
  ['user', control('<|user|>')],
  ['assistant', control('<|assistant|>')],
  ['observation', control('<|observation|>')],
])
const NEWLINE = trusted('\n')

/**
 * ChatGLM3's chat format: `[gMASK] sop`, then for each turn its role id, the metadata with a newline, and the
 * content, each encoded by a call of its own.
 *
 * Source of behaviour: tokenization_chatglm.py and modeling_chatglm.py of THUDM/ChatGLM3@b0b4e8ac.
 */
export const chatglm3: ChatFormat = {
  name: 'chatglm3',
  guarantee: 'reserved-ids',
  commands: CHATGLM3_COMMANDS,
  roles: [...ROLE_TOKENS.keys()],
  fields: ['metadata', 'tools'],
  stopTokens: ['<eos>', '<|user|>', '<|observation|>'],
  padToken: '<pad>',
  decodesCommands: true,
  mergeableRoles: ['user', 'observation'],

  conversation(messages, addGenerationPrompt) {
    const parts: Part[] = [...PREFIX]
    messages.forEach((message, index) => {
      addTurn(parts, message, index)
    })
    if (addGenerationPrompt) parts.push(roleToken('assistant'))
    return parts
  },

  text: chatglmText,

  orderViolations(messages) {
    const violations: Violation[] = []
    let previous = ''
    let seenUser = false
    let assistantSinceUser = false
    messages.forEach(({ role }, index) => {
      const report = (rule: string, message: string) => violations.push({ index, rule, message })
      if (role === 'system' && index > 0) report('system-not-first', 'a system turn must be the first')
      if (role === 'user' && previous === 'user') {
        report('user-after-user', 'two user turns in a row (mergeConsecutive joins them)')
      }
      if (role === 'assistant' && !seenUser)
        report('assistant-before-user', 'an assistant turn needs a user turn before it')
      if (role === 'observation' && !assistantSinceUser) {
        report(
          'observation-before-assistant',
          'an observation needs an assistant turn since the last user turn',
        )
      }
      if (role === 'user') {
        seenUser = true
        assistantSinceUser = false
      }
      if (role === 'assistant') assistantSinceUser = true
      previous = role
    })
    return violations
  },
}

/** `build_single_message`: the metadata line and the content are two calls of the text pipeline. */
function addTurn(parts: Part[], message: CheckedMessage, index: number): void {
  parts.push(roleToken(message.role), message.metadata, NEWLINE, cut, ...message.content)
  if (message.tools) parts.push(NEWLINE, toolsText(message.tools.value, index))
}

function toolsText(tools: unknown, index: number): string {
  try {
    return pythonJsonDumps(tools, { indent: 4 })
  } catch (cause) {
    if (!(cause instanceof InvalidArgumentError)) throw cause
    throw new InvalidMessageError(index, 'tools', `tools cannot be written as JSON: ${cause.message}`, {
      cause,
    })
  }
}

function roleToken(role: string): ControlToken {
  const token = ROLE_TOKENS.get(role)
  if (token === undefined) throw new Error(`chatglm3: the role ${role} was not checked`)
  return token
}
