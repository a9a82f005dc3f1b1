import { InvalidMessageError } from '../../errors.js'
import type { ChatMessage, CheckedMessage } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import type { ChatFormat, ChatRequest } from './format.js'
import { turnOrder } from './order.js'
import { jsonOf } from './tools.js'

const BEGIN = '<｜begin▁of▁sentence｜>'
const END = '<｜end▁of▁sentence｜>'
const USER = '<｜User｜>'
const ASSISTANT = '<｜Assistant｜>'
const CALLS_BEGIN = '<｜tool▁calls▁begin｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const CALL_BEGIN = '<｜tool▁call▁begin｜>'
const CALL_END = '<｜tool▁call▁end｜>'
const CALL_SEPARATOR = '<｜tool▁sep｜>'
const OUTPUTS_BEGIN = '<｜tool▁outputs▁begin｜>'
const OUTPUTS_END = '<｜tool▁outputs▁end｜>'
const OUTPUT_BEGIN = '<｜tool▁output▁begin｜>'
const OUTPUT_END = '<｜tool▁output▁end｜>'

/**
 * DeepSeek V3: `<｜User｜>question<｜Assistant｜>answer<｜end▁of▁sentence｜>`, system turns joined and put first, tool calls
 * as JSON in a fence.
 *
 * Calls follow the template to the letter: it writes the end of calls and of the turn behind the second call and
 * later ones, and the beginning of calls once in a conversation. Only calls that this process has read stand as the model
 * wrote them, which is how the template of R1 writes them too.
 *
 * Source of behaviour: the chat template of deepseek-ai/DeepSeek-V3.
 */
export const deepseekV3: ChatFormat = {
  name: 'deepseek-v3',
  guarantee: 'reserved-ids',
  controlTokens: [
    BEGIN,
    END,
    USER,
    ASSISTANT,
    CALLS_BEGIN,
    CALLS_END,
    CALL_BEGIN,
    CALL_END,
    CALL_SEPARATOR,
  ].concat([OUTPUTS_BEGIN, OUTPUTS_END, OUTPUT_BEGIN, OUTPUT_END]),
  roles: ['system', 'user', 'assistant', 'tool'],
  fields: ['tool_calls'],
  takesTools: false,
  toolProtocol: 'deepseek',
  stopTokens: [END],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: ['user'],
  // Where calls and their results begin is written once in a conversation.
  independentRounds: (first, last) =>
    (hasCalls(first) && hasResults(first)) || !(hasCalls(last) || hasResults(last)),

  write(request, writer) {
    const { messages, addGenerationPrompt } = request
    writeSystem(messages, writer)
    let firstCall = true
    let firstOutput = true
    let afterTool = false
    /** The calls before stand in a block of their own, and so do their results. */
    let afterBlock = false
    for (const message of messages) {
      if (message.role === 'user') {
        writer.control(USER).items(message.content)
        afterBlock = false
      } else if (message.role === 'tool') {
        writeOutput(message, firstOutput || afterBlock, writer)
        firstOutput = afterBlock = false
      } else if (message.role === 'assistant' && message.toolCalls.length > 0) {
        const opening = afterTool ? OUTPUTS_END : ASSISTANT
        afterBlock = writer.recalled(() => writeCalls(message, writer.control(opening)))
        if (afterBlock) {
          firstCall = afterTool = false
          continue
        }
        if (message.content.length > 0) {
          throw new InvalidMessageError(message.index, 'content', 'this format has no text beside tool calls')
        }
        message.toolCalls.forEach((call) => {
          if (firstCall) writer.control(ASSISTANT).beginAssistant(message.index).control(CALLS_BEGIN)
          else writer.beginAssistant(message.index).trusted('\n')
          writeCall(call, message, writer)
          if (!firstCall) writer.control(CALLS_END).control(END)
          writer.endAssistant()
          firstCall = false
        })
      } else if (message.role === 'assistant') {
        writer.control(afterTool ? OUTPUTS_END : ASSISTANT)
        writeAnswer(message, request, writer)
      }
      afterTool = message.role === 'tool' || (afterTool && message.role === 'system')
    }
    if (afterTool) writer.control(OUTPUTS_END)
    else if (addGenerationPrompt) writer.control(ASSISTANT)
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere', results: ['tool'] }),
}

/**
 * DeepSeek R1: as V3, with the beginning of the answer behind every question. Reasoning is not part of the history;
 * where the template cuts it out of the content by looking for `</think>`, this format expects it in
 * `reasoning_content`.
 *
 * Source of behaviour: the chat template of deepseek-ai/DeepSeek-R1-0528.
 */
export const deepseekR1: ChatFormat = {
  ...deepseekV3,
  name: 'deepseek-r1',
  // Calls begin their results anew.
  independentRounds: (_, last) => callsFirst(last),

  write(request, writer) {
    const { messages, addGenerationPrompt } = request
    writeSystem(messages, writer)
    let firstOutput = true
    let afterTool = false
    let afterUser = false
    for (const message of messages) {
      if (message.role === 'user') {
        writer.control(USER).items(message.content).control(ASSISTANT)
        afterTool = false
      } else if (message.role === 'tool') {
        writeOutput(message, firstOutput, writer)
        firstOutput = false
        afterTool = true
      } else if (message.role === 'assistant') {
        if (afterTool) writer.control(OUTPUTS_END)
        afterTool = false
        if (message.toolCalls.length > 0) {
          writeCalls(message, writer)
          firstOutput = true
        } else {
          writeAnswer(message, request, writer)
        }
      }
      if (message.role !== 'system') afterUser = message.role === 'user'
    }
    if (afterTool) writer.control(OUTPUTS_END)
    else if (addGenerationPrompt && !afterUser) writer.control(ASSISTANT)
  },
}

const callsOf = ({ tool_calls: calls }: ChatMessage): boolean => (calls?.length ?? 0) > 0
const hasCalls = (messages: readonly ChatMessage[]): boolean => messages.some(callsOf)
const hasResults = (messages: readonly ChatMessage[]): boolean => messages.some(({ role }) => role === 'tool')
const callsFirst = (messages: readonly ChatMessage[]): boolean =>
  messages.find((message) => message.role === 'tool' || callsOf(message))?.role !== 'tool'

/** All system turns stand at the beginning, whatever their place. */
function writeSystem(messages: readonly CheckedMessage[], writer: PromptWriter): void {
  writer.control(BEGIN)
  messages
    .filter(({ role }) => role === 'system')
    .forEach(({ content }, i) => {
      if (i > 0) writer.trusted('\n\n')
      writer.items(content)
    })
}

function writeAnswer(message: CheckedMessage, request: ChatRequest, writer: PromptWriter): void {
  writer.beginAssistant(message.index).items(message.content)
  if (!(request.continueFinalMessage && message === request.messages.at(-1))) writer.control(END)
  writer.endAssistant()
}

function writeCalls(message: CheckedMessage, writer: PromptWriter): void {
  writer.beginAssistant(message.index).items(message.content).control(CALLS_BEGIN)
  message.toolCalls.forEach((call, i) => {
    if (i > 0) writer.trusted('\n')
    writeCall(call, message, writer)
  })
  writer.control(CALLS_END).control(END).endAssistant()
}

function writeCall(
  call: CheckedMessage['toolCalls'][number],
  { index }: CheckedMessage,
  writer: PromptWriter,
): void {
  const at = `${call.path}.arguments`
  writer.control(CALL_BEGIN).trusted('function').control(CALL_SEPARATOR)
  writer.data(call.name, `${call.path}.name`).trusted('\n```json\n')
  writer
    .data(call.rawArguments ?? jsonOf(call.arguments, at, index), at)
    .trusted('\n```')
    .control(CALL_END)
}

function writeOutput({ content }: CheckedMessage, first: boolean, writer: PromptWriter): void {
  if (first) writer.control(OUTPUTS_BEGIN)
  else writer.trusted('\n')
  writer.control(OUTPUT_BEGIN).items(content).control(OUTPUT_END)
}
