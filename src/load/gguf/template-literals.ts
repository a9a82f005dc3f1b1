/**
 * What a Jinja template may write: its text outside of tags, and the strings inside of them. Comments are left out. This
 * looks at the marks alone, in linear time, and gives something for broken templates too.
 */
export function templateLiterals(template: string): string[] {
  const literals: string[] = []
  let text = 0
  for (let at = template.indexOf('{'); at >= 0; at = template.indexOf('{', at)) {
    const close = CLOSING.get(template.slice(at, at + 2))
    if (close === undefined) {
      at++
      continue
    }
    const end = template.indexOf(close, at + 2)
    if (end < 0) break // without an end it is text
    literals.push(template.slice(text, at))
    if (close !== '#}') literals.push(...strings(template.slice(at + 2, end)))
    at = end + 2
    text = at
  }
  literals.push(template.slice(text))
  return literals.filter((literal) => literal !== '')
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
])

function strings(tag: string): string[] {
  const found: string[] = []
  let start = 0 // behind the quote of an open string; 0: outside
  for (let i = 0; i < tag.length; i++) {
    const character = tag[i]
    if (start === 0) {
      if (character === "'" || character === '"') start = i + 1
    } else if (character === '\\') i++
    else if (character === tag[start - 1]) {
      found.push(tag.slice(start, i))
      start = 0
    }
  }
  return found
}
