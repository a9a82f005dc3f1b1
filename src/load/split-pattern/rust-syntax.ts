// Where fancy-regex and regex-syntax read a pattern differently than Oniguruma.

/**
 * Rewrites a Rust pattern so that a parser of Oniguruma's syntax reads it right. `refuse` is called with what has no
 * equal there.
 */
export function translateRust(source: string, refuse: (construct: string) => never): string {
  let out = ''
  let depth = 0 // of brackets
  for (let i = 0; i < source.length; i++) {
    const rest = source.slice(i, i + 64)
    const [escape] = /^\\(?:[pP]\{[^}]*\}|[pP].|[^])/.exec(rest) ?? []
    if (escape !== undefined) {
      out += translateEscape(escape, refuse)
      i += escape.length - 1
      continue
    }
    if (depth > 0 && /^\[:\^?[a-z]+:\]/.test(rest)) refuse('a POSIX class')
    if (depth > 0 && /^(?:--|~~)/.test(rest) && source[i - 1] !== '[')
      refuse(`the class operator ${rest.slice(0, 2)}`)
    if (depth === 0 && /^\{,\d*\}/.test(rest)) refuse('the quantifier {,n}')
    const [flags] = (depth === 0 && /^\(\?[a-zA-Z-]*[:)]/.exec(rest)) || []
    if (flags !== undefined && !/^\(\?(?:i?(?:-i)?)[:)]/.test(flags)) refuse(`the flags ${flags}`)
    if (depth === 0 && rest.startsWith('(?P<')) {
      out += '(?'
      i += 2
      continue
    }
    if (source[i] === '[') depth++
    if (source[i] === ']' && depth > 0) depth--
    out += source[i]
    // A bracket that comes first is a character.
    if (source[i] === '[' && /^\^?\]/.test(source.slice(i + 1, i + 3))) {
      const literal = source[i + 1] === '^' ? '^\\]' : '\\]'
      out += literal
      i += literal.length - 1
    }
  }
  return out
}

function translateEscape(escape: string, refuse: (construct: string) => never): string {
  const letter = escape[1] as string
  if (letter === 'p' || letter === 'P') {
    const name = escape[2] === '{' ? escape.slice(3, -1) : (escape[2] as string)
    const plain = name.replace(/^(?:gc|general_?category|sc|script)[=:]/i, '')
    if (!/^\^?[\w -]+$/.test(plain)) refuse(escape)
    return `\\${letter}{${plain}}`
  }
  // Letters that mean the same in both, and hexadecimal ones, whose digits follow.
  if (/[A-Za-z0-9]/.test(letter) && !/[sSdDwWbBAznrtfvahHxuG]/.test(letter)) refuse(`the escape ${escape}`)
  return escape
}
