import { BYTE_CHARACTERS } from './tokenizer-json/byte-alphabet.js'

/**
 * Texts by id, flat: that of id `i` is `bytes[offsets[i] .. offsets[i + 1])` in UTF-8, or raw bytes in byte-level
 * models.
 */
export interface TokenTable {
  readonly bytes: Uint8Array
  /** One more than there are ids. */
  readonly offsets: Uint32Array
  /** Values of {@link TokenKind}, by id. */
  readonly kinds: Uint8Array
}

/** The text of an id; what is no UTF-8 is spelled in GPT-2's printable alphabet. */
export function tokenText({ bytes, offsets }: TokenTable, id: number): string {
  const token = bytes.subarray(offsets[id], offsets[id + 1])
  try {
    return utf8.decode(token)
  } catch {
    return Array.from(token, (byte) => BYTE_CHARACTERS[byte]).join('')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Where an id comes from. */
export const TokenKind = {
  /** No token has this id. */
  NONE: 0,
  /** The model's vocabulary. */
  MODEL: 1,
  /** An added token that the model's vocabulary does not hold. */
  ADDED: 2,
  /**
   * In the model's vocabulary, but no text can become it: the empty token, and in byte-level models a token with
   * characters outside of the byte alphabet, whose bytes are its UTF-8 text. Another token may have the same bytes.
   */
  UNREACHABLE: 3,
} as const

/** Ids from here on are refused: tables by id would grow without measure. */
export const MAX_ID: number = 2 ** 24
