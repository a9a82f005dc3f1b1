import { grown } from '../token-table-builder.js'

const QUOTE = 34
const BACKSLASH = 92
/** By the letter behind the backslash: `b t n f r " / \\`. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [98, 8],
  [116, 9],
  [110, 10],
  [102, 12],
  [114, 13],
  [QUOTE, QUOTE],
  [47, 47],
  [BACKSLASH, BACKSLASH],
])
const utf8 = new TextEncoder()

/** The string in UTF-8 is `out[0 .. length)`; `end` is the place behind its closing quote. */
export interface DecodedString {
  readonly out: Uint8Array
  readonly length: number
  readonly end: number
}

/**
 * Resolves the escapes of a JSON string.
 *
 * @param at the place behind the opening quote
 * @param out what to write to, if it is large enough
 * @param error makes the error for what was expected at a place
 */
export function unescapeString(
  bytes: Uint8Array,
  at: number,
  out: Uint8Array,
  error: (expected: string, at: number) => Error,
): DecodedString {
  let length = 0
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined || byte < 32) throw error('the end of the string', at)
    if (byte === QUOTE) return { out, length, end: at + 1 }
    if (length + 4 > out.length) out = grown(out, 0)
    if (byte !== BACKSLASH) {
      out[length++] = byte
      at++
      continue
    }
    const simple = ESCAPES.get(bytes[at + 1] ?? 0)
    if (simple !== undefined) {
      out[length++] = simple
      at += 2
      continue
    }
    const high = codeUnit(bytes, at, error)
    const isPair = high >= 0xd800 && high < 0xdc00
    const low = isPair ? codeUnit(bytes, at + 6, error) : 0
    const text = isPair ? String.fromCharCode(high, low) : String.fromCharCode(high)
    if (!text.isWellFormed()) throw error('a pair of surrogates', at)
    length += utf8.encodeInto(text, out.subarray(length)).written
    at += isPair ? 12 : 6
  }
}

/** Reads `\u` and four hexadecimal digits. */
function codeUnit(bytes: Uint8Array, at: number, error: (expected: string, at: number) => Error): number {
  const text = String.fromCharCode(...bytes.subarray(at, at + 6))
  if (/^\\u[0-9a-fA-F]{4}$/.test(text)) return Number.parseInt(text.slice(2), 16)
  throw error(text.startsWith('\\u') ? 'four hexadecimal digits' : 'a valid escape', at)
}
