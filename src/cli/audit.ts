import { writeFile } from 'node:fs/promises'
import { type AuditReport, audit as auditModel } from '../audit/audit.js'
import { type Level, RULES, type Rule } from '../audit/findings.js'
import { htmlReport } from '../audit/report/html-report.js'
import { sarif } from '../audit/report/sarif.js'
import { textReport } from '../audit/report/text-report.js'
import { type Command, choice, type Io, parse, UsageError } from './command.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { ProgressBar } from './progress.js'
import { palette, wantsColours } from './terminal.js'

const LEVELS: readonly Level[] = ['error', 'warning', 'note']

/** The exit code for findings that `--fail-on` names. */
export const FOUND = 3

export const audit: Command = {
  name: 'audit',
  summary: 'what hostile text does to the prompts of a model, on the usual path and here',
  help: `Usage: safetokens audit MODEL [options]

Looks at a model's tokenizer and chat template; no weights are needed. Tells which reserved ids text reaches on the
usual path (@huggingface/jinja and @huggingface/tokenizers, which must be installed), with split_special_tokens, and
through safetokens; which fields of a request the template writes, drops, changes or doubles; and how many turns hostile
texts forge. Equal files and versions give an equal report.

Options:
  --model MODEL  instead of MODEL as an argument. ${MODEL_HELP.replace(/^--model MODEL +/, '')}
  --json         print the whole report as JSON
  --html FILE    write it as one HTML page; - for standard output
  --sarif FILE   write it as SARIF 2.1.0; - for standard output
  --fail-on LIST exit with ${FOUND} when something is found: error (default: safetokens itself failed), warning (the usual path
                 or the model is unsafe), note, none, or names of rules, separated by commas
  --controls N   how many control tokens of the model the payloads are made of (default 8)
  --format NAME  the chat format, for a model that does not tell
  --compat WORD  "safe" (default) or "exact", as in "safetokens chat"

Rules:
${Object.keys(RULES)
  .map((rule) => `  ${rule}`)
  .join('\n')}

Examples:
  safetokens audit models/qwen3
  safetokens audit models/qwen3 --json > audit.json
  safetokens audit models/qwen3 --html audit.html --sarif audit.sarif --fail-on error,composed-token
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      model: { type: 'string' },
      json: { type: 'boolean' },
      html: { type: 'string' },
      sarif: { type: 'string' },
      'fail-on': { type: 'string' },
      controls: { type: 'string' },
      format: { type: 'string' },
      compat: { type: 'string' },
    })
    const [given = values.model, ...more] = positionals
    if (more.length > 0) throw new UsageError('audit takes one MODEL')
    const model = modelPath('audit', given)
    const failOn = parseFailOn(values['fail-on'] ?? 'error')
    const toStandardOutput = [values.json, values.html === '-', values.sarif === '-'].filter(Boolean).length
    if (toStandardOutput > 1) throw new UsageError('only one report can go to standard output')
    const bar = new ProgressBar(io.stderr)
    try {
      const report = await auditModel(model, {
        format: values.format,
        compat: choice('--compat', values.compat, ['exact', 'safe']),
        controls: wholeNumber('--controls', values.controls),
        progress: (what, done, total) => bar.update(what, done, total),
      })
      bar.end()
      const pages = [
        [values.html, () => htmlReport(report)],
        [values.sarif, () => `${JSON.stringify(sarif(report, model), null, 2)}\n`],
      ] as const
      for (const [file, write] of pages) {
        if (file === '-') await print(io.stdout, write())
        else if (file !== undefined) await writeFile(file, write())
      }
      if (values.json) await print(io.stdout, `${JSON.stringify(report, null, 2)}\n`)
      else if (toStandardOutput === 0) await print(io.stdout, forPeople(report, io))
      return report.findings.some(({ level, rule }) => failOn(level, rule)) ? FOUND : 0
    } finally {
      bar.end()
    }
  },
}

function forPeople(report: AuditReport, { stdout }: Io): string {
  const paint = palette(wantsColours(stdout))
  return textReport(report, paint)
}

function parseFailOn(list: string): (level: Level, rule: Rule) => boolean {
  const words = list.split(',').map((word) => word.trim())
  const known = [...LEVELS, 'none', ...Object.keys(RULES)]
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined) {
    throw new UsageError(`--fail-on: ${JSON.stringify(unknown)} is none of ${known.join(', ')}`)
  }
  const least = Math.max(-1, ...words.map((word) => LEVELS.indexOf(word as Level)))
  return (level, rule) => words.includes(rule) || LEVELS.indexOf(level) <= least
}

function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^\d{1,6}$/.test(value))
    throw new UsageError(`${option} must be a whole number, not ${JSON.stringify(value)}`)
  return Number(value)
}
