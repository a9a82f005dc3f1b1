import { union } from './dependence.js'
import { characterOf, firstCodePoints, pad, size } from './format-spec.js'
import { escapeText, escapeValue } from './markup.js'
import { isNegative, signOf, unsignedFloat } from './number-format.js'
import { hashKey, numberOf, undefinedError } from './operators.js'
import { OriginText, TextBuilder } from './origin-text.js'
import { PythonError, typeError, valueError } from './python-error.js'
import { asciiOnly, intText, repr, str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { originOf, Str, typeName, type Value } from './value.js'

/** `%(key)`, flags, width, precision, and a length that means nothing. */
const DIRECTIVE = /(?<flags>[-+ #0]*)(?<width>\*|\d+)?(?:\.(?<precision>\*|\d*))?[hlL]?/y

interface Directive {
  readonly left: boolean
  readonly sign: string
  readonly alternate: boolean
  readonly zero: boolean
  readonly width: number
  readonly precision: number | undefined
}

/**
 * `template % value`, Python's printf formatting. Texts keep their origins, digits have that of the number.
 *
 * @see CPython 3.11 `Objects/unicodeobject.c`, `PyUnicode_Format`
 */
export function percentFormat(rendering: Rendering, template: Str, value: Value): Str {
  const formatter = new PercentFormatter(rendering, template, value)
  const text = formatter.run()
  rendering.rewrite(text)
  return new Str(text, union(template.depends, formatter.depends), template.markup)
}

class PercentFormatter {
  depends: Value['depends'] = null
  readonly #rendering: Rendering
  readonly #text: OriginText
  readonly #markup: boolean
  /** Positional values; a value that is no tuple is the only one. */
  readonly #values: readonly Value[]
  readonly #value: Value
  readonly #builder = new TextBuilder()
  #used = 0

  constructor(rendering: Rendering, template: Str, value: Value) {
    this.#rendering = rendering
    this.#text = template.text
    this.#markup = template.markup
    this.#value = value
    this.#values = value.kind === 'tuple' ? value.items : [value]
  }

  run(): OriginText {
    const source = this.#text.text
    let mapped = false
    let offset = 0
    for (let percent = source.indexOf('%'); percent >= 0; percent = source.indexOf('%', offset)) {
      const isDoubled = source[percent + 1] === '%'
      this.#builder.appendText(this.#text.slice(offset, isDoubled ? percent + 1 : percent))
      offset = percent + (isDoubled ? 2 : 1)
      if (isDoubled) continue
      let given: Value | undefined
      if (source[offset] === '(') {
        const end = closing(source, offset)
        given = this.#named(this.#text.slice(offset + 1, end - 1))
        mapped = true
        offset = end
      }
      offset = this.#directive(offset, given)
      this.#rendering.meter.fits(this.#builder.length)
    }
    this.#builder.appendText(this.#text.slice(offset, source.length))
    if (!mapped && !isMapping(this.#value) && this.#used < this.#values.length) {
      throw typeError('not all arguments converted during string formatting')
    }
    return this.#builder.build()
  }

  #named(name: OriginText): Value {
    if (this.#value.kind === 'undefined') undefinedError(this.#value)
    if (this.#value.kind !== 'dict') throw typeError('format requires a mapping')
    const entry = this.#value.entries.get(hashKey(new Str(name)))
    if (entry === undefined) throw new PythonError('KeyError', `'${name.text}'`)
    return entry.value
  }

  #next(): Value {
    const value = this.#values[this.#used++]
    if (value === undefined) throw typeError('not enough arguments for format string')
    return value
  }

  /** Formats one value and returns where the directive ends. */
  #directive(start: number, given: Value | undefined): number {
    const source = this.#text.text
    DIRECTIVE.lastIndex = start
    const { flags = '', width, precision } = DIRECTIVE.exec(source)?.groups ?? {}
    const offset = DIRECTIVE.lastIndex
    const type = String.fromCodePoint(source.codePointAt(offset) ?? 0)
    if (offset >= source.length) throw valueError('incomplete format')
    const starred = this.#starred(width)
    const directive: Directive = {
      left: flags.includes('-') || (starred ?? 0) < 0,
      sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
      alternate: flags.includes('#'),
      zero: flags.includes('0'),
      width: Math.abs(starred ?? 0),
      precision: precision === '' ? 0 : maximum(this.#starred(precision)),
    }
    const value = given ?? this.#next()
    this.depends = union(this.depends, value.depends)
    this.#builder.appendText(this.#convert(type, value, directive, offset))
    return offset + type.length
  }

  /** A width or precision, which `*` takes from the values. */
  #starred(digits: string | undefined): number | undefined {
    if (digits === undefined || digits === '') return undefined
    if (digits !== '*') return size(digits)
    const value = this.#next()
    if (value.kind !== 'int' && value.kind !== 'bool') throw typeError('* wants int')
    return Number(value.value)
  }

  #convert(type: string, value: Value, directive: Directive, offset: number): OriginText {
    switch (type) {
      case 's':
      case 'r':
      case 'a':
        return this.#fill(this.#textOf(type, value, directive.precision), directive, false)
      case 'c':
        return this.#fill(this.#characterOf(value), directive, false)
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return this.#integer(type, value, directive)
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return this.#float(type, value, directive)
      default: {
        const code = type.codePointAt(0)?.toString(16)
        const index = this.#text.codePointAt(offset)
        throw valueError(`unsupported format character '${type}' (0x${code}) at index ${index}`)
      }
    }
  }

  #textOf(type: string, value: Value, precision: number | undefined): OriginText {
    const rendering = this.#rendering
    let text: OriginText
    if (type === 's') {
      text = this.#markup ? escapeValue(rendering, value) : str(rendering, value)
    } else {
      text = repr(rendering, value)
      if (this.#markup) text = escapeText(rendering, text)
      if (type === 'a') text = asciiOnly(text)
    }
    return precision === undefined ? text : firstCodePoints(rendering, text, precision)
  }

  #characterOf(value: Value): OriginText {
    if (value.kind === 'str') {
      if (value.text.length !== 1) throw typeError('%c requires int or char')
      return value.text
    }
    if (value.kind !== 'int' && value.kind !== 'bool') throw typeError('%c requires int or char')
    const code = numberOf(value) as number | bigint
    return OriginText.of(characterOf(code, '%c arg not in range(0x110000)'), originOf(value))
  }

  #integer(type: string, value: Value, directive: Directive): OriginText {
    if (value.kind === 'undefined') undefinedError(value)
    let number = numberOf(value)
    if (number === undefined || (value.kind === 'float' && /[oxX]/.test(type))) {
      const wanted = /[oxX]/.test(type) ? 'an integer' : 'a real number'
      throw typeError(`%${type} format: ${wanted} is required, not ${typeName(value)}`)
    }
    if (value.kind === 'float') number = wholeNumber(value.value)
    const radix = { o: 8, x: 16, X: 16 }[type] ?? 10
    const magnitude = number < 0 ? -number : number
    let digits = radix === 10 ? intText(magnitude) : magnitude.toString(radix)
    const least = directive.precision ?? 0
    this.#rendering.meter.fits(least)
    digits = digits.padStart(least, '0')
    if (type === 'X') digits = digits.toUpperCase()
    const prefix = directive.alternate && radix !== 10 ? `0${type}` : ''
    return this.#number(signOf(number < 0, directive.sign) + prefix, digits, value, directive)
  }

  #float(type: string, value: Value, directive: Directive): OriginText {
    if (value.kind === 'undefined') undefinedError(value)
    const number = numberOf(value)
    if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`)
    const x = Number(number)
    if (typeof number === 'bigint' && !Number.isFinite(x)) {
      throw new PythonError('OverflowError', 'int too large to convert to float')
    }
    this.#rendering.meter.fits(directive.precision ?? 0)
    const digits = unsignedFloat(x, type, directive.precision, directive.alternate)
    return this.#number(signOf(isNegative(x), directive.sign), digits, value, directive)
  }

  #number(lead: string, digits: string, value: Value, directive: Directive): OriginText {
    const origin = originOf(value)
    if (directive.zero && !directive.left) {
      const width = directive.width - lead.length
      this.#rendering.meter.fits(width)
      return OriginText.of(lead + digits.padStart(width, '0'), origin)
    }
    return this.#fill(OriginText.of(lead + digits, origin), directive, true)
  }

  #fill(text: OriginText, { width, left }: Directive, isNumber: boolean): OriginText {
    const missing = width - text.length
    if (isNumber && missing <= 0) return text
    return pad(this.#rendering, text, width, left ? '<' : '>', OriginText.trusted(' '))
  }
}

/** Behind the parenthesis that closes a name, which may hold others. */
function closing(source: string, open: number): number {
  let depth = 0
  for (let i = open; i < source.length; i++) {
    if (source[i] === '(') depth++
    else if (source[i] === ')' && --depth === 0) return i + 1
  }
  throw valueError('incomplete format key')
}

function maximum(precision: number | undefined): number | undefined {
  return precision === undefined ? undefined : Math.max(0, precision)
}

function isMapping(value: Value): boolean {
  return value.kind !== 'tuple' && value.kind !== 'str' && isSubscriptable(value)
}

function isSubscriptable(value: Value): boolean {
  return ['list', 'dict', 'range', 'undefined'].includes(value.kind)
}

function wholeNumber(x: number): bigint {
  if (Number.isNaN(x)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(x)) throw new PythonError('OverflowError', 'cannot convert float infinity to integer')
  return BigInt(Math.trunc(x))
}
