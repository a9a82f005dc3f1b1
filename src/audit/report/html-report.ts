import { htmlPage } from '../../report/html-page.js'
import type { AuditReport, ChatAudit } from '../audit.js'
import type { Forgeries } from '../forged-turns.js'
import type { ReservedAudit, TokenFlags, Witness } from '../reserved-audit.js'
import { card, identitySection, literal, name, REPORT_STYLE, section, table, text } from './html-parts.js'
import { inflation } from './inflation.js'

/** A report as one page without scripts, which loads nothing. Texts that payloads hold are shown, never run. */
export function htmlReport(report: AuditReport): string {
  const { identity, chat, noChat } = report
  const body = `<main>
<h1>Audit of ${text(identity.model)}</h1>
<p class="dim">${text(identity.algorithm)}, ${text(identity.semantics)}, ${identity.vocabSize} ids ·
${identity.chat === undefined ? 'no chat' : `chat: ${text(identity.chat)}`} · usual path: ${text(identity.usualPath)}</p>
${summary(report)}
${findingsTable(report)}
${chat ? chatSections(chat) : `<h2>Chat</h2><p>No chat was audited: ${text(noChat ?? '')}</p>`}
${reservedTable(report.reserved)}
${identitySection(identity)}
</main>`
  return htmlPage({ title: `Audit of ${identity.model}`, style: REPORT_STYLE, body })
}

function summary({ summary: { reserved, ...reached }, chat }: AuditReport): string {
  const cards = [
    card(reached.reachedByUsualPath, `of ${reserved} reserved ids are reached by text on the usual path`),
    ...(reached.reachedUnderSplit === undefined
      ? []
      : [card(reached.reachedUnderSplit, `of ${reserved} with <code>split_special_tokens</code>`)]),
    card(reached.reachedByOurs, `of ${reserved} through safetokens`),
    ...(chat
      ? [
          card(
            chat.forgedTurns.usual.turns,
            `forged turns on the usual path, in ${chat.forgedTurns.tried} conversations`,
          ),
          card(chat.forgedTurns.ours.turns, 'forged turns through safetokens'),
        ]
      : []),
  ]
  return `<ul class="cards">${cards.join('\n')}</ul>`
}

function findingsTable({ findings }: AuditReport): string {
  const paint = { error: 'bad', warning: 'warn', note: 'dim' }
  const rows = findings.map(({ level, rule, message, line }) => [
    `<span class="level ${paint[level]}">${level}</span>`,
    `<code>${rule}</code>${line === undefined ? '' : `<br>template line ${line}`}`,
    text(message),
  ])
  return section(
    'Findings',
    table('What deserves attention, the worst first', ['Level', 'Rule', 'Finding'], rows),
  )
}

function chatSections({ forgedTurns, fields, parity, guarantee, composed, split }: ChatAudit): string {
  const { median, most } = inflation(forgedTurns.byPayload)
  const forged = ({ turns, controls }: Forgeries): string =>
    controls === 0 ? '0' : `<span class="bad">${turns} / ${controls}</span>`
  const byPlace = forgedTurns.byPlace.map(({ place, tried, refused, usual, ours }) => [
    text(place),
    String(tried),
    String(refused),
    forged(usual),
    forged(ours),
  ])
  const byPayload = forgedTurns.byPayload.map(({ payload, usual, ours, tokens }) => [
    literal(payload),
    forged(usual),
    forged(ours),
    String(tokens.usual),
    String(tokens.ours),
  ])
  const openers = forgedTurns.openers.map((name) => `<code>${text(name)}</code>`).join(' ') || 'ordinary text'
  const together = [
    ...composed.map(({ place, path, value, token }) => [
      text(place),
      `<code>${text(path)}</code>`,
      literal(value),
      name(token),
    ]),
    ...(split.witness
      ? [
          [
            'two fields',
            `<code>${text(split.witness.first.field)}</code>, <code>${text(split.witness.second.field)}</code>`,
            `${literal(split.witness.first.text)} ${literal(split.witness.second.text)}`,
            `halves of ${split.usual.length} tokens`,
          ],
        ]
      : []),
  ]
  return [
    section(
      'Forged turns',
      `<p>Each payload in each place of a request. A turn begins at ${openers}; guarantee: <strong>${guarantee}</strong>.
Forged are turns / control tokens that neither the format nor the template has placed.
${forgedTurns.decided} conversations have another structure since the template decides by what data say.</p>`,
      table('By place', ['Place', 'Tried#', 'Refused#', 'Usual path#', 'safetokens#'], byPlace),
      table(
        `By payload, with its tokens alone. Not parsing costs ${median.toFixed(2)} times the tokens (median), at most ${most.ratio.toFixed(1)} times`,
        ['Payload', 'Usual path#', 'safetokens#', 'Tokens, usual#', 'Tokens, ours#'],
        byPayload,
      ),
    ),
    section(
      'Fields of a request',
      table(
        'What becomes of text in each place',
        ['Place', 'Outcome', 'More', 'Given#', 'Written#', 'Field'],
        fields.map(({ place, outcome, detail = '', given, written, paths }) => [
          text(place),
          outcome,
          text(detail),
          String(given),
          String(written),
          paths.map((path) => `<code>${text(path)}</code>`).join('<br>'),
        ]),
      ),
    ),
    together.length === 0
      ? ''
      : section(
          'Tokens made of several texts',
          table('On the usual path', ['Place', 'Field', 'Value', 'Token'], together),
        ),
    forgedTurns.decisions.length === 0
      ? ''
      : section(
          'Decisions of the template that depend on data',
          table(
            'Each place of the template once',
            ['Template', 'Kind', 'Fields', 'Example'],
            forgedTurns.decisions.map(({ line, column, kind, fields: names, example }) => [
              `line ${line}, column ${column}`,
              text(kind),
              names.map((path) => `<code>${text(path)}</code>`).join('<br>'),
              `${text(example.message)}, for example ${literal(example.payload)} as ${text(example.place)}`,
            ]),
          ),
        ),
    section(
      'Harmless chats',
      `<p>${parity.equal} of ${parity.chats} have exactly the ids of the usual path. <code>@huggingface/jinja</code> writes
${parity.textDiffers} otherwise than Jinja2, and did not render ${parity.notRendered}.</p>`,
    ),
  ].join('\n')
}

function reservedTable(reserved: readonly ReservedAudit[]): string {
  const rows = reserved.map(({ id, name: token, reason, flags, pieceType, usual, split, ours }) => [
    String(id),
    name(token),
    text(reason),
    flags ? flagNames(flags) : text(pieceType ?? ''),
    witnesses(usual),
    split === undefined ? '<span class="dim">no such rule</span>' : witnesses(split),
    witnesses(ours),
  ])
  return section(
    'Reserved ids',
    table(
      'Each with the shortest texts that reach it',
      ['Id#', 'Token', 'Why reserved', 'Flags', 'Usual path', 'split_special_tokens', 'safetokens'],
      rows,
    ),
  )
}

function flagNames({ special, ...others }: TokenFlags): string {
  const set = Object.entries(others).flatMap(([flag, isSet]) => (isSet ? [flag] : []))
  return [special ? 'special' : '<span class="warn">not special</span>', ...set].join(', ')
}

function witnesses(found: readonly Witness[]): string {
  if (found.length === 0) return '<span class="good">not reached</span>'
  return found.map(({ kind, text }) => `<span class="bad">${kind}</span> ${literal(text)}`).join('<br>')
}
