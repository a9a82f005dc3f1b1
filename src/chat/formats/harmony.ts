import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import type { ChatMessage, CheckedMessage } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import type { CheckedToolCall } from '../tool-calls.js'
import type { ChatFormat, ChatRequest } from './format.js'
import { turnOrder } from './order.js'
import { type FunctionTool, functionTools, jsonOf } from './tools.js'
import { typeScriptOf } from './typescript-schema.js'

const START = '<|start|>'
const CHANNEL = '<|channel|>'
const CONSTRAIN = '<|constrain|>'
const MESSAGE = '<|message|>'
const END = '<|end|>'
const CALL = '<|call|>'
const RETURN = '<|return|>'

/**
 * Harmony, the format of gpt-oss: `<|start|>role<|channel|>channel<|message|>content<|end|>`.
 *
 * A conversation in OpenAI's shape becomes: a system message of the format's own (identity, dates, effort, channels);
 * system and developer turns as instructions of the developer, the first of them with the tools as TypeScript; reasoning
 * in the channel `analysis`, text beside calls and calls in `commentary`, answers in `final`; results from
 * `functions.name`. Once the last turn of the assistant is an answer, reasoning before the first answer is left out.
 *
 * Options: `model_identity`, `knowledge_cutoff`, `date` (default: the clock's), `reasoning_effort` (`low`, `medium`,
 * `high`), each null to leave it out; `auto_drop_analysis: false` keeps all reasoning. Without a generation prompt an
 * answer at the end closes with `<|return|>`, as in training.
 *
 * Source of behaviour: openai-harmony 0.0.8, which encodes each field of a header, and each part of a content, by a call
 * of its own. Its namespaces `browser` and `python` are not written.
 */
export const harmony: ChatFormat = {
  name: 'harmony',
  guarantee: 'reserved-ids',
  controlTokens: [START, CHANNEL, CONSTRAIN, MESSAGE, END, CALL, RETURN],
  roles: ['system', 'developer', 'user', 'assistant', 'tool'],
  fields: ['tool_calls'],
  takesTools: true,
  toolProtocol: 'harmony',
  stopTokens: [RETURN, CALL, '<|endoftext|>'],
  padToken: '<|endoftext|>',
  decodesCommands: true,
  mergeableRoles: ['user'],
  // Reasoning is left out up to the first answer, and results are named by their calls: both must be known.
  independentRounds: (first, last) =>
    first.some(({ role, tool_calls: calls }) => role === 'assistant' && !calls?.length) &&
    last.every(({ tool_call_id: answered }) => !answered || last.some((message) => calls(message, answered))),

  write(request, writer) {
    const { messages, addGenerationPrompt, tools } = request
    const functions = tools ? functionTools(tools) : []
    writeSystem(request, functions.length > 0, writer)
    const [first] = messages
    const instructed = first !== undefined && isInstruction(first)
    if (functions.length > 0 && !instructed) writeDeveloper(undefined, functions, false, writer)
    const dropped = droppedReasoning(request)
    const callers = new Map<string, CheckedToolCall>()
    messages.forEach((message, i) => {
      const open = request.continueFinalMessage && i === messages.length - 1
      if (isInstruction(message)) writeDeveloper(message, i === 0 ? functions : [], open, writer)
      else if (message.role === 'user') writeUser(message, open, writer)
      else if (message.role === 'tool') writeResult(message, callers, open, writer)
      else {
        const end = i === messages.length - 1 && !addGenerationPrompt ? RETURN : END
        writeAssistant(message, i > dropped, open ? undefined : end, writer)
        for (const call of message.toolCalls) if (call.id !== undefined) callers.set(call.id, call)
      }
    })
    if (addGenerationPrompt) writer.control(START).trusted('assistant')
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'anywhere', results: ['tool'] }),
}

const calls = ({ tool_calls: list }: ChatMessage, id: string): boolean =>
  Array.isArray(list) && list.some((call) => Object(call).id === id)

const isInstruction = ({ role }: CheckedMessage): boolean => role === 'system' || role === 'developer'

const isAnswer = ({ role, toolCalls }: CheckedMessage): boolean =>
  role === 'assistant' && toolCalls.length === 0

/**
 * Up to which message reasoning is left out: the first answer, if the last turn of the assistant is one. An answer that
 * is still being written does not count.
 */
function droppedReasoning({ messages, continueFinalMessage, asSeen, options }: ChatRequest): number {
  const { auto_drop_analysis: drops = !asSeen } = options
  if (typeof drops !== 'boolean') throw wrongOption('auto_drop_analysis', 'true or false')
  const written = continueFinalMessage ? messages.slice(0, -1) : messages
  const last = written.findLast(({ role }) => role === 'assistant')
  return drops && last && isAnswer(last) ? written.findIndex(isAnswer) : -1
}

const IDENTITY = 'You are ChatGPT, a large language model trained by OpenAI.'
const KNOWLEDGE_CUTOFF = '2024-06'
const EFFORTS = ['low', 'medium', 'high']

function writeSystem({ options, now }: ChatRequest, hasTools: boolean, writer: PromptWriter): void {
  const clock = now?.() ?? new Date()
  const lines = [
    ['', 'model_identity', IDENTITY],
    ['Knowledge cutoff: ', 'knowledge_cutoff', KNOWLEDGE_CUTOFF],
    ['Current date: ', 'date', dateOf(clock)],
  ] as const
  writer.control(START).trusted('system').control(MESSAGE)
  let gap = ''
  for (const [label, name, standard] of lines) {
    const value = options[name]
    if (value === null) continue
    writer.trusted(gap + label)
    if (value === undefined) writer.trusted(standard)
    else if (typeof value === 'string') writer.data(value, `templateOptions.${name}`)
    else throw wrongOption(name, 'a string or null')
    gap = '\n'
  }
  if (gap !== '') writer.trusted('\n\n')
  const { reasoning_effort: effort = 'medium' } = options
  if (effort !== null) {
    // From the closed set, so it is the format's own word.
    const known = EFFORTS.find((each) => each === effort)
    if (known === undefined) throw wrongOption('reasoning_effort', `${EFFORTS.join(', ')} or null`)
    writer.trusted(`Reasoning: ${known}\n\n`)
  }
  writer.trusted('# Valid channels: analysis, commentary, final. Channel must be included for every message.')
  if (hasTools) {
    writer.trusted("\nCalls to these tools must go to the commentary channel: 'functions'.")
  }
  writer.control(END)
}

function wrongOption(name: string, expected: string): InvalidArgumentError {
  return new InvalidArgumentError(`templateOptions.${name}: ${expected} was expected`)
}

/** `strftime('%Y-%m-%d')` */
function dateOf(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Instructions and tools are one text. */
function writeDeveloper(
  message: CheckedMessage | undefined,
  tools: readonly FunctionTool[],
  open: boolean,
  writer: PromptWriter,
): void {
  writer.control(START).trusted('developer').control(MESSAGE)
  if (message) writer.trusted('# Instructions\n\n').items(message.content)
  if (message && tools.length > 0) writer.trusted('\n\n')
  if (tools.length > 0) writeTools(tools, writer)
  if (!open) writer.control(END)
}

function writeTools(tools: readonly FunctionTool[], writer: PromptWriter): void {
  writer.trusted('# Tools\n\n## functions\n\nnamespace functions {\n\n')
  for (const { name, description, parameters, path } of tools) {
    writer.data(commentLines(description), `${path}.description`)
    writer.trusted('type ').data(name, `${path}.name`)
    if (parameters === undefined) writer.trusted(' = () => any;\n\n')
    else {
      const at = `${path}.parameters`
      writer.trusted(' = (_: ').data(typeScriptOf(parameters, at), at).trusted(') => any;\n\n')
    }
  }
  writer.trusted('} // namespace functions')
}

/** A comment for each line, as Rust's `str::lines` tells them. They are data, as their number is told by a text. */
function commentLines(text: string): string {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => `// ${line}\n`).join('')
}

function writeUser(message: CheckedMessage, open: boolean, writer: PromptWriter): void {
  writer.control(START).trusted('user')
  if (message.name !== undefined) {
    writer.cut().trusted(':').data(message.name, `messages[${message.index}].name`)
  }
  writer.control(MESSAGE)
  writeParts(message, writer)
  if (!open) writer.control(END)
}

/** The tool is told by the call that it answers, else by its name. */
function writeResult(
  message: CheckedMessage,
  callers: ReadonlyMap<string, CheckedToolCall>,
  open: boolean,
  writer: PromptWriter,
): void {
  const { index, toolCallId, name } = message
  const caller = toolCallId === undefined ? undefined : callers.get(toolCallId)
  writer.control(START).trusted('functions.')
  if (caller) writer.data(caller.name, `${caller.path}.name`)
  else if (name !== undefined) writer.data(name, `messages[${index}].name`)
  else {
    throw new InvalidMessageError(index, 'name', 'a result needs a name, or the id of a call before it')
  }
  writer.cut().trusted(' to=assistant').control(CHANNEL).trusted('commentary').control(MESSAGE)
  writeParts(message, writer)
  if (!open) writer.control(END)
}

/** @param end of an answer; undefined when the last message stays open */
function writeAssistant(
  message: CheckedMessage,
  keepsReasoning: boolean,
  end: string | undefined,
  writer: PromptWriter,
): void {
  const { content, reasoning, toolCalls } = message
  const says = content.length > 0 || toolCalls.length === 0
  /** Behind a message of its own, the model writes the next one's beginning too. */
  let own = false
  const begin = (): void => {
    if (own) writer.beginAssistant(message.index)
    writer.control(START).trusted('assistant')
    if (!own) writer.beginAssistant(message.index)
  }
  const finish = (mark: string | undefined): void => {
    if (mark !== undefined) writer.control(mark)
    writer.endAssistant()
    own = mark === END
  }
  if (reasoning && keepsReasoning) {
    begin()
    writer.control(CHANNEL).trusted('analysis').control(MESSAGE).items([reasoning])
    finish(END)
  }
  if (says) {
    begin()
    writer
      .control(CHANNEL)
      .trusted(toolCalls.length > 0 ? 'commentary' : 'final')
      .control(MESSAGE)
    writeParts(message, writer)
    finish(toolCalls.length > 0 ? END : end)
  }
  toolCalls.forEach((call, i) => {
    begin()
    writeCall(call, message.index, writer)
    finish(end === undefined && i === toolCalls.length - 1 ? undefined : CALL)
  })
}

function writeCall(call: CheckedToolCall, index: number, writer: PromptWriter): void {
  const at = `${call.path}.arguments`
  writer.cut().trusted(' to=functions.').data(call.name, `${call.path}.name`)
  writer.control(CHANNEL).trusted('commentary').cut().trusted(' ').control(CONSTRAIN).trusted('json')
  writer.control(MESSAGE).data(call.rawArguments ?? jsonOf(call.arguments, at, index), at)
}

function writeParts({ content }: CheckedMessage, writer: PromptWriter): void {
  content.forEach(({ part, path }, i) => {
    if (i > 0) writer.cut()
    writer.part(part, path)
  })
}
