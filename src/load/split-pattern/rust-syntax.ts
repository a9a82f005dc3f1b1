// Where fancy-regex and regex-syntax read a pattern otherwise than Oniguruma.

/** Escapes that mean the same in both, or whose digits follow. */
const SHARED_ESCAPES = /[sSdDwWbBAznrtfvaxuhHG]/

/**
 * Rewrites a Rust pattern so that a parser of Oniguruma's syntax reads it right. `refuse` is called with what has no
 * equal there.
 */
export function translateRust(source: string, refuse: (construct: string) => never): string {
  let out = ''
  let brackets = 0
  let at = 0
  while (at < source.length) {
    const taken = nextElement(source, at, brackets > 0, refuse)
    if (taken.read === '[') brackets++
    if (taken.read === ']' && brackets > 0) brackets--
    out += taken.written
    at += taken.read.length
    // A closing bracket that comes first in a class is a character.
    const first = taken.read === '[' ? /^\^?\]/.exec(source.slice(at, at + 2))?.[0] : undefined
    if (first !== undefined) {
      out += first.replace(']', '\\]')
      at += first.length
    }
  }
  return out
}

function nextElement(
  source: string,
  at: number,
  inClass: boolean,
  refuse: (construct: string) => never,
): { read: string; written: string } {
  const rest = source.slice(at, at + 64)
  const escaped = /^\\(?:[pPuU]\{[^}]*\}|[pP].|[\s\S])/u.exec(rest)?.[0]
  if (escaped !== undefined) return { read: escaped, written: translateEscape(escaped, refuse) }
  if (inClass) {
    if (/^\[:\^?[a-z]+:\]/.test(rest)) refuse('a POSIX class')
    if (/^(?:--|~~)/.test(rest)) refuse(`the class operator ${rest.slice(0, 2)}`)
  } else {
    if (/^\{,\d*\}/.test(rest)) refuse('the quantifier {,n}')
    const flags = /^\(\?[a-zA-Z-]*[:)]/.exec(rest)?.[0]
    if (flags !== undefined && !/^\(\?i?(?:-i)?[:)]/.test(flags)) refuse(`the flags ${flags}`)
    if (rest.startsWith('(?P<')) return { read: '(?P', written: '(?' }
  }
  const character = String.fromCodePoint(rest.codePointAt(0) as number)
  return { read: character, written: character }
}

function translateEscape(escaped: string, refuse: (construct: string) => never): string {
  const letter = escaped[1] as string
  if (letter === 'p' || letter === 'P') {
    const name = escaped[2] === '{' ? escaped.slice(3, -1) : escaped.slice(2)
    const plain = name.replace(/^(?:gc|general_?category|sc|script)[=:]/i, '')
    if (!/^\^?[\w -]+$/.test(plain)) refuse(escaped)
    return `\\${letter}{${plain}}`
  }
  if (/^\\[uU]\{/.test(escaped)) return `\\x${escaped.slice(2)}`
  if (/[A-Za-z0-9]/.test(letter) && !SHARED_ESCAPES.test(letter)) refuse(`the escape ${escaped}`)
  return escaped
}
