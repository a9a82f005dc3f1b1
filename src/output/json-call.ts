import { ToolCallParseError } from '../errors.js'
import { type CallArguments, jsonArguments } from './call-arguments.js'
import type { TurnSink } from './types.js'

/** The names that models give the parts of a call. */
const NAME_KEYS = ['name', 'function_name', 'tool_name']
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args']

/** What a call's text may be besides one object. */
export interface JsonCallRules {
  /** The model's own ids, which stand behind the arguments: a call is told of when it is at its end. */
  readonly ownIds?: RegExp | undefined
  /** What may stand around and between objects besides white space, such as `[],`. */
  readonly around: string
  /** Called with what is no call: text in front of an object, between two, or behind. */
  readonly rest: (text: string) => void
  /** An object is at its end. */
  readonly done?: (() => void) | undefined
}

/** Where in an object reading is. */
type Place = 'key' | 'colon' | 'value' | 'comma'

/**
 * Reads calls written as JSON, `{"name": "f", "arguments": {…}}`, as they come: the name as soon as it is there, and
 * the text of the arguments piece by piece. Nothing is read twice.
 */
export class JsonCalls {
  readonly #sink: TurnSink
  readonly #rules: JsonCallRules
  #depth = 0
  #inString = false
  #escaped = false
  #place: Place = 'key'
  /** What stands in front of the next object. */
  #gap: string[] = []
  /** The object's text as it came. */
  #raw: string[] = []
  #token: string[] = []
  #key = ''
  #name: string | undefined
  #id: string | undefined
  #begun = false
  /** The arguments' text so far; undefined before they begin. */
  #arguments: string[] | undefined
  #streams = false
  /** White space that may be the end of the arguments. */
  #trailing = ''

  constructor(sink: TurnSink, rules: JsonCallRules) {
    this.#sink = sink
    this.#rules = rules
  }

  /** Whether an object is open. */
  get open(): boolean {
    return this.#depth > 0
  }

  push(piece: string): void {
    let at = 0
    while (at < piece.length) at = this.#depth === 0 ? this.#outside(piece, at) : this.#inside(piece, at)
  }

  /** Reads to the end of an object, and gives where that is in the piece. */
  pushOne(piece: string): number {
    const begin = this.#depth === 0 ? this.#outside(piece, 0) : 0
    return begin < piece.length ? this.#inside(piece, begin) : begin
  }

  /** The text is at its end. An object that is still open is malformed. */
  end(): void {
    if (this.#depth > 0) this.#finish('the call does not end')
    this.#endGap()
  }

  /** What stands between two objects is told as one, so that pieces make no difference. */
  #endGap(): void {
    const gap = this.#gap.join('')
    this.#gap = []
    for (const char of gap) {
      if (/\s/.test(char) || this.#rules.around.includes(char)) continue
      this.#rules.rest(gap)
      return
    }
  }

  #outside(piece: string, begin: number): number {
    const open = piece.indexOf('{', begin)
    const end = open < 0 ? piece.length : open
    if (end > begin) this.#gap.push(piece.slice(begin, end))
    if (open < 0) return end
    this.#endGap()
    this.#depth = 1
    this.#place = 'key'
    this.#raw = ['{']
    this.#token = []
    this.#key = ''
    this.#name = this.#id = this.#arguments = undefined
    this.#begun = this.#streams = false
    return open + 1
  }

  /** Reads to the end of the object or of the piece, one character after the other. */
  #inside(piece: string, begin: number): number {
    let at = begin
    let taken = begin // of the value that is being read
    const take = (end: number): void => {
      if (end > taken && this.#place === 'value') this.#value(piece.slice(taken, end))
      else if (end > taken && this.#place === 'key') this.#token.push(piece.slice(taken, end))
      taken = end
    }
    for (; at < piece.length; at++) {
      const char = piece[at] as string
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (char === '\\') this.#escaped = true
        else if (char === '"') this.#inString = false
        continue
      }
      if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') this.#depth++
      else if (char === '}' || char === ']') {
        if (this.#depth === 1) {
          take(at)
          this.#raw.push(piece.slice(begin, at + 1))
          this.#depth = 0
          this.#member()
          this.#finish()
          return at + 1
        }
        this.#depth--
      } else if (this.#depth === 1 && char === ':' && this.#place === 'key') {
        take(at)
        this.#key = stringOf(this.#token.join('')) ?? ''
        this.#token = []
        this.#place = 'value'
        taken = at + 1
      } else if (this.#depth === 1 && char === ',') {
        take(at)
        this.#member()
        taken = at + 1
      }
    }
    take(at)
    this.#raw.push(piece.slice(begin))
    return at
  }

  /** More of a member's value. */
  #value(text: string): void {
    if (!ARGUMENT_KEYS.includes(this.#key)) {
      this.#token.push(text)
      return
    }
    const first = this.#arguments === undefined
    const piece = first ? text.trimStart() : text
    if (piece === '') return
    this.#arguments ??= []
    if (first) this.#streams = piece[0] !== '"' // a string holds JSON once more
    this.#arguments.push(piece)
    if (this.#begun && this.#streams) this.#json(piece)
  }

  /** White space behind a value is not part of it. */
  #json(piece: string): void {
    const kept = piece.trimEnd()
    if (kept === '') {
      this.#trailing += piece
      return
    }
    this.#sink.callJson(this.#trailing + kept)
    this.#trailing = piece.slice(kept.length)
  }

  /** A member is at its end. */
  #member(): void {
    const value = this.#token.join('')
    if (this.#place === 'value' && NAME_KEYS.includes(this.#key)) this.#name = stringOf(value)
    if (this.#place === 'value' && this.#key === 'id') this.#id = stringOf(value)
    this.#token = []
    this.#place = 'key'
    this.#key = ''
    if (this.#rules.ownIds === undefined) this.#begin()
  }

  #begin(): void {
    if (this.#begun || this.#name === undefined) return
    const { ownIds } = this.#rules
    const id = this.#id !== undefined && ownIds?.test(this.#id) ? this.#id : undefined
    this.#begun = true
    this.#trailing = ''
    this.#sink.beginCall(this.#name, id)
    // Arguments that came in front of the name have waited for it.
    if (this.#streams) for (const piece of this.#arguments ?? []) this.#json(piece)
  }

  #finish(problem?: string): void {
    this.#close(problem)
    this.#rules.done?.()
  }

  #close(problem: string | undefined): void {
    const raw = this.#raw.join('')
    this.#depth = 0
    this.#inString = this.#escaped = false
    this.#begin()
    if (!this.#begun) {
      const reason = problem ?? 'the call has no name'
      this.#sink.namelessCall(raw, new ToolCallParseError(reason, raw, raw.length))
      return
    }
    const given = this.#arguments?.join('').trimEnd() ?? ''
    this.#sink.endCall(given, (text) => {
      if (problem !== undefined) throw new ToolCallParseError(problem, text, text.length)
      return this.#streams ? jsonArguments(text) : jsonInString(text)
    })
  }
}

/** Arguments that stand as a string of JSON, as in OpenAI's shape. */
function jsonInString(text: string): CallArguments {
  if (text === '') return {}
  const inner = stringOf(text)
  if (inner === undefined)
    throw new ToolCallParseError('the string of arguments does not end', text, text.length)
  return jsonArguments(inner)
}

function stringOf(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
