import type { ParsedToolCall } from '../output/types.js'

/** A JSON Schema, as far as tools use it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A validator of the Standard Schema specification (version 1): zod, valibot, arktype and others. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    /** Newer validators tell their JSON Schema. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
      | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a tool is told beside its arguments. */
export interface ToolContext {
  readonly callId: string
  readonly signal: AbortSignal | undefined
}

/** A tool that a model may call. `defineTool` makes one. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** The JSON Schema of the arguments: an object. */
  readonly parameters: JsonSchema
  /** Checks arguments and gives what `execute` gets. */
  readonly validate: (value: unknown) => Promise<ArgumentCheck<Input>>
  /** Undefined for tools that the caller runs. */
  readonly execute: ((input: Input, context: ToolContext) => unknown) | undefined
}

export type ArgumentCheck<Input> =
  | { readonly valid: true; readonly value: Input }
  | { readonly valid: false; readonly issues: readonly ArgumentIssue[] }

export interface ArgumentIssue {
  /** Where, such as `$.days[2]`. */
  readonly path: string
  readonly message: string
}

/** Why a call has no result of its tool. */
export type ToolFailure = 'malformed-call' | 'unknown-tool' | 'invalid-arguments' | 'tool-error' | 'aborted'

/** The result of a call: always there, whatever went wrong. */
export interface ToolResult {
  readonly callId: string
  readonly name: string
  /** What the model reads. */
  readonly content: string
  /** What went wrong; undefined when the tool gave a result. */
  readonly failure: ToolFailure | undefined
  /** Whether `content` was cut, which it tells at its end. */
  readonly truncated: boolean
  /** What the tool returned, or what it threw. */
  readonly value: unknown
}

/** How long a result may be. `TRUNCATION` holds presets. */
export interface ResultLimit {
  /** In what: characters are code points. */
  readonly unit: 'characters' | 'tokens'
  readonly max: number
  /** What stands behind text that was cut. Default ` [TRUNCATED]`. It does not count. */
  readonly mark?: string | undefined
}

export interface DispatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Default: the registry's. */
  readonly limit?: ResultLimit | undefined
}

/** Tools by name. `toolRegistry` makes one. */
export interface ToolRegistry {
  readonly names: readonly string[]
  get(name: string): Tool | undefined
  has(name: string): boolean
  /** The definitions in OpenAI's shape, for `chat.encode(…, { tools })` and servers. */
  definitions(options?: { readonly flatten?: boolean | undefined }): OpenAITool[]
  /** Runs a call. It never throws. */
  dispatch(call: ParsedToolCall, options?: DispatchOptions): Promise<ToolResult>
  /** Runs calls at the same time; results are in the order of the calls. */
  dispatchAll(calls: readonly ParsedToolCall[], options?: DispatchOptions): Promise<ToolResult[]>
}

/** A definition in OpenAI's shape. */
export interface OpenAITool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string | undefined
    readonly parameters?: JsonSchema | undefined
    readonly strict?: boolean | null | undefined
  }
}
