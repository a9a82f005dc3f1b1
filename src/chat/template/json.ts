import { jsonEscaped } from '../python-json.js'
import { ordered, truth } from './operators.js'
import type { Origin } from './origin.js'
import { OriginText, TextBuilder } from './origin-text.js'
import { typeError, valueError } from './python-error.js'
import { floatText, intText } from './python-text.js'
import type { Rendering } from './rendering.js'
import { sortValues } from './sorting.js'
import { type Entries, type Entry, type List, type Tuple, typeName, type Value } from './value.js'

/** The parameters of `tojson` in transformers, by name. */
export interface JsonArguments {
  readonly ensureAscii: Value | undefined
  readonly indent: Value | undefined
  readonly separators: Value | undefined
  readonly sortKeys: Value | undefined
}

/**
 * `json.dumps` with origins: strings and the quotes around them, keys and digits have their own; punctuation
 * and white space have that of the container, so that a value of the request is data throughout.
 *
 * @see CPython 3.11 `Lib/json/encoder.py`; transformers `chat_template_utils.py`
 */
export function toJson(rendering: Rendering, value: Value, options: JsonArguments): OriginText {
  const writer = new JsonWriter(rendering, options)
  writer.write(value)
  return writer.builder.build()
}

class JsonWriter {
  readonly builder = new TextBuilder()
  readonly #rendering: Rendering
  readonly #ascii: boolean
  readonly #sorted: boolean
  readonly #indent: OriginText | undefined
  readonly #itemSeparator: OriginText
  readonly #keySeparator: OriginText
  #depth = 0

  constructor(rendering: Rendering, { ensureAscii, indent, separators, sortKeys }: JsonArguments) {
    this.#rendering = rendering
    this.#ascii = ensureAscii !== undefined && truth(ensureAscii)
    this.#sorted = sortKeys !== undefined && truth(sortKeys)
    this.#indent = indentText(rendering, indent)
    const [item, key] = separatorTexts(separators)
    this.#itemSeparator = item ?? OriginText.trusted(this.#indent === undefined ? ', ' : ',')
    this.#keySeparator = key ?? OriginText.trusted(': ')
  }

  write(value: Value): void {
    const { builder } = this
    this.#rendering.meter.step()
    switch (value.kind) {
      case 'str':
        this.#string(value.text)
        break
      case 'int':
        builder.append(intText(value.value), value.origin)
        break
      case 'float':
        builder.append(jsonFloat(value.value), value.origin)
        break
      case 'bool':
        builder.append(value.value ? 'true' : 'false', value.origin)
        break
      case 'none':
        builder.append('null', value.origin)
        break
      case 'list':
      case 'tuple':
        this.#sequence(value.items, value.origin)
        break
      case 'dict':
        this.#mapping(value.entries, value.origin)
        break
      default:
        throw typeError(`Object of type ${typeName(value)} is not JSON serializable`)
    }
    this.#rendering.meter.fits(builder.length)
  }

  #sequence(items: readonly Value[], origin: Origin | null): void {
    if (items.length === 0) {
      this.builder.append('[]', origin)
      return
    }
    this.#open('[', origin)
    for (let i = 0; i < items.length; i++) {
      this.#next(i, origin)
      this.write(items[i] as Value)
    }
    this.#close(']', origin)
  }

  #mapping(entries: Entries, origin: Origin | null): void {
    if (entries.size === 0) {
      this.builder.append('{}', origin)
      return
    }
    this.#open('{', origin)
    let i = 0
    for (const { key, value } of this.#sorted ? this.#byKey([...entries.values()]) : entries.values()) {
      this.#next(i++, origin)
      this.#key(key)
      this.#separator(this.#keySeparator, origin)
      this.write(value)
    }
    this.#close('}', origin)
  }

  #open(bracket: string, origin: Origin | null): void {
    this.#rendering.meter.descend()
    this.builder.append(bracket, origin)
    this.#depth++
  }

  /** Before an item. */
  #next(index: number, origin: Origin | null): void {
    if (index > 0) this.#separator(this.#itemSeparator, origin)
    if (this.#indent !== undefined) this.#newline(this.#indent, origin)
  }

  #close(bracket: string, origin: Origin | null): void {
    this.#depth--
    if (this.#indent !== undefined) this.#newline(this.#indent, origin)
    this.builder.append(bracket, origin)
    this.#rendering.meter.ascend()
  }

  #newline(indent: OriginText, origin: Origin | null): void {
    this.builder.append('\n', origin)
    this.#rendering.meter.fits(this.builder.length + indent.text.length * this.#depth)
    for (let i = 0; i < this.#depth; i++) this.#separator(indent, origin)
  }

  /** White space and punctuation are the container's, unless data itself. */
  #separator(text: OriginText, origin: Origin | null): void {
    if (text.isTrusted) this.builder.append(text.text, origin)
    else this.builder.appendText(text)
  }

  #string(text: OriginText): void {
    this.#rendering.rewrite(text)
    const single = text.singleOrigin
    if (single !== undefined) {
      this.builder.append(`"${jsonEscaped(text.text, this.#ascii)}"`, single)
      return
    }
    this.builder.append('"', text.originAt(0))
    this.builder.appendText(text.mapRuns((run) => jsonEscaped(run, this.#ascii)))
    this.builder.append('"', text.originAt(text.text.length))
  }

  #key(key: Value): void {
    if (key.kind === 'str') {
      this.#string(key.text)
      return
    }
    if (key.kind !== 'int' && key.kind !== 'float' && key.kind !== 'bool' && key.kind !== 'none') {
      throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`)
    }
    this.builder.append('"', key.origin)
    this.write(key)
    this.builder.append('"', key.origin)
  }

  #byKey(entries: readonly Entry[]): readonly Entry[] {
    return sortValues(this.#rendering, entries, (a, b) => ordered(this.#rendering, '<', a.key, b.key))
  }
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatText(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
}

/** What stands once for each level; undefined where all is on one line. */
function indentText(rendering: Rendering, indent: Value | undefined): OriginText | undefined {
  if (indent === undefined || indent.kind === 'none') return undefined
  if (indent.kind === 'str') return indent.text
  if (indent.kind !== 'int' && indent.kind !== 'bool') {
    throw typeError(`can't multiply sequence by non-int of type '${typeName(indent)}'`)
  }
  const width = Math.max(0, Number(indent.value))
  rendering.meter.fits(width)
  return OriginText.trusted(' '.repeat(width))
}

function separatorTexts(separators: Value | undefined): readonly OriginText[] {
  if (separators === undefined || separators.kind === 'none') return []
  const { items } = separators as List | Tuple
  if (separators.kind !== 'list' && separators.kind !== 'tuple') {
    throw typeError(`cannot unpack non-iterable ${typeName(separators)} object`)
  }
  if (items.length !== 2) {
    throw valueError(`separators: expected 2 texts but received ${items.length}`)
  }
  return items.map((item) => {
    if (item.kind !== 'str') throw typeError(`separators: expected str, not ${typeName(item)}`)
    return item.text
  })
}
