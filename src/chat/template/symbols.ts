import type { Body, If, Node, NSRef, Target } from './ast.js'
import { childrenOf, namesOf, targetsOf } from './tree.js'

/**
 * How a variable of a frame starts when the frame is entered: as the context has the name, as another variable has
 * its value then, without a value, or by what the frame itself is given.
 */
export type Load =
  | { readonly action: 'resolve'; readonly ident: string; readonly name: string }
  | { readonly action: 'alias'; readonly ident: string; readonly from: string }
  | { readonly action: 'undefined'; readonly ident: string }
  | { readonly action: 'parameter'; readonly ident: string }

/**
 * The names of one frame, or of one branch of an `if` in it while the frame is analyzed. A port of the rules of
 * `jinja2.idtracking` 3.1.6, which decides before anything runs to which frame a name belongs.
 */
export class Symbols {
  readonly level: number
  readonly parent: Symbols | undefined
  /** What a branch adds to. */
  readonly #base: Symbols | undefined
  /** Names that the frames around this one were asked for; they are analyzed already. */
  readonly #outer: Map<string, string | undefined>
  /** By name. */
  #loads = new Map<string, Load>()
  /** Names that were first mentioned by giving them a value. */
  readonly #unresolved: string[] = []

  constructor(parent?: Symbols, base?: Symbols) {
    this.parent = parent
    this.#base = base
    this.#outer = base === undefined ? new Map() : base.#outer
    this.level = base?.level ?? (parent === undefined ? 0 : parent.level + 1)
  }

  get loads(): IterableIterator<Load> {
    return this.#loads.values()
  }

  /** The variable that a name means in this frame; undefined where no analyzed frame mentions it. */
  ref(name: string): string | undefined {
    return this.#own(name)?.ident ?? this.#outerRef(name)
  }

  load(name: string): void {
    if (this.ref(name) === undefined) this.#define(name, 'resolve')
  }

  store(name: string): void {
    if (this.#own(name) !== undefined) return
    this.#define(name, 'undefined')
    this.#unresolved.push(name)
  }

  declareParameter(name: string): void {
    this.#loads.set(name, { action: 'parameter', ident: this.#ident(name) })
  }

  /**
   * Runs the analysis of each branch as if the others were not there, then joins what they mention. A name that
   * got a value in one of them alone must have what it has outside in the others.
   */
  branches(...analyses: readonly ((branch: Symbols) => void)[]): void {
    const branches = analyses.map((analyze) => {
      const branch = new Symbols(this.parent, this)
      analyze(branch)
      return branch
    })
    for (const branch of branches) {
      for (const name of branch.#unresolved) branch.#define(name, 'resolve')
      this.#add(branch)
    }
  }

  /** Moves the fewer names to the more, so that branches inside branches cost no more than they have names. */
  #add(branch: Symbols): void {
    const [fewer, more] =
      branch.#loads.size < this.#loads.size ? [branch.#loads, this.#loads] : [this.#loads, branch.#loads]
    for (const [name, load] of fewer) more.set(name, load)
    this.#loads = more
  }

  /** Lists a name of this frame: an alias where an outer frame has it, else as told. */
  #define(name: string, otherwise: 'resolve' | 'undefined'): void {
    const ident = this.#ident(name)
    const from = this.#outerRef(name)
    if (from !== undefined) this.#loads.set(name, { action: 'alias', ident, from })
    else if (otherwise === 'resolve') this.#loads.set(name, { action: 'resolve', ident, name })
    else this.#loads.set(name, { action: 'undefined', ident })
  }

  #outerRef(name: string): string | undefined {
    if (this.#outer.has(name)) return this.#outer.get(name)
    let ident: string | undefined
    for (let frame = this.parent; frame !== undefined && ident === undefined; frame = frame.parent) {
      ident = frame.#own(name)?.ident
    }
    this.#outer.set(name, ident)
    return ident
  }

  #own(name: string): Load | undefined {
    for (let symbols: Symbols | undefined = this; symbols !== undefined; symbols = symbols.#base) {
      const load = symbols.#loads.get(name)
      if (load !== undefined) return load
    }
    return undefined
  }

  #ident(name: string): string {
    return `l_${this.level}_${name}`
  }
}

/** Notes the names that nodes mention in their own frame. Frames inside count only by what they evaluate outside. */
export function mention(symbols: Symbols, nodes: readonly Node[]): void {
  for (const node of nodes) mentionOne(symbols, node)
}

function mentionOne(symbols: Symbols, node: Node): void {
  switch (node.type) {
    case 'Name':
      symbols.load(node.name)
      return
    case 'If':
      mentionIf(symbols, node, node.elifs, node.else)
      return
    case 'Macro':
      symbols.store(node.name)
      return
    case 'For':
      mentionOne(symbols, node.iter)
      return
    case 'CallBlock':
      mentionOne(symbols, node.call)
      return
    case 'FilterBlock':
      mention(symbols, node.filters)
      return
    case 'With':
      mention(symbols, node.values)
      return
    case 'Generation':
      return
    case 'AssignBlock':
      mentionTarget(symbols, node.target)
      return
    default:
      mention(symbols, childrenOf(node))
      for (const target of targetsOf(node)) mentionTarget(symbols, target)
  }
}

function mentionIf(
  symbols: Symbols,
  { test, body }: Pick<If, 'test' | 'body'>,
  elifs: If['elifs'],
  otherwise: Body,
): void {
  mentionOne(symbols, test)
  symbols.branches(
    (branch) => mention(branch, body),
    (branch) => {
      for (const elif of elifs) mentionIf(branch, elif, [], [])
    },
    (branch) => mention(branch, otherwise),
  )
}

function mentionTarget(symbols: Symbols, target: Target | NSRef): void {
  if (target.type === 'Name') symbols.store(target.name)
  else if (target.type === 'NSRef') symbols.load(target.name)
  else for (const item of target.items) mentionTarget(symbols, item)
}

type First = 'use' | 'gift' | undefined

/**
 * Whether nodes use a name before anything in them is given that name. A port of `find_undeclared` of
 * `jinja2.compiler`: it reads straight on, without regard to frames.
 */
export class NameUses {
  /** By name, what comes first in a node; so that each node is read once. */
  readonly #known = new Map<string, Map<Node, First>>()

  has(nodes: readonly Node[], name: string): boolean {
    const known = this.#known.get(name) ?? new Map<Node, First>()
    this.#known.set(name, known)
    return firstOf(nodes, name, known) === 'use'
  }
}

function firstOf(nodes: readonly Node[], name: string, known: Map<Node, First>): First {
  for (const node of nodes) {
    const first = firstIn(node, name, known)
    if (first !== undefined) return first
  }
  return undefined
}

function firstIn(node: Node, name: string, known: Map<Node, First>): First {
  if (node.type === 'Name') return node.name === name ? 'use' : undefined
  if (node.type === 'Parameter') return node.name === name ? 'gift' : undefined
  if (known.has(node)) return known.get(node)
  const given = targetsOf(node).some((target) => namesOf(target).includes(name))
  const first = given ? 'gift' : firstOf(childrenOf(node), name, known)
  known.set(node, first)
  return first
}
