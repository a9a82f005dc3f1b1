import type binding from '../../binding.cjs'
import type { CleanUpStream } from './clean-up.js'
import { idArray, native, type TokenIds, tokenId } from './native-call.js'

/** Ids as they come: one at a time, or several. */
export type DecodeSource = Iterable<number | TokenIds> | AsyncIterable<number | TokenIds>

/**
 * The texts of a tokenizer's ids that are the same wherever they stand, as far as a stream has met them: null for an id
 * without one. The streams of a tokenizer share it.
 */
export class SurfaceTable {
  readonly #texts: (string | null | undefined)[]

  constructor(vocabSize: number) {
    this.#texts = new Array(vocabSize).fill(undefined)
  }

  /** Undefined for an id without such a text, and for what is no id. */
  textOf(id: number, stream: binding.NativeDecodeStream): string | undefined {
    let text = this.#texts[id]
    if (text === undefined) {
      if (!(id >= 0 && id < this.#texts.length && Number.isInteger(id))) return undefined
      text = stream.surface(id) ?? null
      this.#texts[id] = text
    }
    return text ?? undefined
  }
}

/**
 * Decodes ids step by step. Bytes of a character that is not complete yet are held back; bytes that no more bytes
 * can complete become U+FFFD, as in `decode`.
 */
export class DecodeStream {
  readonly #native: binding.NativeDecodeStream
  readonly #surfaces: SurfaceTable
  readonly #cleanUp: CleanUpStream | undefined
  /** Nothing is held back, so that most ids have a text of which native code need not know. */
  #plain: boolean

  /** @internal Use `tokenizer.decodeStream()`. */
  constructor(nativeStream: binding.NativeDecodeStream, surfaces: SurfaceTable, cleanUp?: CleanUpStream) {
    this.#native = nativeStream
    this.#surfaces = surfaces
    this.#cleanUp = cleanUp
    this.#plain = nativeStream.isPlain()
  }

  /**
   * Takes one id or several and gives the text that is complete now, which may be empty.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary, unless `rules` is `transformers`
   */
  push(ids: number | TokenIds): string {
    const text = this.#decode(ids)
    return this.#cleanUp === undefined ? text : this.#cleanUp.push(text)
  }

  #decode(ids: number | TokenIds): string {
    const text = this.#plain && typeof ids === 'number' ? this.#surfaces.textOf(ids, this.#native) : undefined
    if (text !== undefined) return text
    try {
      return native(() =>
        typeof ids === 'number' ? this.#native.pushId(tokenId(ids)) : this.#native.push(idArray(ids)),
      )
    } finally {
      this.#plain = this.#native.isPlain()
    }
  }

  /** Gives what was held back. The stream is then as new. */
  end(): string {
    const text = this.#native.end()
    this.#plain = this.#native.isPlain()
    return this.#cleanUp === undefined ? text : this.#cleanUp.push(text) + this.#cleanUp.end()
  }
}

/** The texts of a source of ids, without empty ones. */
export async function* decodeSource(
  stream: DecodeStream,
  source: DecodeSource,
): AsyncGenerator<string, void, undefined> {
  for await (const ids of source) {
    const text = stream.push(ids)
    if (text !== '') yield text
  }
  const rest = stream.end()
  if (rest !== '') yield rest
}
