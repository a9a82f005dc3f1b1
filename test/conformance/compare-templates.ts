// Compares chat templates with Jinja2: random sources by their syntax trees, random templates and changed real ones by
// their output.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseTemplate } from '../../src/chat/template/parser.js'
import { TemplateError } from '../../src/errors.js'
import { type JinjaTree, jinjaTree } from '../chat/template/jinja-tree.js'
import { contextOf, type Rendered, render } from '../chat/template/rendered.js'
import type { JinjaOracle, OracleError } from './jinja-oracle.js'
import { sharedFile } from './shared-files.js'

export interface TemplateComparison {
  readonly sources: number
  readonly templates: number
  /** Real templates with small changes; 0 where there is no ../shared. */
  readonly mutants: number
  /** Templates and mutants that did not fail. */
  readonly outputs: number
  /** The shortest sources first. */
  readonly differences: readonly TemplateDifference[]
}

export interface TemplateDifference {
  readonly source: string
  /** Each as JSON; none for a difference between trees. */
  readonly variables?: Readonly<Record<string, string>>
  readonly ours: unknown
  readonly theirs: unknown
}

type Parsed = { readonly tree: JinjaTree } | { readonly error: OracleError }
type RenderedByOracle =
  | { readonly output: string; readonly generations: readonly (readonly [number, number])[] }
  | { readonly error: OracleError }

interface Group {
  readonly variables: Readonly<Record<string, string>>
  readonly cases: readonly ({ readonly source: string } & RenderedByOracle)[]
}

/** The clock of the oracle. */
const NOW = '2026-11-30T12:34:56'
const CHUNK = 500
/** Further differences are most likely the same ones. */
const MOST_DIFFERENCES = 20

/** As many sources as templates, and where ../shared is, a tenth as many changed real templates, which take longest. */
export async function compareTemplates(
  oracle: JinjaOracle,
  count: number,
  seed: number,
): Promise<TemplateComparison> {
  const differences: TemplateDifference[] = []
  const counts = { sources: 0, templates: 0, outputs: 0, mutants: 0 }
  const compareGroups = (groups: readonly Group[], what: 'templates' | 'mutants'): void => {
    for (const { variables, cases } of groups) {
      const context = contextOf(variables)
      for (const { source, ...answer } of cases) {
        counts[what]++
        const theirs = brief(answer)
        if (typeof theirs === 'string' || 'output' in theirs) counts.outputs++
        compare(differences, source, render(source, context, NOW), theirs, variables)
      }
    }
  }

  for (let i = 0; i * CHUNK < count; i++) {
    const request = { seed: seed + i, count: Math.min(CHUNK, count - i * CHUNK) }
    const sources = await oracle.ask<({ source: string } & Parsed)[]>({ op: 'sources', ...request })
    for (const { source, ...theirs } of sources) {
      counts.sources++
      compare(differences, source, parse(source), 'tree' in theirs ? theirs.tree : 'refused')
    }
    compareGroups(await oracle.ask({ op: 'templates', ...request }), 'templates')
  }
  const real = realTemplates()
  const share = (of: number): number => Math.floor((of * Math.floor(count / 10)) / real.length)
  for (const [i, source] of real.entries()) {
    const request = { op: 'mutants', seed: seed + i, count: share(i + 1) - share(i), source }
    if (request.count > 0) compareGroups(await oracle.ask(request), 'mutants')
  }
  differences.sort((a, b) => a.source.length - b.source.length)
  return { ...counts, differences: differences.slice(0, MOST_DIFFERENCES) }
}

/** What each character is, alone and between others: case, classes, `repr`, JSON, white space and word borders. */
const OF_CHARACTER = `{%- for c in characters %}{{ [
  c, c.upper(), c.lower(), c.title(), c.capitalize(), c.swapcase(), c.casefold(), ('a' ~ c).title(), ('A' ~ c ~ 'B').lower(),
  c.isalpha(), c.isalnum(), c.isdigit(), c.isdecimal(), c.isnumeric(), c.isspace(), c.isupper(), c.islower(), c.istitle(),
  c.isidentifier(), c.isprintable(), ('a' ~ c ~ 'b').isidentifier(), c.strip() | length, c.split() | length,
  ('a' ~ c ~ 'b').splitlines() | length, c | int(7), c | title, c | trim | length, c | urlencode, c ~ 'a' | wordcount,
  c | tojson(true), ('a' ~ c ~ 'b') | title, ('a' ~ c ~ 'b c') | wordwrap(2), c | upper == c, c | e, ('a' ~ c ~ 'b').title(), (c ~ 'Σ').lower(),
  ('Σ' ~ c).lower(), ('aΣ' ~ c ~ 'b').lower()
] }}{{ c | tojson }}{% endfor %}`

/** Planes 0 and 1, and tags; what lies between are ideographs and nothing. */
const CHARACTERS: readonly (readonly [first: number, end: number])[] = [
  [0, 0xd800],
  [0xe000, 0x20000],
  [0xe0000, 0xe0200],
]

/** Characters of Unicode, in methods and filters that look at what they are. */
export async function compareCharacters(oracle: JinjaOracle): Promise<readonly TemplateDifference[]> {
  const differences: TemplateDifference[] = []
  const compareThese = async (characters: readonly string[]): Promise<void> => {
    const context = { characters }
    const request = { op: 'render', source: OF_CHARACTER, context }
    const theirs = brief(await oracle.ask<RenderedByOracle>(request))
    const ours = render(OF_CHARACTER, context, NOW)
    if (ours === theirs) return
    if (characters.length > 1) for (const character of characters) await compareThese([character])
    else compare(differences, OF_CHARACTER, ours, theirs, { characters: JSON.stringify(characters) })
  }
  for (const [first, end] of CHARACTERS) {
    for (let code = first; code < end && differences.length < MOST_DIFFERENCES; code += CHUNK) {
      const count = Math.min(CHUNK, end - code)
      await compareThese(Array.from({ length: count }, (_, i) => String.fromCodePoint(code + i)))
    }
  }
  return differences.slice(0, MOST_DIFFERENCES)
}

/** The sources of ../shared/data/templates, each once. */
function realTemplates(): readonly string[] {
  const folder = sharedFile('data', 'templates')
  if (folder === undefined) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.jinja'),
  )
  return [...new Set(files.sort().map((file) => readFileSync(path.join(folder, file), 'utf8')))]
}

function compare(
  differences: TemplateDifference[],
  source: string,
  ours: unknown,
  theirs: unknown,
  variables?: Readonly<Record<string, string>>,
): void {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return
  differences.push({ source, ours, theirs, ...(variables === undefined ? {} : { variables }) })
}

function parse(source: string): JinjaTree {
  try {
    return jinjaTree(parseTemplate(source))
  } catch (error) {
    if (error instanceof TemplateError && error.kind === 'syntax') return 'refused'
    throw error
  }
}

/** As the golden files spell it. */
function brief(answer: RenderedByOracle): Rendered {
  if ('output' in answer) return answer.generations.length === 0 ? answer.output : answer
  const { kind, message } = answer.error
  return { error: kind === 'raised' ? { kind, message } : { kind } }
}
