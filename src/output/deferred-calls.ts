import type { ToolCallParseError } from '../errors.js'
import type { CallArguments } from './call-arguments.js'
import type { ToolShapes, TurnSink } from './types.js'

/**
 * A sink in front of another for calls that only plain text marks: nothing is told until the text is known to be a call,
 * that is until it has a name (of a tool that there is) and arguments. What turns out to be none
 * is never told.
 */
export class DeferredCalls implements TurnSink {
  readonly #sink: TurnSink
  readonly #tools: ToolShapes | undefined
  #decided = false
  #events: ((sink: TurnSink) => void)[] = []

  constructor(sink: TurnSink, tools: ToolShapes | undefined) {
    this.#sink = sink
    this.#tools = tools
  }

  /** Whether what was read is a call for certain. */
  get decided(): boolean {
    return this.#decided
  }

  /** Forgets what was held back: what follows is told anew. */
  reset(): void {
    this.#events = []
    this.#decided = false
  }

  beginCall(name: string, id?: string): void {
    if (this.#tools !== undefined && !this.#tools.has(name)) return
    this.#events.push((sink) => sink.beginCall(name, id))
  }

  callJson(piece: string): void {
    if (this.#events.length > 0) this.#decide()
    if (this.#decided) this.#sink.callJson(piece)
  }

  endCall(raw: string, read?: (raw: string) => CallArguments): void {
    if (raw !== '' && this.#events.length > 0) this.#decide()
    if (this.#decided) this.#sink.endCall(raw, read)
  }

  namelessCall(raw: string, error: ToolCallParseError): void {
    if (this.#decided) this.#sink.namelessCall(raw, error)
  }

  text(piece: string): void {
    this.#sink.text(piece)
  }

  reasoning(piece: string): void {
    this.#sink.reasoning(piece)
  }

  metadata(text: string): void {
    this.#sink.metadata(text)
  }

  nextTurn(): void {
    this.#sink.nextTurn()
  }

  unexpected(): void {
    this.#sink.unexpected()
  }

  #decide(): void {
    this.#decided = true
    for (const tell of this.#events) tell(this.#sink)
    this.#events = []
  }
}
