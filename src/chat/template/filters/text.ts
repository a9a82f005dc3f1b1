import { toIndex } from '../arguments.js'
import { binary } from '../arithmetic.js'
import { ofContent, union } from '../dependence.js'
import { lengthOf, toList } from '../iteration.js'
import { callMethod } from '../methods.js'
import { ordered, truth } from '../operators.js'
import { OriginText, TextBuilder } from '../origin-text.js'
import { percentFormat } from '../percent-format.js'
import { PythonError, typeError } from '../python-error.js'
import { str } from '../python-text.js'
import { SPACES } from '../python-unicode.js'
import type { Rendering } from '../rendering.js'
import { slice } from '../slices.js'
import { centerText, joinTexts, replaceText, STR_METHODS, stripText } from '../string-methods.js'
import { splitLines } from '../string-search.js'
import { lower, upper } from '../text-case.js'
import { Dict, FALSE, int, NONE, Str, Tuple, trustedStr, typeName, type Value } from '../value.js'
import { attributeGetter } from './attributes.js'
import { type Filter, filter, softStr } from './filter.js'
import { wordWrap } from './wordwrap.js'

/** Filters on text. @see Jinja2 3.1.6 `filters.py` */

/** A filter that is a method of `str` without arguments. */
function asMethod(name: string): [string, Filter] {
  const method = STR_METHODS.get(name)
  if (method === undefined) throw new TypeError(name)
  return filter(name, '', (rendering, value) =>
    callMethod(rendering, method, softStr(rendering, value), [], null),
  )
}

function trim(rendering: Rendering, value: Value, [chars]: readonly (Value | undefined)[]): Value {
  if (chars !== undefined && chars.kind !== 'str' && chars.kind !== 'none') {
    throw typeError(`strip arg must be None or str, not ${typeName(chars)}`)
  }
  return stripText(
    rendering,
    softStr(rendering, value),
    chars?.kind === 'str' ? chars : undefined,
    true,
    true,
  )
}

/** Every word begins in upper case, where words are what white space, hyphens and opening brackets part. */
function title(rendering: Rendering, value: Value): Value {
  const { text, depends } = softStr(rendering, value)
  rendering.rewrite(text)
  rendering.spell(text)
  const builder = new TextBuilder()
  let offset = 0
  const word = (end: number): void => {
    const size = String.fromCodePoint(text.text.codePointAt(offset) ?? 0).length
    if (offset < end) builder.appendText(upper(text.slice(offset, Math.min(offset + size, end))))
    if (offset + size < end) builder.appendText(lower(text.slice(offset + size, end)))
    offset = end
  }
  for (const { index, 0: separator } of text.text.matchAll(WORD_BEGINNING)) {
    rendering.meter.step(2)
    word(index)
    word(index + separator.length)
  }
  word(text.text.length)
  return new Str(text.text === '' ? text : builder.build(), depends)
}

const WORD_BEGINNING = new RegExp(`[-${SPACES}({\\[<]+`, 'g')

function replace(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [old, replacement, count] = args as readonly [Value, Value, Value | undefined]
  const most = count === undefined || count.kind === 'none' ? -1 : toIndex(count)
  const self = new Str(str(rendering, value), value.depends)
  const wanted = new Str(str(rendering, old), old.depends)
  return replaceText(rendering, self, wanted, str(rendering, replacement), most)
}

function join(rendering: Rendering, value: Value, [d, attribute]: readonly (Value | undefined)[]): Value {
  const items = toList(rendering, value)
  const get = attribute === undefined || attribute.kind === 'none' ? undefined : attributeGetter(attribute)
  let depends = value.depends
  const texts = items.map((item) => {
    const member = get === undefined ? item : get(rendering, item)
    depends = union(depends, member.depends)
    return str(rendering, member)
  })
  const separator = d === undefined ? OriginText.empty : str(rendering, d)
  return new Str(joinTexts(rendering, separator, texts), depends)
}

function format(
  rendering: Rendering,
  value: Value,
  args: readonly Value[],
  kwargs: Parameters<Filter>[3],
): Value {
  const named = kwargs !== null && kwargs.size > 0
  if (named && args.length > 0) {
    throw new PythonError(
      'FilterArgumentError',
      "can't handle positional and keyword arguments at the same time",
    )
  }
  return percentFormat(rendering, softStr(rendering, value), named ? new Dict(kwargs) : new Tuple(args))
}

/** Every line but the first is indented, also the first and empty ones where that is asked for. */
function indent(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [width, first, blank] = args
  const padding = indentation(rendering, width)
  if (value.kind !== 'str') {
    binary(rendering, '+', value, trustedStr('\n')) // raises as Python does
    throw typeError(`'${typeName(value)}' object has no attribute 'splitlines'`)
  }
  const { text } = value
  const spans = splitLines(`${text.text}\n`, false)
  const content = ofContent(value)
  rendering.split(content, spans.length)
  rendering.meter.write(text.text.length + spans.length * padding.text.length)
  rendering.meter.step(spans.length)
  const builder = new TextBuilder()
  const [atFirst, atBlank] = [first !== undefined && truth(first), blank !== undefined && truth(blank)]
  let end = 0
  spans.forEach(([start, stop], i) => {
    // The line end that stood here, whatever it was, becomes a newline of the same origin.
    if (i > 0) builder.append('\n', text.originAt(end))
    if (i === 0 ? atFirst : atBlank || start < stop) builder.appendText(padding)
    builder.appendText(text.slice(start, stop))
    end = stop
  })
  return new Str(builder.build(), union(value.depends, width?.depends ?? null), value.markup)
}

function indentation(rendering: Rendering, width: Value | undefined): OriginText {
  if (width?.kind === 'str') return width.text
  const count = Math.max(0, width === undefined ? 4 : Number(repeatCount(width)))
  rendering.meter.write(count)
  return OriginText.trusted(' '.repeat(count))
}

function repeatCount(value: Value): number | bigint {
  if (value.kind === 'int') return value.value
  if (value.kind === 'bool') return Number(value.value)
  throw typeError(`can't multiply sequence by non-int of type '${typeName(value)}'`)
}

/** At most so long, cut at a space; what is cut is lost. */
function truncate(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [length = int(255), killWords = FALSE, end = trustedStr('...'), leeway = NONE] = args
  const most = binary(rendering, '-', length, int(lengthOf(end)))
  const slack = leeway.kind === 'none' ? int(5) : leeway
  if (ordered(rendering, '<', most, int(0)) || ordered(rendering, '<', slack, int(0))) {
    throw new PythonError('AssertionError', `expected length >= ${lengthOf(end)} and leeway >= 0`)
  }
  const fits = ordered(rendering, '<=', int(lengthOf(value)), binary(rendering, '+', length, slack))
  rendering.branch(ofContent(value), !fits)
  if (fits) return value
  const kept = slice(rendering, value, undefined, most)
  if (truth(killWords)) return binary(rendering, '+', kept, end)
  if (kept.kind !== 'str') throw typeError(`'${typeName(kept)}' object has no attribute 'rsplit'`)
  const words = kept.text.text.lastIndexOf(' ')
  rendering.cut(words < 0 ? OriginText.empty : kept.text.slice(words, kept.text.text.length))
  const text = words < 0 ? kept.text : kept.text.slice(0, words)
  return binary(rendering, '+', new Str(text, kept.depends, kept.markup), end)
}

function wordCount(rendering: Rendering, value: Value): Value {
  const { text } = softStr(rendering, value)
  rendering.spell(text)
  const count = text.text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  const depends = ofContent(new Str(text))
  return int(count, depends?.[0] ?? null, depends)
}

export const TEXT_FILTERS: readonly [string, Filter][] = [
  asMethod('capitalize'),
  asMethod('lower'),
  asMethod('upper'),
  filter('center', 'width?', (rendering, value, [width]) =>
    centerText(
      rendering,
      softStr(rendering, value),
      width === undefined ? 80 : toIndex(width),
      OriginText.trusted(' '),
    ),
  ),
  ['format', format],
  filter('indent', 'width? first? blank?', indent),
  filter('join', 'd? attribute?', join),
  filter('replace', 'old new count?', replace),
  filter('string', '', softStr),
  filter('title', '', title),
  filter('trim', 'chars?', trim),
  filter('truncate', 'length? killwords? end? leeway?', truncate),
  filter('wordcount', '', wordCount),
  filter('wordwrap', 'width? break_long_words? wrapstring? break_on_hyphens?', wordWrap),
]
