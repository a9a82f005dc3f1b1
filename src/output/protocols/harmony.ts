import { JsonArgumentsText } from '../json-text.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'

const START = '<|start|>'
const CHANNEL = '<|channel|>'
const CONSTRAIN = '<|constrain|>'
const MESSAGE = '<|message|>'
const END = '<|end|>'
const CALL = '<|call|>'
const RETURN = '<|return|>'
const MARKS = [START, CHANNEL, CONSTRAIN, MESSAGE, END, CALL, RETURN]

/**
 * Harmony (gpt-oss): messages in channels. `analysis` is reasoning; a message to a recipient is a call, `functions.f` of
 * the tool `f`, others (`browser.search`, `python`) by their whole name; all else is content, one message under another.
 */
export const harmony: ToolProtocol = {
  name: 'harmony',
  marks: MARKS,
  idsOnly: MARKS,
  optionalMarks: [CONSTRAIN],
  reader: (context) => new HarmonyReader(context),
}

type State = 'header' | 'channel' | 'type' | 'body' | 'between'

class HarmonyReader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  /** The prompt ends with `<|start|>assistant`. */
  #state: State = 'header'
  #header = ''
  #channel = ''
  #call: JsonArgumentsText | undefined
  /** The tool `python` takes a program, not JSON. */
  #code: string[] | undefined
  #reasons = false
  /** What stands between this message and an earlier one of its kind. */
  #gap = { reasoning: '', content: '' }

  constructor({ sink }: ReplyContext) {
    this.#sink = sink
  }

  text(piece: string): void {
    if (this.#state === 'body') this.#body(piece)
    else if (this.#state === 'channel') this.#channel += piece
    else if (this.#state !== 'type') this.#header += piece
  }

  mark(name: string): void {
    const inBody = this.#state === 'body'
    if (name === CHANNEL && this.#state === 'header') this.#state = 'channel'
    else if (name === CONSTRAIN && this.#state === 'channel') this.#state = 'type'
    else if (name === MESSAGE && !inBody && this.#state !== 'between') this.#open()
    else if ((name === END || name === CALL || name === RETURN) && inBody) this.#close()
    else if (name === START && this.#state === 'between') this.#begin()
    else this.#sink.unexpected()
  }

  end(): void {
    if (this.#state === 'body') this.#close()
    // A header without a message, or text where none belongs: nothing is lost.
    else if (this.#state !== 'between') this.#loose(this.#header + this.#channel)
    else this.#loose(this.#header)
  }

  #begin(): void {
    this.#loose(this.#header)
    this.#header = this.#channel = ''
    this.#state = 'header'
  }

  #open(): void {
    const header = `${this.#header} ${this.#channel}`
    // Only messages of the assistant are the model's to write: what claims to be another's is its content.
    const own = /^\s*(?:assistant)?(?:\s+to=\S+)?\s*$/.test(this.#header)
    if (!own) this.#sink.unexpected()
    const recipient = own ? /(?:^|\s)to=(\S+)/.exec(header)?.[1] : undefined
    this.#state = 'body'
    this.#reasons = own && /^\s*analysis\b/.test(this.#channel) && recipient === undefined
    this.#call = undefined
    this.#code = recipient === 'python' ? [] : undefined
    if (recipient === undefined) return
    this.#sink.beginCall(
      recipient.startsWith('functions.') ? recipient.slice('functions.'.length) : recipient,
    )
    if (!this.#code) this.#call = new JsonArgumentsText(this.#sink)
  }

  #body(piece: string): void {
    if (piece === '') return
    if (this.#call) this.#call.push(piece)
    else if (this.#code) this.#code.push(piece)
    else if (this.#reasons) {
      this.#sink.reasoning(this.#gap.reasoning + piece)
      this.#gap.reasoning = ''
    } else {
      this.#sink.text(this.#gap.content + piece)
      this.#gap.content = ''
    }
  }

  #close(): void {
    if (this.#call) this.#sink.endCall(this.#call.raw)
    else if (this.#code) this.#sink.endCall(this.#code.join(''), (code) => ({ code }))
    else if (this.#reasons) {
      this.#sink.reasoning('')
      this.#gap.reasoning = '\n\n'
    } else this.#gap.content = '\n\n'
    this.#call = this.#code = undefined
    this.#state = 'between'
    this.#header = this.#channel = ''
  }

  #loose(text: string): void {
    if (text.trim() === '') return
    this.#call = this.#code = undefined
    this.#reasons = false
    this.#body(text)
  }
}
