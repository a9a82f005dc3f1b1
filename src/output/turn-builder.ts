import { isName } from '../chat/messages.js'
import { SafetokensError, ToolCallParseError } from '../errors.js'
import { type CallArguments, jsonArguments } from './call-arguments.js'
import { callId } from './call-ids.js'
import type {
  FinishReason,
  ParsedToolCall,
  ReplyDelta,
  ToolProtocol,
  Turn,
  TurnSink,
  UnexpectedToken,
} from './types.js'

/** A turn under way. Texts are kept as pieces, so that each costs its own length. */
interface GrowingTurn {
  readonly content: string[]
  readonly reasoning: string[]
  reasons: boolean
  metadata: string
  readonly calls: ParsedToolCall[]
  readonly unexpected: UnexpectedToken[]
  /** Index of its first id. */
  readonly begin: number
}

interface GrowingCall {
  readonly id: string
  readonly name: string
  /** What the model wrote for the name, where that is none. */
  readonly wrongName: string | undefined
  readonly json: string[]
}

/** A turn that is read, and which ids of the reply are its own, without what ended it. */
export interface ReadTurn {
  readonly turn: Turn
  readonly begin: number
  readonly end: number
}

/** Gathers what a protocol reads into turns, and tells each step as a delta. */
export class TurnBuilder implements TurnSink {
  /** Deltas that nobody has taken yet. */
  deltas: ReplyDelta[] = []
  readonly turns: ReadTurn[] = []
  readonly #callId: () => string
  #turn: GrowingTurn
  #call: GrowingCall | undefined
  #control: UnexpectedToken | undefined

  constructor(protocol: ToolProtocol) {
    this.#callId = protocol.callId ?? callId
    this.#turn = this.#begin(0)
  }

  /** The control token that the protocol is told of next. */
  set control(token: UnexpectedToken | undefined) {
    this.#control = token
  }

  text(piece: string): void {
    if (piece === '') return
    this.#turn.content.push(piece)
    this.deltas.push({ type: 'text', turn: this.turns.length, text: piece })
  }

  reasoning(piece: string): void {
    this.#turn.reasons = true
    if (piece === '') return
    this.#turn.reasoning.push(piece)
    this.deltas.push({ type: 'reasoning', turn: this.turns.length, text: piece })
  }

  metadata(text: string): void {
    this.#turn.metadata = text
  }

  beginCall(name: string, id?: string): void {
    // In the history names and ids stand where formats have structure, and are checked: no reply may spoil it.
    const isWord = isName(name)
    const call = {
      id: id === undefined || !isName(id) ? this.#callId() : id,
      name: isWord ? name : '',
      wrongName: isWord ? undefined : name,
      json: [],
    }
    this.#call = call
    const index = this.#turn.calls.length
    this.deltas.push({
      type: 'tool-call-start',
      turn: this.turns.length,
      index,
      id: call.id,
      name: call.name,
    })
  }

  callJson(piece: string): void {
    const call = this.#growing()
    if (piece === '') return
    call.json.push(piece)
    const index = this.#turn.calls.length
    const { id } = call
    this.deltas.push({ type: 'tool-call-arguments', turn: this.turns.length, index, id, text: piece })
  }

  endCall(raw: string, read?: (raw: string) => CallArguments): void {
    const { id, name, wrongName } = this.#growing()
    if (wrongName !== undefined) {
      const reason = `the name of a tool was expected, not ${JSON.stringify(wrongName)}`
      const error = new ToolCallParseError(reason, wrongName, 0)
      this.#endCall({ id, name, rawArguments: raw, json: this.#json() || raw, error })
      this.text(`${wrongName} ${raw}`)
      return
    }
    try {
      const values = (read ?? jsonArguments)(raw)
      // Told at once where it was not told piece by piece.
      if (this.#json() === '') this.callJson(read || raw === '' ? JSON.stringify(values) : raw)
      this.#endCall({ id, name, rawArguments: raw, json: this.#json(), arguments: values })
    } catch (error) {
      if (!(error instanceof ToolCallParseError)) throw error
      this.#endCall({ id, name, rawArguments: raw, json: this.#json() || raw, error })
    }
  }

  namelessCall(raw: string, error: ToolCallParseError): void {
    if (this.#call === undefined) this.beginCall('')
    const { id, name } = this.#growing()
    this.#endCall({ id, name, rawArguments: raw, json: raw, error })
    this.text(raw)
  }

  nextTurn(): void {
    const index = this.#control?.index ?? 0
    this.finish('continued', index)
    this.#turn = this.#begin(index + 1)
  }

  unexpected(): void {
    if (this.#control) this.#turn.unexpected.push(this.#control)
  }

  /** Ends the turn; the next one, if any, begins with `nextTurn`. */
  finish(finish: FinishReason, end: number, stopString?: string): void {
    const { content, reasoning, reasons, metadata, calls, unexpected, begin } = this.#turn
    const turn: Turn = {
      role: 'assistant',
      content: content.join(''),
      reasoning: reasons ? reasoning.join('') : undefined,
      toolCalls: calls,
      metadata,
      finish: finish === 'stop' && calls.length > 0 ? 'tool-calls' : finish,
      ...(stopString === undefined ? {} : { stopString }),
      unexpected,
    }
    this.deltas.push({ type: 'turn-end', turn: this.turns.length, value: turn })
    this.turns.push({ turn, begin, end })
  }

  #begin(begin: number): GrowingTurn {
    this.deltas.push({ type: 'turn-start', turn: this.turns.length, role: 'assistant' })
    return { content: [], reasoning: [], reasons: false, metadata: '', calls: [], unexpected: [], begin }
  }

  #growing(): GrowingCall {
    if (this.#call === undefined) {
      throw new SafetokensError('TOOL_PROTOCOL', 'a protocol must begin a call before it writes into it')
    }
    return this.#call
  }

  #json(): string {
    return this.#growing().json.join('')
  }

  #endCall(call: ParsedToolCall): void {
    const { id } = call
    const index = this.#turn.calls.length
    this.#call = undefined
    this.#turn.calls.push(call)
    this.deltas.push({ type: 'tool-call-end', turn: this.turns.length, index, id, call })
  }
}
