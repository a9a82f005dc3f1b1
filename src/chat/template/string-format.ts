import { ofText, union } from './dependence.js'
import { format } from './format-spec.js'
import { escapeText } from './markup.js'
import { hashKey } from './operators.js'
import { type OriginText, TextBuilder } from './origin-text.js'
import { PythonError, valueError } from './python-error.js'
import { asciiOnly, repr, str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { int, type KeywordArguments, Str, trustedStr, type Value } from './value.js'

/** How a field reaches into a value: the sandbox's `getattr` and `getitem`. */
export interface Lookup {
  attribute(rendering: Rendering, value: Value, name: string): Value
  item(rendering: Rendering, value: Value, key: Value): Value
}

/** The names that a format string can use. */
export interface FormatArguments {
  readonly args: readonly Value[]
  readonly kwargs: KeywordArguments | null
}

/** Formats may stand in formats this deep. */
const MAX_DEPTH = 2

/**
 * `template.format(*args, **kwargs)`. Texts keep their origins, digits have that of the number.
 *
 * @see CPython 3.11 `Lib/string.py`, `Objects/stringlib/unicode_format.h`; Jinja2 3.1.6 `sandbox.py`
 */
export function formatString(
  rendering: Rendering,
  template: Str,
  values: FormatArguments,
  lookup: Lookup,
): Str {
  const formatter = new StringFormatter(rendering, values, lookup, template.markup)
  const text = formatter.run(template.text, MAX_DEPTH)
  rendering.split(ofText(template.text), formatter.fields)
  rendering.rewrite(text)
  return new Str(text, union(template.depends, formatter.depends), template.markup)
}

class StringFormatter {
  depends: Value['depends'] = null
  fields = 0
  readonly #rendering: Rendering
  readonly #values: FormatArguments
  readonly #lookup: Lookup
  readonly #markup: boolean
  /** The next automatic number, or that numbers are given. */
  #automatic: number | 'manual' = 0

  constructor(rendering: Rendering, values: FormatArguments, lookup: Lookup, markup: boolean) {
    this.#rendering = rendering
    this.#values = values
    this.#lookup = lookup
    this.#markup = markup
  }

  run(text: OriginText, depth: number): OriginText {
    if (depth < 0) throw valueError('Max string recursion exceeded')
    const source = text.text
    const builder = new TextBuilder()
    let offset = 0
    for (let brace = nextBrace(source, 0); brace >= 0; brace = nextBrace(source, offset)) {
      const doubled = source[brace + 1] === source[brace]
      builder.appendText(text.slice(offset, doubled ? brace + 1 : brace))
      if (doubled) {
        offset = brace + 2
        continue
      }
      if (source[brace] === '}') throw valueError("Single '}' encountered in format string")
      if (brace + 1 === source.length) throw valueError("Single '{' encountered in format string")
      const field = parseField(source, brace + 1)
      const { name, conversion, spec, end } = field
      const value = this.#converted(this.#valueOf(name), conversion)
      const expanded = this.run(text.slice(spec.start, spec.end), depth - 1)
      builder.appendText(this.#formatted(value, expanded))
      this.#rendering.meter.fits(builder.length)
      this.fields++
      offset = end
    }
    builder.appendText(text.slice(offset, source.length))
    return builder.build()
  }

  #valueOf(name: string): Value {
    const { first, steps } = splitName(this.#numbered(name))
    let value = this.#argument(first)
    for (const { isAttribute, key } of steps) {
      value = isAttribute
        ? this.#lookup.attribute(this.#rendering, value, String(key))
        : this.#lookup.item(this.#rendering, value, typeof key === 'number' ? int(key) : trustedStr(key))
    }
    this.depends = union(this.depends, value.depends)
    return value
  }

  #numbered(name: string): string {
    if (name === '') {
      if (this.#automatic === 'manual') {
        throw valueError('cannot switch from manual field specification to automatic field numbering')
      }
      return String(this.#automatic++)
    }
    if (/^\d+$/.test(name)) {
      if (this.#automatic !== 'manual' && this.#automatic > 0) {
        throw valueError('cannot switch from manual field specification to automatic field numbering')
      }
      this.#automatic = 'manual'
    }
    return name
  }

  #argument(key: string | number): Value {
    if (typeof key === 'number') {
      const value = this.#values.args[key]
      if (value !== undefined) return value
      throw new PythonError('IndexError', `Replacement index ${key} out of range for positional args tuple`)
    }
    const entry = this.#values.kwargs?.get(hashKey(trustedStr(key)))
    if (entry === undefined) throw new PythonError('KeyError', `'${key}'`)
    return entry.value
  }

  #converted(value: Value, conversion: string | undefined): Value {
    switch (conversion) {
      case undefined:
        return value
      case 's':
        return new Str(str(this.#rendering, value), value.depends)
      case 'r':
        return new Str(repr(this.#rendering, value), value.depends)
      case 'a':
        return new Str(asciiOnly(repr(this.#rendering, value)), value.depends)
      default:
        throw valueError(`Unknown conversion specifier '${conversion}'`)
    }
  }

  #formatted(value: Value, spec: OriginText): OriginText {
    if (this.#markup && value.kind === 'str' && value.markup) {
      if (spec.text !== '') throw valueError('Unsupported format specification for Markup.')
      return value.text
    }
    const text = format(this.#rendering, value, spec.text, spec.firstOrigin)
    return this.#markup ? escapeText(this.#rendering, text) : text
  }
}

function nextBrace(source: string, from: number): number {
  for (let i = from; i < source.length; i++) if (source[i] === '{' || source[i] === '}') return i
  return -1
}

interface Field {
  readonly name: string
  readonly conversion: string | undefined
  readonly spec: { readonly start: number; readonly end: number }
  readonly end: number
}

/** A replacement field, from behind its brace. */
function parseField(source: string, start: number): Field {
  let i = start
  for (; i < source.length && !'}:!'.includes(source[i] as string); i++) {
    if (source[i] === '{') throw valueError("unexpected '{' in field name")
    if (source[i] === '[') while (i + 1 < source.length && source[i] !== ']') i++
  }
  const name = source.slice(start, i)
  if (i >= source.length) throw valueError("expected '}' before end of string")
  let conversion: string | undefined
  if (source[i] === '!') {
    const code = source.codePointAt(i + 1)
    if (code === undefined) throw valueError('end of string while looking for conversion specifier')
    conversion = String.fromCodePoint(code)
    i += 1 + conversion.length
    if (source[i] === '}') return { name, conversion, spec: { start: i, end: i }, end: i + 1 }
    if (i < source.length && source[i] !== ':') throw valueError("expected ':' after conversion specifier")
  }
  if (source[i] === '}') return { name, conversion, spec: { start: i, end: i }, end: i + 1 }
  let depth = 1
  for (let end = i + 1; end < source.length; end++) {
    if (source[end] === '{') depth++
    else if (source[end] === '}' && --depth === 0) {
      return { name, conversion, spec: { start: i + 1, end }, end: end + 1 }
    }
  }
  throw valueError("unmatched '{' in format spec")
}

interface NameStep {
  readonly isAttribute: boolean
  readonly key: string | number
}

/** `a.b[0]`: what is asked for first, and what then. */
function splitName(name: string): { first: string | number; steps: NameStep[] } {
  const first = /^[^.[]*/.exec(name)?.[0] ?? ''
  const steps: NameStep[] = []
  for (let i = first.length; i < name.length; ) {
    if (name[i] === '.') {
      const attribute = /^[^.[]*/.exec(name.slice(i + 1))?.[0] ?? ''
      if (attribute === '') throw valueError('Empty attribute in format string')
      steps.push({ isAttribute: true, key: attribute })
      i += 1 + attribute.length
    } else if (name[i] === '[') {
      const close = name.indexOf(']', i)
      if (close < 0) throw valueError("Missing ']' in format string")
      if (close === i + 1) throw valueError('Empty attribute in format string')
      steps.push({ isAttribute: false, key: numbered(name.slice(i + 1, close)) })
      i = close + 1
    } else {
      throw valueError("Only '.' or '[' may follow ']' in format field specifier")
    }
  }
  return { first: numbered(first), steps }
}

function numbered(key: string): string | number {
  if (!/^\d+$/.test(key)) return key
  if (!Number.isSafeInteger(Number(key))) throw valueError('Too many decimal digits in format string')
  return Number(key)
}
