import { type PackedParts, PartKind } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { dividing } from './stretches.js'

/** The control tokens that part a text, in a run of text that is trusted from one end to the other. */
export interface Marks {
  readonly count: number
  /** Where the last one begins, in UTF-16 units; undefined where a text that begins there would be read otherwise. */
  readonly last: number | undefined
}

/** More runs than this are not remembered: most templates write a few dozen. */
const MOST_RUNS = 1000

const caches = new WeakMap<Tokenizer, TextMarks>()

/** Finds control tokens in runs of trusted text, as encoding does: in each run alone. */
export class TextMarks {
  readonly #tokenizer: Tokenizer
  readonly #divides: Uint8Array
  readonly #known = new Map<string, Marks>()

  private constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
    this.#divides = new Uint8Array(tokenizer.vocabSize)
    const divides = dividing(tokenizer)
    const joined = new Set(tokenizer.foundInNormalized)
    for (const { id } of tokenizer.reserved) if (divides(id) && !joined.has(id)) this.#divides[id] = 1
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
  places(ids: Uint32Array): number[] {
    const places: number[] = []
    for (let i = 0; i < ids.length; i++) if (this.#divides[ids[i] as number] === 1) places.push(i)
    return places
  }

  in(run: string): Marks {
    const known = this.#known.get(run)
    if (known !== undefined) return known
    const marks = this.#find(run)
    if (this.#known.size >= MOST_RUNS) this.#known.clear()
    this.#known.set(run, marks)
    return marks
  }

  #find(run: string): Marks {
    const ids = this.#tokenizer.encodePacked(besideData(run))
    const places = this.places(ids)
    const place = places.at(-1)
    if (place === undefined) return { count: 0, last: undefined }
    const last = this.#tokenizer.packedOffsets(besideData(run))[2 * place] as number
    const rest = this.#tokenizer.encodePacked(besideData(run.slice(last)))
    const goesOn = rest[0] === ids[place] && this.places(rest).length === 1
    return { count: places.length, last: goesOn ? last : undefined }
  }
}

/** Trusted text in a prompt that holds data. */
function besideData(run: string): PackedParts {
  return { parts: Uint32Array.of(PartKind.trusted, run.length, PartKind.data, 0), text: run }
}
