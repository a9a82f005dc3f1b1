import type { Dependence } from '../dependence.js'
import type { OriginText } from '../origin-text.js'
import { Length, type Value } from '../value.js'

/** Whether a template cannot tell two values apart, nor what they print as: the same kind, content, origins, dependences. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true
  switch (a.kind) {
    case 'str':
      return b.kind === 'str' && a.markup === b.markup && sameDependence(a, b) && sameText(a.text, b.text)
    case 'int':
      if (b.kind !== 'int' || a instanceof Length || b instanceof Length) return false
      return a.value === b.value && a.origin === b.origin && sameDependence(a, b)
    case 'bool':
      return b.kind === 'bool' && a.value === b.value && a.origin === b.origin && sameDependence(a, b)
    case 'float':
      return (
        b.kind === 'float' && Object.is(a.value, b.value) && a.origin === b.origin && sameDependence(a, b)
      )
    case 'none':
      return b.kind === 'none' && a.origin === b.origin && sameDependence(a, b)
    case 'undefined':
      if (b.kind !== 'undefined' || a.exception !== b.exception || !sameDependence(a, b)) return false
      return a.message() === b.message()
    case 'list':
      return b.kind === 'list' && a.origin === b.origin && sameDependence(a, b) && sameItems(a.items, b.items)
    case 'tuple':
      if (b.kind !== 'tuple' || a.names !== b.names) return false
      return a.origin === b.origin && sameDependence(a, b) && sameItems(a.items, b.items)
    default:
      return false
  }
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  // From the end, where a conversation grows.
  if (a.length !== b.length) return false
  for (let i = a.length - 1; i >= 0; i--) if (!sameValue(a[i] as Value, b[i] as Value)) return false
  return true
}

function sameDependence(
  { depends: a }: { depends: Dependence },
  { depends: b }: { depends: Dependence },
): boolean {
  if (a === b) return true
  return a !== null && b !== null && a.length === b.length && a.every((origin, i) => origin === b[i])
}

/** The same characters from the same places. */
export function sameText(a: OriginText, b: OriginText): boolean {
  return a === b || (a.hasOriginsOf(b) && a.text === b.text)
}
