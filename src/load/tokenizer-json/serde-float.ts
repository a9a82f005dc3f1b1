const MAX_EXPONENT = 2 ** 31 - 1
const POWERS = Float64Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`))
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57

/**
 * The number that a JSON number becomes in Rust's `serde_json` without its feature `float_roundtrip`: the digits are
 * rounded, and once more their quotient by a power of ten. One number in five with 17 digits so becomes a neighbour of
 * the nearest double. The scores of a Unigram model decide ties, and must be the same to the last bit.
 *
 * @param bytes they hold a JSON number at `start .. end`, as the grammar of JSON has it
 * @returns undefined where serde_json says that the number is out of range
 *
 * Source of behaviour: `tokenizers` 0.23.2, with which the test compares.
 */
export function serdeFloat(bytes: Uint8Array, start: number, end: number): number | undefined {
  const negative = bytes[start] === MINUS
  // The significand is a u64, in two halves.
  let high = 0
  let low = 0
  let full = false
  let exponent = 0
  let fraction = false
  let at = negative ? start + 1 : start
  for (; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === POINT) fraction = true
    if (byte < ZERO || byte > NINE) {
      if (byte === POINT) continue
      break
    }
    if (!full) {
      const nextLow = low * 10 + byte - ZERO
      const nextHigh = high * 10 + Math.floor(nextLow / 2 ** 32)
      full = nextHigh >= 2 ** 32
      if (!full) {
        high = nextHigh
        low = nextLow % 2 ** 32
      }
    }
    // Digits that do not fit are dropped; those of the whole part still count.
    if (fraction === !full) exponent += fraction ? -1 : 1
  }
  const significand = high * 2 ** 32 + low // the only rounding so far
  const power = at < end ? readPower(bytes, at + 1, end) : 0
  if (Math.abs(power) > MAX_EXPONENT && power > 0 && significand > 0) return undefined
  const magnitude = scaled(significand, exponent + power)
  return magnitude === undefined ? undefined : negative ? -magnitude : magnitude
}

function readPower(bytes: Uint8Array, start: number, end: number): number {
  let power = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte >= ZERO) power = power * 10 + byte - ZERO
  }
  return bytes[start] === MINUS ? -power : power
}

function scaled(significand: number, exponent: number): number | undefined {
  let value = significand
  for (; exponent < -308 && value !== 0; exponent += 308) value /= 1e308
  if (value === 0) return 0
  if (exponent < 0) return value / (POWERS[-exponent] as number)
  const product = value * (POWERS[exponent] ?? Number.POSITIVE_INFINITY)
  return product === Number.POSITIVE_INFINITY ? undefined : product
}
