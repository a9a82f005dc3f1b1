import { ofText } from './dependence.js'
import { grouped, isNegative, type NumberBody, signOf, unsignedFloat } from './number-format.js'
import { numberOf } from './operators.js'
import type { Origin } from './origin.js'
import { OriginText, TextBuilder } from './origin-text.js'
import { PythonError, typeError, valueError } from './python-error.js'
import { intText, str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { originOf, typeName, type Value } from './value.js'

/** Python's `format(value, spec)`. */

interface FormatSpec {
  readonly fill: string
  readonly align: '<' | '>' | '=' | '^' | undefined
  readonly sign: '+' | '-' | ' ' | ''
  /** `z`: a negative zero loses its sign. */
  readonly coerceZero: boolean
  readonly alternate: boolean
  readonly zero: boolean
  readonly width: number
  readonly grouping: ',' | '_' | ''
  readonly precision: number | undefined
  readonly type: string
}

const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[ +-])?(?<coerce>z)?(?<alternate>#)?(?<zero>0)?(?<width>\d+)?(?<grouping>[,_]+)?(?:\.(?<precision>\d*))?(?<type>.)?$/su

/** No text may be as long as this, so wider and more precise numbers need not be told apart. */
const MOST = 2 ** 31

/**
 * @param padding whose the fill characters are: that of the format string
 * @throws PythonError for a spec that does not fit the value
 */
export function format(rendering: Rendering, value: Value, spec: string, padding: Origin | null): OriginText {
  if (spec === '') return str(rendering, value)
  switch (value.kind) {
    case 'str':
      return formatText(rendering, value.text, parseSpec(spec, 'str'), padding)
    case 'int':
    case 'bool':
      return formatInt(rendering, value, parseSpec(spec, value.kind), padding)
    case 'float':
      return formatFloat(rendering, value, parseSpec(spec, 'float'), padding)
    default:
      throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`)
  }
}

function parseSpec(spec: string, name: string): FormatSpec {
  const groups = SPEC.exec(spec)?.groups
  if (groups === undefined)
    throw valueError(`Invalid format specifier '${spec}' for object of type '${name}'`)
  const { fill, align, sign, coerce, alternate, zero, width, grouping, precision, type } = groups
  if (precision === '') throw valueError('Format specifier missing precision')
  if (grouping !== undefined && grouping.length > 1) throw valueError("Cannot specify both ',' and '_'.")
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: align as FormatSpec['align'],
    sign: (sign ?? '') as FormatSpec['sign'],
    coerceZero: coerce !== undefined,
    alternate: alternate !== undefined,
    zero: zero !== undefined,
    width: size(width ?? '0'),
    grouping: (grouping ?? '') as FormatSpec['grouping'],
    precision: precision === undefined ? undefined : size(precision),
    type: type ?? '',
  }
}

/** A width or precision. */
export function size(digits: string): number {
  const value = Number(digits)
  if (value > Number.MAX_SAFE_INTEGER) throw valueError('Too many decimal digits in format string')
  return Math.min(value, MOST)
}

function formatText(
  rendering: Rendering,
  text: OriginText,
  spec: FormatSpec,
  padding: Origin | null,
): OriginText {
  const { type, align, grouping, precision } = spec
  if (type !== '' && type !== 's') throw unknownCode(type, 'str')
  const refused =
    (spec.sign === ' ' && 'Space') ||
    (spec.sign && 'Sign') ||
    (spec.coerceZero && 'Negative zero coercion (z)') ||
    (spec.alternate && 'Alternate form (#)')
  if (refused) throw valueError(`${refused} not allowed in string format specifier`)
  if (align === '=') throw valueError("'=' alignment not allowed in string format specifier")
  if (grouping !== '') throw valueError(`Cannot specify '${grouping}' with 's'.`)
  const kept = precision === undefined ? text : firstCodePoints(rendering, text, precision)
  return pad(rendering, kept, spec.width, align ?? '<', OriginText.of(spec.fill, padding))
}

function unknownCode(type: string, name: string): PythonError {
  const shown = type > ' ' && type < '\x80' ? type : `\\x${type.codePointAt(0)?.toString(16)}`
  return valueError(`Unknown format code '${shown}' for object of type '${name}'`)
}

/** The beginning of a text; the rest is lost. */
export function firstCodePoints(rendering: Rendering, text: OriginText, count: number): OriginText {
  rendering.seek(text)
  if (text.length <= count) return text
  const end = text.offsetOf(count)
  rendering.cut(text.slice(end, text.text.length))
  return text.slice(0, end)
}

/** Fills a text up to a width in code points. How much there is to fill depends on the text. */
export function pad(
  rendering: Rendering,
  text: OriginText,
  width: number,
  align: '<' | '>' | '^',
  fill: OriginText,
): OriginText {
  rendering.seek(text)
  rendering.inspect(text)
  const missing = width - text.length
  if (width > 0) rendering.branch(ofText(text), missing > 0)
  if (missing <= 0) return text
  rendering.meter.write(width)
  const before = align === '<' ? 0 : align === '>' ? missing : Math.floor(missing / 2)
  const builder = new TextBuilder()
  if (before > 0) builder.append(fill.text.repeat(before), fill.firstOrigin)
  builder.appendText(text)
  if (before < missing) builder.append(fill.text.repeat(missing - before), fill.firstOrigin)
  return builder.build()
}

type Numeric = Extract<Value, { kind: 'int' | 'float' | 'bool' }>

function formatInt(
  rendering: Rendering,
  value: Numeric,
  spec: FormatSpec,
  padding: Origin | null,
): OriginText {
  const number = numberOf(value) as number | bigint
  const { type, grouping } = spec
  if (!'bcdnoxX'.includes(type)) return formatFloat(rendering, value, spec, padding)
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier')
  if (spec.coerceZero) {
    throw valueError('Negative zero coercion (z) not allowed in format specifier with integer')
  }
  if (
    grouping !== '' &&
    (type === 'n' || type === 'c' || (grouping === ',' && type !== '' && type !== 'd'))
  ) {
    throw valueError(`Cannot specify '${grouping}' with '${type}'.`)
  }
  if (type === 'c') {
    if (spec.sign !== '') throw valueError("Sign not allowed with integer format specifier 'c'")
    if (spec.alternate) throw valueError("Alternate form (#) not allowed with integer format specifier 'c'")
    const digits = characterOf(number, '%c arg not in range(0x110000)')
    return layOut(rendering, { sign: '', prefix: '', digits, rest: '' }, spec, 3, value, padding)
  }
  const radix = { b: 2, o: 8, x: 16, X: 16 }[type] ?? 10
  const magnitude = number < 0 ? -number : number
  const digits = radix === 10 ? intText(magnitude) : magnitude.toString(radix)
  const body = {
    sign: signOf(number < 0, spec.sign),
    prefix: spec.alternate && radix !== 10 ? `0${type}` : '',
    digits: type === 'X' ? digits.toUpperCase() : digits,
    rest: '',
  }
  return layOut(rendering, body, spec, radix === 10 ? 3 : 4, value, padding)
}

/** `chr(code)`. Half a surrogate pair is no character of a prompt: it becomes U+FFFD. */
export function characterOf(code: number | bigint, problem: string): string {
  if (code < 0 || code > 0x10ffff) throw new PythonError('OverflowError', problem)
  return String.fromCodePoint(Number(code)).toWellFormed()
}

function formatFloat(
  rendering: Rendering,
  value: Numeric,
  spec: FormatSpec,
  padding: Origin | null,
): OriginText {
  const { type, precision } = spec
  if (!'eEfFgGn%'.includes(type)) throw unknownCode(type, value.kind === 'float' ? 'float' : 'int')
  if (spec.grouping !== '' && type === 'n') throw valueError(`Cannot specify '${spec.grouping}' with 'n'.`)
  rendering.meter.fits(precision ?? 0)
  const number = numberOf(value) as number | bigint
  const x = Number(number)
  if (typeof number === 'bigint' && !Number.isFinite(x)) {
    throw new PythonError('OverflowError', 'int too large to convert to float')
  }
  const text = unsignedFloat(x, type === 'n' ? 'g' : type, precision, spec.alternate)
  const negative = isNegative(x) && !(spec.coerceZero && /^[0.]*(e[+-]\d+)?$/i.test(text))
  const whole = /^\d*/.exec(text)?.[0] ?? ''
  const rest = text.slice(whole.length) + (type === '%' ? '%' : '')
  const body = { sign: signOf(negative, spec.sign), prefix: '', digits: whole, rest }
  return layOut(rendering, body, spec, 3, value, padding)
}

function layOut(
  rendering: Rendering,
  { sign, prefix, digits, rest }: NumberBody,
  spec: FormatSpec,
  group: number,
  value: Numeric,
  padding: Origin | null,
): OriginText {
  const align = spec.align ?? (spec.type === 'c' ? '<' : spec.zero ? '=' : '>')
  const width = spec.width - sign.length - prefix.length
  rendering.meter.fits(width)
  const zeros = align === '=' && spec.fill === '0' ? width - rest.length : 0
  const whole = spec.grouping === '' ? digits : grouped(digits, spec.grouping, group, zeros)
  const origin = originOf(value)
  const lead = OriginText.of(sign + prefix, origin)
  const body = OriginText.of(whole + rest, origin)
  const fill = OriginText.of(spec.fill, padding)
  return align === '='
    ? lead.concat(pad(rendering, body, width, '>', fill))
    : pad(rendering, lead.concat(body), spec.width, align, fill)
}
