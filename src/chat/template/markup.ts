import { union } from './dependence.js'
import type { OriginText } from './origin-text.js'
import { str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { Str, type Value } from './value.js'

/** markupsafe.Markup: text after `|safe` or `|escape`, which escapes the texts it is joined with. */

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['>', '&gt;'],
  ['<', '&lt;'],
  ["'", '&#39;'],
  ['"', '&#34;'],
])

/** markupsafe.escape of plain text. */
export function escapeText(rendering: Rendering, text: OriginText): OriginText {
  if (!/[&<>'"]/.test(text.text)) return text
  rendering.meter.write(text.text.length)
  const escaped = text.mapRuns((run) => run.replace(/[&<>'"]/g, (character) => ENTITIES.get(character) ?? ''))
  rendering.meter.fits(escaped.text.length)
  return escaped
}

/** markupsafe.escape of any value: Markup stays as it is. */
export function escapeValue(rendering: Rendering, value: Value): OriginText {
  if (value.kind === 'str' && value.markup) return value.text
  return escapeText(rendering, str(rendering, value))
}

/** `a + b`, where one of them is Markup. */
export function addMarkup(rendering: Rendering, a: Str, b: Str): Str {
  const text = rendering.concat(escapeValue(rendering, a), escapeValue(rendering, b))
  return new Str(text, union(a.depends, b.depends), true)
}
