import type { OriginText } from '../chat/template/origin-text.js'
import { sameText } from '../chat/template/replay/same-value.js'
import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
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
}

/** A border in text that has not been encoded yet. */
interface Found extends Omit<Border, 'index'> {
  /** How many such tokens stand before it. */
  readonly marks: number
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
    const kept = this.#ids.replace(0, this.#tokenizer.encodePacked(prompt))
    this.#segments = []
    this.#borders.length = 0
    return { kept, encoded: 1, reused: 0 }
  }

  /** Replaces all segments. */
  update(segments: readonly OriginText[]): StretchUpdate {
    const old = this.#segments
    const most = Math.min(old.length, segments.length)
    let same = 0
    while (same < most && sameText(segments[same] as OriginText, old[same] as OriginText)) same++
    let known = this.#borders.length
    while (known > 0 && (this.#borders[known - 1] as Border).settled >= same) known--
    const border = this.#borders[known - 1]
    const { packed, found } = this.#tail(segments, border)
    const ids = this.#tokenizer.encodePacked(packed)
    const begin = border?.index ?? 0
    const kept = this.#ids.replace(begin, ids)
    this.#segments = segments
    this.#borders.length = known
    const places = this.#marks.places(ids)
    if (found.marks === places.length) {
      for (const { marks, ...place } of found.borders) {
        const index = begin + (places[marks] as number)
        if (index > begin) this.#borders.push({ ...place, index })
      }
    }
    return { kept, encoded: segments.length - same, reused: same }
  }

  /** What stands behind a border, as parts, with all further borders in it. */
  #tail(
    segments: readonly OriginText[],
    border: Border | undefined,
  ): { packed: PackedParts; found: { borders: readonly Found[]; marks: number } } {
    const parts: number[] = []
    const texts: string[] = []
    const runs = new TrustedRuns(this.#marks)
    for (let i = border?.segment ?? 0; i < segments.length; i++) {
      const segment = segments[i] as OriginText
      const from = i === border?.segment ? border.offset : 0
      texts.push(from === 0 ? segment.text : segment.text.slice(from))
      segment.forEachRun((start, end, origin) => {
        if (end <= from && from > 0) return
        const begin = Math.max(start, from)
        parts.push(origin === null ? PartKind.trusted : PartKind.data, end - begin)
        if (origin === null) runs.add(i, begin, segment.text.slice(begin, end))
        else runs.end(i)
      })
    }
    runs.end(undefined)
    return { packed: { parts: new Uint32Array(parts), text: texts.join('') }, found: runs }
  }
}

/** Gathers runs of trusted text, which may go on in the next segment, and finds the borders in them. */
class TrustedRuns {
  readonly borders: Found[] = []
  /** Tokens that part the text so far. */
  marks = 0
  readonly #marks: TextMarks
  #pieces: { readonly segment: number; readonly begin: number; readonly text: string }[] = []

  constructor(marks: TextMarks) {
    this.#marks = marks
  }

  add(segment: number, begin: number, text: string): void {
    this.#pieces.push({ segment, begin, text })
  }

  /** @param settled the segment of the data behind the run; undefined at the end of all */
  end(settled: number | undefined): void {
    const pieces = this.#pieces
    if (pieces.length === 0) return
    this.#pieces = []
    const { count, last } = this.#marks.in(pieces.map(({ text }) => text).join(''))
    this.marks += count
    if (last === undefined || settled === undefined) return
    let at = last
    for (const { segment, begin, text } of pieces) {
      if (at < text.length) {
        this.borders.push({ segment, offset: begin + at, settled, marks: this.marks - 1 })
        return
      }
      at -= text.length
    }
  }
}
