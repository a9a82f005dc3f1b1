import { writeFile } from 'node:fs/promises'
import { type AuditReport, audit as auditModel } from '../audit/audit.js'
import { type Level, RULES, type Rule } from '../audit/findings.js'
import { htmlReport } from '../audit/report/html-report.js'
import { sarif, serverSarif } from '../audit/report/sarif.js'
import { serverHtmlReport } from '../audit/report/server-html.js'
import { textReport } from '../audit/report/text-report.js'
import { auditServer, type ServerReport } from '../audit/server/server-audit.js'
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
through safetokens; which fields of a request the template writes, drops, changes or doubles; how many turns hostile
texts forge. Equal files and versions give an equal report.

Options:
  ${MODEL_HELP};
                 or MODEL as an argument
  --json         print the whole report as JSON
  --html FILE    write it as one HTML page; - for standard output
  --sarif FILE   write it as SARIF 2.1.0; - for standard output
  --fail-on LIST exit with ${FOUND} when something is found: error (default: safetokens itself failed), warning (the usual
                 path or the model is unsafe), note, none, or names of rules, separated by commas
  --controls N   how many control tokens of the model the payloads are made of (default 8)
  --format NAME  the chat format, for a model that does not tell
  --compat WORD  "safe" (default) or "exact", as in "safetokens chat"
  --server URL   ask a running server for the ids of hostile conversations, and nothing but that address; MODEL is
                 what it serves. Exits with ${FOUND} when control tokens are forged, unless --fail-on is none
  --api NAME     vllm, llama.cpp or sglang. Default: the server is asked
  --rate N       requests in a second, at most (default 20)
  --conversations N
                 hostile conversations for the server, at most (default 300)

Rules:
${Object.keys(RULES)
  .map((rule) => `  ${rule}`)
  .join('\n')}

Examples:
  safetokens audit mini
  safetokens audit mini --json --controls 1
  safetokens audit mini --html - --controls 1 --fail-on error,composed-token
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
      server: { type: 'string' },
      api: { type: 'string' },
      rate: { type: 'string' },
      conversations: { type: 'string' },
    })
    const [given = values.model, ...more] = positionals
    if (more.length > 0) throw new UsageError('audit takes one MODEL')
    const model = modelPath('audit', given)
    const failOn = parseFailOn(values['fail-on'] ?? 'error')
    const toStandardOutput = [values.json, values.html === '-', values.sarif === '-'].filter(Boolean).length
    if (toStandardOutput > 1) throw new UsageError('only one report can go to standard output')
    /** The report in each form that is asked for. */
    const write = async (report: object, forms: Forms): Promise<void> => {
      const pages = [
        [values.html, forms.html],
        [values.sarif, () => `${JSON.stringify(forms.sarif(), null, 2)}\n`],
      ] as const
      for (const [file, page] of pages) {
        if (file === '-') await print(io.stdout, page())
        else if (file !== undefined) await writeFile(file, page())
      }
      if (values.json) await print(io.stdout, `${JSON.stringify(report, null, 2)}\n`)
      else if (toStandardOutput === 0) await print(io.stdout, forms.people())
    }
    const bar = new ProgressBar(io.stderr)
    const options = {
      format: values.format,
      compat: choice('--compat', values.compat, ['exact', 'safe']),
      controls: wholeNumber('--controls', values.controls),
      progress: (what: string, done: number, total: number) => bar.update(what, done, total),
    }
    try {
      if (values.server !== undefined) {
        const report = await auditServer(values.server, model, {
          ...options,
          api: choice('--api', values.api, ['vllm', 'llama.cpp', 'sglang']),
          rate: wholeNumber('--rate', values.rate, 1),
          conversations: wholeNumber('--conversations', values.conversations, 1),
        })
        bar.end()
        await write(report, {
          html: () => serverHtmlReport(report),
          sarif: () => serverSarif(report, model),
          people: () => serverText(report, io),
        })
        return report.forged.controls > 0 && values['fail-on'] !== 'none' ? FOUND : 0
      }
      const report = await auditModel(model, options)
      bar.end()
      await write(report, {
        html: () => htmlReport(report),
        sarif: () => sarif(report, model),
        people: () => forPeople(report, io),
      })
      return report.findings.some(({ level, rule }) => failOn(level, rule)) ? FOUND : 0
    } finally {
      bar.end()
    }
  },
}

interface Forms {
  readonly html: () => string
  readonly sarif: () => object
  readonly people: () => string
}

function forPeople(report: AuditReport, { stdout }: Io): string {
  const paint = palette(wantsColours(stdout))
  return textReport(report, paint)
}

function serverText(report: ServerReport, { stdout }: Io): string {
  const { bold, good, bad, dim } = palette(wantsColours(stdout))
  const { server, tried, refused, requests, verdict, forged, byPlace, harmless } = report
  const places = byPlace
    .filter((place) => place.forged > 0)
    .map((place) => `  ${place.place}: ${place.forged} of ${place.tried}`)
  const lines = [
    bold(`Audit of the server at ${server.address} (${server.api})`),
    dim(`${requests} requests; ${tried} hostile conversations, ${refused} more were refused`),
    (forged.controls > 0 ? bad : good)(verdict),
    ...(places.length === 0 ? [] : ['Places with forged control tokens:', ...places]),
    dim(`${harmless.equal} of ${harmless.chats} harmless conversations have the ids that safetokens gives`),
  ]
  return `${lines.join('\n')}\n`
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

function wholeNumber(option: string, value: string | undefined, least = 0): number | undefined {
  if (value === undefined) return undefined
  if (!/^\d{1,6}$/.test(value) || Number(value) < least)
    throw new UsageError(`${option} must be a whole number, not ${JSON.stringify(value)}`)
  return Number(value)
}
