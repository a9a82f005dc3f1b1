/** Decimal digits of floats, rounded half to even from the exact value, as CPython's dtoa does. */

/** `x` with this many digits after the point, without its sign: `'%.{precision}f'`. `x` is finite. */
export function fixedDigits(x: number, precision: number): string {
  const digits = String(scaled(Math.abs(x), precision)).padStart(precision + 1, '0')
  if (precision === 0) return digits
  return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`
}

/** One digit before the point and this many after it, and the power of ten: `'%.{precision}e'`. */
export function exponentialDigits(x: number, precision: number): { digits: string; exponent: number } {
  const value = Math.abs(x)
  if (value === 0) return { digits: '0'.repeat(precision + 1), exponent: 0 }
  let exponent = Number(value.toExponential().split('e')[1])
  let digits = String(scaled(value, precision - exponent))
  if (digits.length > precision + 1) {
    exponent++
    digits = String(scaled(value, precision - exponent))
  }
  return { digits, exponent }
}

/** `round(x, precision)`: the float nearest to the rounded decimal; `precision` may be negative. */
export function roundFloat(x: number, precision: number): number {
  if (!Number.isFinite(x) || precision > 400) return x
  if (precision < -400) return x < 0 ? -0 : 0
  const rounded = Number(`${scaled(Math.abs(x), precision)}e${-precision}`)
  return x < 0 || Object.is(x, -0) ? -rounded : rounded
}

/** The whole number nearest to `x * 10 ** power`; of two, the even one. */
function scaled(x: number, power: number): bigint {
  const { mantissa, exponent } = parts(x)
  let numerator = mantissa
  let denominator = 1n
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (power >= 0) numerator *= 10n ** BigInt(power)
  else denominator *= 10n ** BigInt(-power)
  return divideHalfEven(numerator, denominator)
}

/** The quotient of two positive numbers, rounded half to even. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n)
  return up ? quotient + 1n : quotient
}

/** The float nearest to `numerator / denominator * 2 ** exponent`; half to even. */
export function nearestFloat(numerator: bigint, denominator: bigint, exponent = 0): number {
  const size = bitLength(numerator) - bitLength(denominator) + exponent
  // Below the normal range all floats are multiples of 2 ** -1074.
  if (size < -1020) return scaleByTwo(Number(shifted(numerator, denominator, exponent + 1074).rounded), -1074)
  // 64 bits or more, the last one set where a rest remains: Number() then rounds once.
  const last = size - 66
  const { floor, isExact } = shifted(numerator, denominator, exponent - last)
  return scaleByTwo(Number(isExact ? floor : floor | 1n), last)
}

/** `numerator / denominator * 2 ** shift`, rounded in two ways. */
function shifted(
  numerator: bigint,
  denominator: bigint,
  shift: number,
): { floor: bigint; rounded: bigint; isExact: boolean } {
  const [a, b] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)]
  return { floor: a / b, rounded: divideHalfEven(a, b), isExact: a % b === 0n }
}

function bitLength(x: bigint): number {
  return x.toString(2).length
}

/** `x * 2 ** power`, where the result needs no rounding. */
function scaleByTwo(x: number, power: number): number {
  if (power > 1023) return x * 2 ** 1023 * 2 ** Math.min(power - 1023, 1023)
  return power < -1022 ? x * 2 ** -1022 * 2 ** (power + 1022) : x * 2 ** power
}

/** `x = mantissa * 2 ** exponent`, exactly. */
export function parts(x: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}
