import type { Chat } from '../chat/chat.js'
import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { connectEngine } from '../engine/detect.js'
import { observation } from '../tools/code-interpreter.js'
import { toolRegistry } from '../tools/registry.js'
import { codeTools } from './code-mode.js'
import { choice, UsageError } from './command.js'
import { conversationOf } from './conversation.js'
import { fileInput, readAll } from './input.js'
import { parseJson } from './json.js'
import type { TalkOptions } from './talk.js'
import { readTools } from './tools-file.js'

/** The part of `safetokens chat --help` about engines. */
export const TALK_HELP = `With an engine each line of standard input is a question, or, when the model has called a tool, its result:
  --engine URL   a server of vLLM, SGLang or llama.cpp; its key, if it wants one, is taken from SAFETOKENS_API_KEY
  --engine-type WORD
                 "vllm", "sglang" or "llamacpp"; default: the server is asked
  --engine-model NAME
                 the name of the model there; default: its first
  --tools FILE   definitions of tools, JSON or YAML (which needs the package yaml): you are the tools
  --code         the model has a code interpreter, which you are; --run-code runs programs instead
  --run-code COMMAND
                 a shell command that reads a program from its standard input, for 30 seconds at most. What a model
                 writes is code of a stranger: 'docker run -i --rm --network none python:3.12 python -' is a sandbox,
                 'python3 -' is none
  --system TEXT  a system turn at the beginning; FILE holds a whole beginning
  --window N     tokens for prompt and reply together; default: what the model's files say. Old turns are left out
                 when a conversation grows beyond it
  --max-tokens N tokens of a reply; default: what the window leaves
  --temperature X, --top-p X, --seed N
                 how ids are chosen; default: up to the engine
  --show         also print ids and counts of each prompt and reply, on standard error, or in the JSON
  --json         print a line of JSON for each reply: {"turns":[...],"finish":"...","usage":{...}}
  safetokens chat --model qwen3 --engine http://127.0.0.1:8000 --tools tools.yaml`

/** Options that need an engine. */
export const TALK_OPTIONS = {
  engine: { type: 'string' },
  'engine-type': { type: 'string' },
  'engine-model': { type: 'string' },
  tools: { type: 'string' },
  code: { type: 'boolean' },
  'run-code': { type: 'string' },
  system: { type: 'string' },
  window: { type: 'string' },
  'max-tokens': { type: 'string' },
  temperature: { type: 'string' },
  'top-p': { type: 'string' },
  seed: { type: 'string' },
} as const

type TalkNames = Exclude<keyof typeof TALK_OPTIONS, 'code'>
type TalkValues = { readonly [Name in TalkNames]?: string | undefined } & {
  readonly code?: boolean | undefined
  readonly show?: boolean | undefined
  readonly json?: boolean | undefined
}

/** @throws UsageError for an option of these without `--engine` */
export function checkNoTalk(values: Readonly<Record<string, unknown>>): void {
  const option = Object.keys(TALK_OPTIONS).find((name) => values[name] !== undefined)
  if (option !== undefined) throw new UsageError(`--${option} needs --engine`)
}

/**
 * What the arguments ask for.
 *
 * @throws UsageError for arguments that make no sense, EngineError when the server cannot be reached
 */
export async function talkOptions(
  chat: Chat,
  values: TalkValues,
  { onInvalid, mergeConsecutive }: EncodeChatOptions,
  file: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<TalkOptions> {
  const run = {
    onInvalid,
    mergeConsecutive,
    contextWindow: whole('--window', values.window),
    maxTokens: whole('--max-tokens', values['max-tokens']),
    sampling: {
      temperature: number('--temperature', values.temperature),
      topP: number('--top-p', values['top-p']),
      seed: whole('--seed', values.seed),
    },
  }
  const type = choice('--engine-type', values['engine-type'], ['vllm', 'sglang', 'llamacpp'])
  const beginning = await beginningOf(values.system, file)
  const code = values.code || values['run-code'] !== undefined
  if (code && values.tools !== undefined) throw new UsageError('--tools and --code exclude each other')
  const tools = code
    ? codeTools(chat, values['run-code'])
    : values.tools === undefined
      ? toolRegistry([])
      : await readTools(values.tools)
  const engine = await connectEngine({
    url: values.engine ?? '',
    type,
    model: values['engine-model'],
    apiKey: env.SAFETOKENS_API_KEY,
  })
  return {
    chat,
    engine,
    tools,
    observation: code ? (line) => observation({ text: line }) : (line) => line,
    messages: beginning,
    run,
    json: values.json ?? false,
    showIds: values.show ?? false,
  }
}

async function beginningOf(system: string | undefined, file: string | undefined): Promise<ChatMessage[]> {
  if (system !== undefined && file !== undefined) throw new UsageError('--system and FILE exclude each other')
  if (file === '-') throw new UsageError('with an engine standard input holds questions: name a FILE')
  if (file !== undefined) {
    const text = await readAll(fileInput(file), 'drop')
    return conversationOf(parseJson(text), text)
  }
  return system === undefined ? [] : [{ role: 'system', content: system }]
}

function number(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new UsageError(`${option} must be a number, not ${JSON.stringify(text)}`)
}

function whole(option: string, text: string | undefined): number | undefined {
  const value = number(option, text)
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value
  throw new UsageError(`${option} must be a whole number, not ${JSON.stringify(text)}`)
}
