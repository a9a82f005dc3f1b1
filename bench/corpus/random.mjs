// Random numbers that are the same on every machine.

/** Whole numbers from 0 up to `below`: mulberry32. */
export function randomNumbers(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export function shuffle(list, random) {
  for (let i = list.length - 1; i > 0; i--) {
    const other = random(i + 1)
    const item = list[i]
    list[i] = list[other]
    list[other] = item
  }
  return list
}
