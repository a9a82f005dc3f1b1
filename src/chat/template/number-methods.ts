import { type Methods, method } from './methods.js'
import { OriginText } from './origin-text.js'
import { PythonError, UnsupportedError, valueError } from './python-error.js'
import { bool, Float, type Int, int, Str, Tuple, type Value } from './value.js'

/** The methods and attributes of Python's numbers. Digits that they make have the origin of the number. */

function ratio(self: Int | Float, numerator: bigint, denominator: bigint): Tuple {
  const { origin, depends } = self
  return new Tuple([int(numerator, origin, depends), int(denominator, origin, depends)], origin, depends)
}

function magnitude(self: Int): bigint {
  const value = BigInt(self.value)
  return value < 0n ? -value : value
}

function unsupported(name: string) {
  return (): Value => {
    throw new UnsupportedError(name)
  }
}

export const INT_METHODS: Methods<Int> = new Map([
  method<Int>('as_integer_ratio', '', (_rendering, self) => ratio(self, BigInt(self.value), 1n)),
  method<Int>('bit_count', '', (_rendering, self) => {
    const ones = magnitude(self).toString(2).replaceAll('0', '').length
    return int(ones, self.origin, self.depends)
  }),
  method<Int>('bit_length', '', (_rendering, self) => {
    const value = magnitude(self)
    return int(value === 0n ? 0 : value.toString(2).length, self.origin, self.depends)
  }),
  method<Int>('conjugate', '', (_rendering, self) => self),
  method<Int>('from_bytes', 'bytes byteorder?', unsupported('int.from_bytes()')),
  method<Int>('to_bytes', 'length? byteorder?', unsupported('int.to_bytes()')),
])

export const FLOAT_METHODS: Methods<Float> = new Map([
  method<Float>('as_integer_ratio', '', (_rendering, self) => {
    const { value } = self
    if (Number.isNaN(value)) throw valueError('cannot convert NaN to integer ratio')
    if (!Number.isFinite(value)) {
      throw new PythonError('OverflowError', 'cannot convert Infinity to integer ratio')
    }
    let [numerator, denominator] = [value, 1n]
    while (!Number.isInteger(numerator)) {
      numerator *= 2
      denominator *= 2n
    }
    return ratio(self, BigInt(numerator), denominator)
  }),
  method<Float>('conjugate', '', (_rendering, self) => self),
  method<Float>('fromhex', 'string /', unsupported('float.fromhex()')),
  method<Float>(
    'hex',
    '',
    (_rendering, self) => new Str(OriginText.of(hex(self.value), self.origin), self.depends),
  ),
  method<Float>('is_integer', '', (_rendering, self) =>
    bool(Number.isInteger(self.value), self.depends ?? self.origin?.alone ?? null),
  ),
])

/** `float.hex()`. */
function hex(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf'
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const sign = bits >> 63n === 1n ? '-' : ''
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0')
  if (x === 0) return `${sign}0x0.0p+0`
  const power = biased === 0 ? -1022 : biased - 1023
  return `${sign}0x${biased === 0 ? 0 : 1}.${fraction}p${power < 0 ? '' : '+'}${power}`
}

/** `real`, `imag` and, for ints, `numerator` and `denominator`. */
export function numberAttribute(self: Int | Float, name: string): Value | undefined {
  switch (name) {
    case 'real':
      return self
    case 'imag':
      return self.kind === 'int' ? int(0) : new Float(0)
    case 'numerator':
      return self.kind === 'int' ? self : undefined
    case 'denominator':
      return self.kind === 'int' ? int(1) : undefined
    default:
      return undefined
  }
}
