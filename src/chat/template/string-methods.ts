import { sliceBounds, toIndex } from './arguments.js'
import { isUtf8 } from './bytes-methods.js'
import { type Dependence, ofContent, ofText, union } from './dependence.js'
import { pad } from './format-spec.js'
import { toList } from './iteration.js'
import { escapeValue } from './markup.js'
import { type Methods, method } from './methods.js'
import { OriginText, TextBuilder } from './origin-text.js'
import { typeError, UnsupportedError, valueError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { STRING_PREDICATES } from './string-predicates.js'
import {
  occurrences,
  rsplit,
  rsplitSpace,
  type Span,
  split,
  splitLines,
  splitSpace,
  stripped,
} from './string-search.js'
import { characterTable, translate } from './string-translate.js'
import { capitalize, caseFold, isSimple, lower, swapCase, title, upper } from './text-case.js'
import { Bytes, bool, int, List, Str, Tuple, typeName, type Value } from './value.js'

/**
 * The methods of Python's `str` and of `markupsafe.Markup`. Whatever they keep keeps its origin; what they drop
 * and where they part text is recorded.
 *
 * @see CPython 3.11 `Objects/unicodeobject.c`; MarkupSafe 3.0 `__init__.py`
 */

type Argument = Value | undefined

/** A part of a text, or a text made from it. */
function derived(self: Str, text: OriginText, depends: Dependence = self.depends): Str {
  return new Str(text, depends, self.markup)
}

/** @throws PythonError where the argument is no text */
function textArgument(value: Argument, what: string): Str {
  if (value?.kind === 'str') return value
  const name = value === undefined ? 'nothing' : typeName(value)
  throw typeError(`${what} must be str, not ${name}`)
}

/** None and a missing argument mean the default. */
function optionalText(value: Argument, what: string): Str | undefined {
  return value === undefined || value.kind === 'none' ? undefined : textArgument(value, what)
}

function mapped(map: (text: OriginText) => OriginText): (rendering: Rendering, self: Str) => Str {
  return (rendering, self) => {
    rendering.rewrite(self.text)
    if (!isSimple(self.text.text) || (map !== upper && map !== lower)) rendering.spell(self.text)
    return derived(self, map(self.text))
  }
}

function strip(
  left: boolean,
  right: boolean,
): (rendering: Rendering, self: Str, args: readonly Argument[]) => Str {
  return (rendering, self, [chars]) =>
    stripText(rendering, self, optionalText(chars, 'strip arg'), left, right)
}

/** Which white space stands around a text is not a matter of content; other characters are, and are lost. */
export function stripText(
  rendering: Rendering,
  self: Str,
  chars: Str | undefined,
  left: boolean,
  right: boolean,
): Str {
  const { text } = self
  rendering.read(text)
  const [start, end] = stripped(text.text, chars?.text.text, left, right)
  rendering.meter.step((text.text.length - (end - start)) >> 4)
  const kept = text.slice(start, end)
  if (chars === undefined || chars.text.text.trim() === '') return derived(self, kept)
  rendering.cut(text.slice(0, start))
  rendering.cut(text.slice(end, text.text.length))
  return derived(self, kept, union(ofContent(self), ofContent(chars)))
}

/** A text in pieces. How many there are, and what each says, depends on the text. */
function pieces(rendering: Rendering, self: Str, separator: Str | undefined, spans: readonly Span[]): List {
  rendering.meter.step(spans.length)
  const content = ofContent(self)
  rendering.split(content, spans.length)
  const depends = separator === undefined ? content : union(content, ofContent(separator))
  const items = spans.map(([start, end]) => derived(self, self.text.slice(start, end), depends))
  return new List(items, self.text.firstOrigin, depends)
}

function splitter(
  bySeparator: typeof split,
  bySpace: typeof splitSpace,
): (rendering: Rendering, self: Str, args: readonly Argument[]) => List {
  return (rendering, self, [sep, maxsplit]) => {
    const separator = optionalText(sep, 'separator')
    if (separator?.text.text === '') throw valueError('empty separator')
    const most = maxsplit === undefined ? -1 : toIndex(maxsplit)
    const { text } = self.text
    rendering.meter.read(text.length)
    const spans = separator === undefined ? bySpace(text, most) : bySeparator(text, separator.text.text, most)
    return pieces(rendering, self, separator, spans)
  }
}

function partition(last: boolean): (rendering: Rendering, self: Str, args: readonly Argument[]) => Tuple {
  return (rendering, self, [sep]) => {
    const separator = textArgument(sep, 'separator')
    const { text } = self
    const wanted = separator.text.text
    if (wanted === '') throw valueError('empty separator')
    rendering.read(text)
    const at = last ? text.text.lastIndexOf(wanted) : text.text.indexOf(wanted)
    const content = ofContent(self)
    rendering.split(content, at < 0 ? 1 : 2)
    const depends = union(content, ofContent(separator))
    const [start, end] =
      at >= 0 ? [at, at + wanted.length] : last ? [0, 0] : [text.text.length, text.text.length]
    const spans: Span[] = [
      [0, start],
      [start, end],
      [end, text.text.length],
    ]
    const items = spans.map(([from, to]) => derived(self, text.slice(from, to), depends))
    return new Tuple(items, text.firstOrigin, depends)
  }
}

/** `replace(old, new, count)`. Where the old text stood depends on the content; it is lost. */
export function replaceText(
  rendering: Rendering,
  self: Str,
  wanted: Str,
  replacement: OriginText,
  most: number,
): Str {
  const { text } = self
  rendering.read(text)
  const found = occurrences(text.text, wanted.text.text, most)
  const content = ofContent(self)
  rendering.split(content, found.length)
  const depends = union(content, union(ofContent(wanted), ofText(replacement)))
  if (found.length === 0) return derived(self, text, union(self.depends, depends))
  const size = wanted.text.text.length
  const length = text.text.length + found.length * (replacement.text.length - size)
  rendering.meter.fits(length, text.runCount + found.length * replacement.runCount)
  rendering.meter.write(length)
  rendering.meter.step(found.length * 2)
  const builder = new TextBuilder()
  let end = 0
  for (const start of found) {
    builder.appendText(text.slice(end, start))
    end = start + size
    if (size > 0) leaveOut(rendering, builder, text.slice(start, end))
    builder.appendText(replacement)
  }
  builder.appendText(text.slice(end, text.text.length))
  return derived(self, builder.build(), depends)
}

/** Text that does not come into the result. */
function leaveOut(rendering: Rendering, builder: TextBuilder, lost: OriginText): void {
  rendering.cut(lost)
  builder.appendGap(lost)
}

function replace(rendering: Rendering, self: Str, [old, replacement, count]: readonly Argument[]): Str {
  const wanted = textArgument(old, 'replace() argument 1')
  const most = count === undefined ? -1 : toIndex(count)
  const text = self.markup
    ? escapeValue(rendering, replacement as Value)
    : textArgument(replacement, 'replace() argument 2').text
  return replaceText(rendering, self, wanted, text, most)
}

function join(rendering: Rendering, self: Str, [iterable]: readonly Argument[]): Str {
  const items = toList(rendering, iterable as Value)
  const texts = items.map((item, i) => {
    if (self.markup) return escapeValue(rendering, item)
    if (item.kind === 'str') return item.text
    throw typeError(`sequence item ${i}: expected str instance, ${typeName(item)} found`)
  })
  return derived(
    self,
    joinTexts(rendering, self.text, texts),
    union(self.depends, (iterable as Value).depends),
  )
}

/** Texts with a separator between them. */
export function joinTexts(
  rendering: Rendering,
  separator: OriginText,
  texts: readonly OriginText[],
): OriginText {
  let [units, runs] = [0, 0]
  for (const text of texts) {
    units += text.text.length + separator.text.length
    runs += text.runCount + separator.runCount
    rendering.meter.fits(units - separator.text.length, runs)
  }
  rendering.meter.write(Math.max(0, units - separator.text.length))
  const builder = new TextBuilder()
  texts.forEach((text, i) => {
    if (i > 0) builder.appendText(separator)
    builder.appendText(text)
  })
  return builder.build()
}

/** The stretch of a text that `start` and `end` name, in UTF-16 offsets; undefined where start is beyond it. */
function stretch(rendering: Rendering, self: Str, start: Argument, end: Argument): Span | undefined {
  const { text } = self
  if (start === undefined && end === undefined) return [0, text.text.length]
  rendering.seek(text)
  const bounds = sliceBounds(text.length, start, end)
  // Python clamps the end alone, so that even an empty text is not found behind the text.
  const beyond = start?.kind === 'int' && Number(start.value) > text.length
  if (beyond || bounds.start > bounds.end) return undefined
  return [text.offsetOf(bounds.start), text.offsetOf(bounds.end)]
}

function find(last: boolean, strict: boolean) {
  return (rendering: Rendering, self: Str, [sub, start, end]: readonly Argument[]): Value => {
    const wanted = textArgument(sub, 'substring')
    rendering.read(self.text)
    const within = stretch(rendering, self, start, end)
    let at = -1
    if (within !== undefined) {
      const text = self.text.text.slice(...within)
      at = last ? text.lastIndexOf(wanted.text.text) : text.indexOf(wanted.text.text)
    }
    if (at < 0 && strict) throw valueError('substring not found')
    if (at >= 0) rendering.seek(self.text)
    const index = at < 0 || within === undefined ? -1 : self.text.codePointAt(within[0] + at)
    const depends = union(ofContent(self), ofContent(wanted))
    return int(index, depends?.[0] ?? null, depends)
  }
}

function count(rendering: Rendering, self: Str, [sub, start, end]: readonly Argument[]): Value {
  const wanted = textArgument(sub, 'substring')
  rendering.read(self.text)
  const within = stretch(rendering, self, start, end)
  const found = within === undefined ? [] : occurrences(self.text.text.slice(...within), wanted.text.text, -1)
  const depends = union(ofContent(self), ofContent(wanted))
  return int(found.length, depends?.[0] ?? null, depends)
}

function affix(name: 'startswith' | 'endswith') {
  return (rendering: Rendering, self: Str, [wanted, start, end]: readonly Argument[]): Value => {
    rendering.inspect(self.text)
    const candidates = wanted?.kind === 'tuple' ? wanted.items : [wanted]
    const within = stretch(rendering, self, start, end)
    let depends = ofContent(self)
    let found = false
    for (const candidate of candidates) {
      if (candidate?.kind !== 'str') {
        const kind = candidate === undefined ? 'nothing' : typeName(candidate)
        throw typeError(
          wanted?.kind === 'tuple'
            ? `tuple for ${name} must only contain str, not ${kind}`
            : `${name} first arg must be str or a tuple of str, not ${kind}`,
        )
      }
      depends = union(depends, ofContent(candidate))
      if (within === undefined || found) continue
      const text = self.text.text.slice(...within)
      found =
        name === 'startswith' ? text.startsWith(candidate.text.text) : text.endsWith(candidate.text.text)
    }
    return bool(found, depends)
  }
}

function justified(align: '<' | '>') {
  return (rendering: Rendering, self: Str, [width, fill]: readonly Argument[]): Str =>
    derived(self, pad(rendering, self.text, toIndex(width as Value), align, fillText(rendering, self, fill)))
}

/** A single character; that of Markup is escaped first, as MarkupSafe does. */
function fillText(rendering: Rendering, self: Str, fill: Argument): OriginText {
  if (fill === undefined) return OriginText.trusted(' ')
  const escaped = self.markup ? escapeValue(rendering, fill) : textArgument(fill, 'The fill character').text
  if (escaped.length !== 1) throw typeError('The fill character must be exactly one character long')
  return escaped
}

function center(rendering: Rendering, self: Str, [width, fill]: readonly Argument[]): Str {
  return centerText(rendering, self, toIndex(width as Value), fillText(rendering, self, fill))
}

export function centerText(rendering: Rendering, self: Str, width: number, fill: OriginText): Str {
  const missing = width - self.text.length
  if (missing <= 0) return derived(self, pad(rendering, self.text, width, '^', fill))
  // An odd rest goes to the left where the width is odd too.
  const left = Math.floor(missing / 2) + (missing & width & 1)
  const half = pad(rendering, self.text, self.text.length + left, '>', fill)
  return derived(self, pad(rendering, half, width, '<', fill))
}

function zfill(rendering: Rendering, self: Str, [width]: readonly Argument[]): Str {
  const wanted = toIndex(width as Value)
  const { text } = self
  const sign = /^[+-]/.test(text.text) ? 1 : 0
  const digits = pad(
    rendering,
    text.slice(sign, text.text.length),
    wanted - sign,
    '>',
    OriginText.trusted('0'),
  )
  return derived(self, sign === 0 ? digits : text.slice(0, 1).concat(digits))
}

function expandTabs(rendering: Rendering, self: Str, [tabsize]: readonly Argument[]): Str {
  const size = tabsize === undefined ? 8 : toIndex(tabsize)
  rendering.spell(self.text)
  const builder = new TextBuilder()
  let column = 0
  self.text.forEachRun((start, end, origin) => {
    for (const part of self.text.text.slice(start, end).match(/\t|[\n\r]|[^\t\n\r]+/g) ?? ['']) {
      if (part === '\t') {
        const spaces = size > 0 ? size - (column % size) : 0
        rendering.meter.write(spaces + 1)
        builder.append(' '.repeat(spaces), origin)
        column += spaces
      } else {
        builder.append(part, origin)
        column = part === '\n' || part === '\r' ? 0 : column + Array.from(part).length
      }
      rendering.meter.fits(builder.length)
    }
  })
  return derived(self, builder.build())
}

function removeAffix(suffix: boolean) {
  return (rendering: Rendering, self: Str, [affixed]: readonly Argument[]): Str => {
    const wanted = textArgument(affixed, suffix ? 'removesuffix() argument' : 'removeprefix() argument')
    const { text } = self
    rendering.inspect(text)
    const affixText = wanted.text.text
    const found = suffix ? text.text.endsWith(affixText) : text.text.startsWith(affixText)
    const depends = union(ofContent(self), ofContent(wanted))
    rendering.branch(depends, found)
    if (!found) return self
    const at = suffix ? text.text.length - affixText.length : affixText.length
    const [kept, lost] = suffix
      ? [text.slice(0, at), text.slice(at, text.text.length)]
      : [text.slice(at, text.text.length), text.slice(0, at)]
    rendering.cut(lost)
    return derived(self, kept, depends)
  }
}

function lines(rendering: Rendering, self: Str, [keepEnds]: readonly Argument[]): List {
  rendering.read(self.text)
  const keep = keepEnds !== undefined && toIndex(keepEnds) !== 0
  return pieces(rendering, self, undefined, splitLines(self.text.text, keep))
}

/** @throws UnsupportedError for other encodings than UTF-8 */
function encode(rendering: Rendering, self: Str, [encoding]: readonly Argument[]): Value {
  const name = encoding === undefined ? 'utf-8' : textArgument(encoding, 'encode() argument 1').text.text
  if (!isUtf8(name)) throw new UnsupportedError(`the encoding ${name}`)
  rendering.rewrite(self.text)
  const data = new TextEncoder().encode(self.text.text)
  return new Bytes(data, self.text.firstOrigin, self.depends)
}

export const STR_METHODS: Methods<Str> = new Map([
  method('capitalize', '', mapped(capitalize)),
  method('casefold', '', mapped(caseFold)),
  method('center', 'width fillchar? /', center),
  method('count', 'sub start? end? /', count),
  method('encode', 'encoding? errors?', encode),
  method('endswith', 'suffix start? end? /', affix('endswith')),
  method('expandtabs', 'tabsize?', expandTabs),
  method('find', 'sub start? end? /', find(false, false)),
  method('index', 'sub start? end? /', find(false, true)),
  method('join', 'iterable /', join),
  method('ljust', 'width fillchar? /', justified('<')),
  method('lower', '', mapped(lower)),
  method('lstrip', 'chars? /', strip(true, false)),
  method('maketrans', 'x y? z? /', characterTable),
  method('partition', 'sep /', partition(false)),
  method('removeprefix', 'prefix /', removeAffix(false)),
  method('removesuffix', 'suffix /', removeAffix(true)),
  method('replace', 'old new count? /', replace),
  method('rfind', 'sub start? end? /', find(true, false)),
  method('rindex', 'sub start? end? /', find(true, true)),
  method('rjust', 'width fillchar? /', justified('>')),
  method('rpartition', 'sep /', partition(true)),
  method('rsplit', 'sep? maxsplit?', splitter(rsplit, rsplitSpace)),
  method('rstrip', 'chars? /', strip(false, true)),
  method('split', 'sep? maxsplit?', splitter(split, splitSpace)),
  method('splitlines', 'keepends?', lines),
  method('startswith', 'prefix start? end? /', affix('startswith')),
  method('strip', 'chars? /', strip(true, true)),
  method('swapcase', '', mapped(swapCase)),
  method('title', '', mapped(title)),
  method('translate', 'table /', translate),
  method('upper', '', mapped(upper)),
  method('zfill', 'width /', zfill),
  ...STRING_PREDICATES,
])
