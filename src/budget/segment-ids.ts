import type { GrownPrompt, RecallInText } from '../chat/prompt-maker.js'
import { type OriginText, TextBuilder } from '../chat/template/origin-text.js'
import { sameText } from '../chat/template/replay/same-value.js'
import { dataExtents } from '../chat/template-turns.js'
import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { findBorders, type TailParts } from './borders.js'
import { IdList } from './id-list.js'
import type { StretchUpdate } from './stretches.js'
import { TextMarks } from './text-marks.js'

/** A place in the text of all segments where a control token begins that parts it. */
interface Border {
  readonly segment: number
  /** In UTF-16 units of the segment. */
  readonly offset: number
  /** The segment of the data behind the run that the token stands in: with it the run is whole. */
  readonly settled: number
  /** Of its id among all ids. */
  readonly index: number
  /** How many stretches of data of one message begin before it. */
  readonly extents: number
}

/** What stands behind a border. */
interface Tail extends TailParts {
  /** Where each segment begins in its text, from that of the border on. */
  readonly begins: readonly number[]
  /** The messages that its data are of, one after the other. */
  readonly extents: readonly number[]
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
    let known = this.#borders.length
    while (known > 0 && !this.#isKept(this.#borders[known - 1] as Border, same, recall)) known--
    let tail = this.#tail(segments, this.#borders[known - 1], recall)
    if (recall && this.#isTornApart(this.#borders[known - 1], tail, recall)) {
      known = 0
      tail = this.#tail(segments, undefined, recall)
    }
    const border = this.#borders[known - 1]
    const ids = this.#tokenizer.lendPacked(tail.packed)
    const places = this.#marks.places(ids.ids, ids.length)
    const kept = this.#ids.replace(border?.index ?? 0, ids)
    this.#segments = segments
    this.#borders.length = known
    // What stands before the border is what it was.
    this.#extents.length = recall ? Math.min(this.#extents.length, border?.extents ?? 0) : 0
    for (const message of tail.extents) this.#extents.push(message)
    this.#addBorders(border, tail, places, recall)
    return { kept, encoded: segments.length - same, reused: same }
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

  #tail(segments: readonly OriginText[], border: Border | undefined, recall: RecallInText | undefined): Tail {
    const builder = new TextBuilder()
    const begins: number[] = []
    const first = border?.segment ?? 0
    for (let i = first; i < segments.length; i++) {
      const segment = segments[i] as OriginText
      begins.push(builder.length)
      if (i === first && border) builder.appendFrom(segment, border.offset)
      else builder.appendText(segment)
    }
    const text = builder.build()
    if (recall === undefined) return { text, packed: partsOf(text), turns: NONE, begins, extents: NONE }
    const { prompt, turns } = recall.parts(text)
    const extents = dataExtents(text).map(({ message }) => message)
    return { text, packed: prompt, turns, begins, extents }
  }

  #addBorders(
    last: Border | undefined,
    tail: Tail,
    places: readonly number[],
    recall: RecallInText | undefined,
  ): void {
    const { begins } = tail
    const first = last?.segment ?? 0
    let at = 0
    const segmentOf = (place: number): number => {
      while (at + 1 < begins.length && (begins[at + 1] as number) <= place) at++
      return at
    }
    const borders = findBorders(tail, this.#marks, places.length)
    let extents = 0
    const starts = recall ? dataExtents(tail.text).map(({ begin }) => begin) : []
    for (const { place, settled, marks } of borders) {
      const index = (last?.index ?? 0) + (places[marks] as number)
      const segment = segmentOf(place)
      const isNew = last === undefined || index > last.index
      const offset = place - (begins[segment] as number) + (segment === 0 && last ? last.offset : 0)
      while (extents < starts.length && (starts[extents] as number) < place) extents++
      if (!isNew) continue
      this.#borders.push({
        segment: first + segment,
        offset,
        settled: first + segmentOf(settled),
        index,
        extents: (last?.extents ?? 0) + extents,
      })
    }
  }
}

function commonSegments(a: readonly OriginText[], b: readonly OriginText[]): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && sameText(a[same] as OriginText, b[same] as OriginText)) same++
  return same
}

/** Each run of a text as a part. */
function partsOf(text: OriginText): PackedParts {
  return { parts: text.packedRuns(PartKind.trusted, PartKind.data), text: text.text }
}

const NONE: readonly never[] = []
