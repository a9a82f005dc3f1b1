import { exponentialDigits, fixedDigits } from './decimal.js'
import { floatText } from './python-text.js'

/** A number before it is laid out: sign and prefix, whole digits, and what follows them. */
export interface NumberBody {
  readonly sign: string
  readonly prefix: string
  readonly digits: string
  readonly rest: string
}

export function signOf(negative: boolean, sign: string): string {
  return negative ? '-' : sign === '-' ? '' : sign
}

export function isNegative(x: number): boolean {
  return x < 0 || Object.is(x, -0)
}

/**
 * A float without its sign, for the types of `format` and `%`.
 *
 * @param type `e f g` in either case, `%` without its sign, or `` for `format` without a type
 * @see CPython 3.11 `Python/pystrtod.c`, `format_float_short`
 */
export function unsignedFloat(
  x: number,
  type: string,
  precision: number | undefined,
  alternate: boolean,
): string {
  const upper = type === 'E' || type === 'F' || type === 'G'
  const text = Number.isFinite(x)
    ? finiteFloat(Math.abs(x), type.toLowerCase(), precision, alternate)
    : floatText(x).replace('-', '')
  return upper ? text.toUpperCase() : text
}

function finiteFloat(x: number, type: string, precision: number | undefined, alternate: boolean): string {
  const places = precision ?? 6
  switch (type) {
    case 'f':
      return fixedDigits(x, places) + (alternate && places === 0 ? '.' : '')
    case '%':
      return x * 100 === Number.POSITIVE_INFINITY ? 'inf' : finiteFloat(x * 100, 'f', precision, alternate)
    case 'e': {
      const { digits, exponent } = exponentialDigits(x, places)
      return scientific(digits, exponent, alternate)
    }
    case '':
      if (precision === undefined) return shortest(x, alternate)
      return general(x, precision, alternate, true)
    default:
      return general(x, places, alternate, false)
  }
}

/** As `repr` has it; `#` demands a point. */
function shortest(x: number, alternate: boolean): string {
  const text = floatText(x)
  return alternate && !text.includes('.') ? text.replace('e', '.e') : text
}

/** `%g`; with `pointed` at least one digit stands after the point, as `format` without a type has it. */
function general(x: number, precision: number, alternate: boolean, pointed: boolean): string {
  const significant = Math.max(precision, 1)
  const { digits, exponent } = exponentialDigits(x, significant - 1)
  const kept = alternate ? digits : digits.replace(/0+$/, '') || '0'
  if (exponent < -4 || exponent >= (pointed ? significant - 1 : significant)) {
    return scientific(kept, exponent, alternate)
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${kept}`
  const whole = kept.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = kept.slice(exponent + 1)
  if (fraction !== '') return `${whole}.${fraction}`
  return pointed ? `${whole}.0` : alternate ? `${whole}.` : whole
}

function scientific(digits: string, exponent: number, alternate: boolean): string {
  const point = digits.length > 1 || alternate ? '.' : ''
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return `${digits.slice(0, 1)}${point}${digits.slice(1)}e${power}`
}

/**
 * Digits in groups, filled with zeros up to a width in which separators count.
 *
 * @see CPython 3.11 `Objects/stringlib/localeutil.h`
 */
export function grouped(digits: string, separator: string, size: number, width: number): string {
  const groups: string[] = []
  let rest = digits
  for (let room = width; ; room--) {
    const length = Math.min(size, Math.max(rest.length, room, 1))
    groups.push(rest.slice(-length).padStart(length, '0'))
    rest = rest.slice(0, -length)
    room -= length
    if (rest === '' && room <= 0) return groups.reverse().join(separator)
  }
}
