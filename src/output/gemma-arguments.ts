import { ToolCallParseError } from '../errors.js'
import type { CallArguments } from './call-arguments.js'

/** What stands between the marks of a call: text of the form, and strings, which stood between quote marks. */
export type GemmaToken = { readonly text: string } | { readonly quoted: string }

/** The most containers that may stand inside each other. */
const MAX_DEPTH = 100

const SCALAR = /^[^,{}[\]:]+/
const KEY = /^[^,{}[\]:"]+/

/**
 * The arguments of `call:f{key:<|"|>text<|"|>,n:1,list:[true,{k:null}]}` from the brace on. Keys stand without quotes;
 * what is neither a string nor a number, `true`, `false` or `null` is a string too.
 *
 * @param raw the text of all tokens, for errors
 * @throws ToolCallParseError
 */
export function gemmaArguments(tokens: readonly GemmaToken[], raw: string): CallArguments {
  const reader = new GemmaReader(tokens, raw)
  const value = reader.value(0)
  reader.end()
  return value as CallArguments
}

class GemmaReader {
  readonly #tokens: readonly GemmaToken[]
  readonly #raw: string
  #token = 0
  #at = 0
  /** Text in front of the token, in UTF-16 units. */
  #before = 0

  constructor(tokens: readonly GemmaToken[], raw: string) {
    this.#tokens = tokens
    this.#raw = raw
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#error(`at most ${MAX_DEPTH} levels of nesting`)
    const quoted = this.#quoted()
    if (quoted !== undefined) return quoted
    if (this.#take('{')) return this.#members(depth)
    if (this.#take('[')) return this.#items(depth)
    return this.#scalar()
  }

  end(): void {
    this.#space()
    if (this.#token < this.#tokens.length) throw this.#error('the end of the call')
  }

  #members(depth: number): CallArguments {
    const members: [string, unknown][] = []
    while (!this.#take('}')) {
      if (members.length > 0 && !this.#take(',')) throw this.#error(', or }')
      const key = this.#quoted() ?? this.#plainString() ?? this.#match(KEY)?.trim()
      if (key === undefined) throw this.#error('a key')
      if (!this.#take(':')) throw this.#error(':')
      members.push([key, this.value(depth + 1)])
    }
    return Object.fromEntries(members)
  }

  #items(depth: number): unknown[] {
    const items: unknown[] = []
    while (!this.#take(']')) {
      if (items.length > 0 && !this.#take(',')) throw this.#error(', or ]')
      items.push(this.value(depth + 1))
    }
    return items
  }

  #scalar(): unknown {
    const plain = this.#plainString()
    if (plain !== undefined) return plain
    const text = this.#match(SCALAR)?.trim()
    if (text === undefined) throw this.#error('a value')
    if (text === 'true') return true
    if (text === 'false') return false
    if (text === 'null') return null
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text
  }

  /** A string in JSON's own quotes, which models write now and then. */
  #plainString(): string | undefined {
    const text = this.#match(/^"(?:[^"\\]|\\.)*"/s)
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as string
    } catch {
      throw this.#error('a string without broken escapes')
    }
  }

  #quoted(): string | undefined {
    this.#space()
    const token = this.#tokens[this.#token]
    if (token === undefined || !('quoted' in token)) return undefined
    this.#before += token.quoted.length
    this.#token++
    return token.quoted
  }

  #take(char: string): boolean {
    this.#space()
    const token = this.#tokens[this.#token]
    if (token === undefined || !('text' in token) || token.text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #match(pattern: RegExp): string | undefined {
    this.#space()
    const token = this.#tokens[this.#token]
    if (token === undefined || !('text' in token)) return undefined
    const sticky = new RegExp(pattern.source.slice(1), `${pattern.flags}y`)
    sticky.lastIndex = this.#at
    const found = sticky.exec(token.text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  /** Passes white space, and tokens that are at their end. */
  #space(): void {
    for (;;) {
      const token = this.#tokens[this.#token]
      if (token === undefined || !('text' in token)) return
      while (/\s/.test(token.text[this.#at] ?? '')) this.#at++
      if (this.#at < token.text.length) return
      this.#before += token.text.length
      this.#token++
      this.#at = 0
    }
  }

  #error(expected: string): ToolCallParseError {
    return new ToolCallParseError(`expected ${expected}`, this.#raw, this.#before + this.#at)
  }
}
