import { ToolCallParseError } from '../../errors.js'
import { JsonCalls } from '../json-call.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

export const TOOL_CALL = '<tool_call>'
export const TOOL_CALL_END = '</tool_call>'

/**
 * A protocol whose calls are JSON between two marks, a call or a list of them. Where the marks are plain text, one begins
 * a call only in front of JSON.
 */
export function jsonBetween(name: string, opens: readonly string[], close: string): ToolProtocol {
  return {
    name,
    marks: [THINK, THINK_END, ...opens, close],
    idsOnly: [THINK, THINK_END],
    reader: (context) => new JsonBetweenReader(context, opens, close),
  }
}

/** Hermes 2 Pro, Qwen2.5, Qwen3, QwQ: `<tool_call>\n{"name": …, "arguments": …}\n</tool_call>`, one for each call. */
export const hermes: ToolProtocol = jsonBetween('hermes', [TOOL_CALL], TOOL_CALL_END)

class JsonBetweenReader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  readonly #text: ThinkingText
  readonly #calls: JsonCalls
  readonly #openMarks: readonly string[]
  readonly #closeMark: string
  #state: 'text' | 'maybe' | 'call' = 'text'
  /** What stands in a call besides JSON; in `maybe` the mark and white space. */
  #rest = ''
  #read = 0

  constructor(context: ReplyContext, opens: readonly string[], close: string) {
    this.#openMarks = opens
    this.#closeMark = close
    this.#sink = context.sink
    this.#text = new ThinkingText(context, { beforeCall: 1, aroundReasoning: true })
    this.#calls = new JsonCalls(context.sink, {
      around: '[],;',
      rest: (text) => {
        this.#rest += text
      },
      done: () => {
        this.#read++
      },
    })
  }

  text(piece: string): void {
    if (this.#state === 'maybe') this.#decide(piece)
    else if (this.#state === 'call') this.#calls.push(piece)
    else this.#text.push(piece)
  }

  mark(name: string, asId: boolean): void {
    if (this.#state === 'maybe') this.#noCall()
    if (this.#state === 'call') {
      if (!asId && this.#calls.open) {
        this.#calls.push(name)
        return
      }
      this.#close()
      if (name === this.#closeMark) return
    }
    if (this.#openMarks.includes(name)) this.#open(name, asId)
    else if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else if (asId) this.#sink.unexpected()
    else this.#text.push(name)
  }

  end(): void {
    if (this.#state === 'maybe') this.#noCall()
    if (this.#state === 'call') this.#close()
    this.#text.finish()
  }

  #open(name: string, asId: boolean): void {
    if (!asId) {
      this.#state = 'maybe'
      this.#rest = name
      return
    }
    this.#text.beforeCall()
    this.#state = 'call'
    this.#rest = ''
    this.#read = 0
  }

  #decide(piece: string): void {
    const at = piece.search(/\S/)
    if (at < 0) {
      this.#rest += piece
    } else if (piece[at] === '{' || piece[at] === '[') {
      this.#open('', true)
      this.#calls.push(piece.slice(at))
    } else {
      this.#noCall()
      this.#text.push(piece)
    }
  }

  #noCall(): void {
    this.#state = 'text'
    this.#text.push(this.#rest)
  }

  #close(): void {
    this.#calls.end()
    this.#state = 'text'
    this.#text.afterCall()
    if (this.#read === 0) {
      const raw = this.#rest
      this.#sink.namelessCall(raw, new ToolCallParseError('an object of JSON was expected', raw, 0))
    } else this.#text.push(this.#rest)
  }
}
