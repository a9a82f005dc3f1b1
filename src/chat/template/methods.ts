import { bind, type Signature, signature } from './arguments.js'
import type { Rendering } from './rendering.js'
import type { KeywordArguments, Value } from './value.js'

/** A method that is built in, with its arguments in the order of its parameters. */
export interface Method<Self> {
  readonly signature: Signature
  readonly run: (rendering: Rendering, self: Self, args: readonly (Value | undefined)[]) => Value
}

export type Methods<Self> = ReadonlyMap<string, Method<Self>>

/** An entry of a table of methods; `parameters` as `signature` reads them. */
export function method<Self>(
  name: string,
  parameters: string,
  run: Method<Self>['run'],
): [string, Method<Self>] {
  return [name, { signature: signature(name, parameters), run }]
}

export function callMethod<Self>(
  rendering: Rendering,
  { signature, run }: Method<Self>,
  self: Self,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): Value {
  return run(rendering, self, bind(signature, args, kwargs))
}
