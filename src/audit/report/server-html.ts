import { htmlPage } from '../../report/html-page.js'
import type { ServerReport } from '../server/server-audit.js'
import { card, identitySection, literal, REPORT_STYLE, section, table, text } from './html-parts.js'

/** The report on a server as one page without scripts, which loads nothing. */
export function serverHtmlReport(report: ServerReport): string {
  const { server, identity, tried, refused, requests, forged, byPlace, harmless, verdict, example } = report
  const cards = [
    card(forged.turns, 'forged turns'),
    card(forged.controls, 'forged control tokens'),
    card(forged.conversations, `of ${tried} hostile conversations with forged control tokens`),
  ]
  const body = `<main>
<h1>Audit of the server at ${text(server.address)}</h1>
<p class="dim">${text(server.api)} · ${requests} requests · ${refused} hostile conversations were refused ·
reserved ids as in ${text(identity.model)}</p>
<ul class="cards">${cards.join('\n')}</ul>
<p>${text(verdict)}</p>
${section(
  'Places',
  table(
    'Hostile conversations by the place of the text',
    ['Place', 'Tried#', 'With forged control tokens#'],
    byPlace.map((each) => [text(each.place), String(each.tried), String(each.forged)]),
  ),
)}
${
  example
    ? section(
        'An example',
        table(
          'One of the worst',
          ['Place', 'Text', 'Turns before#', 'Turns after#', 'Forged'],
          [
            [
              text(example.place),
              literal(example.payload),
              String(example.turnsBefore),
              String(example.turnsAfter),
              example.forged.map(literal).join(' '),
            ],
          ],
        ),
      )
    : ''
}
${section(
  'Harmless conversations',
  `<p>${harmless.equal} of ${harmless.chats} have the ids that safetokens gives.</p>`,
)}
${identitySection(identity)}
</main>`
  return htmlPage({ title: `Audit of ${server.address}`, style: REPORT_STYLE, body })
}
