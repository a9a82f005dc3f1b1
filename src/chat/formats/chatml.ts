import type { CheckedMessage } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import type { ChatFormat } from './format.js'
import { turnOrder } from './order.js'

/** Begin and end of a turn. */
export const IM_START = '<|im_start|>'
export const IM_END = '<|im_end|>'

/**
 * ChatML: `<|im_start|>role\ncontent<|im_end|>\n` for each turn. Roles are plain words between control tokens, and
 * come from the closed set.
 *
 * Source of behaviour: the chat template of Qwen1.5 and of every other ChatML model without a default system turn.
 */
export const chatml: ChatFormat = {
  name: 'chatml',
  guarantee: 'reserved-ids',
  controlTokens: [IM_START, IM_END],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: [IM_END],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write({ messages, addGenerationPrompt, continueFinalMessage }, writer) {
    for (const message of messages) {
      writeTurn(message, continueFinalMessage && message === messages.at(-1), writer)
    }
    if (addGenerationPrompt) writeOpening('assistant', writer)
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere' }),
}

/** What SmolLM2 says where a conversation has no system turn. Source: HuggingFaceTB/SmolLM2-135M-Instruct. */
const SMOLLM2_SYSTEM = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face'

/** ChatML with SmolLM2's default system turn. */
export const smollm2: ChatFormat = {
  ...chatml,
  name: 'smollm2',

  write(request, writer) {
    if (request.messages[0]?.role !== 'system' && request.messages.length > 0) {
      writeOpening('system', writer)
      writer.trusted(SMOLLM2_SYSTEM)
      writeClosing(writer)
    }
    chatml.write(request, writer)
  },
}

function writeTurn({ role, content, index }: CheckedMessage, open: boolean, writer: PromptWriter): void {
  writeOpening(role, writer)
  if (role === 'assistant') writer.beginAssistant(index)
  writer.items(content)
  if (!open) writer.control(IM_END)
  writer.endAssistant()
  if (!open) writer.trusted('\n')
}

export function writeOpening(role: string, writer: PromptWriter): void {
  writer.control(IM_START).trusted(`${role}\n`)
}

export function writeClosing(writer: PromptWriter): void {
  writer.control(IM_END).trusted('\n')
}
