import { TemplateError } from '../../errors.js'
import type {
  Assign,
  AssignBlock,
  Body,
  CallBlock,
  Elif,
  Expression,
  FilterBlock,
  FilterCall,
  For,
  If,
  LoadTemplate,
  Macro,
  NSRef,
  Output,
  Parameter,
  Statement,
  Target,
  Template,
  TemplateData,
  With,
} from './ast.js'
import type { Token } from './lexer.js'
import { CONSTANTS, ExpressionParser } from './parse-expression.js'
import { SourceText } from './source-text.js'
import { TokenStream } from './token-stream.js'

/** In UTF-16 code units. */
const MAX_SOURCE = 2 ** 20

/**
 * Parses a chat template as Jinja2 3.1.6 does in transformers' environment: `trim_blocks`, `lstrip_blocks`, loop
 * controls and the `generation` tag.
 *
 * Refused although Jinja2 takes them: `block` and `autoescape`, which no chat template can use; `\N{...}` in
 * strings; sources over 1,048,576 UTF-16 code units.
 *
 * @param source the template, as it stands in `chat_template`
 * @returns the syntax tree, at most 500 nodes deep
 * @throws TemplateError of kind `syntax`, with line and column
 * @example
 * parseTemplate('{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}').body.length // 2
 */
export function parseTemplate(source: string): Template {
  if (source.length > MAX_SOURCE) {
    const reason = `expected a template of at most ${MAX_SOURCE} UTF-16 code units but it has ${source.length}`
    throw new TemplateError('syntax', 1, 1, reason)
  }
  return new TemplateParser(new SourceText(source)).parse()
}

class TemplateParser {
  readonly #stream: TokenStream
  readonly #expressions: ExpressionParser

  constructor(source: SourceText) {
    this.#stream = new TokenStream(source)
    this.#expressions = new ExpressionParser(this.#stream)
  }

  parse(): Template {
    const { position } = this.#stream.current
    return this.#stream.node({ type: 'Template', position, body: this.#parseBody([]) })
  }

  /** Statements up to a tag with one of these names, which becomes the current token; or to the end of the template. */
  #parseBody(ends: readonly string[]): Body {
    const stream = this.#stream
    const body: Statement[] = []
    let output: (TemplateData | Expression)[] = []
    const flush = (): void => {
      const [first] = output
      if (first !== undefined)
        body.push(stream.node({ type: 'Output', position: first.position, nodes: output }))
      output = []
    }
    while (!stream.is('eof')) {
      if (stream.is('data')) {
        const { position, value } = stream.expect('data')
        output.push(stream.node({ type: 'TemplateData', position, data: value }))
      } else if (stream.skip('variable_begin')) {
        output.push(this.#parseTuple())
        stream.expect('variable_end')
      } else {
        stream.expect('block_begin')
        flush()
        if (stream.isName(...ends)) return body
        body.push(stream.nested(() => this.#parseStatement(ends)))
        stream.expect('block_end')
      }
    }
    flush()
    return body
  }

  /** From the end of a tag to the name of the tag that ends its body. */
  #parseBlock(tag: string, ...ends: readonly string[]): Body {
    const stream = this.#stream
    stream.skip(':')
    stream.expect('block_end')
    const body = this.#parseBody(ends)
    if (stream.is('eof')) stream.unexpected(`'{% ${ends.join(" %}' or '{% ")} %}' for '{% ${tag} %}'`)
    return body
  }

  /** As `#parseBlock`, and takes the name of the only tag that can end it. */
  #parseWholeBlock(tag: string): Body {
    const body = this.#parseBlock(tag, `end${tag}`)
    this.#stream.take()
    return body
  }

  #parseStatement(ends: readonly string[]): Statement {
    const stream = this.#stream
    const token = stream.current
    const { position } = token
    if (token.type !== 'name') return stream.unexpected('the name of a tag')
    stream.take()
    switch (token.value) {
      case 'for':
        return this.#parseFor(token.position)
      case 'if':
        return this.#parseIf(token.position)
      case 'set':
        return this.#parseSet(token.position)
      case 'macro':
        return this.#parseMacro(token.position)
      case 'call':
        return this.#parseCallBlock(token.position)
      case 'filter':
        return this.#parseFilterBlock(token.position)
      case 'with':
        return this.#parseWith(token.position)
      case 'print':
        return this.#parsePrint(token.position)
      case 'generation':
        return stream.node({ type: 'Generation', position, body: this.#parseWholeBlock('generation') })
      case 'break':
        return stream.node({ type: 'Break', position })
      case 'continue':
        return stream.node({ type: 'Continue', position })
      case 'extends':
      case 'include':
      case 'import':
      case 'from':
        return this.#parseLoad(token.value, token.position)
      case 'block':
      case 'autoescape':
        return stream.fail(
          `expected a tag for chat templates but found '${token.value}', which they cannot use`,
          token,
        )
      default:
        return stream.unexpected(
          ends.length === 0 ? 'the name of a tag' : `the name of a tag or '${ends.join("' or '")}'`,
          token,
        )
    }
  }

  #parseTuple(): Expression {
    return this.#expressions.parseTuple(() => this.#expressions.parseExpression())
  }

  #parseFor(position: For['position']): For {
    const stream = this.#stream
    const target = this.#parseTarget(false)
    stream.expectName('in')
    const iter = this.#expressions.parseTuple(() => this.#expressions.parseCondition())
    const test = stream.skipName('if') ? this.#expressions.parseExpression() : undefined
    const recursive = stream.skipName('recursive')
    const body = this.#parseBlock('for', 'endfor', 'else')
    const hasElse = stream.isName('else')
    stream.take()
    const otherwise = hasElse ? this.#parseWholeBlock('for') : []
    return stream.node({ type: 'For', position, target, iter, test, recursive, body, else: otherwise })
  }

  #parseIf(position: If['position']): If {
    const stream = this.#stream
    const parseTest = (): Expression => this.#expressions.parseTuple(() => this.#expressions.parseCondition())
    const parseBranch = (): Body => this.#parseBlock('if', 'elif', 'else', 'endif')
    const test = parseTest()
    const body = parseBranch()
    const elifs: Elif[] = []
    while (stream.isName('elif')) {
      const { position: place } = stream.take()
      const elifTest = parseTest()
      elifs.push(stream.node({ type: 'Elif', position: place, test: elifTest, body: parseBranch() }))
    }
    const hasElse = stream.isName('else')
    stream.take()
    const otherwise = hasElse ? this.#parseWholeBlock('if') : []
    return stream.node({ type: 'If', position, test, body, elifs, else: otherwise })
  }

  #parseSet(position: Assign['position']): Assign | AssignBlock {
    const stream = this.#stream
    const target = this.#parseTarget(true)
    if (stream.skip('=')) return stream.node({ type: 'Assign', position, target, value: this.#parseTuple() })
    const filters = this.#parseFilters()
    return stream.node({ type: 'AssignBlock', position, target, filters, body: this.#parseWholeBlock('set') })
  }

  #parseMacro(position: Macro['position']): Macro {
    const name = this.#parseName()
    const parameters = this.#parseParameters()
    return this.#stream.node({
      type: 'Macro',
      position,
      name,
      parameters,
      body: this.#parseWholeBlock('macro'),
    })
  }

  #parseCallBlock(position: CallBlock['position']): CallBlock {
    const stream = this.#stream
    const parameters = stream.is('(') ? this.#parseParameters() : []
    const place = stream.current
    const call = this.#expressions.parseExpression()
    if (call.type !== 'Call') return stream.fail('expected a call but found another expression', place)
    return stream.node({ type: 'CallBlock', position, parameters, call, body: this.#parseWholeBlock('call') })
  }

  #parseFilterBlock(position: FilterBlock['position']): FilterBlock {
    const filters = [this.#expressions.parseFilterCall(), ...this.#parseFilters()]
    return this.#stream.node({
      type: 'FilterBlock',
      position,
      filters,
      body: this.#parseWholeBlock('filter'),
    })
  }

  /** Filters, each with its `|` before it. */
  #parseFilters(): FilterCall[] {
    const filters: FilterCall[] = []
    while (this.#stream.skip('|')) filters.push(this.#expressions.parseFilterCall())
    return filters
  }

  #parseWith(position: With['position']): With {
    const stream = this.#stream
    const targets: Target[] = []
    const values: Expression[] = []
    while (!stream.is('block_end')) {
      if (targets.length > 0) stream.expect(',')
      targets.push(this.#parseTarget(false))
      stream.expect('=')
      values.push(this.#expressions.parseExpression())
    }
    return stream.node({ type: 'With', position, targets, values, body: this.#parseWholeBlock('with') })
  }

  #parsePrint(position: Output['position']): Output {
    const stream = this.#stream
    const nodes: Expression[] = []
    while (!stream.is('block_end')) {
      if (nodes.length > 0) stream.expect(',')
      nodes.push(this.#expressions.parseExpression())
    }
    return stream.node({ type: 'Output', position, nodes })
  }

  #parseLoad(tag: LoadTemplate['tag'], position: LoadTemplate['position']): LoadTemplate {
    const stream = this.#stream
    this.#expressions.parseExpression()
    if (tag === 'include') this.#skipWords(['ignore', 'missing'])
    if (tag === 'import') {
      stream.expectName('as')
      this.#parseName()
    }
    if (tag === 'from') this.#parseImportedNames()
    else if (tag !== 'extends') this.#skipContext()
    return stream.node({ type: 'LoadTemplate', position, tag })
  }

  #parseImportedNames(): void {
    const stream = this.#stream
    stream.expectName('import')
    for (let first = true; ; first = false) {
      if (!first) stream.expect(',')
      if (this.#skipContext()) return
      const token = stream.current
      if (this.#parseName().startsWith('_'))
        stream.fail("expected a name that does not begin with '_'", token)
      if (stream.skipName('as')) this.#parseName()
      if (this.#skipContext() || !stream.is(',')) return
    }
  }

  #skipContext(): boolean {
    return this.#skipWords(['with', 'context']) || this.#skipWords(['without', 'context'])
  }

  #skipWords([first, second]: readonly [string, string]): boolean {
    const stream = this.#stream
    if (!stream.isName(first)) return false
    const next = stream.look()
    if (next.type !== 'name' || next.value !== second) return false
    stream.take()
    stream.take()
    return true
  }

  #parseParameters(): Parameter[] {
    const stream = this.#stream
    const parameters: Parameter[] = []
    stream.expect('(')
    while (!stream.is(')')) {
      if (parameters.length > 0) stream.expect(',')
      const token = stream.current
      const name = this.#parseName()
      const standard = stream.skip('=') ? this.#expressions.parseExpression() : undefined
      if (standard === undefined && parameters.at(-1)?.default !== undefined) {
        stream.fail(`expected a default for the parameter '${name}', since the one before has one`, token)
      }
      parameters.push(stream.node({ type: 'Parameter', position: token.position, name, default: standard }))
    }
    stream.take()
    return parameters
  }

  #parseName(): string {
    const token = this.#stream.current
    const name = this.#stream.expect('name').value
    if (CONSTANTS.has(name)) this.#stream.fail(`expected a name but found the constant '${name}'`, token)
    return name
  }

  /** A name, names in a tuple, or where told a namespace attribute. */
  #parseTarget(withNamespace: boolean): Target {
    const token = this.#stream.current
    const { items, isTuple, position } = this.#expressions.parseTupleItems(() =>
      withNamespace ? this.#expressions.parsePrimaryOrNamespace() : this.#expressions.parsePrimary(),
    )
    const targets = items.map((item) => this.#asTarget(item, token))
    const [only] = targets
    if (!isTuple && only !== undefined) return only
    return this.#stream.node({ type: 'TargetTuple', position, items: targets })
  }

  #asTarget(node: Expression | NSRef, token: Token): Target {
    if (node.type === 'Name' || node.type === 'NSRef') return node
    if (node.type !== 'Tuple') {
      return this.#stream.fail('expected a name to assign to but found another expression', token)
    }
    const items = node.items.map((item) => this.#asTarget(item, token))
    return this.#stream.node({ type: 'TargetTuple', position: node.position, items })
  }
}
