import { ToolCallParseError } from '../../errors.js'
import { type GemmaToken, gemmaArguments } from '../gemma-arguments.js'
import type { ReplyContext, ReplyReader, ToolProtocol } from '../types.js'
import { ThinkingText } from './thinking-text.js'

/** FunctionGemma's marks, and Gemma 4's. */
const CALLS: ReadonlyMap<string, string> = new Map([
  ['<start_function_call>', '<end_function_call>'],
  ['<|tool_call>', '<tool_call|>'],
])
const CALL_ENDS: ReadonlySet<string> = new Set(CALLS.values())
const QUOTES: readonly string[] = ['<escape>', '<|"|>']
const CHANNEL = '<|channel>'
const CHANNEL_END = '<channel|>'
/** A channel's name that is longer is thought. */
const MAX_NAME = 256
const RESPONSES = ['<start_function_response>', '<|tool_response>']
const MARKS = [...CALLS.keys(), ...CALLS.values(), ...QUOTES, CHANNEL, CHANNEL_END, ...RESPONSES]

/**
 * FunctionGemma, `<start_function_call>call:f{k:<escape>v<escape>}<end_function_call>`, and Gemma 4,
 * `<|tool_call>call:f{k:<|"|>v<|"|>}<tool_call|>`, with thoughts between `<|channel>thought\n` and `<channel|>`. Gemma 1 to 3
 * have no marks for calls: their replies are text.
 */
export const gemma: ToolProtocol = {
  name: 'gemma',
  marks: MARKS,
  idsOnly: MARKS,
  thoughtMarks: [CHANNEL, CHANNEL_END],
  reader: (context) => new GemmaReader(context),
}

class GemmaReader implements ReplyReader {
  readonly #sink: ReplyContext['sink']
  readonly #text: ThinkingText
  #state: 'text' | 'channel' | 'call' | 'quoted' = 'text'
  #channel = ''
  #tokens: GemmaToken[] = []
  #pieces: string[] = []
  #raw: string[] = []

  constructor(context: ReplyContext) {
    this.#sink = context.sink
    this.#text = new ThinkingText(context, { beforeCall: 0, aroundReasoning: true })
  }

  text(piece: string): void {
    if (this.#state === 'channel') {
      this.#inChannel(piece)
      return
    }
    if (this.#state === 'text') {
      this.#text.push(piece)
      return
    }
    this.#pieces.push(piece)
    this.#raw.push(piece)
  }

  mark(name: string): void {
    const inCall = this.#state === 'call' || this.#state === 'quoted'
    if (QUOTES.includes(name) && inCall) {
      this.#flush()
      this.#raw.push(name)
      this.#state = this.#state === 'call' ? 'quoted' : 'call'
      return
    }
    if (inCall) {
      this.#close(CALL_ENDS.has(name))
      if (CALL_ENDS.has(name)) return
    }
    if (this.#state === 'channel') this.#leaveChannel()
    if (CALLS.has(name)) {
      this.#text.beforeCall()
      this.#state = 'call'
      this.#tokens = []
      this.#pieces = []
      this.#raw = []
    } else if (name === CHANNEL) {
      this.#state = 'channel'
      this.#channel = ''
    } else if (name === CHANNEL_END) this.#text.end()
    else this.#sink.unexpected()
  }

  end(): void {
    if (this.#state === 'channel') this.#leaveChannel()
    if (this.#state !== 'text') this.#close(false)
    this.#text.finish()
  }

  /** The name of the channel ends with its line. */
  #inChannel(piece: string): void {
    this.#channel += piece
    const line = this.#channel.indexOf('\n')
    if (line < 0 && this.#channel.length <= MAX_NAME) return
    if (line < 0) {
      this.#leaveChannel()
      return
    }
    const rest = this.#channel.slice(line + 1)
    this.#leaveChannel()
    this.#text.push(rest)
  }

  #leaveChannel(): void {
    this.#state = 'text'
    this.#text.begin()
    // A channel without a line of its own name is all thought.
    if (!/^\s*thought\s*(?:\n|$)/.test(this.#channel)) this.#text.push(this.#channel.split('\n', 1).join(''))
  }

  #flush(): void {
    const text = this.#pieces.join('')
    this.#pieces = []
    if (this.#state === 'quoted') this.#tokens.push({ quoted: text })
    else if (text !== '') this.#tokens.push({ text })
  }

  #close(whole: boolean): void {
    const open = this.#state === 'quoted'
    this.#flush()
    this.#state = 'text'
    this.#text.afterCall()
    const raw = this.#raw.join('')
    const [first, ...others] = this.#tokens
    const head = first && 'text' in first ? /^\s*call:([^{\s]+)\s*(?=\{)/.exec(first.text) : null
    if (head === null) {
      this.#sink.namelessCall(raw, new ToolCallParseError('call:name{ was expected', raw, 0))
      return
    }
    const text = (first as { readonly text: string }).text.slice(head[0].length)
    this.#sink.beginCall(head[1] as string)
    this.#sink.endCall(raw.slice(head[0].length), (given) => {
      if (!whole || open) throw new ToolCallParseError('the call does not end', given, given.length)
      return gemmaArguments([{ text }, ...others], given)
    })
  }
}
