import type { Chat } from '../chat/chat.js'
import type { ChatMessage } from '../chat/messages.js'
import type { Engine } from '../engine/engine.js'
import { SafetokensError } from '../errors.js'
import type { ParsedToolCall } from '../output/types.js'
import { toolMessages } from '../tools/openai.js'
import { type RunToolsOptions, runTools, type ToolLoopEnd, type ToolLoopEvent } from '../tools/run-tools.js'
import type { ToolRegistry, ToolResult } from '../tools/types.js'
import type { Io } from './command.js'
import { InputLines } from './input-lines.js'
import { print } from './output.js'
import { type Palette, palette, printable, terminalText, wantsColours } from './terminal.js'
import { tokenRows } from './token-rows.js'

export interface TalkOptions {
  readonly chat: Chat
  readonly engine: Engine
  /** Of those without `execute` the next line of input is the result. */
  readonly tools: ToolRegistry
  /** What the model reads of such a line. */
  readonly observation: (line: string) => string
  /** How the conversation begins. */
  readonly messages: readonly ChatMessage[]
  readonly run: RunToolsOptions
  /** One line of JSON for each reply. */
  readonly json: boolean
  /** Ids and counts of each prompt and reply: on standard error, or in the JSON. */
  readonly showIds: boolean
}

/** How often a model may call tools for one question. */
const MAX_ROUNDS = 20

/**
 * A conversation with a model: each line of input is a question, or the result of the tool that the model has called.
 *
 * @returns the exit code: 1 when a question was not answered
 */
export async function talk(options: TalkOptions, io: Io): Promise<number> {
  const lines = new InputLines(io)
  const show = new Display(options, io)
  let messages = options.messages
  let code = 0
  const answer = async (asked: readonly ChatMessage[]): Promise<void> => {
    try {
      messages = await answered(asked, options, lines, show)
    } catch (error) {
      // The conversation goes on without the question.
      if (!(error instanceof SafetokensError)) throw error
      io.stderr.write(`safetokens: ${terminalText(error.message)}\n`)
      code = 1
    }
  }
  if (messages.length > 0 && !['system', 'assistant'].includes(messages.at(-1)?.role ?? ''))
    await answer(messages)
  for (;;) {
    const line = await lines.next('> ')
    if (line === undefined) return code
    if (line.trim() !== '') await answer([...messages, { role: 'user', content: line }])
  }
}

/** One answer, with as many calls of tools as it takes. */
async function answered(
  asked: readonly ChatMessage[],
  options: TalkOptions,
  lines: InputLines,
  show: Display,
): Promise<readonly ChatMessage[]> {
  const { chat, engine, tools, run } = options
  let messages = asked
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let end: ToolLoopEnd | undefined
    for await (const event of runTools(chat, show.recording(engine), messages, tools, {
      ...run,
      maxRounds: 1,
    })) {
      await show.event(event)
      if (event.type === 'end') end = event
    }
    if (end === undefined) break
    messages = end.messages
    if (end.reason === 'final' || end.reason === 'length') break
    const results: ToolResult[] = []
    for (const call of end.pending) results.push(await observed(call, options, lines))
    messages = [...messages, ...toolMessages(end.pending, results)]
  }
  return messages
}

/** What the person says that came of a call; what is wrong with a call needs no person. */
async function observed(
  call: ParsedToolCall,
  { tools, observation }: TalkOptions,
  lines: InputLines,
): Promise<ToolResult> {
  if (call.error || !tools.has(call.name)) return tools.dispatch(call)
  const line = await lines.next(`${printable(call.name)}> `)
  if (line === undefined) {
    throw new SafetokensError('INPUT_ENDED', `the input ended before the result of ${call.name}`)
  }
  const { id: callId, name } = call
  return { callId, name, content: observation(line), failure: undefined, truncated: false, value: line }
}

/** What is shown of a conversation. */
class Display {
  readonly #options: TalkOptions
  readonly #io: Io
  readonly #paint: Palette
  #atLineStart = true
  #promptIds: Uint32Array = new Uint32Array()
  #ids: number[] = []

  constructor(options: TalkOptions, io: Io) {
    this.#options = options
    this.#io = io
    this.#paint = palette(wantsColours(io.stdout))
  }

  /** The same engine, of which the ids are kept. */
  recording(engine: Engine): Engine {
    const keep = (ids: Iterable<number>): number => this.#ids.push(...ids)
    return {
      name: engine.name,
      async *generate(request) {
        for await (const ids of engine.generate(request)) {
          keep(ids)
          yield ids
        }
      },
    }
  }

  async event(event: ToolLoopEvent): Promise<void> {
    if (event.type === 'round-start') {
      this.#promptIds = event.promptIds
      this.#ids = []
      return
    }
    if (event.type === 'round-end') return this.#end(event)
    if (this.#options.json) return
    if (event.type === 'text') await this.#write(terminalText(event.text))
    else if (event.type === 'reasoning') await this.#write(this.#paint.dim(terminalText(event.text)))
    else if (event.type === 'tool-call-end') {
      const { name, json, rawArguments, error, arguments: value } = event.call
      const program = value?.code
      const shown =
        typeof program === 'string' ? `\n${terminalText(program)}` : printable(error ? rawArguments : json)
      await this.#line(this.#paint.bold(`call ${printable(name)} ${shown}`))
      if (error) await this.#line(this.#paint.bad(terminalText(error.message)))
    } else if (event.type === 'tool-result' && event.result.failure !== 'malformed-call') {
      await this.#line(this.#paint.dim(terminalText(event.result.content)))
    } else if (event.type === 'turn-end') await this.#line('')
  }

  async #end(event: Extract<ToolLoopEvent, { type: 'round-end' }>): Promise<void> {
    const { json, showIds, chat } = this.#options
    const { promptTokens, outputTokens, cachedTokens } = event.usage
    if (json) {
      const ids = showIds && { promptIds: Array.from(this.#promptIds), ids: this.#ids }
      const { turns, finish, usage } = event
      await print(this.#io.stdout, `${JSON.stringify({ turns, finish, usage, ...ids })}\n`)
    } else if (showIds) {
      const rows = (ids: readonly number[]) => tokenRows(chat.tokenizer, ids, this.#io.stderr).join('\n')
      const cached = cachedTokens === undefined ? '' : ` (${cachedTokens} of them cached)`
      this.#io.stderr.write(
        `${rows(Array.from(this.#promptIds))}\nprompt: ${promptTokens} ids${cached}\n` +
          `${rows(this.#ids)}\nreply: ${outputTokens} ids, ended by ${event.finish}\n`,
      )
    }
  }

  async #write(text: string): Promise<void> {
    if (text === '') return
    this.#atLineStart = text.endsWith('\n')
    await print(this.#io.stdout, text)
  }

  /** A line of its own; an empty one only ends the line before. */
  async #line(text: string): Promise<void> {
    if (!this.#atLineStart) await this.#write('\n')
    if (text !== '') await this.#write(`${text}\n`)
  }
}
