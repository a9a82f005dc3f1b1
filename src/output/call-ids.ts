import { randomBytes } from 'node:crypto'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits. Bytes beyond the last multiple of 62 are left out, so that all are equally likely. */
export function randomWord(length: number): string {
  let word = ''
  while (word.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && word.length < length) word += LETTERS[byte % 62]
    }
  }
  return word
}

/** An id as OpenAI's API gives calls: `call_` and 24 random letters and digits. */
export function callId(): string {
  return `call_${randomWord(24)}`
}
