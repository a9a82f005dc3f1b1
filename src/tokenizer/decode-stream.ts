import type binding from '../../binding.cjs'
import { idArray, native, type TokenIds } from './native-call.js'

/** Ids as they come: one at a time, or several. */
export type DecodeSource = Iterable<number | TokenIds> | AsyncIterable<number | TokenIds>

/**
 * Decodes ids step by step. Bytes of a character that is not complete yet are held back; bytes that no more bytes
 * can complete become U+FFFD, as in `decode`.
 */
export class DecodeStream {
  readonly #native: binding.NativeDecodeStream

  /** @internal Use `tokenizer.decodeStream()`. */
  constructor(nativeStream: binding.NativeDecodeStream) {
    this.#native = nativeStream
  }

  /**
   * Takes one id or several and gives the text that is complete now, which may be empty.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary, unless `rules` is `transformers`
   */
  push(ids: number | TokenIds): string {
    const list = idArray(typeof ids === 'number' ? [ids] : ids)
    return native(() => this.#native.push(list))
  }

  /** Gives what was held back. The stream is then as new. */
  end(): string {
    return this.#native.end()
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
