import type { Assign, AssignBlock, Body, If, Node, Template } from '../ast.js'
import { childrenOf, namesOf, targetsOf } from '../tree.js'
import { isNamespaceCall } from './regular.js'

/** An attribute of a namespace, as `ns.attr`. */
export type Cell = string

export function cellOf(namespace: string, attribute: string): Cell {
  return `${namespace}.${attribute}`
}

/**
 * What can be another value in the next turn of a conversation: whatever was made of the list of messages, or of the time.
 * Told by names, whatever frame they are in: too much rather than too little.
 */
export class Volatile {
  /** Variables of the template itself. */
  readonly names: Set<string> = new Set(['messages'])
  readonly cells: Set<Cell> = new Set()
  readonly #namespaces: ReadonlySet<string>

  constructor({ body }: Template, namespaces: ReadonlySet<string>) {
    this.#namespaces = namespaces
    let size = -1
    while (size !== this.names.size + this.cells.size) {
      size = this.names.size + this.cells.size
      this.#spread(body, false)
    }
  }

  /** Whether a node mentions something volatile, anywhere in it. */
  in(node: Node): boolean {
    switch (node.type) {
      case 'Name':
        return this.names.has(node.name)
      case 'Getattr':
        if (node.node.type === 'Name' && this.#namespaces.has(node.node.name)) {
          return this.names.has(node.node.name) || this.cells.has(cellOf(node.node.name, node.attr))
        }
        break
      case 'Call':
        if (isClock(node)) return true
    }
    return childrenOf(node).some((child) => this.in(child))
  }

  /** @param decided whether something volatile decided that these statements run */
  #spread(body: Body, decided: boolean): void {
    for (const node of body) {
      switch (node.type) {
        case 'Assign':
          this.#spreadAssign(node, decided)
          break
        case 'AssignBlock':
          if (decided || this.in(node)) this.#add(node)
          this.#spreadInside(node, decided)
          break
        case 'If':
          this.#spreadIf(node, decided)
          break
        case 'Macro':
          if (decided) this.names.add(node.name)
          break
        default:
          this.#spreadInside(node, decided)
      }
    }
  }

  #spreadIf(node: If, decided: boolean): void {
    const inside = decided || [node, ...node.elifs].some(({ test }) => this.in(test))
    for (const { body } of [node, ...node.elifs]) this.#spread(body, inside)
    this.#spread(node.else, inside)
  }

  #spreadAssign(node: Assign, decided: boolean): void {
    const { target, value } = node
    if (target.type === 'Name' && isNamespaceCall(value)) {
      if (decided) this.names.add(target.name)
      for (const { key, value: given } of value.kwargs) {
        if (decided || this.in(given)) this.cells.add(cellOf(target.name, key))
      }
    } else if (decided || this.in(value)) this.#add(node)
  }

  #add({ target }: Assign | AssignBlock): void {
    if (target.type === 'NSRef') this.cells.add(cellOf(target.name, target.attr))
    for (const name of namesOf(target)) this.names.add(name)
  }

  /** What a loop or block sets stays in it, but for the attributes of namespaces. */
  #spreadInside(node: Node, decided: boolean): void {
    if (!decided && !this.in(node)) return
    for (const cell of cellsSetIn(node)) this.cells.add(cell)
  }
}

/** The time, which is another at each call. */
export function isClock(node: Node): boolean {
  return node.type === 'Call' && node.node.type === 'Name' && node.node.name === 'strftime_now'
}

/** The attributes of namespaces that are set somewhere in a node. */
export function cellsSetIn(node: Node): readonly Cell[] {
  const own = targetsOf(node).flatMap((target) =>
    target.type === 'NSRef' ? [cellOf(target.name, target.attr)] : [],
  )
  return [...own, ...childrenOf(node).flatMap(cellsSetIn)]
}
