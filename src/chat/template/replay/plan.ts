import type { Body, CallArguments, Expression, For, Node, NSRef, Template } from '../ast.js'
import { childrenOf, namesOf, targetsOf } from '../tree.js'
import { COMPARISONS, COUNTERS, type Term } from './prints.js'
import { type Names, regularNames } from './regular.js'
import { type Cell, cellOf, cellsSetIn, isClock, Volatile } from './volatile.js'

/** What is known of a loop before it runs. */
export interface LoopPlan {
  /** It walks its list from the end, so that a longer list begins with other items. */
  readonly backwards: boolean
  /** The attributes of namespaces that its turns set: all that one turn can hand to the next. */
  readonly cells: readonly {
    readonly namespace: string
    readonly attribute: string
    readonly isRead: boolean
  }[]
}

/**
 * How a template can be rendered again for a conversation that has grown, without running those turns of its loops again
 * that would do the same.
 *
 * A turn of a loop can look at its item; at constants; at what the turns before it left in namespaces; and at what is not
 * the same in every render. All expressions of the last kind are `sites`: their values are noted, and a turn does the
 * same again as long as they come to the same values.
 */
export interface ReplayPlan {
  readonly loops: ReadonlyMap<For, LoopPlan>
  readonly sites: ReadonlyMap<Node, PlannedSite>
}

/** An expression whose values are noted. */
export interface PlannedSite {
  /** Which of all of them it is. */
  readonly index: number
  /** What its value hangs on; nothing where that cannot be said. */
  readonly terms: readonly Term[]
}

/** What a frame knows of it. */
export interface ReplayFrame {
  readonly plan: ReplayPlan
  /** The sites that were compiled: in the end all must be. */
  readonly compiled: Set<Node>
  /** Those that the loop around sets. */
  readonly cells: LoopPlan['cells']
}

/** The bit of an attribute among those that the loop around sets; 0 for others. */
export function bitOf({ name, attr }: NSRef, frame: ReplayFrame | undefined): number {
  const index =
    frame?.cells.findIndex(({ namespace, attribute }) => namespace === name && attribute === attr) ?? -1
  return index < 0 ? 0 : 1 << index
}

/** The most attributes of namespaces that loops may set, a bit each. */
export const MOST_CELLS = 30

/** Undefined where nothing is gained, or it cannot be told what a turn looks at. */
export function replayPlan(template: Template): ReplayPlan | undefined {
  const names = regularNames(template)
  if (names === undefined) return undefined
  const volatile = new Volatile(template, names.namespaces)
  const spine = { loops: [] as For[], mentioned: new Set<string>(), given: new Set<string>() }
  walkSpine(template.body, spine)
  if (macrosOf(template).some((macro) => !isPure(macro, volatile, names))) return undefined
  const loops = new Map<For, LoopPlan>()
  const sites = new Map<Node, PlannedSite>()
  for (const loop of spine.loops) {
    const planner = new LoopPlanner(loop, volatile, names, spine)
    const plan = planner.plan()
    if (plan === undefined) continue
    loops.set(loop, plan)
    for (const [site, terms] of planner.sites) sites.set(site, { index: sites.size, terms })
  }
  return loops.size === 0 ? undefined : { loops, sites }
}

/** What runs once in a render: all outside of loops, macros and blocks. */
interface Spine {
  readonly loops: For[]
  /** Names that are mentioned there. */
  readonly mentioned: Set<string>
  /** Names that are given a value there. */
  readonly given: Set<string>
}

function walkSpine(body: Body, spine: Spine): void {
  for (const node of body) {
    switch (node.type) {
      case 'If':
        for (const { test, body: inside } of [node, ...node.elifs]) {
          mention(test, spine.mentioned)
          walkSpine(inside, spine)
        }
        walkSpine(node.else, spine)
        break
      case 'For':
        mention(node.iter, spine.mentioned)
        spine.loops.push(node)
        break
      case 'Assign':
        mention(node.value, spine.mentioned)
        for (const name of namesOf(node.target)) spine.given.add(name)
        break
      case 'AssignBlock':
        for (const name of namesOf(node.target)) spine.given.add(name)
        break
      case 'Output':
        mention(node, spine.mentioned)
    }
  }
}

function mention(node: Node, names: Set<string>): void {
  if (node.type === 'Name') names.add(node.name)
  for (const child of childrenOf(node)) mention(child, names)
}

function macrosOf(node: Node): readonly (Node & { type: 'Macro' })[] {
  return [...(node.type === 'Macro' ? [node] : []), ...childrenOf(node).flatMap(macrosOf)]
}

/** Whether what a macro does depends on nothing but its arguments, and changes nothing. */
function isPure(macro: Node, volatile: Volatile, names: Names): boolean {
  if (volatile.in(macro)) return false
  const own = namesGivenIn(macro)
  const isOwn = (node: Node): boolean => {
    if (node.type === 'Name' && names.namespaces.has(node.name) && !own.has(node.name)) return false
    return childrenOf(node).every(isOwn)
  }
  return isOwn(macro) && cellsSetIn(macro).every((cell) => own.has(namespaceOf(cell)))
}

function namespaceOf(cell: Cell): string {
  return cell.slice(0, cell.indexOf('.'))
}

/** All names that are given a value in a node. */
function namesGivenIn(node: Node): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (inside: Node): void => {
    for (const name of targetsOf(inside).flatMap(namesOf)) names.add(name)
    if (inside.type === 'Macro' || inside.type === 'Parameter') names.add(inside.name)
    childrenOf(inside).forEach(add)
  }
  add(node)
  return names
}

/** Attributes of `loop` that differ when the list has become longer at its end. */
const AHEAD = new Set(['last', 'length', 'revindex', 'revindex0', 'nextitem'])

class LoopPlanner {
  readonly sites: Map<Node, readonly Term[]> = new Map()
  readonly #loop: For
  readonly #volatile: Volatile
  readonly #names: Names
  readonly #spine: Spine
  readonly #backwards: boolean
  /** Names that a turn itself gives a value. */
  readonly #own: ReadonlySet<string>
  readonly #set: ReadonlySet<Cell>
  #fits = true

  constructor(loop: For, volatile: Volatile, names: Names, spine: Spine) {
    this.#loop = loop
    this.#volatile = volatile
    this.#names = names
    this.#spine = spine
    this.#backwards = isBackwards(loop.iter)
    this.#own = new Set([...namesOf(loop.target), ...loop.body.flatMap((node) => [...namesGivenIn(node)])])
    const cells = loop.body.flatMap(cellsSetIn)
    this.#set = new Set(cells.filter((cell) => !this.#own.has(namespaceOf(cell))))
  }

  plan(): LoopPlan | undefined {
    const { body, target, test } = this.#loop
    if (test !== undefined || body.some((node) => macrosOf(node).length > 0)) return undefined
    // What a turn gives a name to is its own: it must not be mixed up with a variable of the template that changes.
    const inBody = new Set(body.flatMap((node) => [...namesGivenIn(node)]))
    const targets = namesOf(target)
    if (
      [...this.#own].some(
        (name) => this.#volatile.names.has(name) && (inBody.has(name) || !targets.includes(name)),
      )
    )
      return undefined
    // One that is given a namespace in a turn must be no variable of the template.
    if ([...this.#own].some((name) => this.#names.namespaces.has(name) && this.#spine.given.has(name)))
      return undefined
    if ([...this.#set].some((cell) => !this.#spine.given.has(namespaceOf(cell)))) return undefined
    for (const node of body) this.#mark(node, false)
    if (!this.#fits || this.#set.size > MOST_CELLS) return undefined
    const read = new Set<Cell>()
    for (const node of body) this.#cellsRead(node, read)
    const cells = Array.from(this.#set, (cell) => {
      const namespace = namespaceOf(cell)
      return { namespace, attribute: cell.slice(namespace.length + 1), isRead: read.has(cell) }
    })
    return { backwards: this.#backwards, cells }
  }

  /** @param inside whether `loop` is that of a loop in this one */
  #mark(node: Node, inside: boolean): void {
    if (isExpression(node) && this.#isClosed(node, inside) && this.#isVolatile(node)) {
      const terms: Term[] = []
      this.#hangOn(node, terms)
      this.sites.set(node, terms)
      return
    }
    switch (node.type) {
      case 'Name':
        if (this.#isVolatile(node)) this.#fits = false
        return
      case 'For':
        if (node.test !== undefined && this.#isVolatile(node.test)) this.#fits = false
        this.#mark(node.iter, inside)
        for (const each of [...node.body, ...node.else]) this.#mark(each, true)
        return
      case 'Call':
        // A macro that is another at times, and a time in a form that the turn itself has made.
        if (node.node.type === 'Name' && this.#isVolatile(node.node)) this.#fits = false
        if (isClock(node)) this.#fits = false
        // A method or function is no value of its own.
        for (const child of childrenOf(node)) {
          if (child !== node.node) this.#mark(child, inside)
          else if (child.type === 'Getattr') this.#mark(child.node, inside)
        }
        return
      default:
        for (const child of childrenOf(node)) this.#mark(child, inside)
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

  #cellsRead(node: Node, read: Set<Cell>): void {
    if (node.type === 'Getattr' && node.node.type === 'Name') {
      const cell = cellOf(node.node.name, node.attr)
      if (this.#set.has(cell)) read.add(cell)
    }
    for (const child of childrenOf(node)) this.#cellsRead(child, read)
  }
}

/** `list[::-1]` and `list | reverse | list`. */
function isBackwards(node: Expression): boolean {
  if (node.type === 'Getitem' && node.argument.type === 'Slice') {
    const { step } = node.argument
    return step?.type === 'Neg' || (step?.type === 'Const' && Number(step.value) < 0)
  }
  return (
    node.type === 'Filter' &&
    node.name === 'list' &&
    node.node.type === 'Filter' &&
    node.node.name === 'reverse'
  )
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
