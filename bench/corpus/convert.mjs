// Turns documents into plain text.

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', mdash: '—' }

/** What an HTML page reads like, roughly. */
export function htmlText(page) {
  const body = /<body[^>]*>([\s\S]*)/i.exec(page)?.[1] ?? page
  return body
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, '')
    .replace(/<br\s*\/?>|<\/(p|div|li|tr|h\d)>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex, digits) =>
      String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)),
    )
    .replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/[ \t]*\n\s*\n+/g, '\n\n')
    .trim()
}

/** A manual page without its macros. */
export function manualText(page) {
  return page
    .split('\n')
    .filter((line) => !line.startsWith('.\\"') && !line.startsWith('\'\\"'))
    .map((line) =>
      line
        .replace(/^\.[A-Za-z]{1,3}\s*/, '')
        .replace(/\\f[A-Z]|\\f\(..|\\&|\\-|\\s[+-]?\d/g, '')
        .replaceAll('\\(aq', "'")
        .replaceAll('\\e', '\\'),
    )
    .join('\n')
    .trim()
}

export const plainText = (text) => text
