import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { dividing } from './stretches.js'

/** The control tokens that part a text, in a run of text that is trusted from one end to the other. */
export interface Marks {
  readonly count: number
  /** Where the last one begins, in UTF-16 units; undefined where a text that begins there would be read otherwise. */
  readonly last: number | undefined
  /** The first one; undefined where a text that begins there would be read otherwise. */
  readonly first: Mark | undefined
}

/** A control token in a run. */
export interface Mark {
  /** Where it begins, in UTF-16 units. */
  readonly place: number
  readonly id: number
}

interface KnownRun {
  readonly run: string
  readonly marks: Marks
}

const NO_MARKS: Marks = { count: 0, last: undefined, first: undefined }
const RECENT = 256

/** More runs than this are not remembered: most templates write a few dozen. */
const MOST_RUNS = 1000

const caches = new WeakMap<Tokenizer, TextMarks>()

/** Finds control tokens in runs of trusted text, as encoding does: in each run alone. */
export class TextMarks {
  readonly #tokenizer: Tokenizer
  readonly #divides: Uint8Array
  /** None of the ids from the one to before the other parts the text: most are of those, and need no look-up. */
  readonly #gapBegin: number
  readonly #gapEnd: number
  readonly #known = new Map<string, KnownRun>()
  /** Runs that were looked for last, by their length: to compare one costs less than to find it. */
  readonly #recent: KnownRun[] = Array.from({ length: RECENT }, () => ({ run: '', marks: NO_MARKS }))

  private constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
    this.#divides = new Uint8Array(tokenizer.vocabSize)
    const divides = dividing(tokenizer)
    const joined = new Set(tokenizer.foundInNormalized)
    for (const { id } of tokenizer.reserved) if (divides(id) && !joined.has(id)) this.#divides[id] = 1
    ;[this.#gapBegin, this.#gapEnd] = longestGap(this.#divides)
  }

  static of(tokenizer: Tokenizer): TextMarks {
    const known = caches.get(tokenizer) ?? new TextMarks(tokenizer)
    caches.set(tokenizer, known)
    return known
  }

  /** Whether an id parts the text, wherever trusted text names it. */
  divides(id: number): boolean {
    return this.#divides[id] === 1
  }

  /** Where ids that part the text stand among ids. */
  places(ids: Uint32Array, length: number = ids.length): number[] {
    const places: number[] = []
    for (let i = 0; i < length; i++) {
      const id = ids[i] as number
      if (id >= this.#gapBegin && id < this.#gapEnd) continue
      if (this.#divides[id] === 1) places.push(i)
    }
    return places
  }

  /** The marks in the run that stands between two places of a text. */
  in(text: string, begin: number, end: number): Marks {
    return this.of(text.slice(begin, end))
  }

  /** The marks in a run. */
  of(run: string): Marks {
    const recent = this.#recent[run.length % RECENT] as KnownRun
    if (run === recent.run) return recent.marks // no look-up: that would hash it
    const known = this.#knownRun(run)
    this.#recent[known.run.length % RECENT] = known
    return known.marks
  }

  #knownRun(piece: string): KnownRun {
    const known = this.#known.get(piece)
    if (known !== undefined) return known
    const run = ` ${piece}`.slice(1) // what is cut out of a text would keep all of it alive
    const made = { run, marks: this.#find(run) }
    if (this.#known.size >= MOST_RUNS) this.#known.clear()
    this.#known.set(run, made)
    return made
  }

  #find(run: string): Marks {
    const ids = this.#tokenizer.encodePacked(besideData(run))
    const places = this.places(ids)
    const place = places.at(-1)
    if (place === undefined) return NO_MARKS
    const offsets = this.#tokenizer.packedOffsets(besideData(run))
    const last = offsets[2 * place] as number
    const rest = this.#tokenizer.encodePacked(besideData(run.slice(last)))
    const goesOn = rest[0] === ids[place] && this.places(rest).length === 1
    return {
      count: places.length,
      last: goesOn ? last : undefined,
      first: this.#first(run, ids, places[0] as number, offsets),
    }
  }

  #first(run: string, ids: Uint32Array, index: number, offsets: Uint32Array): Mark | undefined {
    const place = offsets[2 * index] as number
    const rest = this.#tokenizer.encodePacked(besideData(run.slice(place)))
    const goesOn = rest.length === ids.length - index && rest.every((id, i) => id === ids[index + i])
    return goesOn ? { place, id: ids[index] as number } : undefined
  }
}

/** The longest row of ids that are not marked: its beginning and its end. */
function longestGap(marked: Uint8Array): readonly [begin: number, end: number] {
  let [begin, longest, from] = [0, 0, 0]
  for (let id = 0; id <= marked.length; id++) {
    if (id < marked.length && marked[id] === 0) continue
    if (id - from > longest) [begin, longest] = [from, id - from]
    from = id + 1
  }
  return [begin, begin + longest]
}

/** Trusted text in a prompt that holds data. */
function besideData(run: string): PackedParts {
  return { parts: Uint32Array.of(PartKind.trusted, run.length, PartKind.data, 0), text: run }
}
