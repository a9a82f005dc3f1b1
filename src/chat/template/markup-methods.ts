import { ofContent, union } from './dependence.js'
import { unescapeText } from './html-unescape.js'
import { escapeValue } from './markup.js'
import { type Methods, method } from './methods.js'
import { OriginText, TextBuilder } from './origin-text.js'
import type { Rendering } from './rendering.js'
import { splitSpace } from './string-search.js'
import { Str, type Value } from './value.js'

/** What `markupsafe.Markup` has beyond `str`. */

/** `Markup.striptags()`: comments and tags are lost, white space becomes single spaces. */
export function stripTags(rendering: Rendering, text: OriginText): OriginText {
  rendering.rewrite(text)
  const bare = without(rendering, without(rendering, text, '<!--', '-->'), '<', '>')
  const builder = new TextBuilder()
  splitSpace(bare.text, -1).forEach(([start, end], i) => {
    if (i > 0) builder.append(' ', bare.originAt(start))
    builder.appendText(bare.slice(start, end))
  })
  const words = builder.build()
  return unescapeText(rendering, words.text === '' ? bare.slice(0, 0) : words)
}

/** A text without what stands between two marks, also where that brings together another mark. */
function without(rendering: Rendering, text: OriginText, open: string, close: string): OriginText {
  let bare = text
  let from = 0
  for (;;) {
    const start = bare.text.indexOf(open, from)
    const end = start < 0 ? -1 : bare.text.indexOf(close, start)
    if (end < 0) return bare
    rendering.meter.step()
    rendering.meter.read(bare.text.length)
    const lost = bare.slice(start, end + close.length)
    rendering.cut(lost)
    const gap = OriginText.of('', lost.firstOrigin)
    bare = bare
      .slice(0, start)
      .concat(gap)
      .concat(bare.slice(end + close.length, bare.text.length))
    from = Math.max(0, start - open.length)
  }
}

export const MARKUP_METHODS: Methods<Str> = new Map([
  method<Str>(
    'escape',
    's /',
    (rendering, _self, [value]) =>
      new Str(escapeValue(rendering, value as Value), (value as Value).depends, true),
  ),
  method<Str>(
    'striptags',
    '',
    (rendering, self) => new Str(stripTags(rendering, self.text), union(self.depends, ofContent(self))),
  ),
  method<Str>('unescape', '', (rendering, self) => {
    return new Str(unescapeText(rendering, self.text), self.depends)
  }),
])
