import { iterate } from '../iteration.js'
import { truth } from '../operators.js'
import { PythonError } from '../python-error.js'
import { str } from '../python-text.js'
import type { Rendering } from '../rendering.js'
import type { Test } from '../tests.js'
import { type KeywordArguments, typeName, type Value } from '../value.js'
import { attributeGetter } from './attributes.js'
import { type Filter, generator } from './filter.js'

/** Filters that apply another filter, or a test, to each item of a sequence. */

type Apply = (item: Value) => Value

/** `map('upper')` and `map(attribute='a.b', default='c')`. */
export function mapWith(filters: () => ReadonlyMap<string, Filter>): Filter {
  return (rendering, value, args, kwargs) =>
    generator(rendering, function* () {
      if (!truth(value)) return
      const apply = mapper(rendering, filters(), args, kwargs)
      const next = iterate(value)
      for (let item = next(); item !== undefined; item = next()) yield apply(item)
    })
}

function mapper(
  rendering: Rendering,
  filters: ReadonlyMap<string, Filter>,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
): Apply {
  const attribute = kwargs?.get('attribute')?.value
  if (args.length === 0 && attribute !== undefined) {
    for (const key of kwargs?.keys() ?? []) {
      if (key === 'attribute' || key === 'default') continue
      throw new PythonError('FilterArgumentError', `Unexpected keyword argument '${String(key)}'`)
    }
    const get = attributeGetter(attribute, kwargs?.get('default')?.value)
    return (item) => get(rendering, item)
  }
  const [name, ...rest] = args
  if (name === undefined) throw new PythonError('FilterArgumentError', 'map requires a filter argument')
  const filter = name.kind === 'str' ? filters.get(name.text.text) : undefined
  if (filter === undefined) throw notFound(rendering, 'filter', name)
  return (item) => filter(rendering, item, rest, kwargs)
}

/** `select`, `reject`, and with `byAttribute` `selectattr` and `rejectattr`. */
export function selectWith(
  tests: () => ReadonlyMap<string, Test>,
  keep: boolean,
  byAttribute: boolean,
): Filter {
  return (rendering, value, args, kwargs) =>
    generator(rendering, function* () {
      if (!truth(value)) return
      const test = tester(rendering, tests(), args, kwargs, byAttribute)
      const next = iterate(value)
      for (let item = next(); item !== undefined; item = next()) {
        rendering.meter.step()
        const result = test(item)
        const holds = truth(result)
        rendering.branch(result.depends, holds)
        if (holds === keep) yield item
      }
    })
}

function tester(
  rendering: Rendering,
  tests: ReadonlyMap<string, Test>,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
  byAttribute: boolean,
): Apply {
  const [attribute] = args
  if (byAttribute && attribute === undefined) {
    throw new PythonError('FilterArgumentError', 'Missing parameter for attribute name')
  }
  const get = byAttribute ? attributeGetter(attribute as Value) : (_: Rendering, item: Value): Value => item
  const [name, ...rest] = byAttribute ? args.slice(1) : args
  if (name === undefined) return (item) => get(rendering, item)
  const test = name.kind === 'str' ? tests.get(name.text.text) : undefined
  if (test === undefined) throw notFound(rendering, 'test', name)
  return (item) => test(rendering, get(rendering, item), rest, kwargs)
}

function notFound(rendering: Rendering, what: string, name: Value): PythonError {
  if (name.kind === 'list' || name.kind === 'dict') {
    return new PythonError('TypeError', `unhashable type: '${typeName(name)}'`)
  }
  return new PythonError('TemplateRuntimeError', `No ${what} named '${str(rendering, name).text}'.`)
}
