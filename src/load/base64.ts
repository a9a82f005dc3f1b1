const VALUE_OF = new Int16Array(256).fill(-1)
for (const [value, letter] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries()) {
  VALUE_OF[letter.charCodeAt(0)] = value
}
const PADDING = 61

/**
 * Decodes base64 strictly: whole groups of four, padded, and no bits that are dropped. (Buffer skips what is not
 * base64, and would read a broken file as another one.)
 *
 * @param text ASCII; read from `start` to `end`
 * @param out at least as long as the text
 * @returns the number of bytes, or -1 when it is not base64
 */
export function decodeBase64(text: Uint8Array, start: number, end: number, out: Uint8Array): number {
  if ((end - start) % 4 !== 0) return -1
  let padding = 0
  while (padding < 2 && end - padding > start && text[end - padding - 1] === PADDING) padding++
  let length = 0
  for (let i = start; i < end; i += 4) {
    let group = 0
    for (let j = i; j < i + 4; j++) {
      const value = j < end - padding ? (VALUE_OF[text[j] as number] as number) : 0
      if (value < 0) return -1
      group = (group << 6) | value
    }
    out[length++] = group >> 16
    out[length++] = (group >> 8) & 0xff
    out[length++] = group & 0xff
  }
  for (let i = 1; i <= padding; i++) if (out[length - i] !== 0) return -1
  return length - padding
}
