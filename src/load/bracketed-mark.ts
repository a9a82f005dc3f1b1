import { unicodePattern } from '../unicode-pattern.js'

/** Formatting tags of HTML, which some vocabularies hold as user-defined pieces: text, not structure. */
const HTML_TAGS = new Set(
  (
    'a abbr b big blockquote br caption center cite col colgroup dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr ' +
    'i img ins kbd li ol p pre q small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var'
  ).split(' '),
)

/**
 * True for names that models use as structure, whatever their flags say: `<|...|>`, `<｜...｜>`, `[...]`, `<...>`
 * and their closing forms, with letters, digits and `_ @ - ▁` inside. HTML's formatting tags are text.
 */
export function isBracketedMark(name: string): boolean {
  const match = (NOT_ASCII.test(name) ? mark() : ASCII_MARK).exec(name)
  if (match === null) return false
  const tag = match[1]?.replace(/^\//, '').toLowerCase()
  return tag === undefined || !HTML_TAGS.has(tag)
}

const NAME = String.raw`\/?[\p{L}\p{N}_@\u2581-]+`
const mark = unicodePattern(String.raw`^(?:<\|${NAME}\|>|<\uff5c${NAME}\uff5c>|\[${NAME}\]|<(${NAME})>)$`)
/** The same for most names: V8 takes milliseconds to compile classes of Unicode. */
const ASCII_MARK = /^(?:<\|\/?[\w@-]+\|>|\[\/?[\w@-]+\]|<(\/?[\w@-]+)>)$/
const NOT_ASCII = /[^\0-\x7f]/

/** True for those of them that no text has by chance: `<|...|>`, `<｜...｜>`. */
export function isPipedMark(name: string): boolean {
  return /^<[|\uff5c]/.test(name) && isBracketedMark(name)
}
