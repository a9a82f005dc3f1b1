import { ToolCallParseError } from '../../errors.js'
import type { CallArguments } from '../call-arguments.js'
import { JsonArgumentsText } from '../json-text.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

const CALLS = '<｜tool▁calls▁begin｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const CALL = '<｜tool▁call▁begin｜>'
const CALL_END = '<｜tool▁call▁end｜>'
const SEPARATOR = '<｜tool▁sep｜>'

/**
 * DeepSeek V3 and R1: calls between marks, each `function`, a mark, the name, and JSON in a fence. From V3.1 on the name
 * stands in front of the mark and bare JSON behind it.
 */
export const deepseek: ToolProtocol = {
  name: 'deepseek',
  marks: [THINK, THINK_END, CALLS, CALLS_END, CALL, CALL_END, SEPARATOR],
  idsOnly: [THINK, THINK_END, CALLS, CALLS_END, CALL, CALL_END, SEPARATOR],
  reader: (context) => new DeepSeekReader(context),
}

type State = 'text' | 'calls' | 'kind' | 'call'

class DeepSeekReader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  readonly #text: ThinkingText
  #state: State = 'text'
  #loose = false
  #kind = ''
  #body: string[] = []
  /** The first character of the body tells: bare arguments, or a name and a fence. */
  #fenced = false
  #arguments: JsonArgumentsText | undefined

  constructor(context: ReplyContext) {
    this.#sink = context.sink
    this.#text = new ThinkingText(context, { beforeCall: 0, aroundReasoning: true })
  }

  text(piece: string): void {
    if (this.#state === 'kind') this.#kind += piece
    else if (this.#state === 'call') this.#push(piece)
    else if (this.#state === 'text') this.#text.push(piece)
    else this.#between(piece)
  }

  mark(name: string): void {
    const inCall = this.#state === 'call'
    this.#loose = false
    const state = this.#leaveCall(name)
    if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else if (name === CALLS && state === 'text') {
      this.#text.beforeCall()
      this.#state = 'calls'
    } else if (name === CALL && (state === 'calls' || state === 'text')) {
      if (state === 'text') this.#text.beforeCall()
      this.#state = 'kind'
      this.#kind = ''
    } else if (name === SEPARATOR && state === 'kind') {
      this.#state = 'call'
      this.#body = []
      this.#fenced = false
      this.#arguments = undefined
    } else if (name === CALLS_END && state === 'calls') {
      this.#state = 'text'
      this.#text.afterCall()
    } else if (!(name === CALL_END && inCall)) this.#sink.unexpected()
  }

  end(): void {
    this.#leaveCall('')
    this.#text.finish()
  }

  /** A mark in a call ends it, be it in its place or not. */
  #leaveCall(name: string): State {
    if (this.#state === 'call') this.#close(name === CALL_END)
    else if (this.#state === 'kind' && name !== SEPARATOR) {
      const raw = this.#kind
      this.#state = 'calls'
      this.#sink.namelessCall(raw, new ToolCallParseError(`${SEPARATOR} was expected`, raw, raw.length))
    }
    return this.#state
  }

  /** White space between calls belongs to the form; text does not belong there, and is kept. */
  #between(piece: string): void {
    const text = this.#loose ? piece : piece.trimStart()
    if (text === '') return
    this.#loose = true
    this.#text.push(text)
  }

  #push(piece: string): void {
    if (this.#arguments) {
      this.#arguments.push(piece)
      return
    }
    this.#body.push(piece)
    if (this.#fenced || piece.trim() === '') return
    this.#fenced = this.#kind.trim() === 'function' && !/^\s*\{/.test(piece)
    if (this.#fenced) return
    this.#sink.beginCall(this.#kind.trim())
    this.#arguments = new JsonArgumentsText(this.#sink)
    this.#arguments.push(piece)
  }

  #close(whole: boolean): void {
    const body = this.#body.join('')
    const read = whole ? undefined : unfinished
    this.#state = 'calls'
    if (this.#arguments) {
      this.#sink.endCall(this.#arguments.raw, read)
      return
    }
    const kind = this.#kind.trim()
    const line = kind === 'function' ? (/^\s*([^\n]*)\n?/.exec(body) as RegExpExecArray) : undefined
    const name = line ? (line[1] as string).trim() : kind
    if (name === '') {
      this.#sink.namelessCall(body, new ToolCallParseError('a name was expected', body, 0))
      return
    }
    const raw = line ? body.slice(line[0].length) : ''
    this.#sink.beginCall(name)
    this.#sink.endCall(withoutFence(raw), read)
  }
}

function unfinished(raw: string): CallArguments {
  throw new ToolCallParseError('the call does not end', raw, raw.length)
}

/** What stands in a Markdown fence; without one the text itself. */
function withoutFence(raw: string): string {
  const text = raw.trim()
  const line = text.startsWith('```') ? text.indexOf('\n') : -1
  if (line < 0) return text
  const end = text.endsWith('```') && text.length - 3 > line ? text.length - 3 : text.length
  return text.slice(line + 1, end).trim()
}
