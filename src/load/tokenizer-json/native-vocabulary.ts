import addon from '../../native.js'
import type { AddedTokenSpec } from '../pipeline-spec.js'
import { MAX_ID, type TokenTable } from '../token-table.js'
import type { JsonReader } from './json-reader.js'
import type { TokenIndex } from './token-index.js'

/** The ids of a vocabulary by text. */
export type VocabularyIndex = TokenIndex | NativeVocabulary

/**
 * A vocabulary that native code read, which takes a tenth of the time. It reads what is sound, and only that: where it
 * refuses, the readers in TypeScript read the same, and say what is wrong and where.
 */
export class NativeVocabulary {
  /** How many tokens there are. */
  readonly count: number
  readonly #native = new addon.NativeJsonVocabulary()
  readonly #again: () => TokenIndex

  private constructor(reader: JsonReader, place: number, again: () => TokenIndex) {
    this.count = this.#native.read(reader.bytes, place, MAX_ID) ? this.#native.count() : -1
    this.#again = again
  }

  /**
   * Reads the object that begins at `place`; undefined when that is left to TypeScript.
   *
   * @param again reads it in TypeScript
   */
  static read(reader: JsonReader, place: number, again: () => TokenIndex): NativeVocabulary | undefined {
    const vocabulary = new NativeVocabulary(reader, place, again)
    return vocabulary.count < 0 ? undefined : vocabulary
  }

  /** The id of a text in UTF-8, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#native.find(bytes.subarray(start, end))
  }

  /** As `readMerges`; undefined when that is left to TypeScript. */
  merges(reader: JsonReader, place: number, prefix: Uint8Array): Uint32Array | undefined {
    return this.#native.readMerges(reader.bytes, place, prefix)
  }

  /** The vocabulary and added tokens by id; undefined when that is left to TypeScript. */
  table(byteLevel: boolean, added: readonly AddedTokenSpec[]): TokenTable | undefined {
    const ids = Uint32Array.from(added, ({ id }) => id)
    return this.#native.layOut(
      byteLevel,
      ids,
      added.map(({ content }) => content),
    )
  }

  /** The same vocabulary as TypeScript reads it. */
  inTypeScript(): TokenIndex {
    return this.#again()
  }
}
