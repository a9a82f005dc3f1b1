import { binary, toFloat } from '../arithmetic.js'
import { divideHalfEven, fixedDigits, roundFloat } from '../decimal.js'
import { type Dependence, ofContent, union } from '../dependence.js'
import { dependent } from '../look-up.js'
import { numberOf, truth, undefinedError } from '../operators.js'
import { OriginText } from '../origin-text.js'
import { PythonError, typeError, valueError } from '../python-error.js'
import { parseFloatText, parseIntText } from '../python-numbers.js'
import type { Rendering } from '../rendering.js'
import { Float, int, originOf, Str, trustedStr, typeName, type Value } from '../value.js'
import { type Filter, filter } from './filter.js'

/** Filters that make numbers. Digits that come from text of the request are data. */

function abs(_rendering: Rendering, value: Value): Value {
  if (value.kind === 'float') return new Float(Math.abs(value.value), value.origin, value.depends)
  if (value.kind !== 'int' && value.kind !== 'bool') {
    throw typeError(`bad operand type for abs(): '${typeName(value)}'`)
  }
  const number = value.kind === 'bool' ? Number(value.value) : value.value
  return int(number < 0 ? -number : number, value.origin, value.depends)
}

/** What was read off a value: its digits are the value's. */
function readOff(value: Value, number: number | bigint, isFloat: boolean): Value {
  const depends = ofContent(value)
  const origin = originOf(value)
  return isFloat ? new Float(Number(number), origin, depends) : int(number, origin, depends)
}

/** `int(value, base)`, else the whole part of `float(value)`, else the default. */
function toInt(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [fallback = int(0), base = int(10)] = args
  if (value.kind === 'undefined') undefinedError(value)
  if (value.kind === 'str') {
    if (base.kind !== 'int' && base.kind !== 'bool') {
      throw typeError(`'${typeName(base)}' object cannot be interpreted as an integer`)
    }
    rendering.rewrite(value.text)
    const whole = parseIntText(value.text.text, Number(base.value))
    if (whole !== undefined) return readOff(value, whole, false)
    const float = parseFloatText(value.text.text)
    if (float === undefined || !Number.isFinite(float)) return dependent(fallback, ofContent(value))
    return readOff(value, BigInt(Math.trunc(float)), false)
  }
  const number = numberOf(value)
  if (number === undefined) return dependent(fallback, value.depends)
  if (value.kind !== 'float') return readOff(value, number, false)
  if (Number.isNaN(value.value)) return dependent(fallback, value.depends)
  if (!Number.isFinite(value.value)) {
    throw new PythonError('OverflowError', 'cannot convert float infinity to integer')
  }
  return readOff(value, BigInt(Math.trunc(value.value)), false)
}

function toFloatValue(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [fallback = new Float(0)] = args
  if (value.kind === 'undefined') undefinedError(value)
  if (value.kind === 'str') {
    rendering.rewrite(value.text)
    const float = parseFloatText(value.text.text)
    return float === undefined ? dependent(fallback, ofContent(value)) : readOff(value, float, true)
  }
  const number = numberOf(value)
  return number === undefined ? dependent(fallback, value.depends) : readOff(value, toFloat(number), true)
}

function round(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [precision = int(0), method = trustedStr('common')] = args
  const name = method.kind === 'str' ? method.text.text : ''
  if (name === 'common') return roundCommon(value, precision)
  if (name !== 'ceil' && name !== 'floor') {
    throw new PythonError('FilterArgumentError', 'method must be common, ceil or floor')
  }
  const scale = binary(rendering, '**', int(10), precision)
  const scaled = binary(rendering, '*', value, scale)
  const number = numberOf(scaled)
  if (number === undefined) throw typeError(`must be real number, not ${typeName(scaled)}`)
  return binary(rendering, '/', int(wholePart(number, name), originOf(scaled), scaled.depends), scale)
}

function wholePart(number: number | bigint, name: 'ceil' | 'floor'): bigint {
  if (typeof number === 'bigint') return number
  if (Number.isNaN(number)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(number)) {
    throw new PythonError('OverflowError', 'cannot convert float infinity to integer')
  }
  return BigInt(Math[name](number))
}

/** Python's `round(value, precision)`: half to even; an int stays one. */
function roundCommon(value: Value, precision: Value): Value {
  if (
    value.kind === 'undefined' ||
    (value.kind !== 'float' && value.kind !== 'int' && value.kind !== 'bool')
  ) {
    throw typeError(`type ${typeName(value)} doesn't define __round__ method`)
  }
  const toWhole = precision.kind === 'none'
  if (!toWhole && precision.kind !== 'int' && precision.kind !== 'bool') {
    throw typeError(`'${typeName(precision)}' object cannot be interpreted as an integer`)
  }
  const places = toWhole ? 0 : Number(precision.value)
  const { origin } = value
  const depends: Dependence = union(value.depends, precision.depends)
  if (value.kind !== 'float') return int(roundInt(BigInt(value.value), places), origin, depends)
  if (toWhole) return int(wholePart(roundFloat(value.value, 0), 'floor'), origin, depends)
  const rounded = roundFloat(value.value, places)
  if (!Number.isFinite(rounded) && Number.isFinite(value.value)) {
    throw new PythonError('OverflowError', 'rounded value too large to represent')
  }
  return new Float(rounded, origin, depends)
}

function roundInt(value: bigint, places: number): bigint {
  if (places >= 0) return value
  if (-places > String(value).length) return 0n
  const unit = 10n ** BigInt(-places)
  const magnitude = divideHalfEven(value < 0n ? -value : value, unit) * unit
  return value < 0n ? -magnitude : magnitude
}

const PREFIXES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']

function fileSizeFormat(
  _rendering: Rendering,
  value: Value,
  [binaryUnits]: readonly (Value | undefined)[],
): Value {
  if (value.kind === 'undefined') undefinedError(value)
  const number = value.kind === 'str' ? parseFloatText(value.text.text) : numberOf(value)
  if (number === undefined) {
    throw value.kind === 'str'
      ? valueError('could not convert string to float')
      : typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
  }
  const bytes = toFloat(number)
  const isBinary = binaryUnits !== undefined && truth(binaryUnits)
  const text = OriginText.of(fileSize(bytes, isBinary), originOf(value))
  return new Str(text, ofContent(value))
}

function fileSize(bytes: number, isBinary: boolean): string {
  const base = isBinary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) {
    if (!Number.isFinite(bytes))
      throw new PythonError('OverflowError', 'cannot convert float infinity to integer')
    return `${Math.trunc(bytes) + 0} Bytes`
  }
  if (Number.isNaN(bytes)) return `nan ${isBinary ? 'YiB' : 'YB'}`
  let unit = base
  let prefix = ''
  for (prefix of PREFIXES) {
    unit *= base
    if (bytes < unit) break
  }
  const scaled = (base * bytes) / unit
  const digits = Number.isFinite(scaled) ? fixedDigits(scaled, 1) : 'inf'
  return `${digits} ${isBinary ? `${prefix.toUpperCase()}i` : prefix}B`
}

export const NUMBER_FILTERS: readonly [string, Filter][] = [
  filter('abs', '', abs),
  filter('filesizeformat', 'binary?', fileSizeFormat),
  filter('float', 'default?', toFloatValue),
  filter('int', 'default? base?', toInt),
  filter('round', 'precision? method?', round),
]
