import type { AuditReport } from '../audit.js'
import { type Finding, RULES } from '../findings.js'

/**
 * A report as SARIF 2.1.0, which code scanning shows: one result a finding, at the chat template's line where there is
 * one, else at the tokenizer's file.
 *
 * @param modelPath as the caller gave it: what locations are relative to
 * @see OASIS, Static Analysis Results Interchange Format 2.1.0
 */
export function sarif(report: AuditReport, modelPath: string): object {
  const { identity, findings } = report
  const [tokenizerFile = ''] = Object.keys(identity.sha256)
  const rules = Object.entries(RULES).map(([id, text]) => ({
    id,
    shortDescription: { text },
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'safetokens audit', version: identity.versions.safetokens, rules } },
        properties: { identity, summary: report.summary },
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
          level: finding.level,
          message: { text: messageOf(finding) },
          locations: [{ physicalLocation: location(finding, identity.chat, modelPath, tokenizerFile) }],
          partialFingerprints: { 'safetokens/v1': fingerprint(finding) },
        })),
      },
    ],
  }
}

function messageOf({ message, line }: Finding): string {
  return line === undefined ? message : `${message} (line ${line} of the chat template)`
}

function location(
  { line, column }: Finding,
  chat: string | undefined,
  modelPath: string,
  tokenizerFile: string,
): object {
  // A template inside of JSON has no lines of its own there, so they count from where the string begins.
  const inTemplate = line !== undefined && chat !== undefined
  const file = inTemplate ? chat.replace(/: \$.*$/, '') : tokenizerFile
  const base = modelPath.endsWith(tokenizerFile) ? modelPath.slice(0, -tokenizerFile.length) : `${modelPath}/`
  const uri = `${base}${file}`
    .replaceAll('\\', '/')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/\/+/g, '/')
  const isFile = inTemplate && file === chat
  return {
    artifactLocation: { uri },
    ...(isFile
      ? { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } }
      : {}),
  }
}

/** The same finding in the next run, though counts in its message change. */
function fingerprint({ rule, line, column, message }: Finding): string {
  return line === undefined
    ? `${rule}:${message.replace(/\d+/g, '#').slice(0, 200)}`
    : `${rule}:${line}:${column}`
}
