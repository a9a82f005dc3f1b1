// Generated strings, encoded and decoded by each tokenizer and by its reference implementation. For longer runs:
// npm run conformance
import { describe, expect, it } from 'vitest'
import { compare } from './compare.js'
import { TOKENIZERS } from './tokenizers.js'

const SEED = 20261130

describe.each(TOKENIZERS)('$name', { timeout: 60_000 }, ({ read, load, reference }) => {
  const bytes = read()
  it.skipIf(bytes === undefined)('500 strings', async () => {
    const data = bytes as Uint8Array
    const { texts, differences } = await compare(load(data), reference(data), 500, SEED)
    expect(differences).toEqual([])
    expect(texts).toBe(500)
  })
})
