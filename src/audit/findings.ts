import type { AuditReport } from './audit.js'
import type { ReservedAudit, Witness } from './reserved-audit.js'

/** `error`: safetokens itself failed. `warning`: the usual path or the model's files are unsafe. `note`: worth knowing. */
export type Level = 'error' | 'warning' | 'note'

/** Names of what can be found. */
export type Rule =
  | 'ours-reaches-reserved'
  | 'ours-forged-turn'
  | 'data-taken-for-trusted'
  | 'usual-forged-turn'
  | 'usual-reaches-reserved'
  | 'normalization-reaches-reserved'
  | 'vocabulary-reaches-reserved'
  | 'marker-not-special'
  | 'split-across-fields'
  | 'composed-token'
  | 'textual-turns'
  | 'text-cut'
  | 'data-decision'
  | 'field-dropped'
  | 'field-duplicated'
  | 'ids-differ'
  | 'model-files'

/** What each rule looks for: for the help of SARIF viewers. */
export const RULES: Readonly<Record<Rule, string>> = {
  'ours-reaches-reserved': 'Through safetokens, text reaches a reserved id. This is a bug of safetokens.',
  'ours-forged-turn':
    'Through safetokens, data changed the control tokens of a prompt. This is a bug of safetokens.',
  'data-taken-for-trusted': 'The template engine took text of the request for text of the template.',
  'usual-forged-turn': 'On the usual path, text of a request forges turns or control tokens.',
  'usual-reaches-reserved': 'On the usual path, text that spells a reserved token gives its id.',
  'normalization-reaches-reserved':
    'A text that does not spell a reserved token is normalized into one, so that filters for its spelling miss it.',
  'vocabulary-reaches-reserved':
    "The model's own vocabulary gives a reserved id, so that switching special tokens off does not help.",
  'marker-not-special':
    'Structural tokens are not flagged special, so that split_special_tokens still finds them in text.',
  'split-across-fields': 'Two fields of a request, each harmless, spell a reserved token together.',
  'composed-token': "The template's text and a field of the request spell a reserved token together.",
  'textual-turns':
    'Turns are divided by ordinary text, which content can imitate whatever the tokenizer does.',
  'text-cut': 'The template loses text of the request, depending on what it says.',
  'data-decision': 'The template decides by what text of the request says.',
  'field-dropped': 'The template does not write a field of the request.',
  'field-duplicated': 'The template writes a field of the request more often than it was given.',
  'ids-differ': 'Harmless chats have other ids than on the usual path.',
  'model-files': "The model's files contradict each other, or hold something unusual.",
}

export interface Finding {
  readonly rule: Rule
  readonly level: Level
  readonly message: string
  /** Where in the chat template, from 1. */
  readonly line?: number | undefined
  readonly column?: number | undefined
}

const LEVELS: readonly Level[] = ['error', 'warning', 'note']
/** More names are counted. */
const MOST_NAMES = 6

/** What a report says, in sentences: the worst first. */
export function findings(report: Omit<AuditReport, 'findings'>): Finding[] {
  const found = [...ofReserved(report.reserved), ...ofChat(report), ...ofFiles(report)]
  return found.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))
}

function ofReserved(reserved: readonly ReservedAudit[]): Finding[] {
  const found: Finding[] = []
  const add = (
    rule: Rule,
    level: Level,
    what: string,
    list: (token: ReservedAudit) => readonly Witness[] | undefined,
    isMeant: (witness: Witness) => boolean = () => true,
  ): void => {
    const reached = reserved.flatMap((token) => {
      const witness = list(token)?.find(isMeant)
      return witness === undefined ? [] : [{ name: token.name, text: witness.text }]
    })
    const [first] = reached
    if (first === undefined) return
    const names = listed(reached.map(({ name }) => name))
    const example = `; ${quote(first.text)} gives ${first.name}`
    found.push({
      rule,
      level,
      message: `${reached.length} of ${reserved.length} reserved ids ${what}: ${names}${example}`,
    })
  }
  add('ours-reaches-reserved', 'error', 'are reached by text through safetokens', ({ ours }) => ours)
  add(
    'vocabulary-reaches-reserved',
    'warning',
    "are given by the model's own vocabulary, without any added token",
    ({ usual, split }) => [...usual, ...(split ?? [])],
    ({ kind }) => kind === 'vocabulary',
  )
  add(
    'marker-not-special',
    'warning',
    'are not flagged special, so that split_special_tokens still finds them in text',
    ({ split }) => split,
    ({ kind }) => kind !== 'vocabulary',
  )
  add(
    'normalization-reaches-reserved',
    'warning',
    'are reached by text that does not spell them, after normalization',
    ({ usual }) => usual,
    ({ kind }) => kind === 'normalization',
  )
  add('usual-reaches-reserved', 'warning', 'are reached by text on the usual path', ({ usual }) => usual)
  return found
}

function ofChat({ chat, identity }: Omit<AuditReport, 'findings'>): Finding[] {
  if (chat === undefined) return []
  const { forgedTurns, composed, split, parity, fields, guarantee } = chat
  const found: Finding[] = []
  const add = (
    rule: Rule,
    level: Level,
    message: string,
    at: Pick<Finding, 'line' | 'column'> = {},
  ): void => {
    found.push({ rule, level, message, ...at })
  }
  for (const way of ['ours', 'usual'] as const) {
    const { controls, turns, conversations } = forgedTurns[way]
    const example = forgedTurns.examples[way]
    if (controls === 0 || example === undefined) continue
    const [rule, level, name] =
      way === 'ours'
        ? (['ours-forged-turn', 'error', 'through safetokens'] as const)
        : (['usual-forged-turn', 'warning', 'on the usual path'] as const)
    add(
      rule,
      level,
      `${conversations} of ${forgedTurns.tried} hostile conversations hold forged control tokens ${name}: ${turns} forged ` +
        `turns, ${controls} control tokens; ${quote(example.payload)} as ${example.place} makes ${example.turnsBefore} turns ` +
        `${example.turnsAfter} (${listed(example.forged)})`,
    )
  }
  for (const { place, trusted } of fields) {
    if (trusted)
      add('data-taken-for-trusted', 'error', `${place}: text of the request was taken for the template's`)
  }
  if (split.ours.length > 0) {
    add('ours-reaches-reserved', 'error', `two fields reach ${listed(split.ours)} through safetokens`)
  }
  if (split.witness) {
    const { first, second } = split.witness
    add(
      'split-across-fields',
      'warning',
      `${first.field} and ${second.field} are written side by side: ${quote(first.text)} and ${quote(second.text)} ` +
        `together give a reserved id on the usual path, as do halves of ${split.usual.length} tokens`,
    )
  }
  for (const { path, token, value } of composed) {
    add('composed-token', 'warning', `${quote(value)} in ${path} completes ${token} on the usual path`)
  }
  if (guarantee === 'textual') {
    add(
      'textual-turns',
      'warning',
      'turns are divided by ordinary text: no encoder can keep content from imitating a turn. Begin and end of text ' +
        "cannot be forged; { onMarkerInContent: 'throw' } refuses such content",
    )
  }
  for (const { kind, line, column, fields: names, example } of forgedTurns.decisions) {
    const rule = kind === 'cut' ? 'text-cut' : 'data-decision'
    const at = line > 0 ? { line, column } : {}
    const text = `${example.message} (${listed(names)}), for example with ${quote(example.payload)} as ${example.place}`
    add(rule, kind === 'cut' ? 'warning' : 'note', text, at)
  }
  const dropped = fields.filter(({ outcome }) => outcome === 'dropped').map(({ place }) => place)
  if (dropped.length > 0) {
    add(
      'field-dropped',
      'note',
      `${dropped.length} of ${fields.length} places of a request are not in the prompt: ${dropped.join(', ')}`,
    )
  }
  for (const { place, outcome, given, written } of fields) {
    if (outcome !== 'refused' && written > given) {
      add('field-duplicated', 'note', `${place}: given ${times(given)}, written ${times(written)}`)
    }
  }
  if (parity.firstDivergence) {
    const { place, index, ours, usual } = parity.firstDivergence
    const missing = (token: string | undefined): string => (token === undefined ? 'nothing' : quote(token))
    add(
      'ids-differ',
      'note',
      `${parity.chats - parity.equal} of ${parity.chats} harmless chats have other ids than ${identity.usualPath} gives: ` +
        `${place}, id ${index} is ${missing(ours)}, there ${missing(usual)}`,
    )
  }
  return found
}

function ofFiles({ warnings }: Omit<AuditReport, 'findings'>): Finding[] {
  return warnings.map(({ message }) => ({ rule: 'model-files', level: 'note', message }))
}

/** Names for a sentence: the first ones, and how many more there are. */
export function listed(names: readonly string[]): string {
  const distinct = [...new Set(names)]
  const more = distinct.length - MOST_NAMES
  return distinct.slice(0, MOST_NAMES).join(' ') + (more > 0 ? ` and ${more} more` : '')
}

/** A text as a string literal: nothing in it can drive a terminal. */
export function quote(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text
  return JSON.stringify(short).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`
}
