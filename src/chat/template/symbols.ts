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
  readonly #loads = new Map<string, Load>()
  readonly #stores = new Set<string>()
  readonly #outer: Map<string, string | null>

  constructor(parent?: Symbols, base?: Symbols) {
    this.parent = parent
    this.#base = base
    this.#outer = base === undefined ? new Map() : base.#outer
    this.level = base?.level ?? (parent === undefined ? 0 : parent.level + 1)
  }

  /** In the order in which the names were met. */
  get loads(): IterableIterator<Load> {
    return this.#loads.values()
  }

  /** The variable that a name means in this frame; undefined where no analyzed frame mentions it. */
  ref(name: string): string | undefined {
    return this.#own(name)?.ident ?? this.#outerRef(name)
  }

  /** Frames around this one are analyzed already, so that what they say does not change. */
  #outerRef(name: string): string | undefined {
    let ident = this.#outer.get(name)
    if (ident === undefined && this.parent !== undefined) {
      ident = this.parent.ref(name) ?? null
      this.#outer.set(name, ident)
    }
    return ident ?? undefined
  }

  load(name: string): void {
    if (this.ref(name) === undefined) this.#define(name, 'resolve')
  }

  store(name: string): void {
    this.#stores.add(name)
    if (this.#own(name) === undefined) this.#define(name, 'undefined')
  }

  declareParameter(name: string): void {
    this.#stores.add(name)
    this.#loads.set(name, { action: 'parameter', ident: this.#ident(name) })
  }

  /** Runs the analysis of each branch as if the others were not there, then joins what they mention. */
  branches(...analyses: readonly ((branch: Symbols) => void)[]): void {
    const branches = analyses.map((analyze) => {
      const branch = new Symbols(this.parent, this)
      analyze(branch)
      return branch
    })
    const stored = branches.flatMap((branch) => [...branch.#stores].filter((name) => !this.#stored(name)))
    for (const branch of branches) {
      for (const [name, load] of branch.#loads) this.#loads.set(name, load)
      for (const name of branch.#stores) this.#stores.add(name)
    }
    for (const name of stored) this.#define(name, 'resolve')
  }

  /** Lists a name of this frame: an alias where an outer frame has it, else as told. */
  #define(name: string, otherwise: 'resolve' | 'undefined'): void {
    const ident = this.#ident(name)
    const from = this.#outerRef(name)
    if (from !== undefined) this.#loads.set(name, { action: 'alias', ident, from })
    else if (otherwise === 'resolve') this.#loads.set(name, { action: 'resolve', ident, name })
    else this.#loads.set(name, { action: 'undefined', ident })
  }

  #own(name: string): Load | undefined {
    return this.#loads.get(name) ?? (this.#base === undefined ? undefined : this.#base.#own(name))
  }

  #stored(name: string): boolean {
    if (this.#stores.has(name)) return true
    return this.#base === undefined ? false : this.#base.#stored(name)
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

/**
 * Whether nodes use a name before anything in them is given that name. A port of `find_undeclared` of
 * `jinja2.compiler`: it reads straight on, without regard to frames. What a node says of a name is remembered.
 */
export class NameUses {
  readonly #first = new Map<string, WeakMap<Node, 'use' | 'gift' | 'neither'>>()

  has(nodes: readonly Node[], name: string): boolean {
    return this.#firstOf(nodes, name) === 'use'
  }

  #firstOf(nodes: readonly Node[], name: string): 'use' | 'gift' | 'neither' {
    for (const node of nodes) {
      const first = this.#firstIn(node, name)
      if (first !== 'neither') return first
    }
    return 'neither'
  }

  #firstIn(node: Node, name: string): 'use' | 'gift' | 'neither' {
    if (node.type === 'Name') return node.name === name ? 'use' : 'neither'
    if (node.type === 'Parameter') return node.name === name ? 'gift' : 'neither'
    let known = this.#first.get(name)
    if (known === undefined) this.#first.set(name, (known = new WeakMap()))
    let first = known.get(node)
    if (first === undefined) {
      const given = targetsOf(node).some((target) => namesOf(target).includes(name))
      first = given ? 'gift' : this.#firstOf(childrenOf(node), name)
      known.set(node, first)
    }
    return first
  }
}
