import type { CallArguments } from '../call-arguments.js'
import { EdgeText } from '../edge-text.js'
import { JsonArgumentsText } from '../json-text.js'
import type { ReplyContext, ReplyReader } from '../types.js'

const ASSISTANT = '<|assistant|>'
export const FIRST_LINE_MARKS: readonly string[] = [ASSISTANT]

/** A first line that is longer is text. */
const MAX_NAME = 256

/** What ChatGLM3 and GLM-4 do each their own way. */
export interface FirstLineRules {
  /** How many spaces the tokenizer puts in front of a content. */
  readonly dummyPrefix: number
  /** What the arguments of a call begin with. */
  readonly callBegins: readonly string[]
  /** Names that are calls whatever follows. */
  readonly ownTools: readonly string[]
  /** Reads arguments that are no JSON; undefined where they are. */
  readonly read?: ((name: string, raw: string) => CallArguments) | undefined
}

/**
 * Turns that begin with a line of metadata: empty in front of an answer, the name of a tool in front of a call. Another
 * `<|assistant|>` begins another turn. A first line is a name only if a call follows it: an answer without that line, as
 * models write now and then, stays what it is.
 */
export class FirstLineReader implements ReplyReader {
  readonly #context: ReplyContext
  readonly #rules: FirstLineRules
  readonly #content: EdgeText
  #state: 'line' | 'begin' | 'content' | 'call' = 'line'
  #line = ''
  #name = ''
  /** The content as far as it is not known what it is. */
  #held = ''
  #raw: string[] = []
  #json: JsonArgumentsText | undefined
  /** How many spaces of the dummy prefix were taken away. */
  #skipped = 0

  constructor(context: ReplyContext, rules: FirstLineRules) {
    this.#context = context
    this.#rules = rules
    this.#content = new EdgeText((piece) => context.sink.text(piece), ' ')
  }

  text(piece: string): void {
    if (this.#state === 'line') this.#inLine(piece)
    else if (this.#state === 'begin') this.#begin(piece)
    else if (this.#state === 'call') this.#call(piece)
    else this.#content.push(piece)
  }

  mark(name: string): void {
    if (name !== ASSISTANT) {
      this.#context.sink.unexpected()
      return
    }
    this.#endTurn()
    this.#context.sink.nextTurn()
    this.#state = 'line'
    this.#line = ''
  }

  end(): void {
    this.#endTurn()
  }

  #inLine(piece: string): void {
    const end = piece.indexOf('\n')
    this.#line += end < 0 ? piece : piece.slice(0, end)
    const name = this.#line.trim()
    if (this.#line.length > MAX_NAME || /\s/.test(name)) {
      this.#toContent(this.#line + (end < 0 ? '' : piece.slice(end)))
      return
    }
    if (end < 0) return
    this.#name = name
    this.#held = ''
    this.#state = name === '' ? 'content' : 'begin'
    if (name === '') this.#content.skip(this.#rules.dummyPrefix)
    this.text(piece.slice(end + 1))
  }

  /** Whether the line was a name, what follows it tells. */
  #begin(piece: string): void {
    this.#held += piece
    const { callBegins, ownTools } = this.#rules
    const rest = this.#held.trimStart()
    const known = ownTools.includes(this.#name) || this.#context.tools?.has(this.#name) === true
    if (known || callBegins.some((begin) => rest.startsWith(begin))) this.#beginCall()
    else if (this.#held.length > MAX_NAME || !callBegins.some((begin) => begin.startsWith(rest)))
      this.#toContent(`${this.#line}\n${this.#held}`)
  }

  #beginCall(): void {
    const { sink } = this.#context
    const held = this.#held
    this.#state = 'call'
    this.#raw = []
    this.#json = undefined
    sink.metadata(this.#name)
    sink.beginCall(this.#name)
    if (this.#rules.read === undefined) this.#json = new JsonArgumentsText(sink)
    this.#skipped = 0
    this.#call(held)
  }

  #call(piece: string): void {
    if (this.#json) {
      this.#json.push(piece)
      return
    }
    let begin = 0
    if (this.#raw.length === 0) {
      while (this.#skipped < this.#rules.dummyPrefix && piece[begin] === ' ') {
        begin++
        this.#skipped++
      }
    }
    if (begin < piece.length) this.#raw.push(piece.slice(begin))
  }

  #toContent(text: string): void {
    this.#state = 'content'
    this.#content.push(text)
  }

  #endTurn(): void {
    const { sink } = this.#context
    if (this.#state === 'line') this.#content.push(this.#line)
    if (this.#state === 'begin') this.#content.push(`${this.#line}\n${this.#held}`)
    this.#content.flush()
    this.#content.skip(0)
    if (this.#state !== 'call') return
    const { read } = this.#rules
    if (this.#json) sink.endCall(this.#json.raw)
    else sink.endCall(this.#raw.join(''), read && ((raw) => read(this.#name, raw)))
  }
}
