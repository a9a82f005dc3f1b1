import type { AuditReport } from '../audit.js'
import { type Finding, type Level, RULES } from '../findings.js'
import type { Identity } from '../identity.js'
import type { ServerReport } from '../server/server-audit.js'

/**
 * A report as SARIF 2.1.0, which code scanning shows: one result a finding, at the chat template's line where there is
 * one, else at the tokenizer's file.
 *
 * @param modelPath as the caller gave it: what locations are relative to
 * @see OASIS, Static Analysis Results Interchange Format 2.1.0
 */
export function sarif(report: AuditReport, modelPath: string): object {
  const { identity, findings, summary } = report
  const results = findings.map((finding) => ({
    rule: finding.rule,
    level: finding.level,
    message: messageOf(finding),
    location: location(finding, identity, modelPath),
    fingerprint: fingerprint(finding),
  }))
  return sarifLog(identity, RULES, { identity, summary }, results)
}

/** What is looked for on a server. */
export const SERVER_RULES: Readonly<Record<'server-forged-turn' | 'server-ids-differ', string>> = {
  'server-forged-turn': 'On this server, text of a request forges turns or control tokens.',
  'server-ids-differ': 'Harmless chats have other ids on this server than safetokens gives.',
}

/**
 * The report on a server as SARIF 2.1.0: one result for each place of a request in which text forged control tokens. It
 * stands at the tokenizer's file of the model that the server serves.
 */
export function serverSarif(report: ServerReport, modelPath: string): object {
  const { server, identity, byPlace, harmless, forged, tried, refused, verdict } = report
  const at = { location: location({}, identity, modelPath) }
  const result = (
    rule: keyof typeof SERVER_RULES,
    level: Level,
    message: string,
    key: string,
  ): SarifResult => ({
    ...at,
    rule,
    level,
    message,
    fingerprint: `${rule}:${server.api}:${key}`,
  })
  const places = byPlace
    .filter((place) => place.forged > 0)
    .map(({ place, tried: count, forged: bad }) => {
      const message = `${bad} of ${count} hostile texts as ${place} forged control tokens on ${server.address} (${server.api})`
      return result('server-forged-turn', 'error', message, place)
    })
  const others = harmless.chats - harmless.equal
  const note = `${others} of ${harmless.chats} harmless conversations have other ids on ${server.address} than safetokens gives`
  const differing = others === 0 ? [] : [result('server-ids-differ', 'note', note, '')]
  const properties = { server, identity, forged, tried, refused, verdict }
  return sarifLog(identity, SERVER_RULES, properties, [...places, ...differing])
}

interface SarifResult {
  readonly rule: string
  readonly level: Level
  readonly message: string
  readonly location: object
  /** The same in the next run. */
  readonly fingerprint: string
}

function sarifLog(
  { versions }: Identity,
  texts: Readonly<Record<string, string>>,
  properties: object,
  results: readonly SarifResult[],
): object {
  const rules = Object.entries(texts).map(([id, text]) => ({ id, shortDescription: { text } }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'safetokens audit', version: versions.safetokens, rules } },
        properties,
        results: results.map(({ rule, level, message, location: physicalLocation, fingerprint: print }) => ({
          ruleId: rule,
          ruleIndex: rules.findIndex(({ id }) => id === rule),
          level,
          message: { text: message },
          locations: [{ physicalLocation }],
          partialFingerprints: { 'safetokens/v1': print },
        })),
      },
    ],
  }
}

function messageOf({ message, line }: Finding): string {
  return line === undefined ? message : `${message} (line ${line} of the chat template)`
}

function location(
  { line, column }: Pick<Finding, 'line' | 'column'>,
  { chat, chatLine, sha256 }: Identity,
  modelPath: string,
): object {
  const [tokenizerFile = ''] = Object.keys(sha256)
  // Inside of JSON a template is one line: that of the string.
  const inTemplate = line !== undefined && chat !== undefined
  const file = inTemplate ? chat.replace(/: \$.*$/, '') : tokenizerFile
  const base = modelPath.endsWith(tokenizerFile) ? modelPath.slice(0, -tokenizerFile.length) : `${modelPath}/`
  const uri = `${base}${file}`
    .replaceAll('\\', '/')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/\/+/g, '/')
  const own = { startLine: line, ...(column === undefined ? {} : { startColumn: column }) }
  const inJson = chatLine === undefined ? undefined : { startLine: chatLine }
  const region = inTemplate && file === chat ? own : inTemplate ? inJson : undefined
  return { artifactLocation: { uri }, ...(region && { region }) }
}

/** The same finding in the next run, though counts in its message change. */
function fingerprint({ rule, line, column, message }: Finding): string {
  return line === undefined
    ? `${rule}:${message.replace(/\d+/g, '#').slice(0, 200)}`
    : `${rule}:${line}:${column}`
}
