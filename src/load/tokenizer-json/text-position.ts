const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Where byte `at` of a text stands, as an editor counts. */
export function lineAndColumn(bytes: Uint8Array, at: number): string {
  let line = 1
  let start = 0
  for (let i = 0; i < at; i++) {
    if (bytes[i] !== 10) continue
    line++
    start = i + 1
  }
  let column = 1
  for (let i = start; i < at; i++) {
    if (((bytes[i] as number) & 0xc0) !== 0x80) column++ // not a continuation byte
  }
  return `line ${line}, column ${column}`
}

/** The character that begins at byte `at`; undefined at the end. */
export function characterAt(bytes: Uint8Array, at: number): string | undefined {
  return [...utf8.decode(bytes.subarray(at, at + 4))][0]
}
