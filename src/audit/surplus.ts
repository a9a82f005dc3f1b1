/** The ids of one list that the other does not have, counted. */
export function surplus(ids: readonly number[], others: readonly number[]): number[] {
  const left = new Map<number, number>()
  for (const id of others) left.set(id, (left.get(id) ?? 0) + 1)
  return ids.filter((id) => {
    const n = left.get(id) ?? 0
    left.set(id, n - 1)
    return n <= 0
  })
}
