import { bind, signature } from '../arguments.js'
import { OriginText } from '../origin-text.js'
import { str } from '../python-text.js'
import type { Rendering } from '../rendering.js'
import { Iterator, type KeywordArguments, Str, type Value } from '../value.js'

/** A filter: `value|name(args)`. */
export type Filter = (
  rendering: Rendering,
  value: Value,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
) => Value

/** What a filter does, with its arguments in the order of its parameters. */
export type FilterBody = (rendering: Rendering, value: Value, args: readonly (Value | undefined)[]) => Value

/** An entry of a table of filters; `parameters` as `signature` reads them. */
export function filter(name: string, parameters: string, body: FilterBody): [string, Filter] {
  const expected = signature(name, parameters)
  return [name, (rendering, value, args, kwargs) => body(rendering, value, bind(expected, args, kwargs))]
}

/** markupsafe.soft_str: a text as it is, anything else as Python prints it. */
export function softStr(rendering: Rendering, value: Value): Str {
  return value.kind === 'str' ? value : new Str(str(rendering, value), value.depends)
}

/** A Python generator. What it yields is computed when it is asked for, at the place of the filter. */
export function generator(rendering: Rendering, items: () => Generator<Value>): Iterator {
  const { position } = rendering
  const started = items()
  return new Iterator(() => {
    rendering.meter.step()
    rendering.position = position
    const { value, done } = started.next()
    return done ? undefined : value
  })
}

export const NEWLINE: Str = new Str(OriginText.trusted('\n'))
