import type { Body, Expression, For, Node, NSRef, Template } from '../ast.js'
import { childrenOf, namesOf, targetsOf } from '../tree.js'
import type { Term } from './prints.js'
import { type Names, regularNames } from './regular.js'
import { SiteFinder, type Spine } from './sites.js'
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
  readonly blocks: ReadonlyMap<Node, PlannedBlock>
}

/** A statement outside of loops that does the same again as long as what it hangs on is the same. */
export interface PlannedBlock {
  readonly terms: readonly Term[]
  /** Variables that it gives a value. */
  readonly names: readonly string[]
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
  if (loops.size === 0) return undefined
  return { loops, sites, blocks: planBlocks(template, volatile, names, spine) }
}

/**
 * Statements in front of the first loop over messages: what they wrote stays where it is as long as they write the same. The
 * definitions of tools stand there.
 */
function planBlocks(
  template: Template,
  volatile: Volatile,
  names: Names,
  spine: Spine,
): ReadonlyMap<Node, PlannedBlock> {
  const blocks = new Map<Node, PlannedBlock>()
  for (const node of template.body) {
    if (hasVolatileLoop(node, volatile)) break
    const block = planBlock(node, volatile, names, spine)
    if (block !== undefined) blocks.set(node, block)
  }
  return blocks
}

function hasVolatileLoop(node: Node, volatile: Volatile): boolean {
  if (node.type === 'For' && volatile.in(node.iter)) return true
  return childrenOf(node).some((child) => hasVolatileLoop(child, volatile))
}

function planBlock(node: Node, volatile: Volatile, names: Names, spine: Spine): PlannedBlock | undefined {
  if (node.type !== 'If' && node.type !== 'For') return undefined
  // Namespaces are made anew in each render, and macros know the variables of theirs.
  if (cellsSetIn(node).length > 0 || hasClock(node) || macrosOf(node).length > 0) return undefined
  const given = namesGivenIn(node)
  for (const name of given) if (names.namespaces.has(name) || volatile.names.has(name)) return undefined
  const finder = new SiteFinder({ backwards: false, own: given, set: new Set() }, volatile, names, spine)
  finder.mark(node, true)
  if (!finder.fits) return undefined
  const terms = new Map<string, Term>()
  for (const term of [...finder.sites.values()].flat()) terms.set(spelled(term), term)
  // The list of messages is another in each render.
  const isOfAll = (term: Term): boolean =>
    (term.kind === 'value' || term.kind === 'number') &&
    term.node.type === 'Name' &&
    term.node.name === 'messages'
  return [...terms.values()].some(isOfAll) ? undefined : { terms: [...terms.values()], names: [...given] }
}

function hasClock(node: Node): boolean {
  return isClock(node) || childrenOf(node).some(hasClock)
}

/** The same for terms that say the same. */
function spelled(term: Term): string {
  return JSON.stringify(term, (key, value: unknown) => {
    if (key === 'position') return undefined
    return typeof value === 'bigint' ? `${value}n` : value
  })
}

interface WalkedSpine {
  readonly loops: For[]
  readonly mentioned: Set<string>
  readonly given: Set<string>
}

function walkSpine(body: Body, spine: WalkedSpine): void {
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

class LoopPlanner {
  readonly sites: ReadonlyMap<Node, readonly Term[]>
  readonly #loop: For
  readonly #volatile: Volatile
  readonly #names: Names
  readonly #spine: Spine
  readonly #backwards: boolean
  readonly #finder: SiteFinder
  /** Names that a turn itself gives a value. */
  readonly #own: ReadonlySet<string>
  readonly #set: ReadonlySet<Cell>

  constructor(loop: For, volatile: Volatile, names: Names, spine: Spine) {
    this.#loop = loop
    this.#volatile = volatile
    this.#names = names
    this.#spine = spine
    this.#backwards = isBackwards(loop.iter)
    this.#own = new Set([...namesOf(loop.target), ...loop.body.flatMap((node) => [...namesGivenIn(node)])])
    const cells = loop.body.flatMap(cellsSetIn)
    this.#set = new Set(cells.filter((cell) => !this.#own.has(namespaceOf(cell))))
    const stretch = { backwards: this.#backwards, own: this.#own, set: this.#set }
    this.#finder = new SiteFinder(stretch, volatile, names, spine)
    this.sites = this.#finder.sites
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
    for (const node of body) this.#finder.mark(node, false)
    if (!this.#finder.fits || this.#set.size > MOST_CELLS) return undefined
    const read = new Set<Cell>()
    for (const node of body) this.#cellsRead(node, read)
    const cells = Array.from(this.#set, (cell) => {
      const namespace = namespaceOf(cell)
      return { namespace, attribute: cell.slice(namespace.length + 1), isRead: read.has(cell) }
    })
    return { backwards: this.#backwards, cells }
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
