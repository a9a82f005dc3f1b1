import { toIndex } from '../arguments.js'
import { ofContent } from '../dependence.js'
import { toList } from '../iteration.js'
import { escapeText, escapeValue } from '../markup.js'
import { truth } from '../operators.js'
import { OriginText, TextBuilder } from '../origin-text.js'
import { PythonError, typeError } from '../python-error.js'
import { str } from '../python-text.js'
import { SPACES } from '../python-unicode.js'
import type { Rendering } from '../rendering.js'
import { splitSpace } from '../string-search.js'
import { Str, typeName, type Value } from '../value.js'

/** `urlize`: links around what looks like an address. @see Jinja2 3.1.6 `utils.py` */

const WORD = '\\p{L}\\p{N}_'
/** A scheme or `www.` and a domain, a well-known top-level domain, or a scheme and an IP address. */
const ADDRESS = new RegExp(
  '^(?:' +
    `(?:https?://|www\\.)(?:[${WORD}%\\-]+\\.)*(?:[a-z]{2,63}|xn--[${WORD}%]{2,59})|` +
    `(?:[${WORD}%\\-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)|` +
    'https?://(?:\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}|\\[(?:[\\p{Nd}a-f]{0,4}:){2}(?:[\\p{Nd}a-f]{0,4}:?){1,6}\\])' +
    `)(?::\\p{Nd}{1,5})?(?:[/?#][^${SPACES}]*)?$`,
  'iu',
)
const MAIL = new RegExp(`^[^${SPACES}]+@[${WORD}][${WORD}.\\-]*\\.[${WORD}]+$`, 'u')
const SCHEME = new RegExp(`^[${WORD}.+\\-]{2,}:/{0,2}$`, 'u')
const LEADING = /^(?:[(<]|&lt;)+/
const TRAILING = /(?:[)>.,\n]|&gt;)+$/
const PAIRS = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const

interface LinkOptions {
  readonly limit: number | undefined
  /** ` rel="..."` and ` target="..."`. */
  readonly attributes: OriginText
  readonly schemes: readonly string[]
}

export function urlize(rendering: Rendering, value: Value, args: readonly (Value | undefined)[]): Value {
  const [limit, nofollow, target, rel, extraSchemes] = args
  const options: LinkOptions = {
    limit: limit === undefined || limit.kind === 'none' ? undefined : toIndex(limit),
    attributes: linkAttributes(rendering, rel, nofollow !== undefined && truth(nofollow), target),
    schemes: schemesOf(rendering, extraSchemes),
  }
  const text = escapeValue(rendering, value)
  rendering.rewrite(text)
  rendering.spell(text)
  const builder = new TextBuilder()
  let offset = 0
  let links = 0
  for (const [start, end] of splitSpace(text.text, -1)) {
    builder.appendText(text.slice(offset, start))
    const { from, to } = trimmed(text.text.slice(start, end))
    builder.appendText(text.slice(start, start + from))
    if (appendLink(builder, text.slice(start + from, start + to), options)) links++
    builder.appendText(text.slice(start + to, end))
    rendering.meter.fits(builder.length)
    offset = end
  }
  builder.appendText(text.slice(offset, text.text.length))
  rendering.split(ofContent(value), links)
  return new Str(builder.build(), value.depends)
}

function linkAttributes(
  rendering: Rendering,
  rel: Value | undefined,
  nofollow: boolean,
  target: Value | undefined,
): OriginText {
  const builder = new TextBuilder()
  const given = rel !== undefined && truth(rel) ? str(rendering, rel) : OriginText.empty
  const words = new Set([
    ...given.text.split(/\s+/).filter(Boolean),
    ...(nofollow ? ['nofollow'] : []),
    'noopener',
  ])
  builder.append(' rel="', null)
  builder.appendText(escapeText(rendering, OriginText.of([...words].sort().join(' '), given.firstOrigin)))
  builder.append('"', null)
  if (target !== undefined && truth(target)) {
    builder.append(' target="', null)
    builder.appendText(escapeText(rendering, str(rendering, target)))
    builder.append('"', null)
  }
  return builder.build()
}

function schemesOf(rendering: Rendering, schemes: Value | undefined): readonly string[] {
  if (schemes === undefined || schemes.kind === 'none') return []
  return toList(rendering, schemes).map((scheme) => {
    if (scheme.kind !== 'str') throw typeError(`expected string, got '${typeName(scheme)}'`)
    if (!SCHEME.test(scheme.text.text)) {
      throw new PythonError('FilterArgumentError', `'${scheme.text.text}' is not a valid URI scheme prefix.`)
    }
    return scheme.text.text
  })
}

/** A word without the brackets and punctuation around it, where brackets inside it stay in pairs. */
function trimmed(word: string): { from: number; to: number } {
  const from = LEADING.exec(word)?.[0].length ?? 0
  let to = word.length
  if (/(?:[)>.,\n]|&gt;)$/.test(word.slice(from))) {
    to = from + word.slice(from).search(TRAILING)
  }
  for (const [open, close] of PAIRS) {
    const opened = count(word.slice(from, to), open)
    if (opened <= count(word.slice(from, to), close)) continue
    const moves = Math.min(opened, count(word.slice(to), close))
    for (let i = 0; i < moves; i++) to = word.indexOf(close, to) + close.length
  }
  return { from, to }
}

function count(text: string, wanted: string): number {
  return text.split(wanted).length - 1
}

/** The word as it is, or as a link; whether it is one. */
function appendLink(builder: TextBuilder, word: OriginText, options: LinkOptions): boolean {
  const { text } = word
  const shown =
    options.limit !== undefined && word.length > options.limit ? shortened(word, options.limit) : word
  if (ADDRESS.test(text)) {
    const hasScheme = /^https?:\/\//.test(text)
    link(builder, hasScheme ? '' : 'https://', word, options.attributes, shown)
    return true
  }
  if (text.startsWith('mailto:') && MAIL.test(text.slice(7))) {
    link(builder, '', word, OriginText.empty, word.slice(7, text.length))
    return true
  }
  if (text.includes('@') && !/^(?:www\.|@)/.test(text) && !text.includes(':') && MAIL.test(text)) {
    link(builder, 'mailto:', word, OriginText.empty, word)
    return true
  }
  if (options.schemes.some((scheme) => text !== scheme && text.startsWith(scheme))) {
    link(builder, '', word, options.attributes, word)
    return true
  }
  builder.appendText(word)
  return false
}

function shortened(word: OriginText, limit: number): OriginText {
  const end = limit < 0 ? Math.max(0, word.length + limit) : limit
  return word.slice(0, word.offsetOf(end)).concat(OriginText.trusted('...'))
}

function link(
  builder: TextBuilder,
  scheme: string,
  address: OriginText,
  attributes: OriginText,
  shown: OriginText,
): void {
  builder.append(`<a href="${scheme}`, null)
  builder.appendText(address)
  builder.append('"', null)
  builder.appendText(attributes)
  builder.append('>', null)
  builder.appendText(shown)
  builder.append('</a>', null)
}
