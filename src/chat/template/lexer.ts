import type { Position } from './ast.js'
import { readNumber } from './number-literal.js'
import { isIdentifierPart, isIdentifierStart, isSpace, SPACES } from './python-unicode.js'
import { type SourceText, syntaxError } from './source-text.js'
import { readEscapes } from './string-literal.js'

const OPERATORS = [
  '//',
  '**',
  '==',
  '!=',
  '>=',
  '<=',
  '+',
  '-',
  '/',
  '*',
  '%',
  '~',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '>',
  '<',
  '=',
  '.',
  ':',
  '|',
  ',',
  ';',
] as const

export type Operator = (typeof OPERATORS)[number]

type Punctuation = 'variable_begin' | 'variable_end' | 'block_begin' | 'block_end' | 'eof' | Operator

interface TokenValues extends Record<Punctuation, undefined> {
  data: string
  name: string
  string: string
  integer: bigint
  float: number
}

export type TokenType = keyof TokenValues

export type TokenOf<Type extends TokenType> = Type extends TokenType
  ? TokenBase<Type, TokenValues[Type]>
  : never

export type Token = TokenOf<TokenType>

interface TokenBase<Type extends string, Value> {
  readonly type: Type
  readonly value: Value
  readonly position: Position
}

const OPERATOR_SET: ReadonlySet<string> = new Set(OPERATORS)
const CLOSING: Readonly<Record<string, Operator>> = { '(': ')', '[': ']', '{': '}' }

const ASCII_NAME = /[a-z_]\w*/iy
const SPACE_RUN = new RegExp(`[${SPACES}]+`, 'y')
const RAW_BEGIN = new RegExp(`\\{%[-+]?[${SPACES}]*raw[${SPACES}]*(?:-%\\}[${SPACES}]*|%\\})`, 'y')
const RAW_END = new RegExp(
  `\\{%[-+]?[${SPACES}]*endraw[${SPACES}]*(?:\\+%\\}|-%\\}[${SPACES}]*|%\\}\\n?)`,
  'y',
)

/**
 * Parts a template into tokens, as Jinja2 3.1.6 does with `trim_blocks` and `lstrip_blocks`; comments, white space
 * and the marks of `raw` blocks are left out. The last token is `eof`.
 *
 * @throws TemplateError when it comes to what is no token
 */
export function tokenize(source: SourceText): IterableIterator<Token> {
  return new Lexer(source).tokens()
}

class Lexer {
  readonly #source: SourceText
  readonly #text: string
  #offset = 0
  /** Whether what was read last ended in a line break. */
  #lineStarts = true

  constructor(source: SourceText) {
    this.#source = source
    this.#text = source.text
  }

  *tokens(): IterableIterator<Token> {
    const text = this.#text
    while (this.#offset < text.length) {
      const start = this.#offset
      const tag = this.#nextTag(start)
      if (tag === text.length) {
        yield* this.#data(start, tag)
        break
      }
      const sign = text[tag + 2]
      const signed = sign === '-' || sign === '+'
      yield* this.#data(start, this.#dataEnd(start, tag, signed ? sign : '', text[tag + 1] === '{'))
      const raw = match(RAW_BEGIN, text, tag)
      if (raw !== undefined) {
        this.#advance(tag + raw.length)
        yield* this.#raw(tag)
        continue
      }
      this.#advance(tag + (signed ? 3 : 2))
      if (text[tag + 1] === '#') this.#comment(tag)
      else if (text[tag + 1] === '{') yield* this.#tag('variable', tag)
      else yield* this.#tag('block', tag)
    }
    yield this.#token('eof', undefined, text.length)
  }

  /** Where the next `{%`, `{{` or `{#` begins. */
  #nextTag(start: number): number {
    for (let at = this.#text.indexOf('{', start); at !== -1; at = this.#text.indexOf('{', at + 1)) {
      const next = this.#text[at + 1]
      if (next === '%' || next === '{' || next === '#') return at
    }
    return this.#text.length
  }

  /** The end of the text before a tag, after white space control. */
  #dataEnd(start: number, tag: number, sign: string, isVariable: boolean): number {
    if (sign === '+' || (sign === '' && isVariable)) return tag
    let end = tag
    if (sign === '-') {
      while (end > start && isSpace(this.#text[end - 1] as string)) end--
      return end
    }
    while (end > start && this.#text[end - 1] !== '\n' && isSpace(this.#text[end - 1] as string)) end--
    const lineStarts = end > start ? this.#text[end - 1] === '\n' : this.#lineStarts
    return lineStarts ? end : tag
  }

  *#data(start: number, end: number): IterableIterator<Token> {
    if (end > start) yield this.#token('data', this.#text.slice(start, end), start)
  }

  #advance(offset: number): void {
    this.#offset = offset
    this.#lineStarts = this.#text[offset - 1] === '\n'
  }

  #comment(tag: number): void {
    const start = this.#offset
    const end = this.#text.indexOf('#}', start)
    if (end !== -1) this.#advance(this.#tagEnd(end + 2, end > start ? this.#text[end - 1] : ''))
    // As in Jinja2, a comment may begin at the very end.
    else if (start < this.#text.length) throw this.#fail(tag, "expected '#}' for this comment but found none")
  }

  *#raw(tag: number): IterableIterator<Token> {
    const text = this.#text
    const start = this.#offset
    for (let at = text.indexOf('{%', start); at !== -1; at = text.indexOf('{%', at + 1)) {
      const end = match(RAW_END, text, at)
      if (end === undefined) continue
      const sign = text[at + 2]
      yield* this.#data(start, this.#dataEnd(start, at, sign === '-' || sign === '+' ? sign : '', false))
      this.#advance(at + end.length)
      return
    }
    if (start < text.length)
      throw this.#fail(tag, "expected '{% endraw %}' for this raw block but found none")
  }

  /** The tokens of a `{{ }}` or `{% %}`. */
  *#tag(kind: 'variable' | 'block', tag: number): IterableIterator<Token> {
    const text = this.#text
    const mark = kind === 'variable' ? '}}' : '%}'
    const open: Operator[] = []
    yield this.#token(`${kind}_begin`, undefined, tag)
    while (this.#offset < text.length) {
      const start = this.#offset
      const first = text[start]
      const sign = first === '-' || (first === '+' && kind === 'block') ? first : ''
      if (open.length === 0 && text.startsWith(mark, start + sign.length)) {
        const end = start + sign.length + 2
        this.#advance(kind === 'block' || sign === '-' ? this.#tagEnd(end, sign) : end)
        yield this.#token(`${kind}_end`, undefined, start)
        return
      }
      const space = match(SPACE_RUN, text, start)
      if (space !== undefined) this.#offset += space.length
      else yield this.#expressionToken(start, open)
    }
  }

  /** Behind a tag and the white space that goes with it. */
  #tagEnd(end: number, sign: string | undefined): number {
    if (sign === '-') return end + (match(SPACE_RUN, this.#text, end)?.length ?? 0)
    return sign !== '+' && this.#text[end] === '\n' ? end + 1 : end
  }

  #expressionToken(start: number, open: Operator[]): Token {
    const text = this.#text
    const fail = (reason: string): never => {
      throw this.#fail(start, reason)
    }
    const number = readNumber(text, start, fail)
    if (number !== undefined) {
      const { value, end } = number
      this.#offset = end
      return typeof value === 'bigint'
        ? this.#token('integer', value, start)
        : this.#token('float', value, start)
    }
    const nameEnd = this.#nameEnd(start)
    if (nameEnd > start) {
      this.#offset = nameEnd
      return this.#token('name', text.slice(start, nameEnd), start)
    }
    const literalEnd = stringEnd(text, start)
    if (literalEnd !== undefined) {
      this.#offset = literalEnd
      return this.#token('string', readEscapes(text.slice(start + 1, literalEnd - 1), fail), start)
    }
    const operator = [text.slice(start, start + 2), text.slice(start, start + 1)].find((symbol) =>
      OPERATOR_SET.has(symbol),
    ) as Operator | undefined
    if (operator === undefined) {
      const character = String.fromCodePoint(text.codePointAt(start) as number)
      return fail(`expected an expression but found ${JSON.stringify(character)}`)
    }
    this.#balance(operator, open, fail)
    this.#offset = start + operator.length
    return this.#token(operator, undefined, start)
  }

  #nameEnd(start: number): number {
    let end = start + (match(ASCII_NAME, this.#text, start)?.length ?? 0)
    while (end < this.#text.length) {
      const character = String.fromCodePoint(this.#text.codePointAt(end) as number)
      if (!(end === start ? isIdentifierStart(character) : isIdentifierPart(character))) break
      end += character.length
    }
    return end
  }

  /** Tags end only where all brackets are closed. */
  #balance(operator: Operator, open: Operator[], fail: (reason: string) => never): void {
    const closing = CLOSING[operator]
    if (closing !== undefined) {
      open.push(closing)
    } else if (operator === '}' || operator === ')' || operator === ']') {
      const expected = open.pop()
      if (expected === undefined) fail(`expected no closing bracket but found '${operator}'`)
      if (expected !== operator) fail(`expected '${expected}' but found '${operator}'`)
    }
  }

  #token<Type extends TokenType>(type: Type, value: TokenValues[Type], offset: number): Token {
    return { type, value, position: this.#source.positionAt(offset) } as Token
  }

  #fail(offset: number, reason: string): Error {
    return syntaxError(this.#source.positionAt(offset), reason)
  }
}

/** The end of a string literal; undefined where none begins or it does not end. */
function stringEnd(text: string, start: number): number | undefined {
  const quote = text[start]
  if (quote !== "'" && quote !== '"') return undefined
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return at + 1
    if (text[at] === '\\') at++
  }
  return undefined
}

function match(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0]
}
