import { CHATGLM2_COMMANDS } from '../../tokenizer/commands.js'
import type { Violation } from '../messages.js'
import { chatglmText, writePrefix } from './chatglm.js'
import type { ChatFormat } from './format.js'

const GAP = '\n\n'
const QUESTION = '问：'
const ANSWER = '答：'

/**
 * ChatGLM2's rounds: `[Round 1]\n\n问：…\n\n答：…\n\n[Round 2]\n\n问：…\n\n答：`, numbered from 1, encoded as one text behind
 * `[gMASK] sop`.
 *
 * Rounds are ordinary text, and content that imitates them gives the very ids of a real round: the guarantee is
 * `textual`. Only the prefix and eos cannot be forged.
 *
 * Source of behaviour: `build_prompt` and `SPTokenizer` in tokenization_chatglm.py of THUDM/chatglm2-6b.
 */
export const chatglm2: ChatFormat = {
  name: 'chatglm2',
  guarantee: 'textual',
  commands: CHATGLM2_COMMANDS,
  controlTokens: ['[gMASK]', 'sop'],
  roles: ['user', 'assistant'],
  fields: [],
  takesTools: false,
  markers: ['[Round ', QUESTION, ANSWER],
  stopTokens: ['<eos>'],
  padToken: '<pad>',
  decodesCommands: false,
  mergeableRoles: ['user'],

  write({ messages, addGenerationPrompt }, writer) {
    writePrefix(writer)
    let round = 0
    messages.forEach(({ role, content }, i) => {
      if (i > 0) writer.trusted(GAP)
      if (role === 'user') {
        writer.trusted(`[Round ${++round}]${GAP}${QUESTION}`).items(content)
      } else {
        writer.trusted(ANSWER).beginAssistant(i).items(content).endAssistant()
      }
    })
    if (addGenerationPrompt) writer.trusted((messages.length > 0 ? GAP : '') + ANSWER)
  },

  text: chatglmText,

  orderViolations(messages) {
    const violations: Violation[] = []
    messages.forEach(({ role }, index) => {
      const previous = messages[index - 1]?.role
      if (role === previous) {
        const hint = role === 'user' ? ' (mergeConsecutive joins them)' : ''
        violations.push({
          index,
          rule: `${role}-after-${role}`,
          message: `two ${role} turns in a row${hint}`,
        })
      }
      if (role === 'assistant' && previous === undefined) {
        violations.push({
          index,
          rule: 'assistant-before-user',
          message: 'an assistant turn needs a user turn before it',
        })
      }
    })
    return violations
  },
}

/** CodeGeeX2: ChatGLM2's tokenizer class over the same pieces, with `add_dummy_prefix` off in the `.model`. */
export const codegeex2: ChatFormat = { ...chatglm2, name: 'codegeex2' }
