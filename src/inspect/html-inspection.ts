import { escapeHtml, htmlPage, visibleText } from '../report/html-page.js'
import { INSPECTION_SCRIPT, INSPECTION_STYLE } from './html-assets.js'
import type { Inspection, Section, TokenBox, TokenList } from './inspection.js'

/** So many looks of places in the request there are: then they come again. */
const LOOKS = 6
/** Boxes in a block, which a browser lays out when it comes into view. */
const BLOCK = 400

/**
 * A prompt as one page that loads nothing: tokens as boxes, control tokens unmistakable, provenance by colour and by
 * line, with the place in the request as a tooltip, the usual path beside ours. Arrow keys go from token to token.
 *
 * @param title names the model, for people
 */
export function htmlInspection(inspection: Inspection, title: string): string {
  const { sections, counts, forged, paths, warnings } = inspection
  const looks = new Map(paths.map((path, i) => [path, `d c${i % LOOKS}`]))
  const body = `<main>
<h1>${text(title)}</h1>
<p>${plural(counts.ours, 'token')} through safetokens, ${counts.usual} on the usual path.
<strong class="${forged > 0 ? 'bad' : 'good'}">${forged > 0 ? '✗' : '✓'} ${plural(forged, 'control token')} of the usual path ${forged === 1 ? 'is' : 'are'} forged by text.</strong></p>
${warnings.length === 0 ? '' : `<ul class="warn">${warnings.map((warning) => `<li>${text(warning)}</li>`).join('')}</ul>`}
${legend(paths, looks)}
${overview(sections)}
<p class="dim">Arrow keys go from token to token in the list that has the focus; a click picks a token.</p>
<div id="about" role="status" aria-live="polite"><span class="dim">No token is picked.</span></div>
${sections.map((section, i) => sectionHtml(section, i, looks)).join('\n')}
</main>`
  return htmlPage({ title, style: INSPECTION_STYLE, body, script: INSPECTION_SCRIPT })
}

function legend(paths: readonly string[], looks: ReadonlyMap<string, string>): string {
  const shown = paths.slice(0, 4 * LOOKS)
  const more = paths.length - shown.length
  return `<section aria-label="Legend"><h2>Legend</h2><ul class="legend">
<li><b>control token</b> placed by the format</li>
<li><b class="f">control token</b> forged by text</li>
<li><span class="t"><i>text</i></span> of the format</li>
${shown.map((path) => `<li><span class="${looks.get(path)}"><i>text</i></span> of <code>${text(path)}</code></li>`).join('\n')}
${more > 0 ? `<li>and ${more} more places, whose looks come again</li>` : ''}
</ul></section>`
}

function overview(sections: readonly Section[]): string {
  const rows = sections.map(({ title, ours, usual }, i) => {
    const forged = usual?.boxes.filter((box) => box.forged).length ?? 0
    const theirs = usual === undefined ? `<span class="dim">the same ids</span>` : `${usual.count}`
    return `<tr><td><a href="#s${i}">${text(title)}</a></td><td class="n">${ours.count}</td><td class="n">${theirs}</td><td class="n">${forged > 0 ? `<span class="bad">${forged}</span>` : '0'}</td></tr>`
  })
  return `<h2>Messages</h2><div class="scroll" tabindex="0" role="region" aria-label="Tokens by message"><table>
<thead><tr><th scope="col">Message</th><th scope="col" class="n">Tokens</th><th scope="col" class="n">Usual path</th><th scope="col" class="n">Forged</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`
}

function sectionHtml(
  { title, ours, usual }: Section,
  index: number,
  looks: ReadonlyMap<string, string>,
): string {
  const columns =
    usual === undefined
      ? column('safetokens, and the same ids on the usual path', title, ours, looks)
      : column('safetokens', title, ours, looks) + column('the usual path', title, usual, looks)
  return `<section class="s" id="s${index}"><h2>${text(title)}</h2><div class="cols">${columns}</div></section>`
}

function column(
  way: string,
  title: string,
  { boxes, count }: TokenList,
  looks: ReadonlyMap<string, string>,
): string {
  const blocks: string[] = []
  for (let start = 0; start < boxes.length; start += BLOCK) {
    const some = boxes.slice(start, start + BLOCK)
    const label = `${title}, ${way}, tokens from ${start}`
    // About how many lines it will take, so that the scroll bar tells the truth.
    const lines = Math.ceil(
      some.reduce((sum, box) => sum + box.text.length + 2, 0) / (way === 'safetokens' ? 60 : 120),
    )
    blocks.push(
      `<div class="k" tabindex="0" role="group" aria-label="${text(label)}" style="contain-intrinsic-size:auto ${Math.max(1, lines) * 2}em">${runs(some, looks)}</div>`,
    )
  }
  return `<div class="col"><h3>${way} <span class="dim">${plural(count, 'token')}</span></h3>${blocks.join('\n')}</div>`
}

/** Neighbours of one kind and one place share what tells where they come from. */
function runs(boxes: readonly TokenBox[], looks: ReadonlyMap<string, string>): string {
  let html = ''
  let open: string | undefined
  for (const box of boxes) {
    const key = box.kind === 'control' ? undefined : `${box.kind}\0${box.path}`
    if (key !== open) {
      if (open !== undefined) html += '</span>'
      if (key !== undefined) html += spanTag(box, looks)
      open = key
    }
    html += tokenHtml(box)
  }
  return open === undefined ? html : `${html}</span>`
}

function spanTag({ kind, path }: TokenBox, looks: ReadonlyMap<string, string>): string {
  if (kind !== 'data' || path === undefined) return '<span class="t" title="written by the format">'
  return `<span class="${looks.get(path)}" title="${text(path)}">`
}

function tokenHtml({ ids, text: shown, kind, path, forged }: TokenBox): string {
  const data = ` data-i="${ids.join(' ')}"`
  if (kind !== 'control') return `<i${data}>${text(shown)}</i>`
  const where = forged ? `forged by ${path ?? 'text'}` : 'control token'
  return `<b${forged ? ' class="f"' : ''}${data} title="${text(where)}">${text(shown)}</b>`
}

const text = (value: string): string => escapeHtml(visibleText(value))

function plural(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
