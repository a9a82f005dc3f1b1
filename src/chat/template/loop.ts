import { type Dependence, ofContent, union } from './dependence.js'
import type { Next } from './iteration.js'
import { equals } from './operators.js'
import { typeError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { bool, Callable, type CallFunction, Instance, int, Tuple, Undefined, type Value } from './value.js'

/** The `loop` of a loop. Its counters are the template's own, hence trusted. @see Jinja2 3.1.6 `runtime.py` */
export class Loop extends Instance {
  readonly className = 'jinja2.runtime.LoopContext'
  #next: Next
  #length: number | undefined
  readonly #depth: number
  readonly #recurse: CallFunction | undefined
  #index0 = -1
  #before: Value | undefined
  #current: Value | undefined
  /** The item after the current one, where somebody looked ahead; `null` where there is none. */
  #after: Value | null | undefined
  #changed: Tuple | undefined

  /**
   * @param length of the sequence, where it has one
   * @param depth of a recursive loop, from 0
   * @param recurse what calling the loop does, for a recursive one
   */
  constructor(next: Next, length: number | undefined, depth: number, recurse: CallFunction | undefined) {
    super()
    this.#next = next
    this.#length = length
    this.#depth = depth
    this.#recurse = recurse
  }

  /** The next item, undefined at the end. */
  advance(): Value | undefined {
    const item = this.#after === undefined ? this.#next() : (this.#after ?? undefined)
    this.#after = this.#after === null ? null : undefined
    if (item === undefined) return undefined
    this.#index0++
    this.#before = this.#current
    this.#current = item
    return item
  }

  /** Goes to an item of a list, as if all before it had been walked. */
  goTo(items: readonly Value[], index: number): void {
    this.#length = items.length
    this.#index0 = index
    this.#before = items[index - 1]
    this.#current = items[index]
    this.#after = items[index + 1] ?? null
  }

  override get repr(): string {
    return `<LoopContext ${this.#index0 + 1}/${this.length}>`
  }

  override get length(): number {
    if (this.#length === undefined) {
      const rest: Value[] = []
      for (let item = this.#next(); item !== undefined; item = this.#next()) rest.push(item)
      const ahead = this.#after === undefined || this.#after === null ? 0 : 1
      this.#length = rest.length + this.#index0 + 1 + ahead
      let index = 0
      this.#next = () => rest[index++]
    }
    return this.#length
  }

  override get call(): CallFunction {
    return (
      this.#recurse ??
      (() => {
        throw typeError("The loop must have the 'recursive' marker to be called recursively.")
      })
    )
  }

  attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return int(this.#index0 + 1)
      case 'index0':
        return int(this.#index0)
      case 'revindex':
        return int(this.length - this.#index0)
      case 'revindex0':
        return int(this.length - this.#index0 - 1)
      case 'first':
        return bool(this.#index0 === 0)
      case 'last':
        return bool(this.#peek() === undefined)
      case 'length':
        return int(this.length)
      case 'depth':
        return int(this.#depth + 1)
      case 'depth0':
        return int(this.#depth)
      case 'previtem':
        return this.#before ?? new Undefined(() => 'there is no previous item')
      case 'nextitem':
        return this.#peek() ?? new Undefined(() => 'there is no next item')
      case 'cycle':
        return new Callable('method', '<bound method LoopContext.cycle>', (_rendering, args) =>
          this.#cycle(args),
        )
      case 'changed':
        return new Callable('method', '<bound method LoopContext.changed>', (rendering, args) =>
          this.#hasChanged(rendering, args),
        )
      default:
        return undefined
    }
  }

  #peek(): Value | undefined {
    if (this.#after === undefined) this.#after = this.#next() ?? null
    return this.#after ?? undefined
  }

  #cycle(args: readonly Value[]): Value {
    const item = args[this.#index0 % args.length]
    if (item === undefined) throw typeError('no items for cycling given')
    return item
  }

  #hasChanged(rendering: Rendering, args: readonly Value[]): Value {
    const now = new Tuple(args)
    const depends: Dependence = union(ofContent(now), this.#changed ? ofContent(this.#changed) : null)
    if (this.#changed !== undefined && equals(rendering, this.#changed, now)) return bool(false, depends)
    this.#changed = now
    return bool(true, depends)
  }
}
