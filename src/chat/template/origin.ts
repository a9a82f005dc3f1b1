/** Keys longer than this are shortened in a path, so that hostile keys cannot make paths huge. */
const MAX_KEY = 80

const WORD = /^[\p{L}_$][\p{L}\d_$]*$/u
/** The same for most names, which are tested faster so. */
const ASCII_WORD = /^[A-Za-z_$][\w$]*$/

/** A variable of the context, the value under a key, an item of a list, or a key itself. */
type Step = 'variable' | 'value' | 'item' | 'key'

/**
 * Where a piece of request text comes from: one value of the request, or one key of an object in it. Compared by
 * identity: each value that is read into a render has one `Origin`.
 *
 * Paths are written as JavaScript would reach the value: `messages[2].content`,
 * `tools[0].function.parameters.properties["a b"].type`. A key itself stands in braces:
 * `tools[0].function.parameters.properties{city}`.
 */
export class Origin {
  readonly #parent: Origin | null
  readonly #step: Step
  readonly #name: string | number
  #alone: readonly [Origin] | undefined
  #path: string | undefined

  /**
   * True where comparing the text is a matter of shape, not content: a `type` from the static list in
   * request.ts. Its text is data all the same.
   */
  readonly shape: boolean

  private constructor(parent: Origin | null, step: Step, name: string | number, shape: boolean) {
    this.#parent = parent
    this.#step = step
    this.#name = name
    this.shape = shape
  }

  static variable(name: string): Origin {
    return new Origin(null, 'variable', name, false)
  }

  value(key: string, shape = false): Origin {
    return new Origin(this, 'value', key, shape)
  }

  item(index: number): Origin {
    return new Origin(this, 'item', index, false)
  }

  key(key: string): Origin {
    return new Origin(this, 'key', key, false)
  }

  /** The list of this origin alone, made once. */
  get alone(): readonly [Origin] {
    this.#alone ??= [this]
    return this.#alone
  }

  /** Which item of a variable that is a list it is, or is part of; -1 for anything else. */
  itemOf(variable: string): number {
    let origin: Origin = this
    let below: Origin = this
    for (let parent = origin.#parent; parent !== null; parent = origin.#parent) {
      below = origin
      origin = parent
    }
    return origin.#name === variable && below.#step === 'item' ? (below.#name as number) : -1
  }

  /** For example `messages[2].content`. */
  get path(): string {
    if (this.#path !== undefined) return this.#path
    const before = this.#parent === null ? '' : this.#parent.#path
    if (before !== undefined) {
      this.#path = before + this.#spelled()
      return this.#path
    }
    const steps: Origin[] = []
    let origin: Origin | null = this
    for (; origin !== null && origin.#path === undefined; origin = origin.#parent) steps.push(origin)
    let path = origin === null ? '' : (origin.#path ?? '')
    for (const step of steps.reverse()) {
      path += step.#spelled()
      step.#path = path
    }
    return path
  }

  #spelled(): string {
    if (typeof this.#name === 'number') return `[${this.#name}]`
    const plain = ASCII_WORD.test(this.#name) || WORD.test(this.#name)
    const short =
      this.#name.length <= MAX_KEY ? this.#name : `${this.#name.slice(0, MAX_KEY).toWellFormed()}…`
    const quoted = plain ? short : JSON.stringify(short)
    if (this.#step === 'key') return `{${quoted}}`
    if (this.#step === 'variable') return short
    return plain ? `.${quoted}` : `[${quoted}]`
  }
}
