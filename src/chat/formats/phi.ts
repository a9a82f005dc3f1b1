import { InvalidArgumentError } from '../../errors.js'
import type { ChatFormat, ChatRequest } from './format.js'
import { turnOrder } from './order.js'

const END = '<|end|>'
const END_OF_TEXT = '<|endoftext|>'

/** A map, not a string put together: a role reaches a control token only from this closed set. */
const ROLE_TOKENS: ReadonlyMap<string, string> = new Map([
  ['system', '<|system|>'],
  ['user', '<|user|>'],
  ['assistant', '<|assistant|>'],
])

/**
 * Phi-3: `<|user|>\ncontent<|end|>\n`. A conversation that ends without a generation prompt ends with
 * `<|endoftext|>`.
 *
 * Source of behaviour: the chat template of microsoft/Phi-3-mini-4k-instruct.
 */
export const phi3: ChatFormat = {
  name: 'phi3',
  guarantee: 'reserved-ids',
  controlTokens: ['<|system|>', '<|user|>', '<|assistant|>', END, END_OF_TEXT],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: [END_OF_TEXT, END],
  padToken: END_OF_TEXT,
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write(request, writer) {
    const { messages, continueFinalMessage } = request
    for (const message of messages) {
      const open = continueFinalMessage && message === messages.at(-1)
      writer.control(roleToken(message.role)).trusted('\n')
      if (message.role === 'assistant') writer.beginAssistant(message.index)
      writer.items(message.content)
      if (!open) writer.control(END)
      writer.endAssistant()
      if (!open) writer.trusted('\n')
    }
    if (request.addGenerationPrompt) writer.control(roleToken('assistant')).trusted('\n')
    else if (!continueFinalMessage) writer.control(END_OF_TEXT)
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere' }),
}

/**
 * Phi-4-mini: as Phi-3 without newlines; tools stand in the system turn between `<|tool|>` and `<|/tool|>`.
 *
 * Source of behaviour: the chat template of microsoft/Phi-4-mini-instruct.
 */
export const phi4Mini: ChatFormat = {
  ...phi3,
  name: 'phi4-mini',
  controlTokens: [...phi3.controlTokens, '<|tool|>', '<|/tool|>'],
  fields: ['tools'],
  toolProtocol: 'phi4',

  write(request, writer) {
    const { messages, continueFinalMessage } = request
    for (const message of messages) {
      writer.control(roleToken(message.role))
      if (message.role === 'assistant') writer.beginAssistant(message.index)
      writer.items(message.content)
      if (message.tools) {
        const { value, path } = message.tools
        // The template joins the text to its own, so it must be one.
        if (typeof value !== 'string') {
          throw new InvalidArgumentError(`${path}: this format takes tools as a string of JSON`)
        }
        writer.control('<|tool|>').data(value, path).control('<|/tool|>')
      }
      if (!(continueFinalMessage && message === messages.at(-1))) writer.control(END)
      writer.endAssistant()
    }
    if (request.addGenerationPrompt) writer.control(roleToken('assistant'))
    else if (!continueFinalMessage) writer.control(END_OF_TEXT)
  },
}

/**
 * Phi-4: `<|im_start|>role<|im_sep|>content<|im_end|>`.
 *
 * Source of behaviour: the chat template of microsoft/phi-4.
 */
export const phi4: ChatFormat = {
  ...phi3,
  name: 'phi4',
  controlTokens: ['<|im_start|>', '<|im_sep|>', '<|im_end|>'],
  stopTokens: ['<|im_end|>', END_OF_TEXT],
  padToken: undefined,

  write(request: ChatRequest, writer) {
    const { messages, continueFinalMessage, addGenerationPrompt } = request
    for (const { role, content, index } of messages) {
      writer.control('<|im_start|>').trusted(role).control('<|im_sep|>')
      if (role === 'assistant') writer.beginAssistant(index)
      writer.items(content)
      if (!(continueFinalMessage && index === messages.at(-1)?.index)) writer.control('<|im_end|>')
      writer.endAssistant()
    }
    if (addGenerationPrompt) writer.control('<|im_start|>').trusted('assistant').control('<|im_sep|>')
  },
}

function roleToken(role: string): string {
  const token = ROLE_TOKENS.get(role)
  if (token === undefined) throw new Error(`phi: the role ${role} was not checked`)
  return token
}
