import { union } from './dependence.js'
import type { OriginText } from './origin-text.js'
import { str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { Str, type Value } from './value.js'

/** markupsafe.Markup: text after `|safe` or `|escape`, which escapes the texts it is joined with. */

function escaped(run: string): string {
  return run
    .replaceAll('&', '&amp;')
    .replaceAll('>', '&gt;')
    .replaceAll('<', '&lt;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&#34;')
}

/** markupsafe.escape of plain text. */
export function escapeText(rendering: Rendering, text: OriginText): OriginText {
  if (!/[&<>'"]/.test(text.text)) return text
  rendering.rewrite(text)
  const result = text.mapRuns(escaped)
  rendering.meter.write(result.text.length)
  rendering.meter.step((result.text.length - text.text.length) >> 2)
  return result
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
