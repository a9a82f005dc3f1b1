import { HTML_ENTITIES } from './html-entities.js'
import { type OriginText, TextBuilder } from './origin-text.js'
import { valueError } from './python-error.js'
import type { Rendering } from './rendering.js'

const REFERENCE = /&(?:#(?<decimal>[0-9]+);?|#[xX](?<hex>[0-9a-fA-F]+);?|(?<name>[^\t\n\f <&#;]{1,32};?))/gu

/** What 0x80 to 0x9f stand for in old pages: windows-1252. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

let entities: ReadonlyMap<string, string> | undefined

/**
 * Python's `html.unescape`. A character has the origin of the ampersand that stood for it.
 *
 * @see CPython 3.11 `Lib/html/__init__.py`
 */
export function unescapeText(rendering: Rendering, text: OriginText): OriginText {
  if (!text.text.includes('&')) return text
  rendering.rewrite(text)
  rendering.spell(text)
  const builder = new TextBuilder()
  let offset = 0
  for (const { index, 0: reference, groups } of text.text.matchAll(REFERENCE)) {
    builder.appendText(text.slice(offset, index))
    const { decimal, hex, name } = groups ?? {}
    const end = index + reference.length
    const named = name === undefined ? undefined : longestName(name)
    const character = name === undefined ? numbered(decimal, hex) : named?.character
    if (character === undefined) builder.appendText(text.slice(index, end))
    else builder.append(character, text.originAt(index))
    if (named !== undefined) builder.appendText(text.slice(index + 1 + named.length, end))
    offset = end
  }
  builder.appendText(text.slice(offset, text.text.length))
  return builder.build()
}

/** The longest known name at the beginning of a reference. */
function longestName(name: string): { character: string; length: number } | undefined {
  entities ??= readEntities()
  for (let length = name.length; length > 1; length--) {
    const character = entities.get(name.slice(0, length))
    if (character !== undefined) return { character, length }
  }
  return undefined
}

function readEntities(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const word of HTML_ENTITIES.split(' ')) {
    const [name = '', codes = ''] = word.split('=')
    const character = String.fromCodePoint(...codes.split('+').map((code) => Number.parseInt(code, 16)))
    found.set(`${name.replace('!', '')};`, character)
    if (name.endsWith('!')) found.set(name.slice(0, -1), character)
  }
  return found
}

function numbered(decimal: string | undefined, hex: string | undefined): string {
  if ((decimal?.length ?? 0) > 4300)
    throw valueError('Exceeds the limit (4300 digits) for integer string conversion')
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  if (code === 0) return '\ufffd'
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.charAt(code - 0x80)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  const isControl = code < 0x20 && !'\t\n\f\r'.includes(String.fromCodePoint(code))
  const isNone =
    isControl || code === 0x7f || (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)
  return isNone ? '' : String.fromCodePoint(code)
}
