// What the workloads share.

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

export function percentile(list, part) {
  const sorted = Float64Array.from(list).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

export const equal = (a, b) => a.length === b.length && a.every((id, i) => id === b[i])

export const megabytes = (bytes) => bytes / 2 ** 20
