import { ordered } from '../operators.js'
import type { Origin } from '../origin.js'
import { type OriginText, TextBuilder } from '../origin-text.js'
import { PythonError } from '../python-error.js'
import { quoted, repr } from '../python-text.js'
import type { Rendering } from '../rendering.js'
import { sortValues } from '../sorting.js'
import { splitLines } from '../string-search.js'
import { Dict, type Entry, List, Str, Tuple, typeName, type Value } from '../value.js'
import { type Filter, filter } from './filter.js'

/** `pprint`: Python's `pprint.pformat`, 80 columns wide. @see CPython 3.11 `Lib/pprint.py` */

const WIDTH = 80

class PrettyPrinter {
  readonly builder = new TextBuilder()
  readonly #rendering: Rendering

  constructor(rendering: Rendering) {
    this.#rendering = rendering
  }

  /**
   * @param indent the column at which the value begins
   * @param allowance what must fit behind it on its last line
   */
  print(value: Value, indent: number, allowance: number, isTop: boolean): void {
    const plain = repr(this.#rendering, this.#sorted(value))
    this.#rendering.meter.step()
    if (plain.length <= WIDTH - indent - allowance) this.builder.appendText(plain)
    else if (!this.#printWide(value, indent, allowance, isTop)) this.builder.appendText(plain)
    this.#rendering.meter.fits(this.builder.length)
  }

  /** A value over several lines; false for one that stays on its own. */
  #printWide(value: Value, indent: number, allowance: number, isTop: boolean): boolean {
    if (value.kind === 'dict' && value.entries.size > 0) {
      this.#members(value, indent, allowance)
    } else if (value.kind === 'list' && value.items.length > 0) {
      this.#items('[', value.items, ']', value.origin, indent, allowance)
    } else if (value.kind === 'tuple' && value.items.length > 0) {
      this.#items('(', value.items, value.items.length === 1 ? ',)' : ')', value.origin, indent, allowance)
    } else if (value.kind === 'str' && !value.markup && value.text.text !== '') {
      this.#text(value.text, indent, allowance, isTop)
    } else {
      return false
    }
    return true
  }

  #items(
    open: string,
    items: readonly Value[],
    close: string,
    origin: Origin | null,
    indent: number,
    allowance: number,
  ): void {
    this.#rendering.meter.nested(() => {
      this.builder.append(open, origin)
      items.forEach((item, i) => {
        if (i > 0) this.builder.append(`,\n${' '.repeat(indent + 1)}`, origin)
        const isLast = i === items.length - 1
        this.print(item, indent + 1, isLast ? allowance + close.length : 1, false)
      })
      this.builder.append(close, origin)
    })
  }

  #members(dict: Dict, indent: number, allowance: number): void {
    this.#rendering.meter.nested(() => {
      const entries = this.#byKey(dict)
      this.builder.append('{', dict.origin)
      entries.forEach(({ key, value }, i) => {
        if (i > 0) this.builder.append(`,\n${' '.repeat(indent + 1)}`, dict.origin)
        const name = repr(this.#rendering, this.#sorted(key))
        this.builder.appendText(name)
        this.builder.append(': ', dict.origin)
        const isLast = i === entries.length - 1
        this.print(value, indent + 1 + name.length + 2, isLast ? allowance + 1 : 1, false)
      })
      this.builder.append('}', dict.origin)
    })
  }

  /** A long text as literals below each other, which Python would join. */
  #text(text: OriginText, indent: number, allowance: number, isTop: boolean): void {
    const [column, behind] = isTop ? [indent + 1, allowance + 1] : [indent, allowance]
    const chunks: OriginText[] = []
    const lines = splitLines(text.text, true)
    lines.forEach(([start, end], i) => {
      const isLast = i === lines.length - 1
      const line = text.slice(start, end)
      const literal = quoted(line)
      if (literal.length <= WIDTH - column - (isLast ? behind : 0)) chunks.push(literal)
      else chunks.push(...this.#words(line, WIDTH - column, isLast ? behind : 0))
    })
    const isWrapped = isTop && chunks.length > 1
    if (isWrapped) this.builder.append('(', text.originAt(0))
    chunks.forEach((chunk, i) => {
      if (i > 0) this.builder.append(`\n${' '.repeat(column)}`, text.originAt(0))
      this.builder.appendText(chunk)
    })
    if (isWrapped) this.builder.append(')', text.originAt(0))
  }

  /** A line in literals that are as wide as the page, where white space allows. */
  #words(line: OriginText, width: number, behind: number): OriginText[] {
    const chunks: OriginText[] = []
    let [start, end] = [0, 0]
    const words = [...line.text.matchAll(/\S+\s*|\s+/g)]
    words.forEach(({ 0: word }, i) => {
      this.#rendering.meter.step()
      const room = i === words.length - 1 ? width - behind : width
      if (quoted(line.slice(start, end + word.length)).length > room) {
        if (start < end) chunks.push(quoted(line.slice(start, end)))
        start = end
      }
      end += word.length
    })
    if (start < end) chunks.push(quoted(line.slice(start, end)))
    return chunks
  }

  /** The value with the members of all dicts in order of their keys. */
  #sorted(value: Value): Value {
    this.#rendering.meter.step()
    return this.#rendering.meter.nested(() => {
      switch (value.kind) {
        case 'list':
          return new List(
            value.items.map((item) => this.#sorted(item)),
            value.origin,
          )
        case 'tuple':
          return new Tuple(
            value.items.map((item) => this.#sorted(item)),
            value.origin,
          )
        case 'dict': {
          const entries = this.#byKey(value)
          return new Dict(
            new Map(
              entries.map((entry) => [
                entry,
                { key: this.#sorted(entry.key), value: this.#sorted(entry.value) },
              ]),
            ),
            value.origin,
          )
        }
        default:
          return value
      }
    })
  }

  /** By key, and by type where keys cannot be compared. */
  #byKey(dict: Dict): readonly Entry[] {
    const less = (a: Entry, b: Entry): boolean => {
      try {
        return ordered(this.#rendering, '<', a.key, b.key)
      } catch (error) {
        if (!(error instanceof PythonError) || error.type !== 'TypeError') throw error
        const [x, y] = [a, b].map(({ key }) => `<class '${typeName(key)}'>`) as [string, string]
        return x < y
      }
    }
    return sortValues(this.#rendering, [...dict.entries.values()], less)
  }
}

export const PRETTY_PRINT: [string, Filter] = filter('pprint', '', (rendering, value) => {
  const printer = new PrettyPrinter(rendering)
  printer.print(value, 0, 0, true)
  const text = printer.builder.build()
  rendering.rewrite(text)
  return new Str(text, value.depends)
})
