// What the benchmarks share.
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '..')

/** Milliseconds that a call takes. */
export async function time(run) {
  const start = performance.now()
  await run()
  return performance.now() - start
}

export function median(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1]
}

/** (slowest - fastest) / median */
export const spread = (list) => (Math.max(...list) - Math.min(...list)) / median(list)

export const equal = (a, b) => a.length === b.length && a.every((id, i) => id === b[i])

export const ms = (x) => `${x.toFixed(x < 10 ? 2 : 1)} ms`
