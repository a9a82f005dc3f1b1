import { PartKind } from '../prompt/parts.js'
import { type Placement, placements } from './bank/placements.js'
import { countId } from './count-ids.js'
import { dataRuns, type Probe, type Prober } from './probe.js'
import type { AuditTarget } from './target.js'

/** What becomes of a text in one place of a request. */
export interface FieldAudit {
  readonly place: string
  /**
   * `rendered`: it stands in the prompt as it is. `transformed`: changed, as by a trim or in JSON. `dropped`: it is not
   * there. `refused`: the format or template does not take such a request.
   */
  readonly outcome: 'rendered' | 'transformed' | 'dropped' | 'refused'
  /** More about it: how it was transformed, or the code of the error. */
  readonly detail: string | undefined
  /** How often it stands in the request, and in the prompt. */
  readonly given: number
  readonly written: number
  /** Fields of the request that the text in the prompt comes from, such as `messages[0].content`. */
  readonly paths: readonly string[]
  /** The engine took some of the text for the template's own: a bug, if it ever happens. */
  readonly trusted: boolean
}

/** A place where the template's text and a field together spell a reserved token on the usual path. */
export interface ComposedToken {
  readonly place: string
  readonly path: string
  readonly token: string
  /** The value of the field that completes the token. */
  readonly value: string
}

/** Two fields that the template writes side by side, so that each can hold half a token. */
export interface AdjacentFields {
  readonly place: string
  readonly first: string
  readonly second: string
}

/** Found in no prompt by chance, and in no JSON changed. */
const WORD = 'Zqxword'
/** More of the text around a field holds no part of a token. */
const MOST_AROUND = 80
/** What trims, JSON and case would change. */
const TELLING = ` \n${WORD} "Ab"\\ <é>\t `

/** Sends a telling text through every place. */
export function auditFields(prober: Prober): FieldAudit[] {
  const plain = placements(WORD)
  const telling = placements(TELLING)
  return plain.map((placement, i) => auditField(prober, placement, telling[i] as Placement))
}

function auditField(prober: Prober, plain: Placement, telling: Placement): FieldAudit {
  const { place } = plain
  const given = count(JSON.stringify([plain.messages, plain.options]), WORD)
  const probe = prober.probe(plain)
  if ('refused' in probe) {
    const nothing = { written: 0, paths: [], trusted: false }
    return { place, outcome: 'refused', detail: probe.refused, given, ...nothing }
  }
  const runs = dataRuns(probe.prompt).filter(({ begin, end }) =>
    probe.prompt.text.slice(begin, end).includes(WORD),
  )
  const written = count(probe.prompt.text, WORD)
  const base = { place, given, written, paths: [...new Set(runs.map(({ path }) => path))] }
  const trusted = trustedText(probe).some((text) => text.includes(WORD))
  if (written === 0) return { ...base, outcome: 'dropped', detail: undefined, trusted }
  const detail = transformation(prober.probe(telling))
  return { ...base, outcome: detail === undefined ? 'rendered' : 'transformed', detail, trusted }
}

/** What happened to the telling text; undefined where nothing did. */
function transformation(probe: ReturnType<Prober['probe']>): string | undefined {
  if ('refused' in probe) return 'other values are refused'
  const { text } = probe.prompt
  const json = JSON.stringify(TELLING).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const forms: readonly (readonly [form: string, detail: string | undefined])[] = [
    [TELLING, undefined],
    [TELLING.trim(), 'white space at its ends is taken away'],
    [TELLING.trimStart(), 'white space at its beginning is taken away'],
    [TELLING.trimEnd(), 'white space at its end is taken away'],
    [json, 'written as JSON'],
    [ascii, 'written as JSON in ASCII'],
    [JSON.stringify(json).slice(1, -1), 'written as JSON in JSON'],
  ]
  const found = forms.find(([form]) => text.includes(form))
  return found ? found[1] : 'rewritten'
}

function trustedText({ prompt: { parts, text } }: Probe): string[] {
  const found: string[] = []
  let at = 0
  for (let i = 0; i < parts.length; i += 2) {
    if (parts[i] !== PartKind.trusted && parts[i] !== PartKind.data) continue
    const end = at + (parts[i + 1] as number)
    if (parts[i] === PartKind.trusted) found.push(text.slice(at, end))
    at = end
  }
  return found
}

function count(text: string, word: string): number {
  return text.split(word).length - 1
}

/**
 * Values that complete a reserved token which the text around a field begins or ends. Each is tried on the usual path.
 * Roles are tried as well: our own way takes none that is not in its list.
 */
export function composedTokens(target: AuditTarget, prober: Prober): ComposedToken[] {
  const found = new Map<string, ComposedToken>()
  const search = (place: string, text: string, paths: readonly string[]): void => {
    const plain = target.usual.encode(text)
    let at = -1
    for (const path of paths) {
      at = text.indexOf(WORD, at + 1)
      const before = text.slice(Math.max(0, at - MOST_AROUND), at)
      const after = text.slice(at + WORD.length, at + WORD.length + MOST_AROUND)
      for (const { id, name } of target.tokenizer.reserved) {
        const value = completion(name, before, after)
        const key = `${path}\0${name}`
        if (value === undefined || found.has(key)) continue
        const hostile = text.slice(0, at) + value + text.slice(at + WORD.length)
        if (countId(target.usual.encode(hostile), id) <= countId(plain, id)) continue
        found.set(key, { place, path, token: name, value })
      }
    }
  }
  for (const placement of placements(WORD)) {
    const probe = prober.probe(placement)
    if (!('refused' in probe)) search(placement.place, probe.text, pathsOfWord(probe))
  }
  const byRole = target.usualChat?.render([{ role: WORD, content: 'q' }], {})
  if (byRole !== undefined) {
    search(
      'role',
      byRole,
      Array.from({ length: count(byRole, WORD) }, () => 'messages[0].role'),
    )
  }
  return [...found.values()]
}

/** For each time that the word stands in a prompt, the field that it comes from. */
function pathsOfWord({ prompt }: Probe): string[] {
  return dataRuns(prompt).flatMap(({ begin, end, path }) =>
    Array.from({ length: count(prompt.text.slice(begin, end), WORD) }, () => path),
  )
}

/** What is missing of a name between two texts; undefined where neither begins or ends it. */
function completion(name: string, before: string, after: string): string | undefined {
  let head = Math.min(name.length - 1, before.length)
  while (head > 0 && !before.endsWith(name.slice(0, head))) head--
  let tail = Math.min(name.length - head - 1, after.length)
  while (tail > 0 && !after.startsWith(name.slice(name.length - tail))) tail--
  return head + tail === 0 ? undefined : name.slice(head, name.length - tail)
}

/** Pairs of fields with nothing between them. */
export function adjacentFields(prober: Prober): AdjacentFields[] {
  const found = new Map<string, AdjacentFields>()
  for (const placement of placements(WORD)) {
    const probe = prober.probe(placement)
    if ('refused' in probe) continue
    const runs = dataRuns(probe.prompt)
    const { parts } = probe.prompt
    let run = 0
    let before: string | undefined
    for (let i = 0; i < parts.length; i += 2) {
      if (parts[i] !== PartKind.data) {
        before = undefined
        continue
      }
      const { path } = runs[run++] as { path: string }
      const key = `${before}\0${path}`
      if (before !== undefined && before !== path && !found.has(key)) {
        found.set(key, { place: placement.place, first: before, second: path })
      }
      before = path
    }
  }
  return [...found.values()]
}
