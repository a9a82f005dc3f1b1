/** The largest u64, whose digits the significand must not exceed. */
const MAX_SIGNIFICAND = '18446744073709551615'
const MAX_EXPONENT = 2 ** 31 - 1
const POWERS = Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * The number that a JSON number text becomes in Rust's `serde_json`, without its feature `float_roundtrip`. It rounds
 * twice, once the digits and once their quotient by a power of ten, and so one text in five with 17 digits gives a
 * neighbour of the nearest double. Scores of Unigram models decide ties, and so must be the same to the last bit.
 *
 * @param text a JSON number, as the grammar of JSON has it
 * @returns undefined where serde_json says that the number is out of range
 *
 * Source of behaviour: `tokenizers` 0.23.2, with which `serde-float.test.ts` compares.
 * @example serdeFloat('-3.4684321880340576')
 */
export function serdeFloat(text: string): number | undefined {
  const negative = text.startsWith('-')
  const [, whole = '', fraction = '', power = '0'] =
    /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? []
  const { significand, exponent } =
    whole.length + fraction.length < MAX_SIGNIFICAND.length
      ? { significand: whole + fraction, exponent: -fraction.length }
      : cutSignificand(whole, fraction)
  const scale = Number(power)
  const value = Number(significand)
  if (Math.abs(scale) > MAX_EXPONENT) return scale > 0 && value !== 0 ? undefined : negative ? -0 : 0
  const magnitude = scaled(value, exponent + scale)
  return magnitude === undefined ? undefined : negative ? -magnitude : magnitude
}

/** The digits that fit into a u64. Further ones are dropped; those of the whole part still count. */
function cutSignificand(whole: string, fraction: string): { significand: string; exponent: number } {
  let significand = '0'
  let exponent = 0
  let full = false
  const add = (digit: string, placesBefore: number, placesBehind: number): void => {
    const longer = significand === '0' ? digit : significand + digit
    full ||=
      longer.length > MAX_SIGNIFICAND.length ||
      (longer.length === MAX_SIGNIFICAND.length && longer > MAX_SIGNIFICAND)
    if (!full) significand = longer
    exponent += full ? placesBefore : placesBehind
  }
  for (const digit of whole) add(digit, 1, 0)
  for (const digit of fraction) add(digit, 0, -1)
  return { significand, exponent }
}

function scaled(value: number, exponent: number): number | undefined {
  while (exponent < -308 && value !== 0) {
    value /= 1e308
    exponent += 308
  }
  if (value === 0) return 0
  if (exponent < 0) return value / (POWERS[-exponent] as number)
  const product = value * (POWERS[exponent] ?? Number.POSITIVE_INFINITY)
  return product === Number.POSITIVE_INFINITY ? undefined : product
}
