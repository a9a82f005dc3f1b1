import { SafetokensError } from '../../errors.js'
import type { Placement } from '../bank/placements.js'
import type { JsonAnswer, JsonServer } from './http-json.js'

/** Servers that tell which ids a conversation has. */
export type ServerApi = 'vllm' | 'llama.cpp' | 'sglang'

/** Ids of a conversation; undefined where the server does not take it. */
export type ServerEncoder = (placement: Placement) => Promise<readonly number[] | undefined>

/**
 * Which server answers: llama.cpp has `/props`, SGLang `/get_model_info`, vLLM `/version`.
 *
 * @throws SafetokensError `UNKNOWN_SERVER` when it is none of these; those of a server without an answer
 */
export async function detectApi(server: JsonServer): Promise<ServerApi> {
  const signs = [
    ['props', 'llama.cpp', 'default_generation_settings'],
    ['get_model_info', 'sglang', 'model_path'],
    ['version', 'vllm', 'version'],
  ] as const
  for (const [path, api, field] of signs) {
    const answer = await server.get(path).catch((error: unknown) => {
      if (error instanceof SafetokensError && error.code === 'SERVER_ANSWER') return { status: 0 }
      throw error
    })
    if ('json' in answer && typeof answer.json === 'object' && answer.json !== null && field in answer.json) {
      return api
    }
  }
  throw new SafetokensError(
    'UNKNOWN_SERVER',
    `${server.address}: neither vLLM, llama.cpp nor SGLang; --api says which it is`,
  )
}

/**
 * How a server is asked for the ids of a conversation.
 * - vLLM: `POST /tokenize` with messages, as for a chat completion
 * - llama.cpp: `POST /apply-template`, then `POST /tokenize` as its server does it for prompts, special tokens parsed
 * - SGLang: `POST /tokenize` with the prompt as one string, which it makes of messages with the same template
 *
 * Source of the requests: the three servers' own documentation.
 *
 * @param render writes a conversation as one string
 */
export function serverEncoder(
  api: ServerApi,
  server: JsonServer,
  render: (placement: Placement) => string | undefined,
): ServerEncoder {
  switch (api) {
    case 'vllm':
      return async ({ messages, options }) => {
        const { tools, documents, templateOptions, addGenerationPrompt = true } = options
        return tokensOf(
          await server.post('tokenize', {
            messages,
            add_generation_prompt: addGenerationPrompt,
            ...(tools ? { tools } : {}),
            ...(documents || templateOptions
              ? { chat_template_kwargs: { ...templateOptions, ...(documents ? { documents } : {}) } }
              : {}),
          }),
        )
      }
    case 'llama.cpp':
      return async ({ messages, options }) => {
        const { tools, documents, templateOptions, addGenerationPrompt = true } = options
        if (documents) return undefined // the server has no place for them
        const answer = await server.post('apply-template', {
          messages,
          add_generation_prompt: addGenerationPrompt,
          ...(tools ? { tools } : {}),
          ...(templateOptions ? { chat_template_kwargs: templateOptions } : {}),
        })
        const prompt = fieldOf(answer, 'prompt', 'a string', isString)
        if (prompt === undefined) return undefined
        return tokensOf(
          await server.post('tokenize', { content: prompt, add_special: false, parse_special: true }),
        )
      }
    case 'sglang':
      return async (placement) => {
        const prompt = render(placement)
        if (prompt === undefined) return undefined
        return tokensOf(await server.post('tokenize', { prompt, add_special_tokens: false }))
      }
  }
}

const isString = (value: unknown): value is string => typeof value === 'string'

function tokensOf(answer: JsonAnswer): readonly number[] | undefined {
  const isIds = (value: unknown): value is number[] =>
    Array.isArray(value) && value.every((id) => Number.isInteger(id))
  return fieldOf(answer, 'tokens', 'a list of ids', isIds)
}

/** A field of an answer; undefined for a refusal. What a server does wrong is an error. */
function fieldOf<T>(
  answer: JsonAnswer,
  name: string,
  expected: string,
  isExpected: (value: unknown) => value is T,
): T | undefined {
  if ('status' in answer) {
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 404) return undefined
    throw new SafetokensError('SERVER_ANSWER', `the server answered with the status ${answer.status}`)
  }
  const value = (answer.json as Record<string, unknown> | null)?.[name]
  if (isExpected(value)) return value
  throw new SafetokensError(
    'SERVER_ANSWER',
    `the server's answer has no ${name}, which should be ${expected}`,
  )
}
