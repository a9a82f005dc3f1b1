import type { CheckedMessage, CheckedTools } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import type { CheckedToolCall } from '../tool-calls.js'
import { chatml, IM_END, IM_START, writeClosing, writeOpening } from './chatml.js'
import { withoutLeadingNewlines, withoutOuterNewlines } from './content.js'
import type { ChatFormat, ChatRequest } from './format.js'
import { turnOrder } from './order.js'
import { jsonOf, toolList } from './tools.js'

const TOOLS_BEFORE =
  '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>'
const TOOLS_AFTER =
  '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'

/** What a generation prompt ends with where no thoughts are wanted. */
const NO_THOUGHTS = '<think>\n\n</think>\n\n'

/**
 * Qwen3: ChatML with Hermes tool calls and reasoning between `<think>` and `</think>`, which stays in the history only
 * behind the last question. The option `enable_thinking: false` asks for an answer without it.
 *
 * Where the template looks for `</think>` in the content of an assistant turn, this format takes `reasoning_content`
 * alone: what a text says never changes the prompt's parts.
 *
 * Source of behaviour: the chat template of Qwen/Qwen3-0.6B.
 */
export const qwen3: ChatFormat = {
  ...chatml,
  name: 'qwen3',
  controlTokens: [IM_START, IM_END, '<think>', '</think>', '<tool_call>', '</tool_call>'],
  roles: ['system', 'user', 'assistant', 'tool'],
  fields: ['tool_calls'],
  takesTools: true,
  toolProtocol: 'hermes',
  stopTokens: [IM_END, '<|endoftext|>'],
  padToken: '<|endoftext|>',

  write(request, writer) {
    const { messages, tools, addGenerationPrompt, options } = request
    const [first] = messages
    const system = first?.role === 'system' ? first : undefined
    if (tools && toolList(tools).length > 0) writeToolSystem(system, tools, writer)
    else if (system) writePlain(system, isOpen(request, system), writer)
    const lastQuestion = messages.findLastIndex(({ role }) => role === 'user')
    messages.forEach((message, i) => {
      if (message === system) return
      const open = isOpen(request, message)
      if (message.role === 'assistant') {
        const behind = i > (lastQuestion < 0 ? messages.length - 1 : lastQuestion)
        const thought = message.reasoning !== undefined
        const thinks = behind ? thought || i === messages.length - 1 : thought && request.asSeen
        writeOpening('assistant', writer)
        // The generation prompt had them.
        if (request.asSeen && !thinks && options.enable_thinking === false) writer.trusted(NO_THOUGHTS)
        writeAssistant(message, thinks, open, writer)
      } else if (message.role === 'tool') {
        writeResult(message, messages[i - 1]?.role !== 'tool', messages[i + 1]?.role !== 'tool', open, writer)
      } else {
        writePlain(message, open, writer)
      }
    })
    if (addGenerationPrompt) {
      writeOpening('assistant', writer)
      if (options.enable_thinking === false) writer.trusted(NO_THOUGHTS)
    }
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere', results: ['tool'] }),
}

const isOpen = ({ messages, continueFinalMessage }: ChatRequest, message: CheckedMessage): boolean =>
  continueFinalMessage && message === messages.at(-1)

function writePlain({ role, content }: CheckedMessage, open: boolean, writer: PromptWriter): void {
  writeOpening(role, writer)
  writer.items(content)
  if (!open) writeClosing(writer)
}

function writeToolSystem(
  system: CheckedMessage | undefined,
  tools: CheckedTools,
  writer: PromptWriter,
): void {
  writeOpening('system', writer)
  if (system) writer.items(system.content).trusted('\n\n')
  writer.trusted(TOOLS_BEFORE)
  for (const { value, path } of toolList(tools)) writer.trusted('\n').data(jsonOf(value, path, 0), path)
  writer.trusted(TOOLS_AFTER)
  writeClosing(writer)
}

function writeAssistant(message: CheckedMessage, thinks: boolean, open: boolean, writer: PromptWriter): void {
  const { content, reasoning, toolCalls, index } = message
  writer.beginAssistant(index)
  if (thinks) {
    writer.trusted('<think>\n')
    writer.items(withoutOuterNewlines(reasoning ? [reasoning] : [])).trusted('\n</think>\n\n')
  }
  writer.items(thinks ? withoutLeadingNewlines(content) : content)
  toolCalls.forEach((call, i) => {
    if (content.length > 0 || i > 0) writer.trusted('\n')
    writeCall(call, message.index, writer)
  })
  if (!open) writer.control(IM_END)
  writer.endAssistant()
  if (!open) writer.trusted('\n')
}

/** A call in the form of Hermes 2 Pro. */
function writeCall(call: CheckedToolCall, index: number, writer: PromptWriter): void {
  const at = `${call.path}.arguments`
  writer.trusted('<tool_call>\n{"name": "').data(call.name, `${call.path}.name`)
  writer.trusted('", "arguments": ').data(call.rawArguments ?? jsonOf(call.arguments, at, index), at)
  writer.trusted('}\n</tool_call>')
}

/** Results of neighbouring tool turns stand in one user turn. */
function writeResult(
  { content }: CheckedMessage,
  first: boolean,
  last: boolean,
  open: boolean,
  writer: PromptWriter,
): void {
  if (first) writer.control(IM_START).trusted('user')
  writer.trusted('\n<tool_response>\n').items(content)
  if (open) return
  writer.trusted('\n</tool_response>')
  if (last) writeClosing(writer)
}
