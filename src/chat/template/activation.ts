import { type OriginText, TextBuilder } from './origin-text.js'
import { typeError } from './python-error.js'
import type { Rendering } from './rendering.js'
import type { Symbols } from './symbols.js'
import type { Value } from './value.js'

/** What statements write. */
export class Output extends TextBuilder {
  #foreign: string | undefined

  /** What is no text may be written, but then the pieces cannot be joined. */
  appendForeign(typeName: string): void {
    this.#foreign ??= typeName
  }

  /** @throws PythonError where something was written that is no text */
  join(): OriginText {
    if (this.#foreign !== undefined) {
      throw typeError(`sequence item 0: expected str instance, ${this.#foreign} found`)
    }
    return this.build()
  }
}

/** The variables of one run of the template, of a macro, or of another part that is a function in Python. */
export class Activation {
  /** By slot; undefined where a variable has no value yet. */
  readonly slots: (Value | undefined)[]
  readonly parent: Activation | undefined
  readonly rendering: Rendering
  /** Where output goes. */
  output: Output

  constructor(size: number, parent: Activation | undefined, rendering: Rendering, output: Output) {
    this.slots = new Array(size)
    this.parent = parent
    this.rendering = rendering
    this.output = output
  }
}

/** Where a variable is: how many functions out, and which slot there. */
export interface Place {
  readonly depth: number
  readonly slot: number
}

/** The variables of a function, known before it runs. They are bound late, as Python's closures are. */
export class FunctionScope {
  readonly #slots = new Map<string, number>()
  readonly #parent: FunctionScope | undefined

  constructor(parent?: FunctionScope) {
    this.#parent = parent
  }

  /** Ask when all is compiled. */
  get size(): number {
    return this.#slots.size
  }

  declare(ident: string): number {
    const known = this.#slots.get(ident)
    if (known !== undefined) return known
    this.#slots.set(ident, this.#slots.size)
    return this.#slots.size - 1
  }

  find(ident: string): Place {
    let depth = 0
    for (let scope: FunctionScope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const slot = scope.#slots.get(ident)
      if (slot !== undefined) return { depth, slot }
      depth++
    }
    throw new TypeError(`a variable without a frame: ${ident}`)
  }
}

export type Evaluate = (activation: Activation) => Value

/** Reads a variable; undefined where it has no value. */
export function reader({ depth, slot }: Place): (activation: Activation) => Value | undefined {
  if (depth === 0) return ({ slots }) => slots[slot]
  if (depth === 1) return ({ parent }) => parent?.slots[slot]
  return (activation) => {
    let outer: Activation | undefined = activation
    for (let i = 0; i < depth; i++) outer = outer?.parent
    return outer?.slots[slot]
  }
}

/**
 * What happens when a frame is entered: variables that it takes from the context or from outer frames get their
 * values, its own lose theirs.
 */
export function frameEntry(frame: Symbols, scope: FunctionScope): (activation: Activation) => void {
  const steps: ((activation: Activation) => void)[] = []
  for (const load of frame.loads) {
    const slot = scope.declare(load.ident)
    if (load.action === 'resolve') {
      const { name } = load
      steps.push(({ slots, rendering }) => {
        slots[slot] = rendering.context.get(name)
      })
    } else if (load.action === 'alias') {
      const read = reader(scope.find(load.from))
      steps.push((activation) => {
        activation.slots[slot] = read(activation)
      })
    } else if (load.action === 'undefined') {
      steps.push(({ slots }) => {
        slots[slot] = undefined
      })
    }
  }
  return (activation) => {
    for (const step of steps) step(activation)
  }
}

/** What happens when a frame is left: all its variables lose their values. */
export function frameExit(frame: Symbols, scope: FunctionScope): (activation: Activation) => void {
  const slots = Array.from(frame.loads, ({ ident }) => scope.declare(ident))
  return (activation) => {
    for (const slot of slots) activation.slots[slot] = undefined
  }
}
