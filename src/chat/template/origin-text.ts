import { CodePointLayout, unitsAt } from './code-points.js'
import type { Origin } from './origin.js'

/** A stretch of text of one origin; `null` is trusted text. Offsets are UTF-16 units. */
export interface OriginRun {
  readonly start: number
  readonly end: number
  readonly origin: Origin | null
}

/** Takes the runs of texts, in order. */
export interface RunSink {
  /** The next so many units come from there. */
  run(units: number, origin: Origin | null): void
}

/**
 * An immutable text that knows where each part of it came from. Runs of data may be empty: they are barriers, so
 * that `'<|' + role + '|>'` never becomes one trusted run, whatever `role` is. Neighbouring runs of the same
 * origin are one run, and there are no empty trusted runs.
 *
 * Joining is lazy: a joined text holds its two halves until its runs are asked for, so that building a text piece
 * by piece is linear.
 *
 * @example
 * const text = OriginText.trusted('<|user|>').concat(OriginText.data('hi', origin))
 * text.runs   // [{ start: 0, end: 8, origin: null }, { start: 8, end: 10, origin }]
 */
export class OriginText {
  static readonly empty: OriginText = new OriginText('', null)

  /** The characters. */
  readonly text: string
  /** At most this many runs; exact once they have been asked for. */
  #count = 1
  /** The origin of the whole text, where it has a single one. */
  #origin: Origin | null
  /** Where runs end and where they came from, once known; undefined for a text of one origin. */
  #ends: readonly number[] | undefined
  #origins: readonly (Origin | null)[] | undefined
  /** The halves of a joined text whose runs nobody has asked for yet. */
  #left: OriginText | undefined
  #right: OriginText | undefined
  /** How code points lie in the text, once somebody asked. */
  #layout: CodePointLayout | undefined

  private constructor(text: string, origin: Origin | null) {
    this.text = text
    this.#origin = origin
  }

  /** Text of the template or the programmer. */
  static trusted(text: string): OriginText {
    return text === '' ? OriginText.empty : new OriginText(text, null)
  }

  /** Text of the request. */
  static data(text: string, origin: Origin): OriginText {
    return new OriginText(text, origin)
  }

  /** Text of either kind. */
  static of(text: string, origin: Origin | null): OriginText {
    return origin === null ? OriginText.trusted(text) : new OriginText(text, origin)
  }

  /** @internal Lists as `TextBuilder` makes them: no neighbours of the same origin, no empty trusted runs. */
  static fromRuns(text: string, ends: readonly number[], origins: readonly (Origin | null)[]): OriginText {
    if (ends.length < 2) return OriginText.of(text, origins[0] ?? null)
    const joined = new OriginText(text, null)
    joined.#setRuns(ends, origins)
    return joined
  }

  get runs(): readonly OriginRun[] {
    const runs: OriginRun[] = []
    this.forEachRun((start, end, origin) => runs.push({ start, end, origin }))
    return runs
  }

  /** At most this many runs. */
  get runCount(): number {
    return this.#count
  }

  get isTrusted(): boolean {
    return this.singleOrigin === null
  }

  /** The origin of the whole text; undefined where there are several. */
  get singleOrigin(): Origin | null | undefined {
    if (this.#left !== undefined) this.#flatten()
    return this.#ends === undefined ? this.#origin : undefined
  }

  /** The first origin that is data; `null` for trusted text. */
  get firstOrigin(): Origin | null {
    const single = this.singleOrigin
    if (single !== undefined) return single
    return this.#origins?.find((origin) => origin !== null) ?? null
  }

  /** Whether another text has the same runs of the same origins. */
  hasOriginsOf(other: OriginText): boolean {
    if (this.text.length !== other.text.length) return false
    const single = this.singleOrigin
    if (single !== undefined || other.singleOrigin !== undefined) return single === other.singleOrigin
    const [ends, otherEnds] = [this.#ends as readonly number[], other.#ends as readonly number[]]
    if (ends.length !== otherEnds.length) return false
    const [origins, others] = [this.#origins, other.#origins]
    for (let i = 0; i < ends.length; i++) {
      if (ends[i] !== otherEnds[i] || origins?.[i] !== others?.[i]) return false
    }
    return true
  }

  /** The number of code points: Python's `len`. */
  get length(): number {
    return this.#codePoints().count
  }

  /** Whether code points have been counted, so that finding one costs little. */
  get isCounted(): boolean {
    return this.#layout !== undefined
  }

  /** Whether a code point is a UTF-16 unit, so that Python's indices are JavaScript's. */
  get isFlat(): boolean {
    return this.length === this.text.length
  }

  /**
   * Tells a builder of all runs, in order. Halves are walked as they are, with a stack of its own: a text built in a loop
   * is as deep as the loop is long.
   */
  writeRuns(builder: RunSink): void {
    if (this.#left === undefined) {
      this.#writeOwnRuns(builder)
      return
    }
    const waiting: OriginText[] = []
    let node: OriginText | undefined = this
    while (node !== undefined) {
      const left: OriginText | undefined = node.#left
      if (left === undefined) {
        node.#writeOwnRuns(builder)
        node = waiting.pop()
      } else {
        waiting.push(node.#right as OriginText)
        node = left
      }
    }
  }

  /** The same from an offset on, which has the runs of `slice` from there to the end. */
  writeRunsFrom(builder: RunSink, start: number): void {
    const single = this.singleOrigin
    if (single !== undefined || start === 0) {
      if (single === undefined) this.writeRuns(builder)
      else builder.run(this.text.length - start, single)
      return
    }
    const ends = this.#ends as readonly number[]
    const origins = this.#origins as readonly (Origin | null)[]
    builder.run(0, this.originAt(start - 1))
    for (let i = firstRunAt(ends, start); i < ends.length; i++) {
      const from = i === 0 ? 0 : (ends[i - 1] as number)
      const to = ends[i] as number
      if (from === to || to > start) builder.run(to - Math.max(from, start), origins[i] as Origin | null)
    }
  }

  /** Calls `each` for every run, in order. */
  forEachRun(each: (start: number, end: number, origin: Origin | null) => void): void {
    const single = this.singleOrigin
    if (single !== undefined) {
      if (this.text !== '' || single !== null) each(0, this.text.length, single)
      return
    }
    const ends = this.#ends as readonly number[]
    const origins = this.#origins as readonly (Origin | null)[]
    let start = 0
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i] as number
      each(start, end, origins[i] as Origin | null)
      start = end
    }
  }

  concat(other: OriginText): OriginText {
    if (this.text.length === 0 && this.isTrusted) return other
    if (other.text.length === 0 && other.isTrusted) return this
    const joined = new OriginText(this.text + other.text, this.#origin)
    const simple = this.#isSimple() && other.#isSimple()
    if (simple && this.#origin === other.#origin) return joined
    joined.#left = this
    joined.#right = other
    joined.#count = this.#count + other.#count
    return joined
  }

  /**
   * The part between two offsets in UTF-16 units, `0 <= start <= end <= text.length`. Where data is cut away at an
   * edge, empty data stays, so that what stood on both sides of data never becomes one trusted run.
   */
  slice(start: number, end: number): OriginText {
    if (start === 0 && end === this.text.length) return this
    const single = this.singleOrigin
    if (single !== undefined) return OriginText.of(this.text.slice(start, end), single)
    const builder = new TextBuilder()
    const ends = this.#ends as readonly number[]
    const origins = this.#origins as readonly (Origin | null)[]
    if (start > 0) builder.append('', this.originAt(start - 1))
    for (let i = firstRunAt(ends, start); i < ends.length; i++) {
      const from = i === 0 ? 0 : (ends[i - 1] as number)
      const to = ends[i] as number
      if (from > end) break
      // Of runs that only touch an edge, the empty ones count.
      if (from === to || (from < end && to > start)) {
        builder.append(this.text.slice(Math.max(from, start), Math.min(to, end)), origins[i] ?? null)
      }
    }
    if (end < this.text.length) builder.append('', this.originAt(end))
    return builder.build()
  }

  /** The origin of the unit at an offset; at the end of the text, that of the last unit. */
  originAt(offset: number): Origin | null {
    const single = this.singleOrigin
    if (single !== undefined) return single
    const ends = this.#ends as readonly number[]
    let i = firstRunAt(ends, offset)
    while (i < ends.length - 1 && (ends[i] as number) <= offset) i++
    return this.#origins?.[i] ?? null
  }

  /** A text with the same origins, each run rewritten on its own. */
  mapRuns(rewrite: (text: string) => string): OriginText {
    const single = this.singleOrigin
    if (single !== undefined) return OriginText.of(rewrite(this.text), single)
    const builder = new TextBuilder()
    this.forEachRun((start, end, origin) => builder.append(rewrite(this.text.slice(start, end)), origin))
    return builder.build()
  }

  /** One text for each code point. */
  characters(): OriginText[] {
    const single = this.singleOrigin
    if (single !== undefined) return Array.from(this.text, (character) => OriginText.of(character, single))
    const characters: OriginText[] = []
    for (let offset = 0; offset < this.text.length; ) {
      const end = offset + unitsAt(this.text, offset)
      characters.push(this.slice(offset, end))
      offset = end
    }
    return characters
  }

  /** The UTF-16 offset of a code point, from 0 to `length`. */
  offsetOf(codePoint: number): number {
    return this.isFlat ? codePoint : this.#codePoints().offsetOf(codePoint)
  }

  /** Which code point stands at a UTF-16 offset. */
  codePointAt(offset: number): number {
    return this.isFlat ? offset : this.#codePoints().codePointAt(offset)
  }

  #codePoints(): CodePointLayout {
    this.#layout ??= new CodePointLayout(this.text)
    return this.#layout
  }

  /** No halves, and one origin. */
  #isSimple(): boolean {
    return this.#left === undefined && this.#ends === undefined
  }

  #setRuns(ends: readonly number[], origins: readonly (Origin | null)[]): void {
    this.#ends = ends
    this.#origins = origins
    this.#count = ends.length
  }

  #writeOwnRuns(builder: RunSink): void {
    const ends = this.#ends
    const origins = this.#origins
    if (ends === undefined || origins === undefined) {
      builder.run(this.text.length, this.#origin)
      return
    }
    let start = 0
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i] as number
      builder.run(end - start, origins[i] as Origin | null)
      start = end
    }
  }

  /** Keeps the runs in place of the halves. */
  #flatten(): void {
    const builder = new TextBuilder()
    builder.appendText(this)
    const flat = builder.build()
    this.#left = undefined
    this.#right = undefined
    this.#origin = flat.#origin
    this.#count = flat.#count
    if (flat.#ends && flat.#origins) this.#setRuns(flat.#ends, flat.#origins)
  }
}

/**
 * New lists are copies of these. Where the first literals of a place live long, as those of a template's constants do, V8
 * makes all that follow in old space, and with them all origins of a render would stay until a full collection.
 */
const NO_ENDS: readonly number[] = []
const NO_ORIGINS: readonly (Origin | null)[] = []

/** Collects text and runs. */
export class TextBuilder implements RunSink {
  #text = ''
  #ends: number[] = NO_ENDS.slice()
  #origins: (Origin | null)[] = NO_ORIGINS.slice()
  /** Where the last run ends, and where it came from. */
  #end = 0
  #last: Origin | null | undefined

  /** UTF-16 units so far. */
  get length(): number {
    return this.#end
  }

  append(text: string, origin: Origin | null): void {
    this.#text += text
    this.run(text.length, origin)
  }

  /** Its text is taken as it is, however many runs there are in it: nothing is cut into pieces. */
  appendText(text: OriginText): void {
    this.#text += text.text
    text.writeRuns(this)
  }

  /** What `text.slice(start, text.text.length)` is. */
  appendFrom(text: OriginText, start: number): void {
    this.#text += text.text.slice(start)
    text.writeRunsFrom(this, start)
  }

  /** @internal The next so many units of what was appended come from there. */
  run(units: number, origin: Origin | null): void {
    if (units === 0 && origin === null) return
    this.#end += units
    if (this.#last === origin) {
      this.#ends[this.#ends.length - 1] = this.#end
    } else {
      this.#last = origin
      this.#ends.push(this.#end)
      this.#origins.push(origin)
    }
  }

  /** Stands for text that is left out: a barrier, where there was data. */
  appendGap(left: OriginText): void {
    this.append('', left.firstOrigin)
  }

  build(): OriginText {
    return OriginText.fromRuns(this.#text, this.#ends, this.#origins)
  }

  /** What there is so far; then it begins anew. */
  take(): OriginText {
    if (this.#last === undefined) return OriginText.empty // since then nothing was written
    const text = this.build()
    this.#text = ''
    this.#ends = NO_ENDS.slice()
    this.#origins = NO_ORIGINS.slice()
    this.#end = 0
    this.#last = undefined
    return text
  }
}

/** The first run that ends at or after an offset. */
function firstRunAt(ends: readonly number[], offset: number): number {
  let [low, high] = [0, ends.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] as number) < offset) low = middle + 1
    else high = middle
  }
  return low
}
