import { trimContent, trimContentEnd } from './content.js'
import type { ChatFormat } from './format.js'
import { leadingSystem, turnOrder } from './order.js'

/**
 * Llama 2: `<s>[INST] question [/INST] answer </s>`, the system turn between `<<SYS>>` marks in the first question.
 * `[INST]` is plain text here, which content can imitate; `<s>` and `</s>` cannot be forged.
 *
 * Source of behaviour: the chat template of meta-llama/Llama-2-7b-chat-hf.
 */
export const llama2: ChatFormat = {
  name: 'llama2',
  guarantee: 'textual',
  markers: ['[INST]', '[/INST]', '<<SYS>>', '<</SYS>>'],
  controlTokens: ['<s>', '</s>'],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: ['</s>'],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write({ messages, continueFinalMessage }, writer) {
    const { system, turns } = leadingSystem(messages)
    turns.forEach(({ role, content, index }, i) => {
      if (role === 'user') {
        writer.control('<s>').trusted('[INST] ')
        if (system && i === 0) {
          writer.trusted('<<SYS>>\n').items(system.content).trusted('\n<</SYS>>')
          const question = trimContentEnd(content)
          if (question.length > 0) writer.trusted('\n\n').items(question)
        } else {
          writer.items(trimContent(content))
        }
        writer.trusted(' [/INST]')
      } else {
        writer.beginAssistant(index).trusted(' ').items(trimContent(content))
        if (!(continueFinalMessage && i === turns.length - 1)) writer.trusted(' ').control('</s>')
        writer.endAssistant()
      }
    })
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'first', alternating: true }),
}
