// Where ids come from, against SentencePiece 0.2.3 on small models that hold every flag and every kind of piece. The
// golden files are written by scripts/golden-sentencepiece.py and scripts/golden-sentencepiece-offsets.py.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { type EncodeInput, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

interface Model {
  readonly name: string
  readonly model: string
  readonly texts: string[]
  readonly ids: number[][]
}

function readGolden<T>(name: string): T {
  return JSON.parse(
    gunzipSync(readFileSync(new URL(`./golden/${name}.json.gz`, import.meta.url))).toString(),
  ) as T
}

const { texts: shared, models } = readGolden<{ texts: string[]; models: Model[] }>('sentencepiece-flags')
const golden = readGolden<{ sentencepiece: string; offsets: number[][][] }>('sentencepiece-offsets')

it('the golden files belong together', () => {
  expect(golden.sentencepiece).toBe('0.2.3')
  expect(golden.offsets.map((lists) => lists.length)).toEqual(models.map(({ ids }) => ids.length))
})

it.each(models.map((model, i) => [model.name, model, golden.offsets[i] as number[][]] as const))(
  '%s',
  (name, { model, texts, ids }, offsets) => {
    const deviates = name.startsWith('deviation')
    let compared = 0
    // Under `special` nothing is reserved that text can spell; under `structural` trusted text spells marks.
    for (const [reserve, make] of [
      ['special', (text: string) => text],
      ['structural', trusted],
    ] as ['special' | 'structural', (text: string) => EncodeInput][]) {
      const tokenizer = Tokenizer.from(Buffer.from(model, 'base64'), { reserve })
      for (const [i, text] of [...shared, ...texts].entries()) {
        const ours = tokenizer.encode(make(text), { offsets: true })
        expect(ours.ids).toEqual(tokenizer.encode(make(text)))
        // Trusted text may spell control pieces, which SentencePiece never finds.
        const same = String([...ours.ids]) === String(ids[i])
        if (!same && (deviates || reserve === 'structural')) continue
        compared++
        expect([...ours.byteOffsets], JSON.stringify(text)).toEqual(offsets[i])
        const utf8 = Buffer.from(text.toWellFormed())
        const units = Array.from(ours.byteOffsets, (at) => utf8.subarray(0, at).toString().length)
        expect([...ours.offsets]).toEqual(units)
      }
    }
    expect(compared).toBeGreaterThan(deviates ? 100 : shared.length + texts.length)
  },
)
