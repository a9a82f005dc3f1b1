import { PythonError, typeError } from './python-error.js'
import { type KeywordArguments, typeName, type Value } from './value.js'

/** The parameters of a function that is built in. */
export interface Signature {
  readonly name: string
  readonly parameters: readonly string[]
  /** The first so many must be given. */
  readonly required: number
  /** The first so many cannot be given by name. */
  readonly positional: number
}

/**
 * Reads a signature: names in order, `?` behind optional ones, `/` behind those that have no name for callers.
 *
 * @example signature('replace', 'old new count? /')
 */
export function signature(name: string, parameters: string): Signature {
  const words = parameters === '' ? [] : parameters.split(' ')
  const slash = words.indexOf('/')
  const names = words.filter((word) => word !== '/')
  return {
    name,
    parameters: names.map((word) => word.replace('?', '')),
    required: names.filter((word) => !word.endsWith('?')).length,
    positional: Math.max(slash, 0),
  }
}

/**
 * The arguments of a call in the order of the parameters; undefined where one was not given.
 *
 * @throws PythonError where they do not fit
 */
export function bind(
  { name, parameters, required, positional }: Signature,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): readonly (Value | undefined)[] {
  if (args.length > parameters.length) {
    const most = parameters.length === 1 ? '1 argument' : `${parameters.length} arguments`
    throw typeError(`${name}() takes at most ${most} (${args.length} given)`)
  }
  let bound: readonly (Value | undefined)[] = args
  if (kwargs !== null && kwargs.size > 0) {
    const all: (Value | undefined)[] = [...args]
    for (const [key, { value }] of kwargs) {
      const index = parameters.indexOf(String(key))
      if (index < positional) throw typeError(`${name}() got an unexpected keyword argument '${String(key)}'`)
      if (all[index] !== undefined)
        throw typeError(`${name}() got multiple values for argument '${String(key)}'`)
      all[index] = value
    }
    bound = all
  }
  for (let i = 0; i < required; i++) {
    if (bound[i] === undefined) throw typeError(`${name}() missing required argument: '${parameters[i]}'`)
  }
  return bound
}

/** An argument that counts: an int or a bool. @throws PythonError for anything else */
export function toIndex(value: Value): number {
  if (value.kind === 'int' || value.kind === 'bool') {
    const number = Number(value.value)
    if (!Number.isSafeInteger(number)) {
      throw new PythonError('OverflowError', 'Python int too large to convert to C ssize_t')
    }
    return number
  }
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** The end of a slice: None or an int, however large. */
export function toSliceIndex(value: Value | undefined): number | undefined {
  if (value === undefined || value.kind === 'none') return undefined
  if (value.kind === 'int' || value.kind === 'bool') return Number(value.value)
  throw typeError('slice indices must be integers or None or have an __index__ method')
}

/** Both ends of a stretch of `length` items, with Python's rules for negative and missing ones. */
export function sliceBounds(
  length: number,
  start: Value | undefined,
  end: Value | undefined,
): { start: number; end: number } {
  const clamp = (index: number): number => (index < 0 ? Math.max(0, index + length) : Math.min(index, length))
  return {
    start: clamp(toSliceIndex(start) ?? 0),
    end: clamp(toSliceIndex(end) ?? length),
  }
}
