import type binding from '../../binding.cjs'
import type { CleanUpStream } from './clean-up.js'
import { idArray, native, type TokenIds } from './native-call.js'

/** Ids as they come: one at a time, or several. */
export type DecodeSource = Iterable<number | TokenIds> | AsyncIterable<number | TokenIds>

/**
 * Decodes ids step by step. Bytes of a character that is not complete yet are held back; bytes that no more bytes
 * can complete become U+FFFD, as in `decode`.
 */
export class DecodeStream {
  readonly #native: binding.NativeDecodeStream
  readonly #cleanUp: CleanUpStream | undefined

  /** @internal Use `tokenizer.decodeStream()`. */
  constructor(nativeStream: binding.NativeDecodeStream, cleanUp?: CleanUpStream) {
    this.#native = nativeStream
    this.#cleanUp = cleanUp
  }

  /**
   * Takes one id or several and gives the text that is complete now, which may be empty.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary, unless `rules` is `transformers`
   */
  push(ids: number | TokenIds): string {
    const list = idArray(typeof ids === 'number' ? [ids] : ids)
    const text = native(() => this.#native.push(list))
    return this.#cleanUp === undefined ? text : this.#cleanUp.push(text)
  }

  /** Gives what was held back. The stream is then as new. */
  end(): string {
    const text = this.#native.end()
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
