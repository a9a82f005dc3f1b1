import { DeferredCalls } from './deferred-calls.js'
import { JsonCalls } from './json-call.js'
import type { ToolShapes, TurnSink } from './types.js'

/** The first member of an object that may be a call. */
const FIRST_KEY = /^\{\s*"(?:name|type|function|parameters|arguments|id)"\s*:/
/** The same as far as it goes. */
const MAY_BE_CALL = /^(?:\{\s*(?:"(?:\w*(?:"\s*:?)?)?)?)?$/
/** White space and separators beyond this are text. */
const MAX_LEAD = 200

/**
 * Calls that stand in a reply as bare JSON: `{"name": "f", "parameters": {…}}`, several with a semicolon, a comma or a
 * line between them. An object that is no call is text, and so is all that follows it.
 */
export class TextCalls {
  readonly #deferred: DeferredCalls
  readonly #calls: JsonCalls
  readonly #text: (piece: string) => void
  #state: 'lead' | 'object' | 'text' = 'lead'
  #hadCall = false
  /** What is not known to be a call or none. */
  #held = ''

  /** @param text takes what is no call */
  constructor(sink: TurnSink, tools: ToolShapes | undefined, text: (piece: string) => void) {
    this.#deferred = new DeferredCalls(sink, tools)
    this.#calls = new JsonCalls(this.#deferred, { around: '', rest: () => undefined })
    this.#text = text
  }

  push(piece: string): void {
    let rest = piece
    while (rest !== '') {
      if (this.#state === 'lead') rest = this.#lead(rest)
      else if (this.#state === 'object') rest = this.#object(rest)
      else {
        this.#text(rest)
        return
      }
    }
  }

  end(): void {
    if (this.#state === 'object' && this.#deferred.decided) this.#calls.end()
    else if (!this.#hadCall || this.#held.trim() !== '') this.#giveUp()
  }

  /** In front of an object, or of what is none. */
  #lead(piece: string): string {
    this.#held += piece
    const lead = (this.#hadCall ? /^\s*[;,]?\s*/ : /^\s*/).exec(this.#held)?.[0] ?? ''
    const rest = this.#held.slice(lead.length)
    if (FIRST_KEY.test(rest)) {
      this.#state = 'object'
      this.#held = lead
      return rest
    }
    if (this.#held.length > MAX_LEAD || !MAY_BE_CALL.test(rest)) this.#giveUp()
    return ''
  }

  #object(piece: string): string {
    const end = this.#calls.pushOne(piece)
    if (!this.#deferred.decided) this.#held += piece.slice(0, end)
    if (!this.#calls.open) {
      if (this.#deferred.decided) {
        this.#hadCall = true
        this.#state = 'lead'
        this.#held = ''
        this.#deferred.reset()
      } else this.#giveUp()
    }
    return piece.slice(end)
  }

  #giveUp(): void {
    this.#state = 'text'
    if (this.#held !== '') this.#text(this.#held)
    this.#held = ''
  }
}
