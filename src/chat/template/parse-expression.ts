import type {
  BinaryOperator,
  Call,
  CallArguments,
  CompareOperator,
  Expression,
  FilterCall,
  Keyword,
  NSRef,
  Operand,
  Pair,
  Position,
  Slice,
  Test,
} from './ast.js'
import type { TokenStream } from './token-stream.js'

/** How tight operators bind, from `or` to `**`. */
const OR = 1
const AND = 2
const NOT = 3
const COMPARE = 4
const CONCAT = 6

const BINARY: Readonly<Record<string, number>> = { '+': 5, '-': 5, '*': 7, '/': 7, '//': 7, '%': 7, '**': 8 }

/** Words that are no names. */
export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
const TEST_ARGUMENT: ReadonlySet<string> = new Set(['name', 'string', 'integer', 'float', '(', '[', '{'])

const NO_ARGUMENTS: CallArguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined }

/**
 * The expressions of Jinja2 3.1.6, with its own odd corners: `**` binds to the left, `-2 ** 2` is 4, and words such
 * as `not`, `in` or `if` are names where nothing but a name can stand.
 */
export class ExpressionParser {
  readonly #stream: TokenStream

  constructor(stream: TokenStream) {
    this.#stream = stream
  }

  parseExpression(): Expression {
    const stream = this.#stream
    return stream.nested(() => {
      let position = stream.current.position
      let then = this.parseCondition()
      while (stream.skipName('if')) {
        const test = this.parseCondition()
        const otherwise = stream.skipName('else') ? this.parseExpression() : undefined
        then = stream.node({ type: 'CondExpr', position, test, then, else: otherwise })
        position = stream.current.position
      }
      return then
    })
  }

  /** An expression without `if`, unless in brackets. */
  parseCondition(): Expression {
    return this.#parseOperators(OR)
  }

  /** Expressions with commas between them are a tuple. */
  parseTuple(parse: () => Expression, mayBeEmpty = false): Expression {
    const { items, isTuple, position } = this.parseTupleItems(parse, mayBeEmpty)
    const [only] = items
    return !isTuple && only !== undefined ? only : this.#stream.node({ type: 'Tuple', position, items })
  }

  /** One item, or with commas between them and perhaps at the end a tuple of them. */
  parseTupleItems<Item>(
    parse: () => Item,
    mayBeEmpty = false,
  ): { readonly items: readonly Item[]; readonly isTuple: boolean; readonly position: Position } {
    const stream = this.#stream
    const { position } = stream.current
    const items: Item[] = []
    let isTuple = false
    while (!this.#isTupleEnd()) {
      items.push(parse())
      if (!stream.skip(',')) break
      isTuple = true
    }
    if (items.length === 0 && !mayBeEmpty) stream.unexpected('an expression')
    return { items, isTuple: isTuple || items.length === 0, position }
  }

  #isTupleEnd(): boolean {
    const { type } = this.#stream
    return type === 'variable_end' || type === 'block_end' || type === ')'
  }

  #parseOperators(least: number): Expression {
    const stream = this.#stream
    let position = stream.current.position
    let left: Expression
    if (least <= NOT && stream.skipName('not')) {
      const node = stream.nested(() => this.#parseOperators(NOT))
      left = stream.node({ type: 'Not', position, node })
    } else {
      left = this.#parseUnary(true)
    }
    while (true) {
      const next = this.#parseOperation(left, position, least)
      if (next === undefined) return left
      left = next
      position = stream.current.position
    }
  }

  /** One operator and its right side, or a whole chain of `~` or comparisons. */
  #parseOperation(left: Expression, position: Position, least: number): Expression | undefined {
    const stream = this.#stream
    const { type } = stream
    const binary = BINARY[type]
    if (binary !== undefined) {
      if (binary < least) return undefined
      stream.take()
      const operator = type as BinaryOperator
      return stream.node({
        type: 'BinExpr',
        position,
        operator,
        left,
        right: this.#parseOperators(binary + 1),
      })
    }
    if (type === '~' && least <= CONCAT) {
      const nodes = [left]
      while (stream.skip('~')) nodes.push(this.#parseOperators(CONCAT + 1))
      return stream.node({ type: 'Concat', position, nodes })
    }
    if (least <= COMPARE && this.#isComparison()) {
      const operands: Operand[] = []
      while (this.#isComparison()) operands.push(this.#parseOperand())
      return stream.node({ type: 'Compare', position, expression: left, operands })
    }
    if (least <= AND && stream.skipName('and')) {
      return stream.node({ type: 'And', position, left, right: this.#parseOperators(AND + 1) })
    }
    if (least <= OR && stream.skipName('or')) {
      return stream.node({ type: 'Or', position, left, right: this.#parseOperators(OR + 1) })
    }
    return undefined
  }

  #isComparison(): boolean {
    const stream = this.#stream
    if (COMPARISONS.has(stream.type) || stream.isName('in')) return true
    if (!stream.isName('not')) return false
    const next = stream.look()
    return next.type === 'name' && next.value === 'in'
  }

  #parseOperand(): Operand {
    const stream = this.#stream
    const { position } = stream.current
    const token = stream.take()
    let operator = token.type === 'name' ? 'in' : (token.type as CompareOperator)
    if (token.type === 'name' && token.value === 'not') {
      stream.take()
      operator = 'not in'
    }
    return stream.node({ type: 'Operand', position, operator, expression: this.#parseOperators(COMPARE + 1) })
  }

  #parseUnary(withFilters: boolean): Expression {
    const stream = this.#stream
    const { position } = stream.current
    let node: Expression
    if (stream.is('-') || stream.is('+')) {
      const type = stream.take().type === '-' ? 'Neg' : 'Pos'
      node = stream.node({ type, position, node: stream.nested(() => this.#parseUnary(false)) })
    } else {
      node = this.parsePrimary()
    }
    node = this.#parsePostfix(node)
    return withFilters ? this.#parseFiltersAndTests(node) : node
  }

  /** A name or a literal. */
  parsePrimary(): Expression {
    const stream = this.#stream
    const token = stream.current
    const { position } = token
    switch (token.type) {
      case 'name': {
        stream.take()
        const constant = CONSTANTS.get(token.value)
        if (constant !== undefined) return stream.node({ type: 'Const', position, value: constant })
        return stream.node({ type: 'Name', position, name: token.value })
      }
      case 'string': {
        const parts: string[] = []
        while (stream.is('string')) parts.push(stream.expect('string').value)
        return stream.node({ type: 'Const', position, value: parts.join('') })
      }
      case 'integer':
      case 'float':
        stream.take()
        return stream.node({ type: 'Const', position, value: token.value })
      case '(': {
        stream.take()
        const tuple = this.parseTuple(() => this.parseExpression(), true)
        stream.expect(')')
        return tuple
      }
      case '[':
        return stream.node({
          type: 'List',
          position,
          items: this.#parseItems(']', () => this.parseExpression()),
        })
      case '{':
        return stream.node({ type: 'Dict', position, items: this.#parseItems('}', () => this.#parsePair()) })
      default:
        return stream.unexpected('an expression')
    }
  }

  /** `ns.attr` where a namespace attribute can be set, else as `parsePrimary`. */
  parsePrimaryOrNamespace(): Expression | NSRef {
    const stream = this.#stream
    const token = stream.current
    if (token.type !== 'name' || CONSTANTS.has(token.value) || stream.look().type !== '.')
      return this.parsePrimary()
    stream.take()
    stream.take()
    const attr = stream.expect('name').value
    return stream.node({ type: 'NSRef', position: token.position, name: token.value, attr })
  }

  /** What stands in brackets, with commas between and perhaps at the end. */
  #parseItems<Item>(close: ']' | '}', parse: () => Item): Item[] {
    const stream = this.#stream
    stream.take()
    const items: Item[] = []
    while (!stream.is(close)) {
      if (items.length > 0) stream.expect(',')
      if (stream.is(close)) break
      items.push(parse())
    }
    stream.take()
    return items
  }

  #parsePair(): Pair {
    const { position } = this.#stream.current
    const key = this.parseExpression()
    this.#stream.expect(':')
    return this.#stream.node({ type: 'Pair', position, key, value: this.parseExpression() })
  }

  #parsePostfix(node: Expression): Expression {
    const stream = this.#stream
    while (true) {
      if (stream.is('.')) node = this.#parseAttribute(node)
      else if (stream.is('[')) node = this.#parseSubscript(node)
      else if (stream.is('(')) node = this.#parseCall(node)
      else return node
    }
  }

  /** Jinja2 allows calls, but no attributes, after filters and tests. */
  #parseFiltersAndTests(node: Expression): Expression {
    const stream = this.#stream
    while (true) {
      if (stream.is('|')) {
        stream.take()
        const call = this.parseFilterCall()
        node = stream.node({ ...call, type: 'Filter', node })
      } else if (stream.isName('is')) {
        node = this.#parseTest(node)
      } else if (stream.is('(')) {
        node = this.#parseCall(node)
      } else {
        return node
      }
    }
  }

  #parseAttribute(node: Expression): Expression {
    const stream = this.#stream
    const { position } = stream.take()
    const token = stream.current
    if (token.type === 'name') {
      stream.take()
      return stream.node({ type: 'Getattr', position, node, attr: token.value })
    }
    if (token.type !== 'integer') return stream.unexpected('a name or a whole number')
    stream.take()
    const argument = stream.node({ type: 'Const' as const, position: token.position, value: token.value })
    return stream.node({ type: 'Getitem', position, node, argument })
  }

  #parseSubscript(node: Expression): Expression {
    const stream = this.#stream
    const { position } = stream.take()
    const items: Expression[] = []
    let slice: Slice | undefined
    while (!stream.is(']')) {
      if (items.length > 0) stream.expect(',')
      const token = stream.current
      const item = this.#parseSubscribed()
      if (item.type !== 'Slice') items.push(item)
      else if (items.length === 0 && stream.is(']')) slice = item
      else stream.fail('expected a slice to stand alone in its brackets', token)
    }
    stream.take()
    const [only] = items
    const single = items.length === 1 ? only : undefined
    const argument = slice ?? single ?? stream.node({ type: 'Tuple', position, items })
    return stream.node({ type: 'Getitem', position, node, argument })
  }

  #parseSubscribed(): Expression | Slice {
    const stream = this.#stream
    const { position } = stream.current
    const start = stream.is(':') ? undefined : this.parseExpression()
    if (start !== undefined && !stream.is(':')) return start
    stream.expect(':')
    const isEnd = (): boolean => stream.is(']') || stream.is(',')
    const stop = stream.is(':') || isEnd() ? undefined : this.parseExpression()
    const step = stream.skip(':') && !isEnd() ? this.parseExpression() : undefined
    return stream.node({ type: 'Slice', position, start, stop, step })
  }

  #parseCall(node: Expression): Call {
    const { position } = this.#stream.current
    return this.#stream.node({ type: 'Call', position, node, ...this.#parseArguments() })
  }

  /** A filter without what it is applied to. */
  parseFilterCall(): FilterCall {
    const stream = this.#stream
    const { position } = stream.current
    const name = this.#parseDottedName()
    const rest = stream.is('(') ? this.#parseArguments() : NO_ARGUMENTS
    return stream.node({ type: 'FilterCall', position, name, ...rest })
  }

  #parseTest(node: Expression): Expression {
    const stream = this.#stream
    const { position } = stream.take()
    const negated = stream.skipName('not')
    const name = this.#parseDottedName()
    let rest = NO_ARGUMENTS
    if (stream.is('(')) {
      rest = this.#parseArguments()
    } else if (TEST_ARGUMENT.has(stream.type) && !stream.isName('else', 'or', 'and')) {
      if (stream.isName('is')) stream.fail("expected one test but found another 'is' behind it")
      rest = { ...NO_ARGUMENTS, args: [this.#parsePostfix(this.parsePrimary())] }
    }
    const test: Test = stream.node({ type: 'Test', position, node, name, ...rest })
    return negated ? stream.node({ type: 'Not', position, node: test }) : test
  }

  #parseDottedName(): string {
    let name = this.#stream.expect('name').value
    while (this.#stream.skip('.')) name += `.${this.#stream.expect('name').value}`
    return name
  }

  #parseArguments(): CallArguments {
    const stream = this.#stream
    const open = stream.expect('(')
    const args: Expression[] = []
    const kwargs: Keyword[] = []
    let dynArgs: Expression | undefined
    let dynKwargs: Expression | undefined
    const ensure = (allowed: boolean, what: string): void => {
      if (!allowed) stream.fail(`expected ${what} earlier in the arguments of a call`, open)
    }
    let first = true
    while (!stream.is(')')) {
      if (!first) stream.expect(',')
      if (stream.is(')')) break
      first = false
      const { position } = stream.current
      if (stream.is('*')) {
        ensure(dynArgs === undefined && dynKwargs === undefined, "one '*' argument")
        stream.take()
        dynArgs = this.parseExpression()
      } else if (stream.is('**')) {
        ensure(dynKwargs === undefined, "one '**' argument")
        stream.take()
        dynKwargs = this.parseExpression()
      } else if (stream.is('name') && stream.look().type === '=') {
        ensure(dynKwargs === undefined, 'keyword arguments')
        const key = stream.expect('name').value
        stream.take()
        kwargs.push(stream.node({ type: 'Keyword', position, key, value: this.parseExpression() }))
      } else {
        ensure(
          dynArgs === undefined && dynKwargs === undefined && kwargs.length === 0,
          'positional arguments',
        )
        args.push(this.parseExpression())
      }
    }
    stream.take()
    return { args, kwargs, dynArgs, dynKwargs }
  }
}
