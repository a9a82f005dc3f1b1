import { trimContent } from './content.js'
import type { ChatFormat } from './format.js'
import { leadingSystem, turnOrder } from './order.js'

export const ALPACA_SYSTEM =
  'Below is an instruction that describes a task. Write a response that appropriately completes the request.'

/**
 * Alpaca: `### Instruction:\n…\n\n### Response:\n…</s>`. Headings are plain text, which content can imitate; `<s>` and
 * `</s>` are ids and cannot be forged.
 *
 * Source of behaviour: the prompt without input of tatsu-lab/stanford_alpaca, its answer ended by `</s>`.
 */
export const alpaca: ChatFormat = {
  name: 'alpaca',
  guarantee: 'textual',
  markers: ['### Instruction:', '### Response:', '### Input:'],
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
    else writer.trusted(ALPACA_SYSTEM)
    for (const { role, content, index } of turns) {
      const open = continueFinalMessage && index === messages.at(-1)?.index
      writer.trusted(role === 'user' ? '\n\n### Instruction:\n' : '\n\n### Response:\n')
      if (role === 'assistant') writer.beginAssistant(index)
      writer.items(trimContent(content))
      if (!open && role === 'assistant') writer.control('</s>')
      writer.endAssistant()
    }
    if (addGenerationPrompt) writer.trusted('\n\n### Response:\n')
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'first', alternating: true }),
}
