import { ToolCallParseError } from '../../errors.js'
import { TextMatcher } from '../text-matcher.js'
import { TypedArguments } from '../typed-arguments.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { TOOL_CALL, TOOL_CALL_END } from './hermes.js'
import { THINK, THINK_END, ThinkingText } from './thinking-text.js'

const FUNCTION = '<function='
const FUNCTION_END = '</function>'
const PARAMETER = '<parameter='
const PARAMETER_END = '</parameter>'
const TAGS = [FUNCTION, FUNCTION_END, PARAMETER, PARAMETER_END]

/**
 * Qwen3-Coder: `<tool_call>\n<function=f>\n<parameter=k>\nvalue\n</parameter>\n</function>\n</tool_call>`. Values stand
 * without quotes: the schemas of the tools tell strings from numbers.
 */
export const qwen3Coder: ToolProtocol = {
  name: 'qwen3-coder',
  marks: [THINK, THINK_END, TOOL_CALL, TOOL_CALL_END],
  idsOnly: [THINK, THINK_END],
  reader: (context) => new Qwen3CoderReader(context),
}

class Qwen3CoderReader implements ReplyReader {
  readonly #context: ReplyContext
  readonly #text: ThinkingText
  #call: FunctionTags | undefined

  constructor(context: ReplyContext) {
    this.#context = context
    this.#text = new ThinkingText(context, { beforeCall: 1, aroundReasoning: true })
  }

  text(piece: string): void {
    if (this.#call) this.#call.push(piece)
    else this.#text.push(piece)
  }

  mark(name: string, asId: boolean): void {
    if (this.#call) {
      this.#close()
      if (name === TOOL_CALL_END) return
    }
    if (name === TOOL_CALL) {
      this.#text.beforeCall()
      this.#call = new FunctionTags(this.#context)
    } else if (name === THINK) this.#text.begin()
    else if (name === THINK_END) this.#text.end()
    else if (asId) this.#context.sink.unexpected()
    else this.#text.push(name)
  }

  end(): void {
    if (this.#call) this.#close()
    this.#text.finish()
  }

  #close(): void {
    const rest = this.#call?.end()
    this.#call = undefined
    this.#text.afterCall()
    if (rest !== undefined) this.#text.push(rest)
  }
}

/** What stands between `<tool_call>` and its end. */
class FunctionTags {
  readonly #context: ReplyContext
  readonly #tags = new TextMatcher(TAGS)
  #state: 'outside' | 'name' | 'between' | 'key' | 'value' = 'outside'
  /** Of a name, a key or a value. */
  #token: string[] = []
  #key = ''
  #arguments: TypedArguments | undefined
  #raw: string[] = []
  #rest = ''
  #read = 0

  constructor(context: ReplyContext) {
    this.#context = context
  }

  push(piece: string): void {
    for (const found of this.#tags.push(piece)) {
      if ('text' in found) this.#text(found.text)
      else this.#tag(TAGS[found.pattern] as string)
    }
  }

  /** @returns what was no part of a call; undefined where there was no call at all and the sink has been told */
  end(): string | undefined {
    this.#text(this.#tags.end())
    if (this.#state !== 'outside') this.#endCall('the call does not end')
    if (this.#read > 0) return this.#rest.trim() === '' ? '' : this.#rest
    const raw = this.#rest
    this.#context.sink.namelessCall(raw, new ToolCallParseError(`${FUNCTION} was expected`, raw, 0))
    return undefined
  }

  #tag(tag: string): void {
    if (this.#state === 'outside') {
      if (tag !== FUNCTION) {
        this.#text(tag)
        return
      }
      this.#state = 'name'
      this.#token = []
      this.#raw = []
      return
    }
    if (this.#state === 'between' && tag === FUNCTION_END) {
      this.#endCall()
      return
    }
    if (this.#state === 'between' && tag === PARAMETER) {
      this.#raw.push(tag)
      this.#state = 'key'
      this.#token = []
      return
    }
    if (this.#state === 'value' && tag === PARAMETER_END) {
      this.#raw.push(tag)
      this.#arguments?.add(this.#key, withoutFrame(this.#token.join('')))
      this.#state = 'between'
      return
    }
    this.#text(tag)
  }

  #text(text: string): void {
    if (text === '') return
    switch (this.#state) {
      case 'outside':
        this.#rest += text
        return
      case 'between':
      case 'value':
        this.#raw.push(text)
        if (this.#state === 'value') this.#token.push(text)
        return
      case 'name':
      case 'key': {
        const close = text.indexOf('>')
        const inName = this.#state === 'name'
        if (!inName) this.#raw.push(close < 0 ? text : text.slice(0, close + 1))
        this.#token.push(close < 0 ? text : text.slice(0, close))
        if (close < 0) return
        const word = this.#token.join('').trim()
        this.#token = []
        if (inName) this.#begin(word)
        else this.#key = word
        this.#state = inName ? 'between' : 'value'
        this.#text(text.slice(close + 1))
      }
    }
  }

  #begin(name: string): void {
    const { sink, tools } = this.#context
    this.#read++
    sink.beginCall(name)
    this.#arguments = new TypedArguments(sink, tools, name)
  }

  #endCall(problem?: string): void {
    const { sink } = this.#context
    const given = this.#arguments
    const raw = this.#raw.join('')
    if (given === undefined) {
      this.#read++
      sink.namelessCall(this.#token.join(''), new ToolCallParseError('a name was expected', raw, 0))
    } else {
      if (problem === undefined) given.end()
      sink.endCall(raw, (text) => {
        if (problem !== undefined) throw new ToolCallParseError(problem, text, text.length)
        return given.values
      })
    }
    this.#state = 'outside'
    this.#arguments = undefined
  }
}

/** A value without the line ends around it that belong to the form. */
function withoutFrame(value: string): string {
  const begin = value.startsWith('\n') ? 1 : 0
  const end = value.endsWith('\n') && value.length > begin ? value.length - 1 : value.length
  return value.slice(begin, end)
}
