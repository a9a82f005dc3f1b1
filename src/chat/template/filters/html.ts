import { toList } from '../iteration.js'
import { escapeText, escapeValue } from '../markup.js'
import { stripTags } from '../markup-methods.js'
import { truth, undefinedError } from '../operators.js'
import { OriginText, TextBuilder } from '../origin-text.js'
import { PythonError, typeError, valueError } from '../python-error.js'
import { quoted, str } from '../python-text.js'
import type { Rendering } from '../rendering.js'
import { joinTexts } from '../string-methods.js'
import { Str, typeName, type Value } from '../value.js'
import { type Filter, filter } from './filter.js'
import { urlize } from './urlize.js'

/** Filters for HTML and URLs. What they write around data is trusted, what they make of data is data. */

type Arguments = readonly (Value | undefined)[]

/** Marks text as safe: from now on it escapes what it is joined with. */
function safe(rendering: Rendering, value: Value): Value {
  return new Str(str(rendering, value), value.depends, true)
}

function escapeFilter(rendering: Rendering, value: Value): Value {
  return new Str(escapeValue(rendering, value), value.depends, true)
}

function forceEscape(rendering: Rendering, value: Value): Value {
  return new Str(escapeText(rendering, str(rendering, value)), value.depends, true)
}

function stripTagsFilter(rendering: Rendering, value: Value): Value {
  const text = str(rendering, value)
  return new Str(stripTags(rendering, text), value.depends)
}

/** `urllib.parse.quote` of the UTF-8 bytes, and with `forQuery` a plus for a space. */
function urlQuote(rendering: Rendering, text: OriginText, forQuery: boolean): OriginText {
  rendering.rewrite(text)
  rendering.spell(text)
  const quote = (run: string): string => {
    const kept = forQuery ? /[^A-Za-z0-9_.~-]+/g : /[^A-Za-z0-9_.~/-]+/g
    const encoded = run.replace(kept, (part) => {
      const bytes = new TextEncoder().encode(part)
      return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
    })
    return forQuery ? encoded.replaceAll('%20', '+') : encoded
  }
  const encoded = text.mapRuns(quote)
  rendering.meter.fits(encoded.text.length)
  rendering.meter.step((encoded.text.length - text.text.length) >> 1)
  return encoded
}

function urlEncode(rendering: Rendering, value: Value): Value {
  const iterable = ['list', 'tuple', 'dict', 'view', 'iterator', 'range', 'undefined'].includes(value.kind)
  if (!iterable) return new Str(urlQuote(rendering, str(rendering, value), false), value.depends)
  const pairs =
    value.kind === 'dict'
      ? Array.from(value.entries.values(), (entry) => [entry.key, entry.value])
      : toList(rendering, value).map((item) => pairOf(rendering, item))
  const texts = pairs.map(([key, item]) => {
    const [name, content] = [key, item].map((part) =>
      urlQuote(rendering, str(rendering, part as Value), true),
    )
    return (name as OriginText).concat(OriginText.trusted('=')).concat(content as OriginText)
  })
  return new Str(joinTexts(rendering, OriginText.trusted('&'), texts), value.depends)
}

function pairOf(rendering: Rendering, item: Value): readonly Value[] {
  const pair = toList(rendering, item)
  if (pair.length !== 2) throw valueError(`expected a pair but received ${pair.length} items`)
  return pair
}

function xmlAttributes(rendering: Rendering, value: Value, [autospace]: Arguments): Value {
  if (value.kind === 'undefined') undefinedError(value)
  if (value.kind !== 'dict') {
    throw new PythonError('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  }
  const texts: OriginText[] = []
  for (const { key, value: item } of value.entries.values()) {
    if (item.kind === 'none' || item.kind === 'undefined') continue
    if (key.kind !== 'str') throw typeError(`expected string or bytes-like object, got '${typeName(key)}'`)
    if (/[\t-\r />=]/.test(key.text.text)) {
      throw valueError(`Invalid character in attribute name: ${quoted(key.text).text}`)
    }
    const builder = new TextBuilder()
    builder.appendText(escapeValue(rendering, key))
    builder.append('="', null)
    builder.appendText(escapeValue(rendering, item))
    builder.append('"', null)
    texts.push(builder.build())
  }
  const space = texts.length > 0 && (autospace === undefined || truth(autospace)) ? ' ' : ''
  const joined = joinTexts(rendering, OriginText.trusted(' '), texts)
  return new Str(OriginText.trusted(space).concat(joined), value.depends)
}

export const HTML_FILTERS: readonly [string, Filter][] = [
  filter('e', '', escapeFilter),
  filter('escape', '', escapeFilter),
  filter('forceescape', '', forceEscape),
  filter('safe', '', safe),
  filter('striptags', '', stripTagsFilter),
  filter('urlencode', '', urlEncode),
  filter('urlize', 'trim_url_limit? nofollow? target? rel? extra_schemes?', urlize),
  filter('xmlattr', 'autospace?', xmlAttributes),
]
