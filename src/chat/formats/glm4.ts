import { InvalidArgumentError } from '../../errors.js'
import { control } from '../../prompt/parts.js'
import type { CheckedMessage, CheckedTools } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import { asParts } from './chatglm.js'
import type { ChatFormat } from './format.js'
import { turnOrder } from './order.js'
import { jsonOf, toolList } from './tools.js'

/** A map, not a string put together: a role reaches a control token only from this closed set. */
const ROLE_TOKENS: ReadonlyMap<string, string> = new Map([
  ['system', '<|system|>'],
  ['user', '<|user|>'],
  ['assistant', '<|assistant|>'],
  ['observation', '<|observation|>'],
])

/** What stands before every text. */
const PREFIX = ['[gMASK]', '<sop>']

const TOOL_PROMPT =
  '\n你是一个名为 ChatGLM 的人工智能助手。你是基于智谱AI训练的语言模型 GLM-4 模型开发的，你的任务是针对用户的问题和要求提供适当的答复和支持。\n\n# 可用工具'
const CALL_FORM = '\n在调用上述函数时，请使用 Json 格式表示调用的参数。'

/**
 * GLM-4: `[gMASK]<sop>`, then for each turn its role, the metadata (the name of the tool that an assistant turn calls),
 * a newline and the content. Tools stand in a system turn of their own. Turns without content are left out.
 *
 * Tools that are no functions (`python`, `simple_browser`, `cogview`) are for the model's own template.
 *
 * Source of behaviour: the chat template of THUDM/glm-4-9b-chat.
 */
export const glm4: ChatFormat = {
  name: 'glm4',
  guarantee: 'reserved-ids',
  controlTokens: [...PREFIX, ...ROLE_TOKENS.values()],
  roles: [...ROLE_TOKENS.keys()],
  fields: ['metadata', 'tools', 'tool_calls'],
  takesTools: true,
  toolProtocol: 'glm4',
  stopTokens: ['<|endoftext|>', '<|user|>', '<|observation|>'],
  padToken: '<|endoftext|>',
  decodesCommands: true,
  mergeableRoles: ['user', 'observation'],
  roleAliases: new Map([['tool', 'observation']]),
  independentRounds: true,

  write({ messages, tools, addGenerationPrompt }, writer) {
    for (const name of PREFIX) writer.control(name)
    if (tools) writeTools(tools, 0, writer)
    for (const message of messages) {
      if (message.tools) writeTools(message.tools, message.index, writer)
      if (message.toolCalls.length > 0) writeCalls(message, writer)
      else if (message.content.length > 0) writeTurn(message, writer)
      else if (message.role === 'assistant') writer.recalled(() => writeTurn(message, writer))
    }
    if (addGenerationPrompt) writer.control(roleToken('assistant'))
  },

  /** `build_inputs_with_special_tokens` of one text; its pairs end with a token that the vocabulary lacks. */
  text(text, pair) {
    if (pair !== undefined) throw new InvalidArgumentError('pair: this format has no pairs of texts')
    return [...PREFIX.map((name) => control(name)), ...asParts(text)]
  },

  orderViolations: (messages) => turnOrder(messages, { system: 'first', results: ['observation'] }),
}

function writeTurn({ role, metadata, content, index }: CheckedMessage, writer: PromptWriter): void {
  writer.control(roleToken(role))
  if (role === 'assistant') writer.beginAssistant(index)
  writer.data(metadata, `messages[${index}].metadata`).trusted('\n').items(content).endAssistant()
}

/** A turn for each call: its name, and its arguments as JSON. Text beside calls is a turn before them. */
function writeCalls({ index, content, toolCalls }: CheckedMessage, writer: PromptWriter): void {
  const alone = content.length === 0 && toolCalls.length === 1
  if (content.length > 0) {
    writer.control(roleToken('assistant')).beginAssistant().trusted('\n').items(content).endAssistant()
  }
  for (const call of toolCalls) {
    const at = `${call.path}.arguments`
    writer.control(roleToken('assistant')).beginAssistant(alone ? index : undefined)
    writer.data(call.name, `${call.path}.name`).trusted('\n')
    writer.data(call.rawArguments ?? jsonOf(call.arguments, at, index), at).endAssistant()
  }
}

function writeTools(tools: CheckedTools, index: number, writer: PromptWriter): void {
  writer.control(roleToken('system')).trusted(TOOL_PROMPT)
  for (const { value, path } of toolList(tools)) {
    const { type, function: definition } = Object(value) as { type?: unknown; function?: unknown }
    const { name } = Object(definition) as { name?: unknown }
    if (type !== 'function' || typeof name !== 'string') {
      throw new InvalidArgumentError(
        `${path}: this format writes { type: 'function', function: { name, … } }; for other tools give the model's own chatTemplate`,
      )
    }
    writer.trusted('\n## ').data(name, `${path}.function.name`).trusted('\n\n')
    writer.data(jsonOf(definition, path, index, { indent: 4 }), `${path}.function`).trusted(CALL_FORM)
  }
}

function roleToken(role: string): string {
  const token = ROLE_TOKENS.get(role)
  if (token === undefined) throw new Error(`glm4: the role ${role} was not checked`)
  return token
}
