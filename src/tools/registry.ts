import { InvalidArgumentError } from '../errors.js'
import type { ParsedToolCall } from '../output/types.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { flattenSchema } from './flatten-schema.js'
import { truncateResult } from './truncate-result.js'
import type {
  DispatchOptions,
  OpenAITool,
  ResultLimit,
  Tool,
  ToolFailure,
  ToolRegistry,
  ToolResult,
} from './types.js'

export interface RegistryOptions {
  /** How long results may be. Default: as long as they are. */
  readonly limit?: ResultLimit | undefined
  /** Counts tokens for a `limit` in tokens. */
  readonly tokenizer?: Tokenizer | undefined
}

/**
 * Tools by name. `dispatch` never throws: an unknown tool, arguments that do not fit, a malformed call and what a tool
 * throws become results that the model reads.
 *
 * @throws InvalidArgumentError for two tools of one name
 * @example
 * const registry = toolRegistry([weather, clock], { limit: TRUNCATION['chatglm3-demo'] })
 * const results = await registry.dispatchAll(turn.toolCalls)
 */
export function toolRegistry(tools: readonly AnyTool[], options: RegistryOptions = {}): ToolRegistry {
  return new Registry(tools as readonly Tool[], options)
}

/** A tool whatever its arguments are: they are checked before it gets them. */
// biome-ignore lint/suspicious/noExplicitAny: neither unknown nor never takes every Tool<Input>
type AnyTool = Tool<any>

/** What came of a call, before it is cut. */
interface Outcome {
  readonly content: string
  readonly failure?: ToolFailure | undefined
  readonly value?: unknown
}

class Registry implements ToolRegistry {
  readonly #tools = new Map<string, Tool>()
  readonly #options: RegistryOptions

  constructor(tools: readonly Tool[], options: RegistryOptions) {
    this.#options = options
    for (const tool of tools) {
      if (typeof tool?.name !== 'string' || typeof tool.validate !== 'function') {
        throw new InvalidArgumentError('toolRegistry: tools made by defineTool() were expected')
      }
      if (this.#tools.has(tool.name)) {
        throw new InvalidArgumentError(`toolRegistry: there are two tools of the name ${tool.name}`)
      }
      this.#tools.set(tool.name, tool)
    }
    truncateResult('', options.limit, options.tokenizer)
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  has(name: string): boolean {
    return this.#tools.has(name)
  }

  definitions({ flatten = false }: { readonly flatten?: boolean | undefined } = {}): OpenAITool[] {
    return [...this.#tools.values()].map(({ name, description, parameters }) => ({
      type: 'function',
      function: {
        name,
        ...(description === '' ? {} : { description }),
        parameters: flatten ? flattenSchema(parameters) : parameters,
      },
    }))
  }

  async dispatch(call: ParsedToolCall, options: DispatchOptions = {}): Promise<ToolResult> {
    const { id, name } = call
    const outcome = await this.#run(call, options.signal)
    const { content, failure, value } = outcome
    const { limit = this.#options.limit } = options
    const cut = safely(
      () => truncateResult(content, limit, this.#options.tokenizer),
      () => ({ text: content, truncated: false }),
    )
    return { callId: id, name, content: cut.text, failure, truncated: cut.truncated, value }
  }

  dispatchAll(calls: readonly ParsedToolCall[], options: DispatchOptions = {}): Promise<ToolResult[]> {
    return Promise.all(calls.map((call) => this.dispatch(call, options)))
  }

  async #run(call: ParsedToolCall, signal: AbortSignal | undefined): Promise<Outcome> {
    if (call.error !== undefined) {
      const { reason, position } = call.error
      return {
        content: `Error: the call cannot be read: ${reason} (character ${position}).`,
        failure: 'malformed-call',
        value: call.error,
      }
    }
    const tool = this.#tools.get(call.name)
    if (tool && tool.execute === undefined) {
      return { content: `Error: tool \`${call.name}\` is not run here.`, failure: 'unknown-tool' }
    }
    if (tool?.execute === undefined) {
      const known = this.names.length === 0 ? 'none' : this.names.join(', ')
      return {
        content: `Error: tool \`${call.name}\` not found. There is ${known}.`,
        failure: 'unknown-tool',
      }
    }
    if (signal?.aborted) return aborted(signal)
    try {
      const check = await tool.validate(call.arguments)
      if (!check.valid) {
        const issues = check.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
        return {
          content: `Error: invalid arguments: ${issues}`,
          failure: 'invalid-arguments',
          value: check.issues,
        }
      }
      const value = await unlessAborted(
        Promise.resolve(tool.execute(check.value, { callId: call.id, signal })),
        signal,
      )
      return { content: textOf(value), value }
    } catch (error) {
      if (signal?.aborted) return aborted(signal)
      return { content: `Error: ${messageOf(error)}`, failure: 'tool-error', value: error }
    }
  }
}

function aborted(signal: AbortSignal): Outcome {
  return { content: 'Error: the call was cancelled.', failure: 'aborted', value: signal.reason }
}

/** A tool that does not listen to its signal is not waited for. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** What a tool returned, as the model reads it: a text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  const json = safely<string | undefined>(
    () => JSON.stringify(value),
    () => undefined,
  )
  return (
    json ??
    safely(
      () => String(value),
      () => 'a value that cannot be written',
    )
  )
}

function messageOf(error: unknown): string {
  return safely(
    () => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    () => 'the tool failed',
  )
}

function safely<T>(action: () => T, instead: () => T): T {
  try {
    return action()
  } catch {
    return instead()
  }
}
