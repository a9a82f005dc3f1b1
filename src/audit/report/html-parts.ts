// What the pages of audits are made of.
import { escapeHtml, visibleText } from '../../report/html-page.js'
import type { Identity } from '../identity.js'

export const REPORT_STYLE: string = `
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; list-style: none; padding: 0 }
.cards li { border: 1px solid var(--line); border-left: .5rem solid var(--line); padding: .75rem 1rem; background: var(--soft) }
.cards .isbad { border-left-color: var(--bad) } .cards .isgood { border-left-color: var(--good) }
.cards strong { display: block; font-size: 1.6rem; line-height: 1.2 }
.level { font-weight: 700; white-space: nowrap } td code { overflow-wrap: anywhere; white-space: pre-wrap }
`

/**
 * A number at a glance.
 *
 * @param n good only if it is 0
 * @param markup what is counted
 */
export function card(n: number, markup: string): string {
  const [kind, sign] = n === 0 ? ['isgood', '✓'] : ['isbad', '✗']
  return `<li class="${kind}"><strong>${n} <span aria-hidden="true">${sign}</span></strong>${markup}</li>`
}

/** What was looked at. */
export function identitySection({ sha256, versions, certificate, reservePolicy }: Identity): string {
  const rows = [
    ...Object.entries(sha256).map(([file, hash]) => [text(file), `<code>${hash}</code>`]),
    ...Object.entries(versions).map(([name, version]) => [text(name), text(version)]),
    ['Reserve policy', text(JSON.stringify(reservePolicy))],
    [
      'Certificate',
      `no id that the compiled tables can emit for text is one of the ${certificate.reservedIds} reserved ones`,
    ],
  ]
  return section('Identity', table('Equal inputs give an equal report', ['What', 'Value'], rows))
}

/** Text of data as markup, in which everything can be seen. */
export const text = (value: string): string => escapeHtml(visibleText(value))
/** The same as code. */
export const literal = (value: string): string =>
  value === '' ? '<span class="dim">nothing</span>' : `<code>${text(value)}</code>`
export const name = (token: string): string => `<code>${text(token)}</code>`

export function section(title: string, ...content: readonly string[]): string {
  return `<section><h2>${title}</h2>${content.join('\n')}</section>`
}

/**
 * @param heads those that end with # head numbers
 * @param rows markup
 */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const numbers = heads.map((head) => head.endsWith('#'))
  const attribute = (i: number): string => (numbers[i] ? ' class="n"' : '')
  const head = heads
    .map((title, i) => `<th scope="col"${attribute(i)}>${title.replace(/#$/, '')}</th>`)
    .join('')
  const body = rows.map(
    (cells) => `<tr>${cells.map((cell, i) => `<td${attribute(i)}>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`
}
