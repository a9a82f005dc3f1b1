import { getItem } from '../access.js'
import { OriginText } from '../origin-text.js'
import type { Rendering } from '../rendering.js'
import { lower } from '../text-case.js'
import { int, List, Str, Undefined, type Value } from '../value.js'

/** What filters such as `map(attribute='a.b')` and `sort(attribute='a,b')` look at. */

/** Gets something from an item of a sequence. */
export type Getter = (rendering: Rendering, item: Value) => Value

/**
 * Follows an attribute: names in a row with dots between, numbers for items.
 *
 * @param fallback stands in for what is undefined on the way
 */
export function attributeGetter(attribute: Value, fallback?: Value): Getter {
  const steps = stepsOf(attribute)
  const replacement = fallback === undefined || fallback.kind === 'none' ? undefined : fallback
  return (rendering, item) => {
    let value = item
    for (const step of steps) {
      value = getItem(rendering, value, step)
      if (replacement !== undefined && value instanceof Undefined) value = replacement
    }
    return value
  }
}

/** Follows several attributes, with commas between. */
export function attributesGetter(attribute: Value): Getter {
  const getters =
    attribute.kind === 'str'
      ? parts(attribute, ',').map((part) => attributeGetter(part))
      : [attributeGetter(attribute)]
  return (rendering, item) => new List(getters.map((get) => get(rendering, item)))
}

/** Jinja's `ignore_case`, also for the items of a list of attributes. */
export function ignoreCase(value: Value): Value {
  if (value.kind === 'str') return new Str(lower(value.text), value.depends, value.markup)
  return value
}

function stepsOf(attribute: Value): readonly Value[] {
  if (attribute.kind === 'none') return []
  if (attribute.kind !== 'str') return [attribute]
  return parts(attribute, '.').map((part) =>
    /^\d+$/.test(part.text.text) ? int(BigInt(part.text.text)) : part,
  )
}

function parts({ text, depends }: Str, separator: string): Str[] {
  return text.text.split(separator).map((part) => new Str(OriginText.of(part, text.firstOrigin), depends))
}
