import type { GrownPrompt, RecallInText } from '../chat/prompt-maker.js'
import { type OriginText, TextBuilder } from '../chat/template/origin-text.js'
import { sameText } from '../chat/template/replay/same-value.js'
import { dataExtents } from '../chat/template-turns.js'
import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { LentIds } from '../tokenizer/native-call.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { findBorders, type TailParts } from './borders.js'
import { IdList } from './id-list.js'
import { PartList } from './part-list.js'
import type { StretchUpdate } from './stretches.js'
import { type Mark, TextMarks } from './text-marks.js'

/** A place in the text of all segments where a control token begins. */
interface Place {
  readonly segment: number
  /** In UTF-16 units of the segment. */
  readonly offset: number
  /** Of its id among all ids. */
  readonly index: number
}

/** One that parts the text as long as its segments stay. */
interface Border extends Place {
  /** The segment of the data behind the run that the token stands in: with it the run is whole. */
  readonly settled: number
  /** How many stretches of data of one message begin before it. */
  readonly extents: number
}

/**
 * The first control token of the run that the prompt ends with. The next prompt goes on behind it, so it is nearer to what
 * is new than any border; but the run may be another then.
 */
interface Edge extends Place {
  /** Its place in the run. */
  readonly mark: Mark
}

/** What stands behind a border. */
interface Tail extends TailParts {
  readonly hasData: boolean
  /** Where each segment begins in its text, from that of the border on. */
  readonly begins: readonly number[]
  /** The messages that its data are of, one after the other, and where those data begin. */
  readonly extents: readonly number[]
  readonly starts: readonly number[]
}

interface EncodedTail {
  readonly tail: Tail
  readonly ids: LentIds
}

/**
 * The ids of a prompt in segments: what changes is encoded from the last control token on in front of it. Text of data
 * stands between that token and the change, so that the run of trusted text with the token is whole and the same: it is
 * read as it was, and what stands before it and behind it are encoded apart from each other.
 */
export class SegmentIds {
  readonly #tokenizer: Tokenizer
  readonly #marks: TextMarks
  readonly #ids = new IdList()
  #segments: readonly OriginText[] = []
  readonly #borders: Border[] = []
  #edge: Edge | undefined
  /** The messages that the data of all segments are of, where there are turns that the model wrote. */
  readonly #extents: number[] = []

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
    this.#marks = TextMarks.of(tokenizer)
  }

  get length(): number {
    return this.#ids.length
  }

  /** Bytes of memory, about. */
  get bytes(): number {
    return this.#segments.reduce((sum, { text }) => sum + 2 * text.length, this.#ids.bytes)
  }

  /** A copy of the ids from a place on. */
  from(begin: number): Uint32Array {
    return this.#ids.from(begin)
  }

  /** Takes the ids of a prompt that is not known in segments. */
  replace(prompt: PackedParts): StretchUpdate {
    const kept = this.#ids.replace(0, this.#tokenizer.lendPacked(prompt))
    this.forget()
    return { kept, encoded: 1, reused: 0 }
  }

  /** From now on nothing is known of the segments, which may have changed; the ids stay. */
  forget(): void {
    this.#segments = []
    this.#borders.length = 0
    this.#edge = undefined
  }

  /**
   * Replaces all segments.
   *
   * @param grows whether the segments are those of the update before, as they are now
   */
  update({ segments, same: kept, recall }: GrownPrompt, grows: boolean): StretchUpdate {
    const same = grows ? kept : commonSegments(segments, this.#segments)
    return this.#update(segments, same, recall)
  }

  #update(segments: readonly OriginText[], same: number, recall: RecallInText | undefined): StretchUpdate {
    const borders = this.#borders
    let known = borders.length
    while (known > 0 && !this.#isKept(borders[known - 1] as Border, same, recall)) known--
    const edge = recall ? undefined : this.#edge
    this.#edge = undefined
    let base: Place | undefined = edge
    let encoded = edge && this.#encodeBehindEdge(segments, same, edge)
    if (encoded === undefined) {
      base = borders[known - 1]
      let tail = this.#tail(segments, base, recall)
      if (recall && this.#isTornApart(borders[known - 1], tail, recall)) {
        known = 0
        base = undefined
        tail = this.#tail(segments, undefined, recall)
      }
      encoded = { tail, ids: this.#encode(tail) }
    }
    const { tail, ids } = encoded
    const places = this.#marks.places(ids.ids, ids.length)
    const kept = this.#ids.replace(base?.index ?? 0, ids)
    this.#segments = segments
    while (borders.length > known) borders.pop()
    // What stands before the border is what it was.
    const extents = recall ? (borders[known - 1]?.extents ?? 0) : 0
    while (this.#extents.length > extents) this.#extents.pop()
    for (const message of tail.extents) this.#extents.push(message)
    this.#addBorders(base, tail, places, recall)
    LIST.clear()
    return { kept, encoded: segments.length - same, reused: same }
  }

  #encode({ parts, count, text }: TailParts): LentIds {
    return this.#tokenizer.lendPacked({ parts, text }, count)
  }

  /**
   * What stands behind an edge; undefined where it is none any more. The token may be part of another run now, which parts
   * the text in the same place if its first control token is the same and stands there.
   */
  #encodeBehindEdge(segments: readonly OriginText[], same: number, edge: Edge): EncodedTail | undefined {
    if (edge.segment >= same) return undefined
    const tail = this.#tail(segments, edge, undefined)
    // Without data tokens are looked for in another way.
    if (!tail.hasData) return undefined
    const { parts, count, text } = tail
    const first = parts[0] === PartKind.data ? 2 : 0 // what it stands behind
    if (first >= count || parts[first] !== PartKind.trusted) return undefined
    const { text: segment } = segments[edge.segment] as OriginText
    const { place, id } = edge.mark
    const run = segment.slice(edge.offset - place, edge.offset) + text.slice(0, parts[first + 1])
    const mark = this.#marks.of(run).first
    if (mark?.place !== place || mark.id !== id) return undefined
    const ids = this.#encode(tail)
    // What was found in the run alone was found in the text.
    return ids.length > 0 && ids.ids[0] === id ? { tail, ids } : undefined
  }

  /** Whether a border still parts the text, and so that turns that the model wrote are whole behind it. */
  #isKept({ settled, segment, offset }: Border, same: number, recall: RecallInText | undefined): boolean {
    if (settled >= same) return false
    if (recall === undefined) return true
    const next = this.#firstData(segment, offset, settled)
    return next >= 0 && !recall.has(next)
  }

  /** The message of the first data behind a place; -1 for anything else of the request. */
  #firstData(segment: number, offset: number, settled: number): number {
    for (let i = segment; i <= settled; i++) {
      const text = this.#segments[i] as OriginText
      const rest = i === segment ? text.slice(offset, text.text.length) : text
      const [first] = dataExtents(rest)
      if (first !== undefined) return first.message
    }
    return -1
  }

  /** A turn that the model wrote must stand in one place. Whether one of those before a border does is another matter now. */
  #isTornApart(border: Border | undefined, { extents }: Tail, recall: RecallInText): boolean {
    if (border === undefined) return false
    // Without a list, nothing was known of such turns when the border was found.
    if (this.#extents.length === 0) return true
    const standsBefore = (message: number): boolean => {
      const first = message >= 0 && recall.has(message) ? this.#extents.indexOf(message) : -1
      return first >= 0 && first < border.extents
    }
    return extents.some(standsBefore) || this.#extents.slice(border.extents).some(standsBefore)
  }

  #tail(segments: readonly OriginText[], from: Place | undefined, recall: RecallInText | undefined): Tail {
    if (recall) return withRecall(segments, from, recall)
    LIST.clear()
    const begins = appendBehind(LIST, segments, from)
    const { parts, count, text, length, hasData } = LIST
    return { parts, count, text, units: length, hasData, turns: NONE, begins, extents: NONE, starts: NONE }
  }

  #addBorders(
    base: Place | undefined,
    tail: Tail,
    places: readonly number[],
    recall: RecallInText | undefined,
  ): void {
    const { begins } = tail
    const first = base?.segment ?? 0
    const [start, moved] = [base?.index ?? 0, base?.offset ?? 0]
    let at = 0
    const segmentOf = (place: number): number => {
      while (at + 1 < begins.length && (begins[at + 1] as number) <= place) at++
      return at
    }
    const offsetIn = (segment: number, place: number): number =>
      place - (begins[segment] as number) + (segment === 0 ? moved : 0)
    const { borders, open } = findBorders(tail, this.#marks, places.length)
    const before = this.#borders.at(-1)
    let extents = 0
    const { starts } = tail
    for (const { place, settled, marks } of borders) {
      const index = start + (places[marks] as number)
      const segment = segmentOf(place)
      const offset = offsetIn(segment, place)
      while (extents < starts.length && (starts[extents] as number) < place) extents++
      if (before !== undefined && index <= before.index) continue
      this.#borders.push({
        segment: first + segment,
        offset,
        settled: first + segmentOf(settled),
        index,
        extents: (before?.extents ?? 0) + extents,
      })
    }
    if (open === undefined || recall) return
    // The segment that the data before the run end in: the run must go on in it up to the token.
    let segment = begins.length - 1
    while (segment > 0 && (begins[segment] as number) >= open.place) segment--
    const { mark, marks, place } = open
    if (place + mark.place > (begins[segment + 1] ?? tail.units)) return
    this.#edge = {
      mark,
      segment: first + segment,
      offset: offsetIn(segment, place + mark.place),
      index: start + (places[marks] as number),
    }
  }
}

/** The tail that is being encoded. */
const LIST = new PartList()

/** Appends what stands behind a place, and gives where each segment begins in it. */
function appendBehind(
  builder: PartList | TextBuilder,
  segments: readonly OriginText[],
  from: Place | undefined,
): readonly number[] {
  const begins: number[] = []
  const first = from?.segment ?? 0
  for (let i = first; i < segments.length; i++) {
    const segment = segments[i] as OriginText
    begins.push(builder.length)
    if (i === first && from) builder.appendFrom(segment, from.offset)
    else builder.appendText(segment)
  }
  return begins
}

function withRecall(segments: readonly OriginText[], from: Place | undefined, recall: RecallInText): Tail {
  const builder = new TextBuilder()
  const begins = appendBehind(builder, segments, from)
  const whole = builder.build()
  const { prompt, turns } = recall.parts(whole)
  const { parts, text } = prompt
  const extents = dataExtents(whole)
  return {
    parts,
    count: parts.length,
    text,
    units: whole.text.length,
    hasData: true,
    turns,
    begins,
    extents: extents.map(({ message }) => message),
    starts: extents.map(({ begin }) => begin),
  }
}

function commonSegments(a: readonly OriginText[], b: readonly OriginText[]): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && sameText(a[same] as OriginText, b[same] as OriginText)) same++
  return same
}

const NONE: readonly never[] = []
