import { ChatFormatError, InvalidArgumentError } from '../../errors.js'
import { alpaca } from './alpaca.js'
import { chatglm2, codegeex2 } from './chatglm2.js'
import { chatglm3 } from './chatglm3.js'
import { chatml, smollm2 } from './chatml.js'
import { deepseekR1, deepseekV3 } from './deepseek.js'
import type { ChatFormat } from './format.js'
import { gemma2, gemma3 } from './gemma.js'
import { glm4 } from './glm4.js'
import { harmony } from './harmony.js'
import { llama2 } from './llama2.js'
import { llama3, llama31, llama32 } from './llama3.js'
import { mistralV1, mistralV2, mistralV3, mistralV3Tekken, mistralV7, mistralV7Tekken } from './mistral.js'
import { phi3, phi4, phi4Mini } from './phi.js'
import { qwen3 } from './qwen3.js'
import { vicuna, vicunaSystem } from './vicuna.js'

/** Names of the built-in formats. */
export type BuiltInFormatName =
  | 'chatglm3'
  | 'chatglm2'
  | 'codegeex2'
  | 'glm4'
  | 'chatml'
  | 'smollm2'
  | 'qwen3'
  | 'llama2'
  | 'llama3'
  | 'llama3.1'
  | 'llama3.2'
  | 'mistral-v1'
  | 'mistral-v2'
  | 'mistral-v3'
  | 'mistral-v3-tekken'
  | 'mistral-v7'
  | 'mistral-v7-tekken'
  | 'gemma2'
  | 'gemma3'
  | 'phi3'
  | 'phi4'
  | 'phi4-mini'
  | 'deepseek-v3'
  | 'deepseek-r1'
  | 'harmony'
  | 'vicuna'
  | 'vicuna-system'
  | 'alpaca'

/** Made when one is asked for, as it needs all their files. */
const builtIn = (): Readonly<Record<BuiltInFormatName, ChatFormat>> => ({
  chatglm3,
  chatglm2,
  codegeex2,
  glm4,
  chatml,
  smollm2,
  qwen3,
  llama2,
  llama3,
  'llama3.1': llama31,
  'llama3.2': llama32,
  'mistral-v1': mistralV1,
  'mistral-v2': mistralV2,
  'mistral-v3': mistralV3,
  'mistral-v3-tekken': mistralV3Tekken,
  'mistral-v7': mistralV7,
  'mistral-v7-tekken': mistralV7Tekken,
  gemma2,
  gemma3,
  phi3,
  phi4,
  'phi4-mini': phi4Mini,
  'deepseek-v3': deepseekV3,
  'deepseek-r1': deepseekR1,
  harmony,
  vicuna,
  'vicuna-system': vicunaSystem,
  alpaca,
})

let made: Map<string, ChatFormat> | undefined
const formats = (): Map<string, ChatFormat> => {
  made ??= new Map<string, ChatFormat>(Object.entries(builtIn()))
  return made
}

/**
 * Makes a chat format known by its name, for `Chat.load(path, { format: name })` in this process. Its literals are
 * trusted: a format is code.
 *
 * @throws InvalidArgumentError for a name that is taken, or a format that lacks a field
 * @example registerChatFormat({ ...chatFormat('chatml'), name: 'my-chatml', roles: ['system', 'user', 'assistant', 'critic'] })
 */
export function registerChatFormat(format: ChatFormat): void {
  checkFormat(format)
  if (formats().has(format.name)) {
    throw new InvalidArgumentError(`the chat format ${JSON.stringify(format.name)} exists already`)
  }
  formats().set(format.name, format)
}

let builtInWrites: ReadonlySet<unknown> | undefined

/** Whether a format writes as a built-in one does, whatever it was made of. */
export function writesAsBuiltIn({ write }: ChatFormat): boolean {
  builtInWrites ??= new Set(Object.values(builtIn()).map((format) => format.write))
  return builtInWrites.has(write)
}

/**
 * A chat format by name.
 *
 * @throws ChatFormatError for an unknown one, naming those that there are
 */
export function chatFormat(name: string): ChatFormat {
  const format = formats().get(name)
  if (format === undefined) {
    throw new ChatFormatError(
      `${JSON.stringify(name)} is not a chat format; there is ${[...formats().keys()].join(', ')}`,
    )
  }
  return format
}

/** All known formats, built-in ones first. */
export function chatFormats(): readonly ChatFormat[] {
  return [...formats().values()]
}

/** @throws InvalidArgumentError for what is no chat format */
export function checkFormat(format: unknown): asserts format is ChatFormat {
  const fields = Object(format) as Partial<Record<keyof ChatFormat, unknown>>
  const lists = ['controlTokens', 'roles', 'fields', 'stopTokens', 'mergeableRoles'] as const
  const wrong = [
    ...(typeof fields.name === 'string' && fields.name !== '' ? [] : ['name']),
    ...(fields.guarantee === 'reserved-ids' || fields.guarantee === 'textual' ? [] : ['guarantee']),
    ...lists.filter((name) => !isNames(fields[name])),
    ...(['write', 'orderViolations'] as const).filter((name) => typeof fields[name] !== 'function'),
  ]
  if (wrong.length > 0) {
    throw new InvalidArgumentError(`a chat format needs ${wrong.join(', ')}: see ChatFormat`)
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}
