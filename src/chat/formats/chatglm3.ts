import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import { CHATGLM3_COMMANDS } from '../../tokenizer/commands.js'
import type { CheckedMessage, CheckedTools, Violation } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import { jsonText, jsonTree, pythonJsonDumps } from '../python-json.js'
import type { CheckedToolCall } from '../tool-calls.js'
import { chatglmText, writePrefix } from './chatglm.js'
import type { ChatFormat } from './format.js'
import { pythonCallText, pythonFence } from './python-call.js'
import { jsonOf } from './tools.js'

/** The name that ChatGLM3 calls its code interpreter by. */
export const INTERPRETER = 'interpreter'
/** What calls are named in their code. */
export const TOOL_CALL_FUNCTION = 'tool_call'

/** A map, not a string put together: a role reaches a control token only from this closed set. */
const ROLE_TOKENS: ReadonlyMap<string, string> = new Map([
  ['system', '<|system|>'],
  ['user', '<|user|>'],
  ['assistant', '<|assistant|>'],
  ['observation', '<|observation|>'],
])

/**
 * The system turn for tools that come without one.
 * Source: openai_api.py and the composite demo of THUDM/ChatGLM3@b0b4e8ac.
 */
const TOOL_PROMPT =
  'Answer the following questions as best as you can. You have access to the following tools:'

/**
 * ChatGLM3's chat format: `[gMASK] sop`, then for each turn its role id, the metadata with a newline, and the
 * content, each encoded by a call of its own.
 *
 * Source of behaviour: tokenization_chatglm.py and modeling_chatglm.py of THUDM/ChatGLM3@b0b4e8ac.
 */
export const chatglm3: ChatFormat = {
  name: 'chatglm3',
  guarantee: 'reserved-ids',
  commands: CHATGLM3_COMMANDS,
  controlTokens: ['[gMASK]', 'sop', ...ROLE_TOKENS.values()],
  roles: [...ROLE_TOKENS.keys()],
  fields: ['metadata', 'tools', 'tool_calls'],
  takesTools: true,
  toolProtocol: 'chatglm3',
  stopTokens: ['<eos>', '<|user|>', '<|observation|>'],
  padToken: '<pad>',
  decodesCommands: true,
  mergeableRoles: ['user', 'observation'],
  roleAliases: new Map([['tool', 'observation']]),
  independentRounds: true,

  write({ messages, tools, addGenerationPrompt }, writer) {
    writePrefix(writer)
    const [first] = messages
    if (tools && first?.role !== 'system') {
      writer.control(roleToken('system')).trusted('\n').cut().trusted(TOOL_PROMPT)
      writeTools(tools, 0, writer)
    }
    for (const message of messages) {
      writeTurn(message, message === first && message.role === 'system' ? tools : undefined, writer)
    }
    if (addGenerationPrompt) writer.control(roleToken('assistant'))
  },

  text: chatglmText,

  orderViolations(messages) {
    const violations: Violation[] = []
    let previous = ''
    let seenUser = false
    let assistantSinceUser = false
    messages.forEach(({ role }, index) => {
      const report = (rule: string, message: string) => violations.push({ index, rule, message })
      if (role === 'system' && index > 0) report('system-not-first', 'a system turn must be the first')
      if (role === 'user' && previous === 'user') {
        report('user-after-user', 'two user turns in a row (mergeConsecutive joins them)')
      }
      if (role === 'assistant' && !seenUser)
        report('assistant-before-user', 'an assistant turn needs a user turn before it')
      if ((role === 'observation' || role === 'tool') && !assistantSinceUser) {
        report(`${role}-before-assistant`, 'an observation needs an assistant turn since the last user turn')
      }
      if (role === 'user') {
        seenUser = true
        assistantSinceUser = false
      }
      if (role === 'assistant') assistantSinceUser = true
      previous = role
    })
    return violations
  },
}

/**
 * `build_single_message`: the metadata line and the content are two calls of the text pipeline.
 *
 * @param tools definitions beside the messages, for the system turn
 */
function writeTurn(message: CheckedMessage, tools: CheckedTools | undefined, writer: PromptWriter): void {
  const { index, role, metadata, content } = message
  if (tools && message.tools) {
    throw new InvalidMessageError(index, 'tools-twice', 'tools stand in the system turn and in the options')
  }
  if (message.toolCalls.length > 0) writeCalls(message, writer)
  else {
    writer.control(roleToken(role))
    if (role === 'assistant') writer.beginAssistant(index)
    writer.data(metadata, `messages[${index}].metadata`).trusted('\n').cut().items(content).endAssistant()
  }
  const definitions = message.tools ?? tools
  if (definitions) writeTools(definitions, index, writer)
}

/** A turn for each call, in the form of training: `tool_call(…)` in Python. Text beside calls is a turn before them. */
function writeCalls({ index, content, toolCalls }: CheckedMessage, writer: PromptWriter): void {
  const alone = content.length === 0 && toolCalls.length === 1
  if (content.length > 0) {
    writer.control(roleToken('assistant')).beginAssistant().trusted('\n').cut().items(content).endAssistant()
  }
  for (const call of toolCalls) {
    writer.control(roleToken('assistant')).beginAssistant(alone ? index : undefined)
    writer.data(call.name, `${call.path}.name`).trusted('\n').cut()
    writer.data(callText(call, index), `${call.path}.arguments`).endAssistant()
  }
}

/** What the model itself would write. Arguments that are no JSON stay as they came. */
function callText({ name, path, arguments: given }: CheckedToolCall, index: number): string {
  if (typeof given === 'string') return given
  const tree = jsonTree(jsonText(jsonOf(given, `${path}.arguments`, index)))
  const code = name === INTERPRETER && tree instanceof Map ? tree.get('code') : undefined
  return typeof code === 'string' ? pythonFence(code) : pythonFence(pythonCallText(TOOL_CALL_FUNCTION, tree))
}

function writeTools({ value, path }: CheckedTools, index: number, writer: PromptWriter): void {
  try {
    writer.trusted('\n').data(pythonJsonDumps(value, { indent: 4 }), path)
  } catch (cause) {
    if (!(cause instanceof InvalidArgumentError)) throw cause
    throw new InvalidMessageError(index, 'tools', `tools cannot be written as JSON: ${cause.message}`, {
      cause,
    })
  }
}

function roleToken(role: string): string {
  const token = ROLE_TOKENS.get(role)
  if (token === undefined) throw new Error(`chatglm3: the role ${role} was not checked`)
  return token
}
