// Self-contained pages: no request leaves them, and nothing that data say is markup.
import { createHash } from 'node:crypto'

export interface HtmlPage {
  readonly title: string
  readonly style: string
  /** Markup: texts in it went through `escapeHtml`. */
  readonly body: string
  /** Runs when the page is there. */
  readonly script?: string
}

/**
 * A whole document. Its policy forbids every request, and every script but the given one.
 *
 * @example htmlPage({ title: 'Audit', style: 'h1 { margin: 0 }', body: `<h1>${escapeHtml(name)}</h1>` })
 */
export function htmlPage({ title, style, body, script = '' }: HtmlPage): string {
  const scripts =
    script === '' ? "'none'" : `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${scripts}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${BASE_STYLE}${style}</style>
</head>
<body>
${body}
${script === '' ? '' : `<script>${script}</script>\n`}</body>
</html>
`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for markup and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (c) => ESCAPES[c] as string)
}

/**
 * Text to be looked at: white space and characters that cannot be seen become signs, so that nothing hides, reorders a
 * line or joins what stands around it. A mark that would sit on what stands before gets a circle of its own.
 */
export function visibleText(text: string): string {
  const signs = text.replace(UNSEEN, (c, offset: number) => {
    const sign = SIGNS.get(c)
    if (sign !== undefined) return sign
    const joins = JOINERS.has(c) && offset > 0 && offset + 1 < text.length
    return joins ? c : `⟨${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
  return /^\p{M}/u.test(signs) ? `◌${signs}` : signs
}

const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu
/** They make one sign of several, as in emoji of families. */
const JOINERS: ReadonlySet<string> = new Set(['\u200c', '\u200d'])
const SIGNS = new Map([
  ['\n', '↵'],
  ['\r', '␍'],
  ['\t', '⇥'],
])

const BASE_STYLE = `
:root { color-scheme: light dark; --ink: #16181d; --paper: #fff; --soft: #f2f4f7; --line: #c9cfd8; --dim: #565d69;
  --bad: #a3170f; --good: #0b5c3b; --warn: #7a4b00; --accent: #0b4f9c }
@media (prefers-color-scheme: dark) { :root { --ink: #e9ecf1; --paper: #14161a; --soft: #1f232a; --line: #444c58; --dim: #a5adba;
  --bad: #ff9d94; --good: #7bdcb0; --warn: #f3c26b; --accent: #8fc1ff } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem; max-width: 80rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
a { color: var(--accent) } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, "Noto Sans Mono CJK SC", monospace; font-size: .9em }
.dim { color: var(--dim) } .bad { color: var(--bad) } .good { color: var(--good) } .warn { color: var(--warn) }
table { border-collapse: collapse; width: 100% } caption { text-align: left; color: var(--dim); padding: .25rem .6rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.scroll { overflow: auto; max-height: 32rem; border: 1px solid var(--line) }
.scroll thead th { position: sticky; top: 0; background: var(--soft) }
`
