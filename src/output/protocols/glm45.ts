import { ToolCallParseError } from '../../errors.js'
import { TypedArguments } from '../typed-arguments.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { TOOL_CALL, TOOL_CALL_END } from './hermes.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

const KEY = '<arg_key>'
const KEY_END = '</arg_key>'
const VALUE = '<arg_value>'
const VALUE_END = '</arg_value>'
const MARKS = [THINK, THINK_END, TOOL_CALL, TOOL_CALL_END, KEY, KEY_END, VALUE, VALUE_END]

/**
 * GLM-4.5 and later: `<tool_call>f\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>`, later models without
 * the newlines. Values stand without quotes: the schemas of the tools tell strings from numbers.
 */
export const glm45: ToolProtocol = {
  name: 'glm45',
  marks: MARKS,
  idsOnly: [THINK, THINK_END],
  reader: (context) => new Glm45Reader(context),
}

/** What text is read as: of the turn, or of a call. */
type State = 'text' | 'name' | 'between' | 'key' | 'value'

const NEXT: Readonly<Record<string, readonly [from: readonly State[], to: State]>> = {
  [KEY]: [['name', 'between'], 'key'],
  [KEY_END]: [['key'], 'between'],
  [VALUE]: [['between'], 'value'],
  [VALUE_END]: [['value'], 'between'],
}

class Glm45Reader implements ReplyReader {
  readonly #context: ReplyContext
  readonly #text: ThinkingText
  #state: State = 'text'
  #token: string[] = []
  #raw: string[] = []
  #key: string | undefined
  #arguments: TypedArguments | undefined
  #problem: { readonly reason: string; readonly at: number } | undefined
  #length = 0

  constructor(context: ReplyContext) {
    this.#context = context
    this.#text = new ThinkingText(context, { beforeCall: 1, aroundReasoning: true })
  }

  text(piece: string): void {
    if (this.#state === 'text') {
      this.#text.push(piece)
      return
    }
    if (this.#state !== 'name') this.#keep(piece)
    this.#token.push(piece)
  }

  mark(name: string, asId: boolean): void {
    if (this.#state === 'text') {
      this.#outside(name, asId)
      return
    }
    const step = NEXT[name]
    if (step) {
      const [from, to] = step
      if (!from.includes(this.#state)) {
        // A mark in plain text is one only where it belongs.
        if (!asId) {
          this.text(name)
          return
        }
        this.#fail(`${name} stands where it does not belong`)
      }
      this.#leave(name)
      this.#keep(name)
      this.#state = to
      return
    }
    if (!asId && name !== TOOL_CALL_END) {
      this.text(name)
      return
    }
    if (name !== TOOL_CALL_END) this.#fail('the call does not end')
    this.#endCall()
    if (name !== TOOL_CALL_END) this.#outside(name, asId)
  }

  end(): void {
    if (this.#state !== 'text') {
      this.#fail('the call does not end')
      this.#endCall()
    }
    this.#text.finish()
  }

  #outside(name: string, asId: boolean): void {
    if (name === TOOL_CALL) {
      this.#text.beforeCall()
      this.#state = 'name'
      this.#token = []
      this.#raw = []
      this.#length = 0
      this.#key = this.#problem = this.#arguments = undefined
    } else if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else if (asId) this.#context.sink.unexpected()
    else this.#text.push(name)
  }

  /** What was read up to a mark. */
  #leave(name: string): void {
    const token = this.#token.join('')
    this.#token = []
    if (this.#state === 'name') this.#begin(token)
    else if (name === KEY_END) this.#key = token.trim()
    else if (name === VALUE_END) {
      if (this.#key === undefined) this.#fail(`${KEY} was expected in front of a value`)
      else this.#arguments?.add(this.#key, token)
      this.#key = undefined
    } else if (token.trim() !== '') this.#fail('text stands between arguments')
  }

  #begin(token: string): void {
    const { sink, tools } = this.#context
    const name = token.trim()
    sink.beginCall(name)
    this.#arguments = new TypedArguments(sink, tools, name)
  }

  #endCall(): void {
    const { sink } = this.#context
    if (this.#state === 'key' || this.#state === 'value') this.#fail('the call does not end')
    this.#leave('')
    const raw = this.#raw.join('')
    const problem = this.#problem
    const given = this.#arguments as TypedArguments
    this.#state = 'text'
    this.#text.afterCall()
    if (problem === undefined) given.end()
    sink.endCall(raw, (text) => {
      if (problem) throw new ToolCallParseError(problem.reason, text, problem.at)
      return given.values
    })
  }

  #keep(piece: string): void {
    this.#raw.push(piece)
    this.#length += piece.length
  }

  #fail(reason: string): void {
    this.#problem ??= { reason, at: this.#length }
  }
}
