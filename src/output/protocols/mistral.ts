import { ToolCallParseError } from '../../errors.js'
import { randomWord } from '../call-ids.js'
import { JsonCalls } from '../json-call.js'
import { JsonArgumentsText } from '../json-text.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { ThinkingText } from './thinking-text.js'

const CALLS = '[TOOL_CALLS]'
const ARGUMENTS = '[ARGS]'
const CALL_ID = '[CALL_ID]'
const THINK = '[THINK]'
const THINK_END = '[/THINK]'
const MARKS = [CALLS, ARGUMENTS, CALL_ID, THINK, THINK_END]

/** Mistral's own ids of calls. */
const OWN_ID = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral: up to v7 `[TOOL_CALLS][{"name": …, "arguments": …, "id": …}]`, from v11 on `[TOOL_CALLS]f[ARGS]{…}` for each
 * call, in some versions with `[CALL_ID]id` behind the name. Calls without an id get one of nine letters or digits.
 */
export const mistral: ToolProtocol = {
  name: 'mistral',
  marks: MARKS,
  idsOnly: MARKS,
  thoughtMarks: [THINK, THINK_END],
  callId: () => randomWord(9),
  reader: (context) => new MistralReader(context),
}

class MistralReader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  readonly #text: ThinkingText
  readonly #calls: JsonCalls
  #state: 'text' | 'begin' | 'list' | 'name' | 'id' | 'arguments' = 'text'
  #name = ''
  #id = ''
  #arguments: JsonArgumentsText | undefined
  #rest = ''
  #read = 0

  constructor(context: ReplyContext) {
    this.#sink = context.sink
    this.#text = new ThinkingText(context, { beforeCall: 0, aroundReasoning: false })
    this.#calls = new JsonCalls(context.sink, {
      around: '[],;',
      ownIds: OWN_ID,
      rest: (text) => {
        this.#rest += text
      },
      done: () => {
        this.#read++
      },
    })
  }

  text(piece: string): void {
    switch (this.#state) {
      case 'text':
        this.#text.push(piece)
        return
      case 'begin':
        this.#decide(piece)
        return
      case 'list':
        this.#calls.push(piece)
        return
      case 'name':
        this.#inName(piece)
        return
      case 'id':
        this.#id += piece
        return
      case 'arguments':
        this.#arguments?.push(piece)
    }
  }

  mark(name: string): void {
    if (name === CALL_ID && this.#state === 'name') {
      this.#state = 'id'
      return
    }
    if (name === ARGUMENTS && (this.#state === 'name' || this.#state === 'id')) {
      this.#open()
      return
    }
    this.#close()
    if (name === CALLS) {
      this.#text.beforeCall()
      this.#state = 'begin'
    } else if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else this.#sink.unexpected()
  }

  end(): void {
    this.#close()
    this.#text.finish()
  }

  #decide(piece: string): void {
    const text = piece.trimStart()
    if (text === '') return
    this.#name = this.#id = this.#rest = ''
    this.#read = 0
    this.#state = text[0] === '[' || text[0] === '{' ? 'list' : 'name'
    this.text(text)
  }

  /** Some models leave the mark behind the name out. */
  #inName(piece: string): void {
    const brace = piece.indexOf('{')
    this.#name += brace < 0 ? piece : piece.slice(0, brace)
    if (brace < 0) return
    this.#open()
    this.#arguments?.push(piece.slice(brace))
  }

  #open(): void {
    this.#state = 'arguments'
    this.#arguments = new JsonArgumentsText(this.#sink)
    const id = this.#id.trim()
    this.#sink.beginCall(this.#name.trim(), OWN_ID.test(id) ? id : undefined)
  }

  #close(): void {
    const sink = this.#sink
    const state = this.#state
    this.#state = 'text'
    if (state === 'arguments') sink.endCall(this.#arguments?.raw ?? '')
    else if (state === 'name' || state === 'id') {
      const raw = this.#name + this.#id
      sink.namelessCall(raw, new ToolCallParseError(`${ARGUMENTS} was expected`, raw, raw.length))
    } else if (state === 'list' || state === 'begin') {
      this.#calls.end()
      const raw = this.#rest
      if (state === 'begin' || this.#read === 0) {
        const text = state === 'begin' ? '' : raw
        sink.namelessCall(text, new ToolCallParseError('a call was expected', text, 0))
      } else this.#text.push(raw)
    }
  }
}
