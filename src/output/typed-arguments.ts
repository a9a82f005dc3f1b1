import { argumentSchema, untypedValue } from './tool-shapes.js'
import type { ToolShapes, TurnSink } from './types.js'

/** Arguments that a model writes one by one without quotes. Each is told as JSON as soon as it is there. */
export class TypedArguments {
  readonly values: Readonly<Record<string, unknown>> = {}
  readonly #sink: TurnSink
  readonly #tools: ToolShapes | undefined
  readonly #tool: string
  #count = 0

  constructor(sink: TurnSink, tools: ToolShapes | undefined, tool: string) {
    this.#sink = sink
    this.#tools = tools
    this.#tool = tool
  }

  add(name: string, text: string): void {
    const value = untypedValue(text, argumentSchema(this.#tools, this.#tool, name))
    // Not an assignment, for which `__proto__` would be no name.
    Object.defineProperty(this.values, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
    const begin = this.#count++ === 0 ? '{' : ', '
    this.#sink.callJson(`${begin}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  }

  end(): void {
    this.#sink.callJson(this.#count === 0 ? '{}' : '}')
  }
}
