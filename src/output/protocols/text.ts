import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

/** Replies that are text, with reasoning where the model has `<think>` as a control token. No calls. */
export const text: ToolProtocol = {
  name: 'text',
  marks: [THINK, THINK_END],
  idsOnly: [THINK, THINK_END],
  reader: (context) => new TextReader(context),
}

class TextReader implements ReplyReader {
  readonly #context: ReplyContext
  readonly #text: ThinkingText

  constructor(context: ReplyContext) {
    this.#context = context
    this.#text = new ThinkingText(context, { beforeCall: 0, aroundReasoning: true })
  }

  text(piece: string): void {
    this.#text.push(piece)
  }

  mark(name: string): void {
    if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else this.#context.sink.unexpected()
  }

  end(): void {
    this.#text.finish()
  }
}
