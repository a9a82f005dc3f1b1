import { bind, signature, toIndex } from './arguments.js'
import { DICT_METHODS } from './container-methods.js'
import { ofContent, union } from './dependence.js'
import { toList } from './iteration.js'
import { callMethod } from './methods.js'
import { hashKey, undefinedError } from './operators.js'
import { OriginText } from './origin-text.js'
import { PythonError, typeError, UnsupportedError, valueError } from './python-error.js'
import { str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { strftime } from './strftime.js'
import {
  bool,
  Callable,
  type CallFunction,
  Dict,
  type Entry,
  type HashKey,
  Instance,
  int,
  type KeywordArguments,
  Namespace,
  NONE,
  Range,
  Str,
  Tuple,
  trustedStr,
  typeName,
  type Value,
} from './value.js'

/** The functions that every template can call. @see Jinja2 3.1.6 `defaults.py`; transformers */

/** The sandbox makes no longer ranges. */
const MAX_RANGE = 100_000

function range(_rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  if (kwargs !== null && kwargs.size > 0) throw typeError('range() takes no keyword arguments')
  if (args.length === 0) throw typeError('range expected at least 1 argument, got 0')
  if (args.length > 3) throw typeError(`range expected at most 3 arguments, got ${args.length}`)
  const numbers = args.map(toIndex)
  const [start = 0, stop = 0, step = 1] = numbers.length === 1 ? [0, ...numbers] : numbers
  if (step === 0) throw valueError('range() arg 3 must not be zero')
  const depends = args.reduce<Value['depends']>((all, arg) => union(all, ofContent(arg)), null)
  const made = new Range(start, stop, step, depends)
  if (made.length > MAX_RANGE) {
    throw new PythonError(
      'OverflowError',
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`,
    )
  }
  return made
}

/** The entries of `dict(*args, **kwargs)`. */
function dictEntries(
  rendering: Rendering,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): Map<HashKey, Entry> {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  const entries = new Map<HashKey, Entry>()
  const add = (key: Value, value: Value): void => {
    const hash = hashKey(key)
    entries.set(hash, { key: entries.get(hash)?.key ?? key, value })
  }
  const [source] = args
  if (source?.kind === 'undefined') undefinedError(source)
  if (source?.kind === 'dict') {
    for (const [hash, entry] of source.entries) entries.set(hash, entry)
  } else if (source !== undefined) {
    toList(rendering, source).forEach((item, i) => {
      const pair = toList(rendering, item)
      if (pair.length !== 2) {
        throw valueError(`dictionary update sequence element #${i} has length ${pair.length}; 2 is required`)
      }
      add(pair[0] as Value, pair[1] as Value)
    })
  }
  for (const { key, value } of kwargs?.values() ?? []) add(key, value)
  rendering.meter.step(entries.size)
  return entries
}

function dict(rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  const [source] = args
  const origin = source?.kind === 'dict' ? source.origin : null
  return new Dict(dictEntries(rendering, args, kwargs), origin, source?.depends ?? null)
}

/** transformers gives templates an object in place of the class. */
const FROM_KEYS = DICT_METHODS.get('fromkeys')

function fromKeys(rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  if (FROM_KEYS === undefined) throw new TypeError('fromkeys')
  return callMethod(rendering, FROM_KEYS, new Dict(new Map()), args, kwargs)
}

function namespace(rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  const attributes = dictEntries(rendering, args, kwargs)
  for (const name of attributes.keys()) checkAttributeName(name)
  return new Namespace(attributes)
}

/** transformers keeps names with an underscore in front out of namespaces. */
export function checkAttributeName(name: HashKey): void {
  if (typeof name !== 'string' || !name.startsWith('_')) return
  throw new PythonError('SecurityError', `a namespace attribute begins with an underscore: '${name}'`)
}

class Cycler extends Instance {
  readonly className = 'jinja2.utils.Cycler'
  readonly #items: readonly Value[]
  #position = 0

  constructor(items: readonly Value[]) {
    super()
    this.#items = items
  }

  attribute(name: string): Value | undefined {
    switch (name) {
      case 'items':
        return new Tuple(this.#items)
      case 'pos':
        return int(this.#position)
      case 'current':
        return this.#items[this.#position]
      case 'next':
        return method('Cycler.next', () => {
          const item = this.#items[this.#position] as Value
          this.#position = (this.#position + 1) % this.#items.length
          return item
        })
      case 'reset':
        return method('Cycler.reset', () => {
          this.#position = 0
          return NONE
        })
      default:
        return undefined
    }
  }
}

class Joiner extends Instance {
  readonly className = 'jinja2.utils.Joiner'
  readonly #separator: Value
  #used = false

  constructor(separator: Value) {
    super()
    this.#separator = separator
  }

  override get call(): CallFunction {
    return (_rendering, args, kwargs) => {
      bind(NO_PARAMETERS, args, kwargs)
      if (this.#used) return this.#separator
      this.#used = true
      return trustedStr('')
    }
  }

  attribute(name: string): Value | undefined {
    if (name === 'sep') return this.#separator
    return name === 'used' ? bool(this.#used) : undefined
  }
}

const NO_PARAMETERS = signature('method', '')

/** A bound method of one of Jinja's classes, without parameters. */
export function method(name: string, run: () => Value): Callable {
  return new Callable('method', `<bound method ${name}>`, (_rendering, args, kwargs) => {
    bind(NO_PARAMETERS, args, kwargs)
    return run()
  })
}

function cycler(_rendering: Rendering, args: readonly Value[]): Value {
  if (args.length === 0) throw new PythonError('RuntimeError', 'at least one item has to be provided')
  return new Cycler(args)
}

const JOINER = signature('joiner', 'sep?')

function joiner(_rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  const [separator = trustedStr(', ')] = bind(JOINER, args, kwargs)
  return new Joiner(separator)
}

const RAISE = signature('raise_exception', 'message')

function raiseException(
  rendering: Rendering,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): Value {
  const [message] = bind(RAISE, args, kwargs)
  const { text } = str(rendering, message as Value)
  throw rendering.raised(ofContent(message as Value), text)
}

const STRFTIME = signature('strftime_now', 'format')

/** The date is the caller's own, so it is trusted, unless the format is data. */
function strftimeNow(rendering: Rendering, args: readonly Value[], kwargs: KeywordArguments | null): Value {
  const [format] = bind(STRFTIME, args, kwargs)
  if (format?.kind !== 'str') {
    throw typeError(`strftime() argument 1 must be str, not ${typeName(format as Value)}`)
  }
  rendering.rewrite(format.text)
  const text = strftime(rendering.now(), format.text.text)
  rendering.meter.fits(text.length)
  return new Str(OriginText.of(text, format.text.firstOrigin), format.depends)
}

function lipsum(): Value {
  throw new UnsupportedError('lipsum(), which writes random text')
}

function builtIn(name: string, repr: string, call: CallFunction): [string, Value] {
  return [name, new Callable(repr.startsWith('<class') ? 'type' : 'function', repr, call)]
}

export const GLOBALS: ReadonlyMap<string, Value> = new Map([
  builtIn('cycler', "<class 'jinja2.utils.Cycler'>", cycler),
  [
    'dict',
    new Callable(
      'TemplateDict',
      '<TemplateDict object>',
      dict,
      new Map([builtIn('fromkeys', '<bound method TemplateDict.fromkeys>', fromKeys)]),
    ),
  ],
  builtIn('joiner', "<class 'jinja2.utils.Joiner'>", joiner),
  builtIn('lipsum', '<function generate_lorem_ipsum>', lipsum),
  builtIn('namespace', "<class 'jinja2.utils.Namespace'>", namespace),
  builtIn('raise_exception', '<function raise_exception>', raiseException),
  builtIn('range', '<function safe_range>', range),
  builtIn('strftime_now', '<function strftime_now>', strftimeNow),
])
