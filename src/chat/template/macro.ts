import { OriginText } from './origin-text.js'
import { typeError } from './python-error.js'
import { quoted } from './python-text.js'
import type { Rendering } from './rendering.js'
import type { MacroAccess } from './scopes.js'
import {
  bool,
  Callable,
  Dict,
  type KeywordArguments,
  NONE,
  Tuple,
  trustedStr,
  Undefined,
  type Value,
} from './value.js'

/** What a macro takes, and what a template can see of it. */
export class MacroSignature {
  readonly repr: string
  readonly attributes: ReadonlyMap<string, Value>

  /** @param name `null` for the body of a call block */
  constructor(
    readonly name: string | null,
    readonly parameters: readonly string[],
    readonly access: MacroAccess,
  ) {
    this.repr = `<Macro ${name === null ? 'anonymous' : quoted(OriginText.trusted(name)).text}>`
    this.attributes = new Map<string, Value>([
      ['name', name === null ? NONE : trustedStr(name)],
      ['arguments', new Tuple(parameters.map(trustedStr))],
      ['catch_kwargs', bool(access.kwargs)],
      ['catch_varargs', bool(access.varargs)],
      ['caller', bool(access.caller)],
      ['explicit_caller', bool(parameters.includes('caller'))],
    ])
  }
}

/** The body, with the values of its parameters and of the special variables that it mentions, in order. */
export type MacroBody = (rendering: Rendering, values: readonly (Value | undefined)[]) => Value

/** A macro as a value. @see Jinja2 3.1.6 `runtime.py`, `Macro` */
export function makeMacro(signature: MacroSignature, body: MacroBody): Callable {
  return new Callable(
    'Macro',
    signature.repr,
    (rendering, args, kwargs) => body(rendering, macroArguments(signature, args, kwargs)),
    signature.attributes,
  )
}

function macroArguments(
  { name, parameters, access }: MacroSignature,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): readonly (Value | undefined)[] {
  const count = parameters.length
  const isPlain = !access.caller && !access.kwargs && !access.varargs
  if (isPlain && args.length === count && (kwargs === null || kwargs.size === 0)) return args
  const named: KeywordArguments = new Map(kwargs ?? [])
  const take = (key: string): Value | undefined => {
    const value = named.get(key)?.value
    named.delete(key)
    return value
  }
  const values: (Value | undefined)[] = args.slice(0, count)
  let hasCaller = values.length === count && parameters.includes('caller')
  for (const parameter of parameters.slice(values.length)) {
    if (parameter === 'caller') hasCaller = true
    values.push(take(parameter))
  }
  if (access.caller && !hasCaller) {
    values.push(take('caller') ?? new Undefined(() => 'No caller defined'))
  }
  const shown = name === null ? 'None' : `'${name}'`
  if (access.kwargs) {
    values.push(new Dict(named))
  } else if (named.size > 0) {
    const [first] = named.keys()
    throw typeError(
      named.has('caller')
        ? `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`
        : `macro ${shown} takes no keyword argument '${String(first)}'`,
    )
  }
  if (access.varargs) values.push(new Tuple(args.slice(count)))
  else if (args.length > count) throw typeError(`macro ${shown} takes not more than ${count} argument(s)`)
  return values
}
