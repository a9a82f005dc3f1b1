import { toIndex } from './arguments.js'
import type { BinaryOperator } from './ast.js'
import { nearestFloat } from './decimal.js'
import { type Dependence, ofContent, union } from './dependence.js'
import { addMarkup } from './markup.js'
import { numberOf, undefinedError } from './operators.js'
import type { Origin } from './origin.js'
import { OriginText } from './origin-text.js'
import { percentFormat } from './percent-format.js'
import { floatPower } from './power.js'
import { PythonError, typeError, UnsupportedError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { Bytes, Float, type Int, int, List, originOf, Str, Tuple, typeName, type Value } from './value.js'

/** Ints may have this many bits; Python would go on, as long as there is memory. */
const MAX_BITS = 2 ** 20

/** `a + b` and its like, for Python's numbers, strings and sequences. */
export function binary(rendering: Rendering, operator: BinaryOperator, a: Value, b: Value): Value {
  if (operator === '+' && a.kind === 'str' && b.kind === 'str') {
    if (a.markup || b.markup) return addMarkup(rendering, a, b)
    return new Str(rendering.concat(a.text, b.text), union(a.depends, b.depends))
  }
  if (a.kind === 'undefined') undefinedError(a)
  if (operator === '%' && a.kind === 'str') return percentFormat(rendering, a, b)
  if (b.kind === 'undefined') undefinedError(b)
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) {
    const depends = union(ofContent(a), ofContent(b))
    const origin = originOf(a) ?? originOf(b) ?? depends?.[0] ?? null
    if (a.kind === 'float' || b.kind === 'float') {
      return new Float(floatOperation(operator, toFloat(x), toFloat(y)), origin, depends)
    }
    return intOperation(operator, x, y, origin, depends)
  }
  if (operator === '+' && (a.kind === 'list' || a.kind === 'tuple') && a.kind === b.kind) {
    rendering.meter.step(a.items.length + b.items.length)
    const Sequence = a.kind === 'list' ? List : Tuple
    return new Sequence([...a.items, ...b.items], a.origin ?? b.origin, union(a.depends, b.depends))
  }
  if (operator === '+' && a.kind === 'bytes' && b.kind === 'bytes') {
    const data = Buffer.concat([a.data, b.data])
    rendering.meter.write(data.length)
    return new Bytes(data, a.origin ?? b.origin, union(a.depends, b.depends))
  }
  if (operator === '*') {
    if (isSequence(a) && (b.kind === 'int' || b.kind === 'bool')) return repeat(rendering, a, b)
    if (isSequence(b) && (a.kind === 'int' || a.kind === 'bool')) return repeat(rendering, b, a)
  }
  throw typeError(unsupported(operator, a, b))
}

type Sequence = Extract<Value, { kind: 'str' | 'bytes' | 'list' | 'tuple' }>

function isSequence(value: Value): value is Sequence {
  return ['str', 'bytes', 'list', 'tuple'].includes(value.kind)
}

function unsupported(operator: BinaryOperator, a: Value, b: Value): string {
  if (isSequence(a)) {
    if (operator === '+') {
      if (a.kind === 'bytes') return `can't concat ${typeName(b)} to bytes`
      const name = a.kind
      return `can only concatenate ${name} (not "${typeName(b)}") to ${name}`
    }
    if (operator === '*') return `can't multiply sequence by non-int of type '${typeName(b)}'`
  }
  if (operator === '*' && isSequence(b)) {
    return `can't multiply sequence by non-int of type '${typeName(a)}'`
  }
  const name = operator === '**' ? '** or pow()' : operator
  return `unsupported operand type(s) for ${name}: '${typeName(a)}' and '${typeName(b)}'`
}

/** `sequence * times`. How often a text is repeated is a decision where the count depends on data. */
function repeat(
  rendering: Rendering,
  sequence: Sequence,
  times: Extract<Value, { kind: 'int' | 'bool' }>,
): Value {
  const count = Math.max(0, toIndex(times))
  rendering.loop(ofContent(times), count)
  const depends = union(sequence.depends, ofContent(times))
  if (sequence.kind === 'str') {
    const { text } = sequence
    rendering.meter.fits(
      text.text.length * count,
      text.singleOrigin === undefined ? text.runCount * count : 1,
    )
    rendering.meter.write(text.text.length * count)
    return new Str(repeatText(text, count), depends, sequence.markup)
  }
  if (sequence.kind === 'bytes') {
    rendering.meter.write(sequence.data.length * count)
    const data = Buffer.concat(Array.from({ length: count }, () => sequence.data))
    return new Bytes(data, sequence.origin, depends)
  }
  rendering.meter.step(sequence.items.length * count)
  const items = Array.from({ length: count }, () => sequence.items).flat()
  return sequence.kind === 'list'
    ? new List(items, sequence.origin, depends)
    : new Tuple(items, sequence.origin, depends)
}

export function repeatText(text: OriginText, count: number): OriginText {
  const single = text.singleOrigin
  if (single !== undefined) return OriginText.of(text.text.repeat(count), single)
  let repeated = text.slice(0, 0)
  for (let i = 0; i < count; i++) repeated = repeated.concat(text)
  return repeated
}

/** `-value` and `+value`. */
export function unary(operator: '-' | '+', value: Value): Value {
  if (value.kind === 'undefined') undefinedError(value)
  const sign = operator === '-' ? -1 : 1
  if (value.kind === 'float') return new Float(value.value * sign, value.origin, value.depends)
  if (value.kind !== 'int' && value.kind !== 'bool') {
    throw typeError(`bad operand type for unary ${operator}: '${typeName(value)}'`)
  }
  const number = value.kind === 'bool' ? Number(value.value) : value.value
  const result = typeof number === 'bigint' ? number * BigInt(sign) : number * sign
  return int(result, value.origin, value.depends)
}

/** @throws PythonError for an int that is too large */
export function toFloat(value: number | bigint): number {
  const float = Number(value)
  if (!Number.isFinite(float) && typeof value === 'bigint') {
    throw new PythonError('OverflowError', 'int too large to convert to float')
  }
  return float
}

function intOperation(
  operator: BinaryOperator,
  x: number | bigint,
  y: number | bigint,
  origin: Origin | null,
  depends: Dependence,
): Int | Float {
  if (operator === '/') return new Float(trueDivision(x, y), origin, depends)
  if (operator === '**' && y < 0) {
    return new Float(floatOperation('**', toFloat(x), toFloat(y)), origin, depends)
  }
  if (typeof x === 'number' && typeof y === 'number') {
    const result = smallIntOperation(operator, x, y)
    if (Number.isSafeInteger(result)) return int(result, origin, depends)
  }
  return int(bigIntOperation(operator, BigInt(x), BigInt(y)), origin, depends)
}

/** Not `x ** y`, whose last digit is no promise; NaN beyond the safe integers. */
function smallPower(x: number, y: number): number {
  if (Math.abs(x) < 2) return y === 0 ? 1 : y % 2 === 0 ? x * x : x
  let power = 1
  for (let i = 0; i < y; i++) {
    power *= x
    if (!Number.isSafeInteger(power)) return Number.NaN
  }
  return power
}

/** Exact where the result is a safe integer. */
function smallIntOperation(operator: BinaryOperator, x: number, y: number): number {
  switch (operator) {
    case '+':
      return x + y
    case '-':
      return x - y
    case '*':
      return x * y
    case '**':
      return smallPower(x, y)
    default: {
      if (y === 0) throw divisionByZero(operator)
      if (!Number.isSafeInteger(Math.abs(x) + Math.abs(y))) return Number.NaN
      const remainder = x % y
      const modulo = remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder
      return operator === '%' ? modulo : (x - modulo) / y
    }
  }
}

function bigIntOperation(operator: BinaryOperator, x: bigint, y: bigint): bigint {
  switch (operator) {
    case '+':
      return checkBits(x + y)
    case '-':
      return checkBits(x - y)
    case '*':
      return checkBits(x * y)
    case '**':
      if (x !== 0n && x !== 1n && x !== -1n && bits(x) * Number(y) > MAX_BITS) throw tooLarge()
      return x ** y
    default: {
      if (y === 0n) throw divisionByZero(operator)
      const remainder = x % y
      const modulo = remainder !== 0n && remainder < 0n !== y < 0n ? remainder + y : remainder
      return operator === '%' ? modulo : (x - modulo) / y
    }
  }
}

/** How many bits an int has, within four. */
function bits(x: bigint): number {
  return x.toString(16).length * 4
}

function checkBits(x: bigint): bigint {
  if (x > 2n ** 1100n || x < -(2n ** 1100n)) if (bits(x) > MAX_BITS) throw tooLarge()
  return x
}

function tooLarge(): UnsupportedError {
  return new UnsupportedError(`an int of more than ${MAX_BITS} bits`)
}

function divisionByZero(operator: BinaryOperator): PythonError {
  return new PythonError(
    'ZeroDivisionError',
    operator === '%' ? 'integer modulo by zero' : 'integer division or modulo by zero',
  )
}

/** `x / y`, rounded once. */
function trueDivision(x: number | bigint, y: number | bigint): number {
  if (Number(y) === 0) throw new PythonError('ZeroDivisionError', 'division by zero')
  if (typeof x === 'number' && typeof y === 'number') return x / y
  const [dividend, divisor] = [BigInt(x), BigInt(y)]
  const negative = dividend < 0n !== divisor < 0n
  const [a, b] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor]
  const result = nearestFloat(a, b)
  if (!Number.isFinite(result)) {
    throw new PythonError('OverflowError', 'integer division result too large for a float')
  }
  return negative ? -result : result
}

function floatOperation(operator: BinaryOperator, x: number, y: number): number {
  switch (operator) {
    case '+':
      return x + y
    case '-':
      return x - y
    case '*':
      return x * y
    case '**':
      return power(x, y)
    case '/':
      if (y === 0) throw new PythonError('ZeroDivisionError', 'float division by zero')
      return x / y
    default: {
      if (y === 0) {
        const problem = operator === '%' ? 'float modulo' : 'float floor division by zero'
        throw new PythonError('ZeroDivisionError', problem)
      }
      return floorDivision(operator, x, y)
    }
  }
}

function floorDivision(operator: '//' | '%', x: number, y: number): number {
  const remainder = x % y
  const modulo = remainder === 0 ? (y < 0 ? -0 : 0) : remainder < 0 !== y < 0 ? remainder + y : remainder
  if (operator === '%') return modulo
  const quotient = (x - modulo) / y
  if (quotient === 0) return x / y < 0 || Object.is(x / y, -0) ? -0 : 0
  const floor = Math.floor(quotient)
  return quotient - floor > 0.5 ? floor + 1 : floor
}

function power(x: number, y: number): number {
  if (x === 0 && y < 0) {
    throw new PythonError('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  }
  if (x === 1) return 1
  if (x === -1 && !Number.isFinite(y) && !Number.isNaN(y)) return 1
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw new UnsupportedError('a complex number, the power of a negative one')
  }
  const result = Number.isFinite(x) && Number.isFinite(y) ? floatPower(x, y) : x ** y
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    throw new PythonError('OverflowError', "(34, 'Numerical result out of range')")
  }
  return result
}
