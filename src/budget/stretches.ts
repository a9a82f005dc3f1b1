import { PartKind } from '../prompt/parts.js'
import type { ReserveReason } from '../tokenizer/reserve-policy.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { IdList } from './id-list.js'

/** Parts of a prompt: pairs of kind and value, and their texts one after the other. */
export interface PartRun {
  readonly parts: ArrayLike<number>
  readonly text: string
}

/**
 * A part of a prompt whose ids depend on nothing but itself, and on the control token behind it: it begins with a control
 * token or a cut, and ends before the next one. Ids that a model wrote are one for themselves.
 */
interface Stretch {
  readonly parts: readonly number[]
  readonly text: string
  /** The id of the control token behind it. */
  readonly behind: number | undefined
  /** The id that a model wrote right before it, which is a matter of how its text goes on. */
  readonly after: number | undefined
  /** Somewhere between the two cuts around it are data, which is a matter of how tokens are looked for. */
  readonly withData: boolean
}

interface EncodedStretch {
  readonly stretch: Stretch
  /** Where its ids begin. */
  readonly begin: number
}

/** What an update came to. */
export interface StretchUpdate {
  /** So many of the first ids stayed. */
  readonly kept: number
  readonly encoded: number
  readonly reused: number
}

/**
 * The ids of a prompt of which more and more is settled: what changes is encoded, stretch by stretch, and nothing else.
 */
export class StretchIds {
  readonly #tokenizer: Tokenizer
  readonly #divides: (id: number) => boolean
  readonly #ids = new IdList()
  readonly #stretches: EncodedStretch[] = []
  /** What is settled: all before this stretch, and so many numbers of its parts. */
  #base = 0
  #lead = 0
  /** Whether the unit has data before that stretch. */
  #hasData = false

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
    this.#divides = dividing(tokenizer)
  }

  /** How many ids there are. */
  get length(): number {
    return this.#ids.length
  }

  /** Bytes of memory, about. */
  get bytes(): number {
    const size = ({ text, parts }: Stretch) => 2 * text.length + 8 * parts.length
    return this.#stretches.reduce((sum, { stretch }) => sum + size(stretch), this.#ids.bytes)
  }

  /** A copy of the ids from a place on. */
  from(begin: number): Uint32Array {
    return this.#ids.from(begin)
  }

  /** Replaces all that is not settled. */
  update(run: PartRun): StretchUpdate {
    const open = this.#stretches[this.#base]
    const lead = open && firstParts(open.stretch, this.#lead)
    const all = lead ? { parts: [...lead.parts, ...Array.from(run.parts)], text: lead.text + run.text } : run
    const old = this.#stretches.splice(this.#base)
    const before = this.#stretches.at(-1)?.stretch.parts.slice(-2)
    const stretches = stretchesOf(all, this.#hasData, before, this.#divides)
    let same = 0
    while (same < stretches.length && sameStretch(stretches[same], old[same]?.stretch)) same++
    let sameEnd = 0
    const most = Math.min(stretches.length, old.length) - same
    while (sameEnd < most && sameStretch(stretches.at(-1 - sameEnd), old.at(-1 - sameEnd)?.stretch)) sameEnd++

    const settled = old[same]?.begin ?? this.#ids.length
    const tailBegin = old[old.length - sameEnd]?.begin ?? this.#ids.length
    const replaced = this.from(settled)
    for (let i = 0; i < same; i++) this.#stretches.push(old[i] as EncodedStretch)
    this.#ids.cut(settled)
    for (const stretch of stretches.slice(same, stretches.length - sameEnd)) {
      this.#stretches.push({ stretch, begin: this.#ids.length })
      this.#encode(stretch)
    }
    const shift = this.#ids.length - tailBegin
    for (const { stretch, begin } of old.slice(old.length - sameEnd)) {
      this.#stretches.push({ stretch, begin: begin + shift })
    }
    this.#ids.push(replaced.subarray(tailBegin - settled))
    return {
      kept: settled + this.#ids.common(settled, replaced),
      encoded: stretches.length - same - sameEnd,
      reused: same + sameEnd,
    }
  }

  /** The token behind takes part, since it may take white space along; an empty text makes it a unit with data. */
  #encode({ parts: own, text, behind, after, withData }: Stretch): void {
    const parts = new Uint32Array(own.length + 6)
    let length = 0
    const put = (kind: number, value: number): void => {
      parts[length++] = kind
      parts[length++] = value
    }
    if (after !== undefined) put(PartKind.id, after)
    parts.set(own, length)
    length += own.length
    if (behind !== undefined) put(PartKind.control, behind)
    if (withData) put(PartKind.data, 0)
    const ids = this.#tokenizer.lendPacked({ parts: parts.subarray(0, length), text })
    this.#ids.pushPart(ids, after === undefined ? 0 : 1, behind === undefined ? ids.length : ids.length - 1)
  }

  /**
   * Settles the first parts of what was given last: updates then give what is behind them. False when that cannot be.
   */
  settle(count: number): boolean {
    let left = 2 * count + this.#lead
    let unitBegin = this.#base // the stretch with which the unit begins
    let hasData = this.#hasData
    for (let i = this.#base; i < this.#stretches.length; i++) {
      const { parts } = (this.#stretches[i] as EncodedStretch).stretch
      const last = this.#stretches[i - 1]?.stretch.parts[0]
      if (parts[0] === PartKind.cut || isBorderOfIds(last, parts[0])) {
        unitBegin = i
        hasData = last === PartKind.id && parts[0] !== PartKind.cut
      }
      const before = hasData
      hasData ||= parts.some((kind, k) => k % 2 === 0 && k < left && kind === PartKind.data)
      if (left > parts.length) {
        left -= parts.length
        continue
      }
      // Whether the unit has data must not change for what is settled of it.
      if (!hasData && unitBegin !== i) return false
      this.#base = i
      this.#lead = left
      this.#hasData = before
      return true
    }
    return false
  }

  /** From now on nothing is settled: updates give everything. */
  unsettle(): void {
    this.#base = 0
    this.#lead = 0
    this.#hasData = false
  }
}

/** How much of the text belongs to parts. */
export function textLength(parts: ArrayLike<number>): number {
  let length = 0
  for (let i = 0; i < parts.length; i += 2) length += ownLength(parts, i)
  return length
}

function ownLength(parts: ArrayLike<number>, i: number): number {
  const isText = parts[i] === PartKind.trusted || parts[i] === PartKind.data
  return isText ? (parts[i + 1] as number) : 0
}

/**
 * Which control tokens part the text, so that nothing on one side matters on the other. In SentencePiece models
 * user-defined pieces stand in the text.
 */
export function dividing(tokenizer: Tokenizer): (id: number) => boolean {
  if (tokenizer.semantics !== 'sentencepiece') return () => true
  const parting = new Set<ReserveReason>(['control piece', 'unused piece', 'command'])
  const ids = new Set(tokenizer.reserved.filter(({ reason }) => parting.has(reason)).map(({ id }) => id))
  return (id) => ids.has(id)
}

/** The first numbers of the parts of a stretch, with their text. */
function firstParts(
  { parts, text }: Stretch,
  count: number,
): { readonly parts: readonly number[]; readonly text: string } {
  const own = parts.slice(0, count)
  return { parts: own, text: text.slice(0, textLength(own)) }
}

/**
 * @param hasData whether the unit with which it begins has data before
 * @param before the part before, if there is one
 */
function stretchesOf(
  { parts, text }: PartRun,
  hasData: boolean,
  before: readonly number[] | undefined,
  divides: (id: number) => boolean,
): Stretch[] {
  const stretches: Stretch[] = []
  const units: { withData: boolean }[] = [{ withData: hasData }]
  const unitOf: number[] = []
  let own: number[] = []
  let begin = 0
  let at = 0
  const finish = (behind: number | undefined): void => {
    if (own.length > 0) {
      const [kind, id] = stretches.at(-1)?.parts.slice(-2) ?? before ?? []
      const after = kind === PartKind.id && own[0] !== PartKind.id && own[0] !== PartKind.cut ? id : undefined
      stretches.push({ parts: own, text: text.slice(begin, at), behind, after, withData: false })
      unitOf.push(units.length - 1)
    }
    own = []
    begin = at
  }
  for (let i = 0; i < parts.length; i += 2) {
    const [kind, value] = [parts[i] as number, parts[i + 1] as number]
    const last = own.at(-2)
    if (kind === PartKind.cut || isBorderOfIds(last, kind)) {
      finish(undefined)
      units.push({ withData: last === PartKind.id && kind !== PartKind.cut })
    } else if (kind === PartKind.control && divides(value)) finish(value)
    const unit = units.at(-1) as (typeof units)[number]
    unit.withData ||= kind === PartKind.data
    own.push(kind, value)
    at += ownLength(parts, i)
  }
  finish(undefined)
  return stretches.map((stretch, i) => ({
    ...stretch,
    withData: units[unitOf[i] as number]?.withData ?? false,
  }))
}

/** Ids that a model wrote stand between texts like cuts, and are data for what follows. */
function isBorderOfIds(before: number | undefined, kind: number | undefined): boolean {
  return (before === PartKind.id) !== (kind === PartKind.id)
}

function sameStretch(a: Stretch | undefined, b: Stretch | undefined): boolean {
  if (a === undefined || b === undefined) return false
  if (a.behind !== b.behind || a.after !== b.after || a.withData !== b.withData) return false
  if (a.parts.length !== b.parts.length) return false
  return a.parts.every((value, i) => value === b.parts[i]) && a.text === b.text
}
