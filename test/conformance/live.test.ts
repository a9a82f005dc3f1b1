// Generated strings, encoded and decoded by each tokenizer and by its reference implementation. For longer runs:
// npm run conformance
import { describe, expect, it } from 'vitest'
import { compare } from './compare.js'
import { TOKENIZERS } from './tokenizers.js'

const SEED = 20261130

describe.each(TOKENIZERS)('$name', { timeout: 60_000 }, ({ read, load, reference }) => {
  const bytes = read()
  it.skipIf(bytes === undefined)('500 strings, and what the post-processor adds', async () => {
    const tokenizer = load(bytes as Uint8Array)
    const theirs = reference(bytes as Uint8Array)
    const { texts, differences } = await compare(tokenizer, theirs, 500, SEED)
    expect(differences).toEqual([])
    expect(texts).toBe(500)

    const { process } = theirs
    if (process === undefined) return
    for (const text of ['', 'hello', ' world\n', '你好 <|x|>']) {
      expect([...tokenizer.encode(text, { addSpecialTokens: true })]).toEqual(await process(text, null))
      for (const pair of ['', ' and you?']) {
        const ids = [...tokenizer.encode(text, { addSpecialTokens: true, pair })]
        expect(ids).toEqual(await process(text, pair))
      }
    }
  })
})
