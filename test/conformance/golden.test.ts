// Ids and texts that Hugging Face's `tokenizers`, OpenAI's `tiktoken` and SentencePiece gave for the corpus, for real
// tokenizers.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { modelGivesReserved } from './compare.js'
import { describeShared, sharedFile } from './shared.js'
import { TOKENIZERS } from './tokenizers.js'

interface Golden {
  readonly cases: Readonly<Record<string, { readonly ids: readonly number[]; readonly dec?: string }>>
}

function readShared(...segments: string[]): Buffer {
  return readFileSync(sharedFile('data', ...segments) as string)
}

describeShared('golden ids of the corpus', () => {
  describe.each(TOKENIZERS)('$golden', { timeout: 60_000 }, ({ golden: file, semantics, read, load }) => {
    const bytes = read()
    it.skipIf(bytes === undefined)('ids and texts', () => {
      const tokenizer = load(bytes as Uint8Array)
      const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
      const corpus = JSON.parse(readShared('corpus', 'corpus.json').toString()) as {
        id: string
        cat: string
        text: string
      }[]
      const { cases } = JSON.parse(gunzipSync(readShared('golden', `${file}.json.gz`)).toString()) as Golden
      const wrong: object[] = []
      let compared = 0
      for (const { id, text } of corpus) {
        const data = [...tokenizer.encode(text)]
        if (data.some((id) => reserved.has(id))) wrong.push({ text, data, reason: 'a reserved id' })
        const expected = cases[id]
        if (expected === undefined) continue // lone surrogates
        compared++
        const { ids, dec } = expected
        // tiktoken's golden ids are those of encode_ordinary, which takes control tokens for text as well.
        const all = semantics === 'huggingface' ? [...tokenizer.encode(trusted(text))] : data
        if (String(all) !== String(ids) && !modelGivesReserved(tokenizer, text, ids))
          wrong.push({ text, all, ids })
        if (!ids.some((id) => reserved.has(id)) && String(data) !== String(ids))
          wrong.push({ text, data, ids })
        if (dec !== undefined && tokenizer.decode(ids) !== dec)
          wrong.push({ text, ids, dec, ours: tokenizer.decode(ids) })
        if (dec === undefined && tokenizer.decode(ids) !== text) wrong.push({ text, ids })
      }
      expect(wrong.slice(0, 5)).toEqual([])
      expect(compared).toBe(Object.keys(cases).length)
      expect(compared).toBe(2993)
    })
  })
})
