import { ToolCallParseError } from '../../errors.js'
import { JsonCalls } from '../json-call.js'
import { pythonCall } from '../python-literal.js'
import { TextCalls } from '../text-calls.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

const PYTHON_TAG = '<|python_tag|>'
/** A call of a built-in tool: `brave_search.call(query="…")`. */
const BUILT_IN = /^\s*(\w+)\.call\s*\(/

/** The name that programs behind `<|python_tag|>` are called by. */
export const CODE_INTERPRETER = 'code_interpreter'

/**
 * Llama 3.1 and later: a reply that is one object of JSON, `{"name": …, "parameters": …}`, or several, is calls. Behind
 * `<|python_tag|>` stand the same, a call of a built-in tool (`name.call(key="value")`), or a program, which becomes a call
 * of `code_interpreter` with the argument `code`.
 */
export const llama3: ToolProtocol = {
  name: 'llama3',
  marks: [THINK, THINK_END, PYTHON_TAG],
  idsOnly: [THINK, THINK_END, PYTHON_TAG],
  optionalMarks: [PYTHON_TAG],
  keptStops: ['<|eom_id|>'],
  reader: (context) => new Llama3Reader(context),
}

class Llama3Reader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  readonly #text: ThinkingText
  readonly #plain: TextCalls
  readonly #calls: JsonCalls
  #thinks: boolean
  #tagged = false
  /** White space behind the tag; undefined once it is known what follows. */
  #undecided: string | undefined
  /** Behind the tag, what is no JSON. */
  #code: string[] | undefined

  constructor(context: ReplyContext) {
    this.#sink = context.sink
    this.#text = new ThinkingText(context, { beforeCall: 0, aroundReasoning: true })
    this.#plain = new TextCalls(context.sink, context.tools, (piece) => this.#text.push(piece))
    this.#calls = new JsonCalls(context.sink, {
      around: ';,',
      rest: (text) => this.#text.push(text),
    })
    this.#thinks = context.startsInReasoning
  }

  text(piece: string): void {
    if (this.#thinks) this.#text.push(piece)
    else if (!this.#tagged) this.#plain.push(piece)
    else this.#inTag(piece)
  }

  mark(name: string): void {
    if (name === PYTHON_TAG && !this.#tagged && !this.#thinks) {
      this.#plain.end()
      this.#text.beforeCall()
      this.#tagged = true
      this.#undecided = ''
    } else if (name === THINK && !this.#tagged && !this.#thinks) {
      this.#thinks = true
      this.#text.begin()
    } else if (name === THINK_END && this.#thinks) {
      this.#thinks = false
      this.#text.end()
    } else this.#sink.unexpected()
  }

  end(): void {
    if (this.#code) this.#endCode(this.#code.join(''))
    else if (this.#tagged && this.#undecided !== undefined) this.#endCode(this.#undecided)
    else if (this.#tagged) this.#calls.end()
    else this.#plain.end()
    this.#text.finish()
  }

  #inTag(piece: string): void {
    if (this.#code) {
      this.#code.push(piece)
      return
    }
    if (this.#undecided === undefined) {
      this.#calls.push(piece)
      return
    }
    if (piece.trim() === '') {
      this.#undecided += piece
      return
    }
    const text = this.#undecided + piece
    const first = text.trimStart()[0]
    this.#undecided = undefined
    if (first === '{') this.#calls.push(text)
    else this.#code = [text]
  }

  #endCode(code: string): void {
    const builtIn = BUILT_IN.exec(code)
    if (code.trim() === '') {
      this.#sink.namelessCall(code, new ToolCallParseError('a call was expected', code, 0))
      return
    }
    this.#sink.beginCall(builtIn?.[1] ?? CODE_INTERPRETER)
    this.#sink.endCall(code, (raw) => (builtIn ? pythonCall(raw).arguments : { code: raw }))
  }
}
