// What a file is, by its first bytes.

export function isGguf(head: Uint8Array): boolean {
  return head[0] === 0x47 && head[1] === 0x47 && head[2] === 0x55 && head[3] === 0x46
}

/** Whether the file is a tekken.json, by its first key. */
export function isTekken(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  return /^\s*\{\s*"config"\s*:\s*\{\s*"pattern"/.test(head)
}

/** A tiktoken rank file is lines of `<base64> <rank>`; GLM-4 names such a file tokenizer.model. */
export function isRankFile(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 100))
  return /^[A-Za-z0-9+/]+=* \d+\r?\n/.test(head)
}
