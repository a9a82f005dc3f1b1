import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import type { CheckedMessage, CheckedTools } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import type { CheckedToolCall } from '../tool-calls.js'
import { plainTexts, trimContent } from './content.js'
import type { ChatFormat, ChatRequest } from './format.js'
import { turnOrder } from './order.js'
import { jsonOf, toolList } from './tools.js'

const BEGIN = '<|begin_of_text|>'
const START = '<|start_header_id|>'
const END = '<|end_header_id|>'
const EOT = '<|eot_id|>'

/**
 * Llama 3: `<|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|>` for each turn, content without white space
 * at its ends.
 *
 * Source of behaviour: the chat template of meta-llama/Meta-Llama-3-8B-Instruct.
 */
export const llama3: ChatFormat = {
  name: 'llama3',
  guarantee: 'reserved-ids',
  controlTokens: [BEGIN, START, END, EOT],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: ['<|end_of_text|>', EOT],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: ['user'],
  independentRounds: true,

  write(request, writer) {
    writer.control(BEGIN)
    for (const message of request.messages) writeTurn(message, request, writer)
    if (request.addGenerationPrompt) writeHeader('assistant', writer)
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere' }),
}

/**
 * Llama 3.1 and 3.3: a system turn that tells dates, tools in the first user turn (or, with
 * `tools_in_user_message: false`, in the system turn), one call a turn, results as `ipython`.
 *
 * Options: `date_string`, `tools_in_user_message`. Without `date_string` the date is that of the clock that `Chat.load` was given,
 * and without one 26 Jul 2024, as in the template.
 *
 * Source of behaviour: the chat template of meta-llama/Llama-3.1-8B-Instruct.
 */
export const llama31: ChatFormat = {
  ...llama3,
  name: 'llama3.1',
  controlTokens: [...llama3.controlTokens, '<|eom_id|>', '<|python_tag|>'],
  roles: ['system', 'user', 'assistant', 'tool', 'ipython'],
  fields: ['tool_calls'],
  takesTools: true,
  toolProtocol: 'llama3',
  stopTokens: ['<|end_of_text|>', '<|eom_id|>', EOT],
  write: (request, writer) =>
    writeLlama31(request, request.now ? dateOf(request.now()) : DEFAULT_DATE, writer),
  orderViolations: (messages) => turnOrder(messages, { system: 'first', results: ['tool', 'ipython'] }),
}

/**
 * Llama 3.2: as 3.1, with today's date where `date_string` does not say another.
 *
 * Source of behaviour: the chat template of meta-llama/Llama-3.2-3B-Instruct.
 */
export const llama32: ChatFormat = {
  ...llama31,
  name: 'llama3.2',
  write: (request, writer) => writeLlama31(request, dateOf(request.now?.() ?? new Date()), writer),
}

const DEFAULT_DATE = '26 Jul 2024'
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `strftime('%d %b %Y')` */
function dateOf(now: Date): string {
  return `${String(now.getDate()).padStart(2, '0')} ${MONTHS[now.getMonth()]} ${now.getFullYear()}`
}

const TOOLS_IN_SYSTEM =
  'You have access to the following functions. To call a function, please respond with JSON for a function call.'
const TOOLS_IN_USER =
  'Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n'
const CALL_FORM =
  'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n'

function writeLlama31(request: ChatRequest, today: string, writer: PromptWriter): void {
  const { messages, tools, addGenerationPrompt, options } = request
  const [first, ...others] = messages
  const system = first?.role === 'system' ? first : undefined
  const turns = system ? others : messages
  const inUser = tools !== undefined && options.tools_in_user_message !== false
  writer.control(BEGIN)
  writeHeader('system', writer)
  if (tools) writer.trusted('Environment: ipython\n')
  writer.trusted('Cutting Knowledge Date: December 2023\nToday Date: ')
  writeDate(request, today, writer)
  writer.trusted('\n\n')
  if (tools && !inUser) {
    writer.trusted(TOOLS_IN_SYSTEM + CALL_FORM)
    writeTools(tools, writer)
  }
  if (system) writer.items(trimContent(system.content))
  writer.control(EOT)
  if (inUser) writeToolQuestion(turns[0], tools, request, writer)
  for (const message of inUser ? turns.slice(1) : turns) {
    if (message.toolCalls.length > 0) writeCalls(message, request, writer)
    else if (message.role === 'tool' || message.role === 'ipython') writeResult(message, request, writer)
    else writeTurn(message, request, writer)
  }
  if (addGenerationPrompt) writeHeader('assistant', writer)
}

function writeDate({ options }: ChatRequest, today: string, writer: PromptWriter): void {
  const { date_string: date } = options
  if (date === undefined) writer.trusted(today)
  else if (typeof date === 'string') writer.data(date, 'templateOptions.date_string')
  else throw new InvalidArgumentError('templateOptions.date_string: a string was expected')
}

/** The first user turn carries the definitions. */
function writeToolQuestion(
  question: CheckedMessage | undefined,
  tools: CheckedTools,
  request: ChatRequest,
  writer: PromptWriter,
): void {
  if (question === undefined) {
    throw new InvalidArgumentError('tools stand in the first user turn of this format, and there is none')
  }
  writeHeader('user', writer)
  writer.trusted(TOOLS_IN_USER + CALL_FORM)
  writeTools(tools, writer)
  writer.items(trimContent(question.content))
  writeEnd(question, request, writer)
}

function writeTools(tools: CheckedTools, writer: PromptWriter): void {
  for (const { value, path } of toolList(tools)) {
    writer.data(jsonOf(value, path, 0, { indent: 4 }), path).trusted('\n\n')
  }
}

function writeTurn(message: CheckedMessage, request: ChatRequest, writer: PromptWriter): void {
  const { role, content } = message
  writeHeader(role, writer)
  if (role === 'assistant') writer.beginAssistant(message.index)
  writer.items(trimContent(content))
  writeEnd(message, request, writer)
  writer.endAssistant()
}

/** Several calls stand as a model wrote them, or not at all. */
function writeCalls(message: CheckedMessage, request: ChatRequest, writer: PromptWriter): void {
  const [call, another] = message.toolCalls as [CheckedToolCall, ...CheckedToolCall[]]
  const write = (): void => writeCall(call, message, request, writer)
  if (another === undefined) write()
  else if (!writer.recalled(write)) {
    throw new InvalidMessageError(message.index, 'tool-calls', 'this format knows one call a turn')
  }
}

function writeCall(
  call: CheckedToolCall,
  message: CheckedMessage,
  request: ChatRequest,
  writer: PromptWriter,
): void {
  const at = `${call.path}.arguments`
  writeHeader('assistant', writer)
  writer.beginAssistant(message.index).trusted('{"name": "').data(call.name, `${call.path}.name`)
  writer
    .trusted('", "parameters": ')
    .data(jsonOf(call.arguments, at, message.index), at)
    .trusted('}')
  writeEnd(message, request, writer)
  writer.endAssistant()
}

/** The template asks whether the content is iterable, which text is: results are written as JSON. */
function writeResult(message: CheckedMessage, request: ChatRequest, writer: PromptWriter): void {
  writeHeader('ipython', writer)
  const path = `messages[${message.index}].content`
  writer.data(jsonOf(plainTexts(message).join(''), path, message.index), path)
  writeEnd(message, request, writer)
}

function writeHeader(role: string, writer: PromptWriter): void {
  writer.control(START).trusted(role).control(END).trusted('\n\n')
}

function writeEnd(message: CheckedMessage, request: ChatRequest, writer: PromptWriter): void {
  if (!(request.continueFinalMessage && message === request.messages.at(-1))) writer.control(EOT)
}
