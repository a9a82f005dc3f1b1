import { type Placement, placements } from './bank/placements.js'
import { dataRuns, type Probe, type Prober } from './probe.js'
import type { AuditTarget } from './target.js'

/** Conversations to learn from; the first that the format takes is enough. */
const CONVERSATIONS: readonly (readonly string[])[] = [
  ['system', 'user', 'assistant', 'user'],
  ['user', 'assistant', 'user'],
  ['user'],
]

/**
 * The reserved ids that open a turn: of what a format writes between two messages the last reserved one, where it is not
 * begin or end of text. Empty for formats that divide turns by plain text.
 */
export function turnOpeners(target: AuditTarget, prober: Prober): ReadonlySet<number> {
  const named = target.files.folder?.tokens.named
  const ends = new Set([named?.get('bos_token'), named?.get('eos_token')])
  for (const roles of CONVERSATIONS) {
    const messages = roles.map((role, i) => ({ role, content: `m${i}` }))
    const probe = prober.probe({ place: '', messages, options: {} })
    if (!('refused' in probe)) return openersOf(probe, (id) => ends.has(target.tokenizer.controlName(id)))
  }
  return new Set()
}

function openersOf(probe: Probe, isEnd: (id: number) => boolean): Set<number> {
  const openers = new Set<number>()
  let from = 0
  for (const { begin, end, path } of dataRuns(probe.prompt)) {
    if (!/^messages\[\d+\]\.content/.test(path)) continue
    const between = probe.controls.filter((control) => control.begin >= from && control.begin <= begin)
    const opener = between.findLast(({ id }) => !isEnd(id))
    if (opener !== undefined) openers.add(opener.id)
    from = end
  }
  return openers
}

/** How many turns ids hold. */
export function countTurns(ids: Iterable<number>, openers: ReadonlySet<number>): number {
  let turns = 0
  for (const id of ids) if (openers.has(id)) turns++
  return turns
}

/**
 * The reserved tokens that the format writes in harmless conversations, in order of appearance, then those that mark
 * reasoning and tools: what an attacker would spell.
 */
export function structuralTokens(target: AuditTarget, prober: Prober, most: number): string[] {
  const ids = new Set<number>()
  for (const placement of harmless()) {
    const probe = prober.probe(placement)
    if (!('refused' in probe)) for (const { id } of probe.controls) ids.add(id)
  }
  const written = [...ids].map((id) => target.tokenizer.controlName(id))
  const others = target.tokenizer.reserved
    .map(({ name }) => name)
    .filter((name) => /think|tool|system|assistant/i.test(name))
  return [...new Set([...written, ...others])].slice(0, most)
}

function harmless(): Placement[] {
  return placements('word')
}
