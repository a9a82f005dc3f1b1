import type { TokenIds, Tokenizer } from '../tokenizer/tokenizer.js'
import { ReplyLexer } from './reply-lexer.js'
import { toolShapes } from './tool-shapes.js'
import { type ReadTurn, TurnBuilder } from './turn-builder.js'
import type {
  FinishReason,
  ParseOptions,
  ReplyDelta,
  ReplyReader,
  ReplySource,
  ToolProtocol,
  Turn,
} from './types.js'

export interface ReplySetup {
  readonly tokenizer: Tokenizer
  readonly protocol: ToolProtocol
  readonly eosTokenIds: readonly number[]
  /** Takes what a turn is made of: its own ids, and the stop id behind them. */
  readonly remember: (turn: Turn, ids: Uint32Array, stopId: number | undefined) => void
}

/** Reads one reply, in pieces of any size. All pieces together cost the reply once. */
export class ReplyParser {
  readonly #setup: ReplySetup
  readonly #options: ParseOptions
  readonly #lexer: ReplyLexer
  readonly #builder: TurnBuilder
  readonly #reader: ReplyReader
  readonly #ids: number[] = []
  #done = false

  constructor(setup: ReplySetup, options: ParseOptions = {}) {
    const { tokenizer, protocol, eosTokenIds } = setup
    const builder = new TurnBuilder(protocol)
    const reader = protocol.reader({
      sink: builder,
      tools: toolShapes(options.tools),
      startsInReasoning: startsInReasoning(options.prompt, tokenizer),
      hasControl: (name) => tokenizer.hasCommand(name),
    })
    this.#setup = setup
    this.#options = options
    this.#builder = builder
    this.#reader = reader
    this.#lexer = new ReplyLexer({
      tokenizer,
      protocol,
      stopIds: new Set([...eosTokenIds, ...(options.stopIds ?? [])]),
      stop: options.stop ?? [],
      handler: {
        text: (piece) => reader.text(piece),
        mark: (name, id, index) => {
          builder.control = id === undefined ? undefined : { id, name, index: index as number }
          reader.mark(name, id !== undefined)
        },
      },
    })
  }

  /** Whether a stop id or a stop text has come: what follows is not read. */
  get stopped(): boolean {
    return this.#lexer.end !== undefined
  }

  get turns(): readonly Turn[] {
    return this.#builder.turns.map(({ turn }) => turn)
  }

  /**
   * Reads more ids.
   *
   * @returns what they tell, in order
   * @throws InvalidTokenIdError for what is no id
   */
  push(ids: number | TokenIds): ReplyDelta[] {
    const before = this.#lexer.count
    if (this.#done || this.stopped) return []
    this.#lexer.push(ids)
    const read = this.#lexer.count - before
    if (typeof ids === 'number') this.#ids.push(ids)
    else for (let i = 0; i < read; i++) this.#ids.push(ids[i] as number)
    return this.#take()
  }

  /** Ends the reply. */
  end(): ReplyDelta[] {
    if (this.#done) return []
    this.#done = true
    this.#lexer.finish()
    this.#reader.end()
    const { end, count } = this.#lexer
    const finish = this.#finishReason()
    this.#builder.finish(
      finish,
      end?.by === 'id' ? end.index : count,
      end?.by === 'text' ? end.stop : undefined,
    )
    this.#rememberAll()
    const last = this.turns.at(-1) as Turn
    this.#builder.deltas.push({ type: 'end', finish: last.finish, turns: this.turns, tokenCount: count })
    return this.#take()
  }

  #finishReason(): FinishReason {
    const { end } = this.#lexer
    if (end !== undefined) return end.by === 'id' ? 'stop' : 'stop-string'
    const { finish } = this.#options
    return (typeof finish === 'function' ? finish() : finish) ?? 'length'
  }

  /** A turn that a stop text has cut has ids beyond its text, so it is known by its fields. */
  #rememberAll(): void {
    const { end } = this.#lexer
    const all = Uint32Array.from(this.#ids)
    this.#builder.turns.forEach(({ turn, begin, end: close }: ReadTurn, i, turns) => {
      const isLast = i === turns.length - 1
      if (isLast && end?.by === 'text') return
      this.#setup.remember(turn, all.slice(begin, close), isLast && end?.by === 'id' ? end.id : undefined)
    })
  }

  #take(): ReplyDelta[] {
    const { deltas } = this.#builder
    this.#builder.deltas = []
    return joined(deltas)
  }
}

/** All turns of a reply. */
export function parseReply(setup: ReplySetup, ids: TokenIds, options?: ParseOptions): Turn[] {
  const parser = new ReplyParser(setup, options)
  parser.push(ids)
  parser.end()
  return [...parser.turns]
}

/**
 * The deltas of a reply as it comes. The source is closed when the reply is at its end, or when nobody wants more.
 */
export async function* streamReply(
  setup: ReplySetup,
  source: ReplySource,
  options?: ParseOptions,
): AsyncGenerator<ReplyDelta, void, undefined> {
  const parser = new ReplyParser(setup, options)
  for await (const ids of source) {
    yield* parser.push(ids)
    if (parser.stopped) break
  }
  yield* parser.end()
}

/** Neighbouring pieces of one text are one delta. */
function joined(deltas: readonly ReplyDelta[]): ReplyDelta[] {
  const out: ReplyDelta[] = []
  let pieces: string[] = []
  const flush = (): void => {
    const last = out.at(-1)
    if (pieces.length > 1 && last && 'text' in last) out[out.length - 1] = { ...last, text: pieces.join('') }
    pieces = []
  }
  for (const delta of deltas) {
    const last = out.at(-1)
    const joins =
      last !== undefined &&
      'text' in delta &&
      'text' in last &&
      last.type === delta.type &&
      last.turn === delta.turn &&
      (last.type !== 'tool-call-arguments' || last.id === (delta as { id?: string }).id)
    if (!joins) {
      flush()
      out.push(delta)
    }
    if ('text' in delta) pieces.push(delta.text)
  }
  flush()
  return out
}

const THINK = '<think>'
const THINK_END = '</think>'
const MISTRAL = ['[THINK]', '[/THINK]'] as const

/** Whether reasoning begins behind every end of it. Only ids count: text that spells a mark is text. */
function startsInReasoning(prompt: ParseOptions['prompt'], tokenizer: Tokenizer): boolean {
  if (prompt === undefined) return false
  const ids = 'ids' in prompt ? prompt.ids : prompt
  return [[THINK, THINK_END] as const, MISTRAL].some(([begin, end]) => {
    if (!tokenizer.hasCommand(begin) || !tokenizer.hasCommand(end)) return false
    const begins = ids.lastIndexOf(tokenizer.getCommand(begin))
    return begins >= 0 && begins > ids.lastIndexOf(tokenizer.getCommand(end))
  })
}
