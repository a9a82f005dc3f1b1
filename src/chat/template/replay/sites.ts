import type { CallArguments, Expression, Node } from '../ast.js'
import { childrenOf } from '../tree.js'
import { COMPARISONS, COUNTERS, type Term } from './prints.js'
import type { Names } from './regular.js'
import { type Cell, cellOf, isClock, type Volatile } from './volatile.js'

/** What runs once in a render: all outside of loops, macros and blocks. */
export interface Spine {
  /** Names that are mentioned there. */
  readonly mentioned: ReadonlySet<string>
  /** Names that are given a value there. */
  readonly given: ReadonlySet<string>
}

/** Attributes of `loop` that differ when the list has become longer at its end. */
const AHEAD = new Set(['last', 'length', 'revindex', 'revindex0', 'nextitem'])

/** What is looked at for sites. */
export interface Stretch {
  /** It is a loop over a reversed list. */
  readonly backwards: boolean
  /** Names that it gives a value itself. */
  readonly own: ReadonlySet<string>
  /** Attributes of namespaces that it sets. */
  readonly set: ReadonlySet<Cell>
}

/** Finds the largest expressions that hold something volatile and nothing of a stretch's own. */
export class SiteFinder {
  readonly sites: Map<Node, readonly Term[]> = new Map()
  /** Whether all that is volatile is part of a site. */
  fits = true
  readonly #volatile: Volatile
  readonly #names: Names
  readonly #spine: Spine
  readonly #backwards: boolean
  readonly #own: ReadonlySet<string>
  readonly #set: ReadonlySet<Cell>

  constructor({ backwards, own, set }: Stretch, volatile: Volatile, names: Names, spine: Spine) {
    this.#volatile = volatile
    this.#names = names
    this.#spine = spine
    this.#backwards = backwards
    this.#own = own
    this.#set = set
  }

  /** @param inside whether `loop` is that of a loop in this one */
  mark(node: Node, inside: boolean): void {
    if (isExpression(node) && this.#isClosed(node, inside) && this.#isVolatile(node)) {
      const terms: Term[] = []
      this.#hangOn(node, terms)
      this.sites.set(node, terms)
      return
    }
    switch (node.type) {
      case 'Name':
        if (this.#isVolatile(node)) this.fits = false
        return
      case 'For':
        if (node.test !== undefined && this.#isVolatile(node.test)) this.fits = false
        this.mark(node.iter, inside)
        for (const each of [...node.body, ...node.else]) this.mark(each, true)
        return
      case 'Call':
        // A macro that is another at times, and a time in a form that the turn itself has made.
        if (node.node.type === 'Name' && this.#isVolatile(node.node)) this.fits = false
        if (isClock(node)) this.fits = false
        // A method or function is no value of its own.
        for (const child of childrenOf(node)) {
          if (child !== node.node) this.mark(child, inside)
          else if (child.type === 'Getattr') this.mark(child.node, inside)
        }
        return
      default:
        for (const child of childrenOf(node)) this.mark(child, inside)
    }
  }

  /** Whether an expression depends on nothing that the turn itself or those before it have made. */
  #isClosed(node: Node, inside: boolean): boolean {
    // What the template itself does not mention outside, frames inside look up for themselves.
    if (node.type === 'Name') return !this.#own.has(node.name) && this.#isOfSpine(node.name)
    if (node.type === 'Getattr' && node.node.type === 'Name') {
      const { name } = node.node
      if (name === 'loop') return !inside
      if (this.#names.namespaces.has(name))
        return !this.#own.has(name) && !this.#set.has(cellOf(name, node.attr))
    }
    if (node.type === 'Call') {
      const { node: callee } = node
      const isMethod = callee.type === 'Getattr'
      if (!isMethod && !isClock(node)) return false
      const base = isMethod ? [callee.node] : []
      return [...base, ...childrenOf(node).filter((child) => child !== callee)].every((child) =>
        this.#isClosed(child, inside),
      )
    }
    return childrenOf(node).every((child) => this.#isClosed(child, inside))
  }

  #isVolatile(node: Node): boolean {
    if (node.type === 'Getattr' && node.node.type === 'Name') {
      const { name } = node.node
      if (name === 'loop') return this.#backwards || AHEAD.has(node.attr)
      if (this.#names.namespaces.has(name)) {
        return !this.#own.has(name) && this.#volatile.in(node) && !this.#set.has(cellOf(name, node.attr))
      }
    }
    if (node.type === 'Name') return this.#volatile.names.has(node.name) && !this.#own.has(node.name)
    return isClock(node) || childrenOf(node).some((child) => this.#isVolatile(child))
  }

  /** Adds what the value of a node hangs on, beside what is the same in every render. */
  #hangOn(node: Node, terms: Term[]): void {
    if (!this.#isVolatile(node)) return
    if (isExpression(node) && this.#isNumber(node)) {
      terms.push({ kind: 'number', node })
      return
    }
    switch (node.type) {
      case 'Compare': {
        const [operand] = node.operands
        const { expression: left } = node
        if (operand === undefined || node.operands.length > 1 || !(operand.operator in COMPARISONS)) break
        const { operator, expression: right } = operand
        if (!this.#isNumber(left) || !this.#isNumber(right)) break
        terms.push({ kind: 'compare', operator, left, right })
        return
      }
      case 'Getattr':
        if (node.node.type !== 'Name') break
        if (node.node.name !== 'loop') {
          if (this.#isVariable(node)) terms.push({ kind: 'value', node })
          else this.#hangOn(node.node, terms)
        } else if (node.attr === 'first' || node.attr === 'last') terms.push({ kind: node.attr })
        else if (node.attr === 'nextitem') terms.push({ kind: 'neighbour', distance: 1 })
        else if (node.attr === 'previtem') terms.push({ kind: 'neighbour', distance: -1 })
        return // `depth` is always the same
      case 'Getitem': {
        const { node: list, argument: index } = node
        if (index.type === 'Slice' || !this.#isVariable(list) || !this.#isNumber(index)) break
        terms.push({ kind: 'item', list, index })
        return
      }
      case 'Name':
        terms.push({ kind: 'value', node })
        return
      case 'Call':
        if (node.node.type === 'Getattr') this.#hangOn(node.node.node, terms)
        else terms.push({ kind: 'value', node }) // the time
        for (const child of childrenOf(node)) if (child !== node.node) this.#hangOn(child, terms)
        return
    }
    for (const child of childrenOf(node)) this.#hangOn(child, terms)
  }

  /** Whether a node may be a whole number that is made of counters and variables. */
  #isNumber(node: Expression): boolean {
    switch (node.type) {
      case 'Const':
        return typeof node.value === 'bigint' && Number.isSafeInteger(Number(node.value))
      case 'BinExpr':
        return (
          'operator' in node &&
          '+-'.includes(node.operator) &&
          this.#isNumber(node.left) &&
          this.#isNumber(node.right)
        )
      case 'Getattr':
        if (node.node.type === 'Name' && node.node.name === 'loop') return node.attr in COUNTERS
        return this.#isVariable(node)
      case 'Filter':
        return (
          ['length', 'count'].includes(node.name) && argumentsOf(node) === 0 && this.#isVariable(node.node)
        )
      default:
        return this.#isVariable(node)
    }
  }

  /** A variable, or an attribute of a namespace, that the loop does not set. The node it stands in is closed. */
  #isVariable(node: Expression): boolean {
    if (node.type === 'Name') return true
    return node.type === 'Getattr' && node.node.type === 'Name' && this.#names.namespaces.has(node.node.name)
  }

  #isOfSpine(name: string): boolean {
    return this.#spine.mentioned.has(name) || this.#spine.given.has(name)
  }
}

function argumentsOf({ args, kwargs, dynArgs, dynKwargs }: CallArguments): number {
  return args.length + kwargs.length + (dynArgs ? 1 : 0) + (dynKwargs ? 1 : 0)
}

const NO_EXPRESSIONS = new Set(
  (
    'Template Output TemplateData For If Elif Assign AssignBlock Parameter Macro CallBlock FilterBlock With Generation ' +
    'Break Continue LoadTemplate NSRef TargetTuple Pair Operand Slice Keyword FilterCall'
  ).split(' '),
)

function isExpression(node: Node): node is Expression {
  return !NO_EXPRESSIONS.has(node.type)
}
