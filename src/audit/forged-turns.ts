import { payloads } from './bank/payloads.js'
import { type Placement, placements } from './bank/placements.js'
import type { Probe, Prober } from './probe.js'
import type { Progress } from './progress.js'
import { surplus } from './surplus.js'
import type { AuditTarget } from './target.js'
import { countTurns, turnOpeners } from './turns.js'

/** What hostile texts did, on one way. */
export interface Forgeries {
  /** Reserved ids and turns that no format placed, of all conversations together. */
  readonly controls: number
  readonly turns: number
  /** In how many conversations there were some. */
  readonly conversations: number
}

/** A conversation with forged turns, in what the user says if that is possible; else with forged control tokens. */
export interface ForgedExample {
  readonly place: string
  readonly payload: string
  readonly turnsBefore: number
  readonly turnsAfter: number
  /** Names of the forged tokens. */
  readonly forged: readonly string[]
}

export interface PlaceForgeries {
  readonly place: string
  readonly tried: number
  readonly refused: number
  readonly usual: Forgeries
  readonly ours: Forgeries
}

/** What one payload did in all places, and how many tokens it is alone. */
export interface PayloadForgeries {
  readonly payload: string
  readonly usual: Forgeries
  readonly ours: Forgeries
  readonly tokens: { readonly usual: number; readonly ours: number }
}

/** A decision of the template that depends on what data say. */
export interface Decision {
  readonly kind: string
  readonly line: number
  readonly column: number
  /** Fields that decided there, such as `messages[].content`. */
  readonly fields: readonly string[]
  /** One conversation in which they did. */
  readonly example: { readonly place: string; readonly payload: string; readonly message: string }
}

export interface ForgedTurnsAudit {
  /** Names of the tokens that open a turn; empty where turns are divided by plain text. */
  readonly openers: readonly string[]
  readonly tried: number
  readonly refused: number
  /** Conversations whose structure a recorded decision of the template changed. */
  readonly decided: number
  readonly usual: Forgeries
  readonly ours: Forgeries
  readonly examples: { readonly usual: ForgedExample | undefined; readonly ours: ForgedExample | undefined }
  readonly byPlace: readonly PlaceForgeries[]
  readonly byPayload: readonly PayloadForgeries[]
  readonly decisions: readonly Decision[]
}

/**
 * Sends each payload through each place. What the usual path has more of than ours, for the same string, is forged.
 * Ours must have the reserved ids of the same conversation with a harmless word, unless the template decided by what
 * data say, and none of them may stand for data.
 *
 * @param controls names of the tokens that payloads are made of
 */
export function auditForgedTurns(
  target: AuditTarget,
  prober: Prober,
  controls: readonly string[],
  progress: Progress,
): ForgedTurnsAudit {
  return new ForgeryAudit(target, prober).run(payloads(controls), progress)
}

/** Where an example is understood at once. */
const EXAMPLE_PLACE = 'user content'

class Counter {
  controls = 0
  turns = 0
  conversations = 0

  add(controls: number, turns: number): void {
    this.controls += controls
    this.turns += turns
    if (controls > 0) this.conversations++
  }

  get sum(): Forgeries {
    const { controls, turns, conversations } = this
    return { controls, turns, conversations }
  }
}

/** What one conversation gave on one way. */
interface Verdict {
  readonly forged: readonly number[]
  readonly turns: number
}

class ForgeryAudit {
  readonly #target: AuditTarget
  readonly #prober: Prober
  readonly #openers: ReadonlySet<number>
  readonly #baselines = new Map<string, Probe | undefined>()
  readonly #decisions = new Map<string, { decision: Decision; fields: Set<string> }>()
  readonly #examples: { usual: ForgedExample | undefined; ours: ForgedExample | undefined } = {
    usual: undefined,
    ours: undefined,
  }
  #decided = 0

  constructor(target: AuditTarget, prober: Prober) {
    this.#target = target
    this.#prober = prober
    this.#openers = turnOpeners(target, prober)
  }

  run(texts: readonly string[], progress: Progress): ForgedTurnsAudit {
    const total = { usual: new Counter(), ours: new Counter(), refused: 0, tried: 0 }
    const byPlace = new Map<string, { usual: Counter; ours: Counter; refused: number; tried: number }>()
    const byPayload: PayloadForgeries[] = []
    texts.forEach((payload, i) => {
      progress('forged turns', i, texts.length)
      const own = { usual: new Counter(), ours: new Counter() }
      for (const placement of placements(payload)) {
        const place = byPlace.get(placement.place) ?? {
          usual: new Counter(),
          ours: new Counter(),
          refused: 0,
          tried: 0,
        }
        byPlace.set(placement.place, place)
        const found = this.#try(placement, payload)
        if (found === undefined) {
          place.refused++
          total.refused++
          continue
        }
        place.tried++
        total.tried++
        for (const way of ['usual', 'ours'] as const) {
          for (const counter of [total, own, place])
            counter[way].add(found[way].forged.length, found[way].turns)
        }
      }
      byPayload.push({ payload, usual: own.usual.sum, ours: own.ours.sum, tokens: this.#tokens(payload) })
    })
    return {
      openers: this.#names([...this.#openers]),
      tried: total.tried,
      refused: total.refused,
      decided: this.#decided,
      usual: total.usual.sum,
      ours: total.ours.sum,
      examples: this.#examples,
      byPlace: [...byPlace].map(([place, { tried, refused, usual, ours }]) => {
        return { place, tried, refused, usual: usual.sum, ours: ours.sum }
      }),
      byPayload,
      decisions: this.#sortedDecisions(),
    }
  }

  #try(placement: Placement, payload: string): { usual: Verdict; ours: Verdict } | undefined {
    const probe = this.#prober.probe(placement)
    if ('refused' in probe) return undefined
    const { tokenizer } = this.#target
    this.#note(probe, placement.place, payload)
    const ourIds = probe.controls.map(({ id }) => id)
    const usualIds = Array.from(probe.usualIds).filter((id) => tokenizer.isReserved(id))
    const turns = { ours: countTurns(ourIds, this.#openers), usual: countTurns(usualIds, this.#openers) }

    const baseline = this.#baseline(placement.place, payload)
    const plain = baseline?.controls.map(({ id }) => id)
    const decided = probe.warnings.some(({ rule }) => rule.startsWith('data-dependence'))
    const changed = plain !== undefined && String(plain) !== String(ourIds)
    if (changed && decided) this.#decided++
    const ofData = probe.controls.filter((control) => control.ofData).map(({ id }) => id)
    const forged = changed && !decided ? difference(ourIds, plain) : ofData
    const ours = { forged, turns: countTurns(forged, this.#openers) }

    // What should be there: where ours is not to be trusted either, the structure of the harmless conversation.
    const honest = changed && !decided ? plain : surplus(ourIds, ofData)
    const usualForged = surplus(usualIds, honest)
    const usual = { forged: usualForged, turns: countTurns(usualForged, this.#openers) }
    const before = countTurns(honest, this.#openers)
    this.#keepExample('usual', usual, placement.place, payload, before, turns.usual)
    this.#keepExample('ours', ours, placement.place, payload, before, turns.ours)
    return { usual, ours }
  }

  #keepExample(
    way: 'usual' | 'ours',
    { forged, turns }: Verdict,
    place: string,
    payload: string,
    turnsBefore: number,
    turnsAfter: number,
  ): void {
    if (forged.length === 0) return
    const weigh = (forgedTurns: number, where: string): number =>
      (forgedTurns > 0 ? 2 : 0) + (where === EXAMPLE_PLACE ? 1 : 0)
    const known = this.#examples[way]
    if (known && weigh(known.turnsAfter - known.turnsBefore, known.place) >= weigh(turns, place)) return
    this.#examples[way] = { place, payload, turnsBefore, turnsAfter, forged: this.#names(forged) }
  }

  /** The same place with a harmless word of the same shape: empty, white space, or neither. */
  #baseline(place: string, payload: string): Probe | undefined {
    const word = payload === '' ? '' : payload.trim() === '' ? payload : 'word'
    const key = `${place}\0${word}`
    if (!this.#baselines.has(key)) {
      const same = placements(word).find((each) => each.place === place)
      const probe = same && this.#prober.probe(same)
      this.#baselines.set(key, probe === undefined || 'refused' in probe ? undefined : probe)
    }
    return this.#baselines.get(key)
  }

  #note({ warnings }: Probe, place: string, payload: string): void {
    for (const { rule, line = 0, column = 0, path = '', message } of warnings) {
      if (!rule.startsWith('data-dependence:')) continue
      const kind = rule.slice('data-dependence:'.length)
      const key = `${line}:${column}:${kind}`
      const field = path.replace(/\[\d+\]/g, '[]').replace(/(parameters|arguments).*$/, '$1…')
      const known = this.#decisions.get(key)
      if (known) known.fields.add(field)
      else {
        const decision = { kind, line, column, fields: [], example: { place, payload, message } }
        this.#decisions.set(key, { decision, fields: new Set([field]) })
      }
    }
  }

  #sortedDecisions(): Decision[] {
    return [...this.#decisions.values()]
      .map(({ decision, fields }) => ({ ...decision, fields: [...fields].sort() }))
      .sort((a, b) => a.line - b.line || a.column - b.column || (a.kind < b.kind ? -1 : 1))
  }

  #tokens(payload: string): { usual: number; ours: number } {
    const { usual, encoder } = this.#target
    return { usual: usual.encode(payload).length, ours: encoder.encodeText(payload).length }
  }

  #names(ids: readonly number[]): string[] {
    return ids.map((id) => this.#target.tokenizer.controlName(id))
  }
}

/** What is too much, or else what is missing, or else all, where the order alone differs. */
function difference(ids: readonly number[], expected: readonly number[]): readonly number[] {
  return [surplus(ids, expected), surplus(expected, ids), ids].find(({ length }) => length > 0) ?? []
}
