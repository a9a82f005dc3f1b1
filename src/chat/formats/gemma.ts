import type { CheckedMessage } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import { trimContent } from './content.js'
import type { ChatFormat } from './format.js'
import { leadingSystem, turnOrder } from './order.js'

const START = '<start_of_turn>'
const END = '<end_of_turn>'

/**
 * Gemma 1 and 2: `<start_of_turn>user\ncontent<end_of_turn>\n`, the model's turns as `model`. There is no system turn.
 *
 * Source of behaviour: the chat template of google/gemma-2-2b-it.
 */
export const gemma2: ChatFormat = {
  name: 'gemma2',
  guarantee: 'reserved-ids',
  controlTokens: ['<bos>', START, END],
  roles: ['user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: ['<eos>', END],
  padToken: '<pad>',
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write({ messages, addGenerationPrompt, continueFinalMessage }, writer) {
    writer.control('<bos>')
    const { system, turns } = leadingSystem(messages)
    for (const message of turns) {
      writeHeader(message.role, writer)
      if (system && message === turns[0]) writer.items(system.content).trusted('\n\n')
      writeContent(message, continueFinalMessage && message === turns.at(-1), writer)
    }
    if (addGenerationPrompt) writeHeader('assistant', writer)
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'first', alternating: true }),
}

/**
 * Gemma 3: as Gemma 2, with a system turn, which is written at the beginning of the first user turn.
 *
 * Source of behaviour: the chat template of google/gemma-3-1b-it.
 */
export const gemma3: ChatFormat = { ...gemma2, name: 'gemma3', roles: ['system', 'user', 'assistant'] }

function writeHeader(role: string, writer: PromptWriter): void {
  writer.control(START).trusted(role === 'assistant' ? 'model\n' : `${role}\n`)
}

function writeContent({ role, content, index }: CheckedMessage, open: boolean, writer: PromptWriter): void {
  if (role === 'assistant') writer.beginAssistant(index)
  writer.items(trimContent(content))
  if (!open) writer.control(END)
  writer.endAssistant()
  if (!open) writer.trusted('\n')
}
