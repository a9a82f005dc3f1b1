import { SHORT_ESCAPES } from '../chat/template/string-literal.js'
import { ToolCallParseError } from '../errors.js'
import type { CallArguments } from './call-arguments.js'

/** The most containers that may stand inside each other. */
const MAX_DEPTH = 100

const SPACE = /(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*)+/y
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][+-]?\d(?:_?\d)*)?/y
const STRING_BEGIN = /([rR]|[bB][rR]?|[rR][bB]|[uU])?("""|'''|"|')/y

/** A call that was read: the name in front of the bracket, and its keyword arguments. */
export interface PythonCall {
  readonly name: string
  readonly arguments: CallArguments
}

/**
 * Reads `tool_call(city='Paris', days=[1, 2])`: a name and keyword arguments whose values are literals (strings with
 * prefixes and escapes, numbers, `True`, `False`, `None`, lists, tuples, sets, dicts, a sign in front of a number;
 * `**{…}` for names that are no keywords). Nothing is evaluated: all else is an error. JSON's `true`, `false` and `null`
 * are read too, as models write them.
 *
 * @param begin where in `text` it begins; what follows must be white space and comments
 * @throws ToolCallParseError with the position in `text`
 * @example pythonCall("tool_call(city='Paris')")  // { name: 'tool_call', arguments: { city: 'Paris' } }
 */
export function pythonCall(text: string, begin = 0): PythonCall {
  const reader = new PythonReader(text, begin)
  const call = reader.call()
  reader.end()
  return call
}

/**
 * Reads a literal of Python: see {@link pythonCall}. Tuples and sets are arrays, dict keys are strings.
 *
 * @throws ToolCallParseError
 */
export function pythonLiteral(text: string, begin = 0): unknown {
  const reader = new PythonReader(text, begin)
  const value = reader.value(0)
  reader.end()
  return value
}

class PythonReader {
  readonly #text: string
  #at: number

  constructor(text: string, begin: number) {
    this.#text = text
    this.#at = begin
  }

  call(): PythonCall {
    this.#match(SPACE)
    let name = this.#match(WORD)
    if (name === undefined) throw this.#error('expected a call such as tool_call(key=value)')
    while (this.#take('.')) {
      const part: string | undefined = this.#match(WORD)
      if (part === undefined) throw this.#error('expected a name')
      name += `.${part}`
    }
    if (!this.#take('(')) throw this.#error('expected (')
    const members = new Map<string, unknown>()
    for (let first = true; !this.#take(')'); first = false) {
      if (!first && !this.#take(',')) throw this.#error('expected , or )')
      if (!first && this.#take(')')) break
      this.#keyword(members)
    }
    return { name, arguments: Object.fromEntries(members) }
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#error(`expected at most ${MAX_DEPTH} levels of nesting`)
    this.#match(SPACE)
    const start = this.#at
    const string = this.#strings()
    if (string !== undefined) return string
    if (this.#take('[')) return this.#items(']', depth)
    if (this.#take('(')) return this.#tuple(depth)
    if (this.#take('{')) return this.#braces(depth)
    const sign = this.#signs()
    const number = this.#match(NUMBER)
    if (number !== undefined) return this.#number(number, sign, start)
    if (sign !== undefined) throw this.#error('expected a number')
    const word = this.#match(WORD)
    switch (word) {
      case 'True':
      case 'true':
        return true
      case 'False':
      case 'false':
        return false
      case 'None':
      case 'null':
        return null
      default:
        this.#at = start
        throw this.#error(
          word === undefined ? 'expected a value' : `expected a literal value; ${word} is not one`,
        )
    }
  }

  end(): void {
    this.#match(SPACE)
    if (this.#take(';')) this.#match(SPACE)
    if (this.#at < this.#text.length) throw this.#error('expected nothing more')
  }

  #keyword(members: Map<string, unknown>): void {
    this.#match(SPACE)
    const start = this.#at
    if (this.#text.startsWith('**', start)) {
      this.#at += 2
      const value = this.value(1)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        this.#at = start
        throw this.#error('expected a dict behind **')
      }
      for (const [key, item] of Object.entries(value)) this.#set(members, key, item, start)
      return
    }
    const key = this.#match(WORD)
    this.#match(SPACE)
    if (key === undefined || this.#text[this.#at] !== '=' || this.#text[this.#at + 1] === '=') {
      this.#at = start
      throw this.#error('expected an argument with its name: key=value')
    }
    this.#at++
    this.#set(members, key, this.value(1), start)
  }

  #set(members: Map<string, unknown>, key: string, value: unknown, at: number): void {
    if (members.has(key)) {
      this.#at = at
      throw this.#error(`expected ${key} only once`)
    }
    members.set(key, value)
  }

  #items(close: string, depth: number, items: unknown[] = []): unknown[] {
    for (;;) {
      if (this.#take(close)) return items
      if (items.length > 0) {
        if (!this.#take(',')) throw this.#error(`expected , or ${close}`)
        if (this.#take(close)) return items
      }
      items.push(this.value(depth + 1))
    }
  }

  /** A value in brackets is that value; with a comma it is a tuple. */
  #tuple(depth: number): unknown {
    if (this.#take(')')) return []
    const first = this.value(depth + 1)
    if (this.#take(')')) return first
    return this.#items(')', depth, [first])
  }

  #braces(depth: number): unknown {
    if (this.#take('}')) return {}
    const start = this.#at
    const first = this.value(depth + 1)
    if (!this.#take(':')) return this.#items('}', depth, [first])
    const members: [string, unknown][] = [[this.#key(first, start), this.value(depth + 1)]]
    for (;;) {
      if (this.#take('}')) return Object.fromEntries(members)
      if (!this.#take(',')) throw this.#error('expected , or }')
      if (this.#take('}')) return Object.fromEntries(members)
      this.#match(SPACE)
      const at = this.#at
      const key = this.#key(this.value(depth + 1), at)
      if (!this.#take(':')) throw this.#error('expected :')
      members.push([key, this.value(depth + 1)])
    }
  }

  /** Keys become what Python's `json.dumps` makes of them. */
  #key(value: unknown, at: number): string {
    if (typeof value === 'string') return value
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.#at = at
    throw this.#error('expected a string, a number, True, False or None as key')
  }

  /** Neighbouring strings are one. */
  #strings(): string | undefined {
    let text: string | undefined
    for (;;) {
      this.#match(SPACE)
      const part = this.#string()
      if (part === undefined) return text
      text = (text ?? '') + part
    }
  }

  #string(): string | undefined {
    STRING_BEGIN.lastIndex = this.#at
    const begin = STRING_BEGIN.exec(this.#text)
    if (begin === null) return undefined
    const [all, prefix = '', quote = ''] = begin
    const start = this.#at
    this.#at += all.length
    const raw = /[rR]/.test(prefix)
    const plain = new RegExp(`[^\\\\${quote[0]}${quote.length === 1 ? '\\n' : ''}]+`, 'y')
    const pieces: string[] = []
    for (;;) {
      const run = this.#match(plain)
      if (run !== undefined) pieces.push(run)
      if (this.#text.startsWith(quote, this.#at)) {
        this.#at += quote.length
        return pieces.join('')
      }
      const char = this.#text[this.#at]
      if (char === '\\' && this.#at + 1 < this.#text.length) pieces.push(this.#escape(raw))
      else if (char !== undefined && quote.length === 3 && char !== '\\') {
        pieces.push(char)
        this.#at++
      } else {
        this.#at = char === undefined ? start : this.#at
        throw this.#error('expected the end of the string')
      }
    }
  }

  #escape(raw: boolean): string {
    const next = String.fromCodePoint(this.#text.codePointAt(this.#at + 1) as number)
    const both = `\\${next}`
    if (raw) return this.#pass(both.length, both)
    const short = SHORT_ESCAPES[next]
    if (short !== undefined && Object.hasOwn(SHORT_ESCAPES, next)) return this.#pass(2, short)
    const octal = this.#sticky(/\\([0-7]{1,3})/y)
    if (octal) return this.#pass(octal[0].length, String.fromCharCode(Number.parseInt(octal[1] as string, 8)))
    const code = this.#sticky(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y)
    if (code) {
      const point = Number.parseInt((code[1] ?? code[2] ?? code[3]) as string, 16)
      if (point > 0x10ffff) throw this.#error('expected a character up to U+10FFFF')
      return this.#pass(code[0].length, String.fromCodePoint(point))
    }
    if ('xuUN'.includes(next)) throw this.#error('expected an escape with its digits')
    return this.#pass(both.length, both) // as Python: what is no escape stays
  }

  #pass(length: number, text: string): string {
    this.#at += length
    return text
  }

  /** Undefined where there is no sign. */
  #signs(): 1 | -1 | undefined {
    let sign: 1 | -1 | undefined
    for (;;) {
      if (this.#take('-')) sign = sign === -1 ? 1 : -1
      else if (this.#take('+')) sign ??= 1
      else return sign
    }
  }

  /** Integers beyond 2^53 lose digits, as in JSON. */
  #number(text: string, sign: 1 | -1 | undefined, start: number): number {
    const digits = text.replaceAll('_', '')
    const next = this.#text[this.#at] ?? ''
    if (/[\p{L}_\d]/u.test(next) || /^0\d*[1-9]\d*$/.test(digits)) {
      this.#at = start
      throw this.#error('expected a number as Python writes it')
    }
    const value = Number(digits.toLowerCase())
    const signed = sign === -1 ? -value : value
    if (!Number.isFinite(signed)) {
      this.#at = start
      throw this.#error('expected a finite number')
    }
    return signed
  }

  #take(mark: string): boolean {
    this.#match(SPACE)
    if (this.#text[this.#at] !== mark) return false
    this.#at++
    return true
  }

  #match(pattern: RegExp): string | undefined {
    const found = this.#sticky(pattern)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #sticky(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)
  }

  #error(reason: string): ToolCallParseError {
    return new ToolCallParseError(reason, this.#text, this.#at)
  }
}
