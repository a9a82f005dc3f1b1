import { getAttribute, getItem } from './access.js'
import { binary, unary } from './arithmetic.js'
import type { CallArguments, Const, Dict as DictNode, Expression, Node, Position, Slice } from './ast.js'
import { DecisionLog } from './decisions.js'
import { FILTERS, TESTS } from './environment.js'
import { Meter } from './limits.js'
import { compare, hashKey, truth } from './operators.js'
import { OriginText } from './origin-text.js'
import { PythonError } from './python-error.js'
import { str } from './python-text.js'
import { Rendering } from './rendering.js'
import { slice } from './slices.js'
import { syntaxError } from './source-text.js'
import { childrenOf } from './tree.js'
import {
  bool,
  Dict,
  type Entry,
  FALSE,
  Float,
  type HashKey,
  int,
  type KeywordArguments,
  List,
  NONE,
  Str,
  TRUE,
  Tuple,
  trustedStr,
  Undefined,
  type Value,
} from './value.js'

/** Filters that look at the context, and so are never computed before a render. */
const CONTEXT_FILTERS: ReadonlySet<string> = new Set(
  'map select reject selectattr rejectattr random'.split(' '),
)

/** What a compilation may spend on constants; what costs more is left to the render, which has limits of its own. */
const LIMITS = { steps: 100_000, output: 2 ** 16 }

/**
 * Computes constant expressions once, as the optimizer of Jinja2 3.1.6 does. That can be seen: it writes constants into
 * Python code, where infinity is an unknown name, and `-1 ** x` is `-(1 ** x)` for a negative constant.
 */
export class Constants {
  readonly #known = new Map<Node, Value | undefined>()
  readonly #optimized = new Set<Node>()
  readonly #rendering: Rendering

  constructor(position: Position) {
    const meter = new Meter(LIMITS)
    this.#rendering = new Rendering(position, meter, new DecisionLog('ignore'), () => new Date(0), new Map())
  }

  /** The value of a constant expression, of whatever kind; undefined for all that only a render can tell. */
  of(node: Expression): Value | undefined {
    if (this.#known.has(node)) return this.#known.get(node)
    const value = this.#computed(node)
    this.#known.set(node, value)
    return value
  }

  /**
   * Computes all constants in an expression, as Jinja2 does before it writes code for an operation.
   *
   * @throws TemplateError for a dict with a constant key that cannot be one, which it does not expect
   */
  optimize(node: Node): void {
    if (this.#optimized.has(node)) return
    this.#optimized.add(node)
    for (const child of childrenOf(node)) this.optimize(child)
    try {
      this.of(node as Expression)
    } catch (error) {
      if (!(error instanceof UnhashableConstant)) throw error
      throw syntaxError(error.position, `expected keys that a dict can have: ${error.message}`)
    }
  }

  /** The text of a constant that is printed; undefined where it has to be computed when it runs. */
  printed(node: Expression): OriginText | undefined {
    try {
      const value = this.of(node)
      return value && str(this.#rendering, value)
    } catch (error) {
      if (error instanceof PythonError || error instanceof UnhashableConstant) return undefined
      throw error
    }
  }

  /** As `of`, for values that Jinja2 can write into code. */
  written(node: Expression): Value | undefined {
    const value = this.of(node)
    return value !== undefined && canBeWritten(value) ? value : undefined
  }

  #computed(node: Expression): Value | undefined {
    try {
      return this.#evaluate(node)
    } catch (error) {
      // What fails now fails again when it runs, and then Jinja2 raises.
      if (error instanceof PythonError || error instanceof RangeError) return undefined
      throw error
    }
  }

  #evaluate(node: Expression): Value | undefined {
    const rendering = this.#rendering
    switch (node.type) {
      case 'Const':
        return constant(node)
      case 'List':
      case 'Tuple': {
        const items = this.#all(node.items)
        return items && (node.type === 'List' ? new List(items) : new Tuple(items))
      }
      case 'Dict':
        return this.#dict(node)
      case 'BinExpr': {
        const operands = this.#all([node.left, node.right])
        return operands && binary(rendering, node.operator, operands[0] as Value, operands[1] as Value)
      }
      case 'Neg':
      case 'Pos': {
        const operand = this.of(node.node)
        return operand && unary(node.type === 'Neg' ? '-' : '+', operand)
      }
      case 'Not': {
        const operand = this.of(node.node)
        return operand && bool(!truth(operand))
      }
      case 'And':
      case 'Or': {
        const left = this.of(node.left)
        return left === undefined || truth(left) === (node.type === 'Or') ? left : this.of(node.right)
      }
      case 'CondExpr': {
        const test = this.of(node.test)
        if (test === undefined) return undefined
        if (truth(test)) return this.of(node.then)
        return node.else && this.of(node.else)
      }
      case 'Concat': {
        const parts = this.#all(node.nodes)
        const texts = parts?.map((part) => str(rendering, part))
        return texts && new Str(texts.reduce((text, part) => rendering.concat(text, part), OriginText.empty))
      }
      case 'Compare': {
        let left = this.of(node.expression)
        let result: Value | undefined = left
        for (const { operator, expression } of node.operands) {
          const right = this.of(expression)
          if (left === undefined || right === undefined) return undefined
          result = compare(rendering, operator, left, right)
          if (!truth(result)) return FALSE
          left = right
        }
        return result
      }
      case 'Getattr': {
        const object = this.of(node.node)
        return object && getAttribute(rendering, object, node.attr)
      }
      case 'Getitem': {
        const object = this.of(node.node)
        if (object === undefined) return undefined
        if (node.argument.type === 'Slice') return this.#slice(object, node.argument)
        const key = this.of(node.argument)
        return key && getItem(rendering, object, key)
      }
      case 'Filter': {
        const filter = CONTEXT_FILTERS.has(node.name) ? undefined : FILTERS.get(node.name)
        const operand = this.of(node.node)
        const given = this.#arguments(node)
        return filter && operand && given && filter(rendering, operand, given.args, given.kwargs)
      }
      case 'Test': {
        const test = TESTS.get(node.name)
        const operand = this.of(node.node)
        const given = this.#arguments(node)
        return test && operand && given && test(rendering, operand, given.args, given.kwargs)
      }
      default:
        return undefined
    }
  }

  #all(nodes: readonly Expression[]): Value[] | undefined {
    const values: Value[] = []
    for (const node of nodes) {
      const value = this.of(node)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }

  #dict({ items, position }: DictNode): Value | undefined {
    const entries = new Map<HashKey, Entry>()
    const pairs: Entry[] = []
    for (const item of items) {
      const [key, value] = [this.of(item.key), this.of(item.value)]
      if (key === undefined || value === undefined) return undefined
      pairs.push({ key, value })
    }
    for (const { key, value } of pairs) {
      const hash = constantKey(key, position)
      entries.set(hash, { key: entries.get(hash)?.key ?? key, value })
    }
    return new Dict(entries)
  }

  #slice(object: Value, { start, stop, step }: Slice): Value | undefined {
    const bounds = [start, stop, step].map((bound) => (bound === undefined ? NONE : this.of(bound)))
    if (bounds.includes(undefined)) return undefined
    try {
      return slice(this.#rendering, object, ...(bounds as [Value, Value, Value]))
    } catch (error) {
      // A constant is sliced as `value[key]`, where what has no items gives undefined.
      if (!(error instanceof PythonError) || error.type !== 'TypeError') throw error
      return new Undefined(() => error.message)
    }
  }

  #arguments({ args, kwargs, dynArgs, dynKwargs }: CallArguments) {
    const values = this.#all(args)
    if (values === undefined || dynArgs !== undefined || dynKwargs !== undefined) return undefined
    const named: KeywordArguments = new Map()
    for (const { key, value: node } of kwargs) {
      const value = this.of(node)
      if (value === undefined) return undefined
      named.set(key, { key: trustedStr(key), value })
    }
    return { args: values, kwargs: named }
  }
}

/** A dict literal whose constant key cannot be one. */
class UnhashableConstant extends Error {
  constructor(
    readonly position: Position,
    message: string,
  ) {
    super(message)
  }
}

function constantKey(key: Value, position: Position): HashKey {
  try {
    return hashKey(key)
  } catch (error) {
    throw error instanceof PythonError ? new UnhashableConstant(position, error.message) : error
  }
}

export function constant({ value }: Const): Value {
  switch (typeof value) {
    case 'string':
      return trustedStr(value.toWellFormed())
    case 'bigint':
      return int(value)
    case 'number':
      return new Float(value)
    case 'boolean':
      return value ? TRUE : FALSE
    default:
      return NONE
  }
}

/** Whether Python's repr of a value is code that gives it again. */
function canBeWritten(value: Value): boolean {
  switch (value.kind) {
    case 'list':
    case 'tuple':
      return value.items.every(canBeWritten)
    case 'dict':
      return Array.from(value.entries.values()).every(
        (entry) => canBeWritten(entry.key) && canBeWritten(entry.value),
      )
    default:
      return ['str', 'int', 'float', 'bool', 'none', 'range'].includes(value.kind)
  }
}

/** Dicts are made anew each time, since a set block can change them. */
export function holdsDict(value: Value): boolean {
  if (value.kind === 'list' || value.kind === 'tuple') return value.items.some(holdsDict)
  return value.kind === 'dict'
}

/** Infinity or not a number somewhere in a constant: its repr is a name that nothing has. */
export function unknownName(value: Value): 'inf' | 'nan' | undefined {
  switch (value.kind) {
    case 'float':
      if (Number.isFinite(value.value)) return undefined
      return Number.isNaN(value.value) ? 'nan' : 'inf'
    case 'list':
    case 'tuple':
      return firstName(value.items)
    case 'dict':
      return firstName(Array.from(value.entries.values(), (entry) => [entry.key, entry.value]).flat())
    default:
      return undefined
  }
}

function firstName(values: readonly Value[]): 'inf' | 'nan' | undefined {
  return values.map(unknownName).find((name) => name !== undefined)
}
