import type { ToolProtocolName } from '../../chat/formats/format.js'
import { InvalidArgumentError } from '../../errors.js'
import type { ToolProtocol } from '../types.js'
import { chatglm3 } from './chatglm3.js'
import { deepseek } from './deepseek.js'
import { gemma } from './gemma.js'
import { glm4 } from './glm4.js'
import { glm45 } from './glm45.js'
import { harmony } from './harmony.js'
import { hermes } from './hermes.js'
import { llama3 } from './llama3.js'
import { mistral } from './mistral.js'
import { phi4 } from './phi4.js'
import { qwen3Coder } from './qwen3-coder.js'
import { text } from './text.js'

/** Each is looked up when it is asked for, since a program has use for few. */
const BUILT_IN: Readonly<Record<ToolProtocolName, () => ToolProtocol>> = {
  chatglm3: () => chatglm3,
  glm4: () => glm4,
  glm45: () => glm45,
  hermes: () => hermes,
  'qwen3-coder': () => qwen3Coder,
  llama3: () => llama3,
  mistral: () => mistral,
  deepseek: () => deepseek,
  harmony: () => harmony,
  gemma: () => gemma,
  phi4: () => phi4,
  text: () => text,
}

/** Names of the built-in protocols. */
export const TOOL_PROTOCOLS: readonly ToolProtocolName[] = Object.keys(BUILT_IN) as ToolProtocolName[]

/**
 * A protocol by name, or the caller's own.
 *
 * @throws InvalidArgumentError for a name that is none, and for an object that lacks a field
 */
export function toolProtocol(protocol: string | ToolProtocol): ToolProtocol {
  if (typeof protocol === 'string') {
    if (Object.hasOwn(BUILT_IN, protocol)) return BUILT_IN[protocol as ToolProtocolName]()
    throw new InvalidArgumentError(
      `${JSON.stringify(protocol)} is not a tool protocol; there is ${TOOL_PROTOCOLS.join(', ')}`,
    )
  }
  const { name, marks, reader } = Object(protocol) as Partial<ToolProtocol>
  if (typeof name !== 'string' || !Array.isArray(marks) || typeof reader !== 'function') {
    throw new InvalidArgumentError('a tool protocol needs name, marks and reader: see ToolProtocol')
  }
  return protocol
}

/**
 * Which protocol a chat template was written for: told by the marks that it writes, the rarest first.
 *
 * @param literals the template's own texts
 */
export function templateProtocol(literals: readonly string[]): ToolProtocol {
  const all = literals.join('\n')
  const found = TEMPLATE_MARKS.find(([, ...marks]) => marks.every((mark) => all.includes(mark)))
  return BUILT_IN[found?.[0] ?? 'text']()
}

const TEMPLATE_MARKS: readonly (readonly [ToolProtocolName, ...string[]])[] = [
  ['harmony', '<|start|>', '<|channel|>', '<|message|>'],
  ['deepseek', '<｜tool▁calls▁begin｜>'],
  ['mistral', '[TOOL_CALLS]'],
  ['glm45', '<arg_key>'],
  ['gemma', '<start_function_call>'],
  ['gemma', '<|tool_call>'],
  ['phi4', '<|tool_call|>'],
  ['qwen3-coder', '<tool_call>', '<function='],
  ['hermes', '<tool_call>'],
  ['llama3', '<|start_header_id|>', 'ipython'],
  ['glm4', '[gMASK]', '<|observation|>'],
]
