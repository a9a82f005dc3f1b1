import { pythonFloatRepr } from '../python-json.js'
import type { Origin } from './origin.js'
import { OriginText, TextBuilder } from './origin-text.js'
import { valueError } from './python-error.js'
import { isPrintable } from './python-unicode.js'
import type { Rendering } from './rendering.js'
import type { Value } from './value.js'

/**
 * Python's `str()` and `repr()` with origins: strings keep theirs, and so do quotes around them; the digits and
 * words of scalars and the punctuation of containers have the origin of the value.
 */

/** `str(value)`, and what `{{ value }}` prints. */
export function str(rendering: Rendering, value: Value): OriginText {
  switch (value.kind) {
    case 'str':
      return value.text
    case 'int':
      return OriginText.of(intText(value.value), value.origin)
    case 'float':
      return OriginText.of(floatText(value.value), value.origin)
    case 'bool':
      return OriginText.of(value.value ? 'True' : 'False', value.origin)
    case 'none':
      return OriginText.of('None', value.origin)
    case 'undefined':
      return OriginText.empty
    default:
      return repr(rendering, value)
  }
}

export function repr(rendering: Rendering, value: Value): OriginText {
  const writer = new ReprWriter(rendering)
  writer.write(value)
  return writer.builder.build()
}

/** @throws PythonError for more digits than CPython prints */
export function intText(value: number | bigint): string {
  // 4,300 digits have at least 14,281 bits.
  if (typeof value === 'bigint' && (value >= 10n ** 4300n || value <= -(10n ** 4300n))) {
    throw valueError('Exceeds the limit (4300 digits) for integer string conversion')
  }
  return String(value)
}

/** `repr(float)`. */
export function floatText(value: number): string {
  if (Number.isFinite(value)) return pythonFloatRepr(value)
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
}

/** Whether `repr` would write anything but the text in single quotes. */
const NOT_PLAIN = /[^ -&(-[\]-~]/u
const NOT_PLAIN_EACH = /[^ -&(-[\]-~]/gu
const SHORT_ESCAPES = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** `repr(str)`. */
export function quoted(text: OriginText): OriginText {
  const builder = new TextBuilder()
  writeQuoted(builder, text)
  return builder.build()
}

function writeQuoted(builder: TextBuilder, text: OriginText): void {
  const quote = text.text.includes("'") && !text.text.includes('"') ? '"' : "'"
  const escapeCharacter = (character: string): string => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character
    return SHORT_ESCAPES.get(character) ?? (isPrintable(character) ? character : escaped(character))
  }
  builder.append(quote, text.originAt(0))
  builder.appendText(
    NOT_PLAIN.test(text.text) ? text.mapRuns((run) => run.replace(NOT_PLAIN_EACH, escapeCharacter)) : text,
  )
  builder.append(quote, text.originAt(text.text.length))
}

/** `ascii()` of what `repr` wrote. */
export function asciiOnly(text: OriginText): OriginText {
  return text.mapRuns((run) => run.replace(/[^\0-\x7f]/gu, escaped))
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = (width: number): string => code.toString(16).padStart(width, '0')
  if (code < 0x100) return `\\x${hex(2)}`
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`
}

/** `repr(bytes)`. */
function bytesText(data: Uint8Array): string {
  const text = Buffer.from(data).toString('latin1')
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const written = text.replace(/[^ -&(-[\]-~]/g, (byte) => {
    if (byte === "'" || byte === '"') return byte === quote ? `\\${byte}` : byte
    return SHORT_ESCAPES.get(byte) ?? escaped(byte)
  })
  return `b${quote}${written}${quote}`
}

class ReprWriter {
  readonly builder = new TextBuilder()
  readonly #rendering: Rendering

  constructor(rendering: Rendering) {
    this.#rendering = rendering
  }

  write(value: Value): void {
    const { builder } = this
    this.#rendering.meter.step()
    switch (value.kind) {
      case 'str':
        if (value.markup) builder.append('Markup(', value.text.originAt(0))
        this.#rendering.rewrite(value.text)
        writeQuoted(builder, value.text)
        if (value.markup) builder.append(')', value.text.originAt(value.text.text.length))
        break
      case 'bytes':
        builder.append(bytesText(value.data), value.origin)
        break
      case 'undefined':
        builder.append('Undefined', null)
        break
      case 'list':
        this.#sequence('[', value.items, ']', value.origin)
        break
      case 'tuple':
        this.#sequence('(', value.items, value.items.length === 1 ? ',)' : ')', value.origin)
        break
      case 'dict':
        this.#mapping(value.entries, value.origin)
        break
      case 'view':
        this.#view(value)
        break
      case 'namespace':
        builder.append('<Namespace ', null)
        this.#mapping(value.attributes, null)
        builder.append('>', null)
        break
      case 'range': {
        const step = value.step === 1 ? '' : `, ${value.step}`
        builder.append(`range(${value.start}, ${value.stop}${step})`, value.depends?.[0] ?? null)
        break
      }
      case 'iterator':
        builder.append(`<${value.typeName} object>`, null)
        break
      case 'callable':
        builder.append(value.repr, null)
        if (value.owner === undefined || value.repr.endsWith('>')) break
        builder.append(' of ', null)
        this.write(value.owner)
        builder.append('>', null)
        break
      case 'instance':
        builder.append(value.repr, null)
        break
      default:
        builder.appendText(str(this.#rendering, value))
    }
    this.#rendering.meter.fits(builder.length)
  }

  #sequence(open: string, items: readonly Value[], close: string, origin: Origin | null): void {
    this.#rendering.meter.nested(() => {
      this.builder.append(open, origin)
      items.forEach((item, i) => {
        if (i > 0) this.builder.append(', ', origin)
        this.write(item)
      })
      this.builder.append(close, origin)
    })
  }

  #mapping(entries: ReadonlyMap<unknown, { key: Value; value: Value }>, origin: Origin | null): void {
    this.#rendering.meter.nested(() => {
      let separator = '{'
      for (const { key, value } of entries.values()) {
        this.builder.append(separator, origin)
        this.write(key)
        this.builder.append(': ', origin)
        this.write(value)
        separator = ', '
      }
      this.builder.append(separator === '{' ? '{}' : '}', origin)
    })
  }

  #view({
    of,
    dict,
  }: {
    of: string
    dict: { entries: ReadonlyMap<unknown, { key: Value; value: Value }>; origin: Origin | null }
  }): void {
    const { origin } = dict
    this.builder.append(`dict_${of}([`, origin)
    let separator = ''
    for (const { key, value } of dict.entries.values()) {
      this.builder.append(separator, origin)
      if (of === 'items') this.#sequence('(', [key, value], ')', origin)
      else this.write(of === 'keys' ? key : value)
      separator = ', '
    }
    this.builder.append('])', origin)
  }
}
