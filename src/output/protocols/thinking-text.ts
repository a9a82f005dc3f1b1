import { EdgeText } from '../edge-text.js'
import type { ReplyContext } from '../types.js'

export const THINK = '<think>'
export const THINK_END = '</think>'

/** How many newlines a format itself writes at the edges of texts. */
export interface ThinkingEdges {
  /** Between content and a call. */
  readonly beforeCall: number
  /** White space around reasoning and behind it belongs to the format. */
  readonly aroundReasoning: boolean
}

/** The texts of a turn in formats that think between two marks: what comes is reasoning or content. */
export class ThinkingText {
  readonly #content: EdgeText
  readonly #reasoning: EdgeText
  readonly #edges: ThinkingEdges
  readonly #sink: ReplyContext['sink']
  #thinks = false

  constructor({ sink, startsInReasoning }: ReplyContext, edges: ThinkingEdges) {
    this.#sink = sink
    this.#edges = edges
    this.#content = new EdgeText((piece) => sink.text(piece))
    this.#reasoning = new EdgeText((piece) => sink.reasoning(piece))
    if (startsInReasoning) this.begin()
  }

  push(piece: string): void {
    if (this.#thinks) this.#reasoning.push(piece)
    else this.#content.push(piece)
  }

  /** `<think>` */
  begin(): void {
    if (this.#thinks) {
      this.#sink.unexpected()
      return
    }
    this.#content.flush()
    this.#sink.reasoning('')
    this.#thinks = true
    if (this.#edges.aroundReasoning) this.#reasoning.skip()
  }

  /** `</think>` */
  end(): void {
    if (!this.#thinks) {
      this.#sink.unexpected()
      return
    }
    this.#closeReasoning()
    if (this.#edges.aroundReasoning) this.#content.skip()
  }

  beforeCall(): void {
    if (this.#thinks) this.#closeReasoning()
    this.#content.trim(this.#edges.beforeCall)
  }

  afterCall(): void {
    this.#content.skip()
  }

  /** The reply is at its end. */
  finish(): void {
    if (this.#thinks) this.#closeReasoning()
    this.#content.flush()
  }

  #closeReasoning(): void {
    this.#thinks = false
    if (this.#edges.aroundReasoning) this.#reasoning.trim()
    else this.#reasoning.flush()
  }
}
