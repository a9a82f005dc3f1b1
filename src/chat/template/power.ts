import { nearestFloat, parts } from './decimal.js'

/**
 * Powers of floats, computed with many more digits than a float has and rounded once. `**` of JavaScript may miss the
 * last digit, which the C library behind Python does not.
 */

/** Bits of the numbers on the way. */
const PRECISION = 256
/** Beyond, powers are infinite or zero unless the base is next to one. */
const LARGEST = 1024

/** `mantissa * 2 ** exponent`, with a mantissa of about `PRECISION` bits. */
interface Wide {
  readonly mantissa: bigint
  readonly exponent: number
}

/** `x ** y` for a finite positive `x`, or a finite negative one and a whole `y`. */
export function floatPower(x: number, y: number): number {
  if (Math.abs(y) > LARGEST || x === 0) return x ** y
  const whole = Math.trunc(y)
  const base = normalized(parts(Math.abs(x)))
  const power = multiply(wholePower(base, Math.abs(whole)), fractionPower(base, Math.abs(y - whole)))
  const { mantissa, exponent } = power
  const magnitude = y < 0 ? nearestFloat(1n, mantissa, -exponent) : nearestFloat(mantissa, 1n, exponent)
  return x < 0 && whole % 2 !== 0 ? -magnitude : magnitude
}

const ONE: Wide = { mantissa: 1n, exponent: 0 }

/** `base ** n` by squaring. */
function wholePower(base: Wide, n: number): Wide {
  let power = ONE
  let square = base
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(power, square)
    square = multiply(square, square)
  }
  return power
}

/** `base ** fraction`, where the fraction is below one: a root of a root for each of its bits. */
function fractionPower(base: Wide, fraction: number): Wide {
  let power = ONE
  let root = base
  for (let rest = fraction; rest > 0; ) {
    root = squareRoot(root)
    rest *= 2
    if (rest < 1) continue
    power = multiply(power, root)
    rest -= 1
  }
  return power
}

function multiply(a: Wide, b: Wide): Wide {
  return normalized({ mantissa: a.mantissa * b.mantissa, exponent: a.exponent + b.exponent })
}

function normalized({ mantissa, exponent }: Wide): Wide {
  const extra = mantissa.toString(16).length * 4 - PRECISION
  if (extra <= 0) return { mantissa, exponent }
  return { mantissa: mantissa >> BigInt(extra), exponent: exponent + extra }
}

function squareRoot({ mantissa, exponent }: Wide): Wide {
  let shift = 2 * PRECISION - mantissa.toString(16).length * 4
  if ((exponent - shift) % 2 !== 0) shift++
  return normalized({ mantissa: integerRoot(mantissa << BigInt(shift)), exponent: (exponent - shift) / 2 })
}

/** The whole part of a square root, by Newton's method from the root of the leading digits. */
function integerRoot(x: bigint): bigint {
  const bits = x.toString(16).length * 4
  const shift = Math.max(0, bits - 100) & ~1
  let root = (BigInt(Math.floor(Math.sqrt(Number(x >> BigInt(shift))))) + 1n) << BigInt(shift / 2)
  for (;;) {
    const next = (root + x / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
