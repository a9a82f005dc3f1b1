/** How often an id stands in a list. */
export function countId(ids: ArrayLike<number>, id: number): number {
  let n = 0
  for (let i = 0; i < ids.length; i++) if (ids[i] === id) n++
  return n
}
