import type binding from '../../../binding.cjs'
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
  readonly #native: binding.NativeJsonVocabulary
  readonly #again: () => TokenIndex

  private constructor(native: binding.NativeJsonVocabulary, again: () => TokenIndex) {
    this.count = native.count()
    this.#native = native
    this.#again = again
  }

  /**
   * Reads the object at the reader's place, and goes behind it; undefined when that is left to TypeScript.
   *
   * @param again reads it in TypeScript
   */
  static read(reader: JsonReader, again: () => TokenIndex): NativeVocabulary | undefined {
    const native = new addon.NativeJsonVocabulary()
    const end = native.read(reader.bytes, reader.at, MAX_ID)
    if (end < 0) return undefined
    reader.at = end
    return new NativeVocabulary(native, again)
  }

  /** The id of a text in UTF-8, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#native.find(bytes.subarray(start, end))
  }

  /** As `readMerges`, at the reader's place, which goes behind them; undefined when that is left to TypeScript. */
  merges(reader: JsonReader, prefix: Uint8Array): Uint32Array | undefined {
    const read = this.#native.readMerges(reader.bytes, reader.at, prefix)
    if (read === undefined) return undefined
    reader.at = read.end
    return read.triples
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
