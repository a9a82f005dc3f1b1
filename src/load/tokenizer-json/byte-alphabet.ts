/**
 * GPT-2's way to write bytes in a vocabulary of text: printable bytes of Latin-1 stand for themselves, the other 68
 * are, in order, the characters from U+0100 on. Here is the character of each byte.
 */
export const BYTE_CHARACTERS: readonly string[] = byteCharacters()

/** The byte that a character stands for, or -1. */
const BYTE_OF = new Int16Array(0x144).fill(-1)
BYTE_CHARACTERS.forEach((character, byte) => {
  BYTE_OF[character.charCodeAt(0)] = byte
})

function byteCharacters(): string[] {
  let other = 0x100
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad)
    return String.fromCharCode(printable ? byte : other++)
  })
}

/**
 * Writes the bytes that `text[start .. end)`, in UTF-8, stands for to `out`, which must be as long. Gives their
 * number, or -1 when a character stands for no byte.
 */
export function toRawBytes(text: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let length = 0
  for (let i = start; i < end; ) {
    const first = text[i++] as number
    const character = first < 0x80 ? first : ((first & 0x1f) << 6) | ((text[i++] as number) & 0x3f)
    // Three or four bytes encode characters beyond the table.
    const byte = first >= 0xe0 ? -1 : (BYTE_OF[character] ?? -1)
    if (byte < 0) return -1
    out[length++] = byte
  }
  return length
}
