import { trimContent } from './content.js'
import type { ChatFormat } from './format.js'
import { leadingSystem, turnOrder } from './order.js'

export const VICUNA_SYSTEM =
  "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, and polite answers to the user's questions."

/**
 * Vicuna: `system USER: question ASSISTANT: answer</s>`. Roles are plain words, which content can imitate; `<s>` and
 * `</s>` are ids and cannot be forged.
 *
 * Source of behaviour: the conversation template `vicuna_v1.1` of FastChat 0.2.
 */
export const vicuna: ChatFormat = {
  name: 'vicuna',
  guarantee: 'textual',
  markers: ['USER:', 'ASSISTANT:', 'SYSTEM:'],
  controlTokens: ['<s>', '</s>'],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: ['</s>'],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write({ messages, addGenerationPrompt, continueFinalMessage }, writer) {
    const { system, turns } = leadingSystem(messages)
    writer.control('<s>')
    if (system) writer.items(trimContent(system.content))
    else writer.trusted(VICUNA_SYSTEM)
    writer.trusted(' ')
    for (const { role, content, index } of turns) {
      const open = continueFinalMessage && index === messages.at(-1)?.index
      if (role === 'user') writer.trusted('USER: ').items(trimContent(content))
      else writer.trusted('ASSISTANT:').beginAssistant(index).trusted(' ').items(trimContent(content))
      if (!open && role === 'user') writer.trusted(' ')
      if (!open && role === 'assistant') writer.control('</s>')
      writer.endAssistant()
    }
    if (addGenerationPrompt) writer.trusted('ASSISTANT:')
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'first', alternating: true }),
}

/** Vicuna with a line for each turn and system turns of their own: `SYSTEM: …\nUSER: …\nASSISTANT: …</s>\n`. */
export const vicunaSystem: ChatFormat = {
  ...vicuna,
  name: 'vicuna-system',

  write({ messages, addGenerationPrompt, continueFinalMessage }, writer) {
    writer.control('<s>')
    for (const { role, content, index } of messages) {
      const open = continueFinalMessage && index === messages.at(-1)?.index
      writer.trusted(role === 'system' ? 'SYSTEM:' : role === 'user' ? 'USER:' : 'ASSISTANT:')
      if (role === 'assistant') writer.beginAssistant(index)
      writer.trusted(' ').items(trimContent(content))
      if (!open && role === 'assistant') writer.control('</s>')
      writer.endAssistant()
      if (!open) writer.trusted('\n')
    }
    if (addGenerationPrompt) writer.trusted('ASSISTANT:')
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere', alternating: true }),
}
