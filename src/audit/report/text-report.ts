import type { AuditReport, ChatAudit } from '../audit.js'
import { type Level, listed, quote } from '../findings.js'
import { inflation } from './inflation.js'

/** Paints words by what they mean. */
export interface ReportPaint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

/** A report for people, on a terminal or in a log. Nothing in it can drive a terminal. */
export function textReport(report: AuditReport, { bold, dim, good, bad }: ReportPaint): string {
  const { identity, summary, findings, chat, noChat } = report
  const verdict = (n: number, text: string): string => (n === 0 ? good(text) : bad(text))
  const reach = (name: string, n: number | undefined): string[] =>
    n === undefined ? [] : [`  ${name.padEnd(34)}${verdict(n, `${n} of ${summary.reserved}`)}`]
  const lines = [
    bold(`Audit of ${identity.model}`),
    dim(
      `${identity.algorithm}, ${identity.semantics}, ${identity.vocabSize} ids; ` +
        `${identity.chat === undefined ? 'no chat' : `chat: ${identity.chat}`}; usual path: ${identity.usualPath}`,
    ),
    '',
    bold('Reserved ids that text reaches'),
    ...reach('the usual path', summary.reachedByUsualPath),
    ...reach('with split_special_tokens', summary.reachedUnderSplit),
    ...reach('safetokens', summary.reachedByOurs),
    '',
    ...(chat ? chatLines(chat, verdict, bold, dim) : [dim(`No chat was audited: ${noChat}`), '']),
    bold(
      `Findings: ${count(report, 'error')} errors, ${count(report, 'warning')} warnings, ${count(report, 'note')} notes`,
    ),
    ...findings.map(({ level, rule, message, line }) => {
      const name =
        level === 'error' ? bad(level.padEnd(7)) : level === 'note' ? dim(level.padEnd(7)) : level.padEnd(7)
      return `  ${name} ${bold(rule)}${line === undefined ? '' : ` (template line ${line})`}\n          ${message}`
    }),
    '',
    dim(
      `Certificate: no id that the compiled tables can emit for text is one of the ${identity.certificate.reservedIds} reserved ones`,
    ),
    ...Object.entries(identity.sha256).map(([name, hash]) => dim(`SHA-256 ${hash} ${name}`)),
    dim(
      Object.entries(identity.versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ),
  ]
  return `${lines.join('\n')}\n`
}

function chatLines(
  { forgedTurns, fields, parity, guarantee, composed }: ChatAudit,
  verdict: (n: number, text: string) => string,
  bold: ReportPaint['bold'],
  dim: ReportPaint['dim'],
): string[] {
  const { usual, ours, examples, tried, openers } = forgedTurns
  const forged = (name: string, { turns, controls, conversations }: typeof usual): string =>
    `  ${name.padEnd(34)}${verdict(controls, `${turns} forged turns, ${controls} forged control tokens, in ${conversations} conversations`)}`
  const example = examples.ours ?? examples.usual
  const outcomes = (outcome: string): string[] =>
    fields.filter((field) => field.outcome === outcome).map(({ place }) => place)
  const { median, most } = inflation(forgedTurns.byPayload)
  return [
    bold(`Forged turns: ${tried} hostile conversations`),
    dim(
      `  a turn begins at ${openers.length === 0 ? 'ordinary text' : listed(openers)}; guarantee: ${guarantee}`,
    ),
    forged('the usual path', usual),
    forged('safetokens', ours),
    ...(example
      ? [
          `  ${quote(example.payload)} as ${example.place}: ${example.turnsBefore} turns become ${example.turnsAfter}`,
        ]
      : []),
    dim(`  ${forgedTurns.decided} more have another structure since the template decides by what data say`),
    '',
    bold('Fields of a request'),
    ...(['rendered', 'transformed', 'dropped', 'refused'] as const).flatMap((outcome) => {
      const places = outcomes(outcome)
      return places.length === 0
        ? []
        : [`  ${`${outcome} (${places.length})`.padEnd(18)}${places.join(', ')}`]
    }),
    ...(composed.length === 0
      ? []
      : [`  ${composed.length} places where the template and a field spell a token together`]),
    '',
    bold('Harmless chats'),
    `  ${parity.equal} of ${parity.chats} have exactly the ids of the usual path`,
    `  ${parity.chats - parity.textDiffers - parity.notRendered} are written alike by @huggingface/jinja; it writes ${parity.textDiffers} otherwise, and ${parity.notRendered} were not rendered by it`,
    `  hostile texts are ${median.toFixed(2)} times as many tokens (median), at most ${most.ratio.toFixed(1)} times: ${quote(most.payload)}`,
    '',
  ]
}

function count({ findings }: AuditReport, level: Level): number {
  return findings.filter((finding) => finding.level === level).length
}
