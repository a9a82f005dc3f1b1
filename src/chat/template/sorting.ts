import type { Rendering } from './rendering.js'

/**
 * Python's stable sort. `less` may raise, where values cannot be compared.
 *
 * @returns a new list
 */
export function sortValues<Item>(
  rendering: Rendering,
  items: readonly Item[],
  less: (a: Item, b: Item) => boolean,
): Item[] {
  return [...items].sort((a, b) => {
    rendering.meter.step()
    if (less(a, b)) return -1
    return less(b, a) ? 1 : 0
  })
}
