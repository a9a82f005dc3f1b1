import type { Token, TokenOf, TokenType } from './lexer.js'
import { tokenize } from './lexer.js'
import type { SourceText } from './source-text.js'
import { syntaxError } from './source-text.js'

/**
 * How deep a syntax tree may be. Jinja2 itself gives up at about 490 (Python's recursion limit), for most constructs
 * far sooner.
 */
export const MAX_DEPTH = 500
/** How many brackets, blocks and prefixes may stand inside each other. Jinja2 gives up at 69 to 246 of them. */
const MAX_NESTING = 250

type Node = { readonly type: string }

/** The tokens of a template, with one to look ahead, and the limits on the tree that is built from them. */
export class TokenStream {
  readonly #tokens: IterableIterator<Token>
  readonly #heights = new WeakMap<Node, number>()
  #current: Token
  #next: Token | undefined
  #nesting = 0

  constructor(source: SourceText) {
    this.#tokens = tokenize(source)
    this.#current = this.#read()
  }

  get current(): Token {
    return this.#current
  }

  get type(): TokenType {
    return this.#current.type
  }

  /** Whether the current token is of this type. */
  is(type: TokenType): boolean {
    return this.#current.type === type
  }

  /** The token after the current one. */
  look(): Token {
    this.#next ??= this.#read()
    return this.#next
  }

  /** Returns the current token and goes one ahead. */
  take(): Token {
    const taken = this.#current
    this.#current = this.look()
    this.#next = undefined
    return taken
  }

  /** Whether the current token is a name with this text. */
  isName(...names: readonly string[]): boolean {
    return this.#current.type === 'name' && names.includes(this.#current.value)
  }

  skip(type: TokenType): boolean {
    const found = this.#current.type === type
    if (found) this.take()
    return found
  }

  skipName(name: string): boolean {
    const found = this.isName(name)
    if (found) this.take()
    return found
  }

  expect<Type extends TokenType>(type: Type): TokenOf<Type> {
    if (this.#current.type !== type) this.unexpected(describeType(type))
    return this.take() as TokenOf<Type>
  }

  expectName(name: string): Token {
    if (!this.isName(name)) this.unexpected(`'${name}'`)
    return this.take()
  }

  unexpected(expected: string, token: Token = this.#current): never {
    return this.fail(`expected ${expected} but found ${describe(token)}`, token)
  }

  fail(reason: string, at: Token = this.#current): never {
    throw syntaxError(at.position, reason)
  }

  /** Runs a part of the parser that may come back to itself. */
  nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > MAX_NESTING) {
      this.fail(`expected at most ${MAX_NESTING} brackets, blocks and prefixes inside each other`)
    }
    const result = parse()
    this.#nesting--
    return result
  }

  /** Every node passes here, so that no tree is too deep to recurse over. */
  node<const Made extends Node>(node: Made): Made {
    let height = 0
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child !== null && typeof child === 'object')
          height = Math.max(height, this.#heights.get(child) ?? 0)
      }
    }
    if (height >= MAX_DEPTH) this.fail(`expected a syntax tree at most ${MAX_DEPTH} nodes deep`)
    this.#heights.set(node, height + 1)
    return node
  }

  #read(): Token {
    const { done, value } = this.#tokens.next()
    return done === true ? this.#current : value
  }
}

/** What a token is called in a message. */
export function describe(token: Token): string {
  return token.type === 'name' ? `'${token.value}'` : describeType(token.type)
}

function describeType(type: TokenType): string {
  switch (type) {
    case 'eof':
      return 'the end of the template'
    case 'data':
      return 'template text'
    case 'variable_begin':
      return "'{{'"
    case 'variable_end':
      return "'}}'"
    case 'block_begin':
      return "'{%'"
    case 'block_end':
      return "'%}'"
    case 'name':
      return 'a name'
    case 'string':
      return 'a string'
    case 'integer':
      return 'a whole number'
    case 'float':
      return 'a float'
    default:
      return `'${type}'`
  }
}
