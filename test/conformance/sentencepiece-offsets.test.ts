// Where ids come from, against SentencePiece 0.2.3 on small models that hold every flag and every kind of piece. The
// golden files are written by scripts/golden-sentencepiece*.py.
import { describe, expect, it } from 'vitest'
import { type EncodeInput, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { modelFile, readGolden } from './golden-models.js'

interface Golden {
  readonly texts: string[]
  readonly charsmaps?: Record<string, string>
  readonly models: readonly {
    readonly name: string
    readonly model: string
    readonly charsmap?: string
    readonly texts: string[]
    readonly ids: (number[] | null)[]
  }[]
}
type Rows = (number[] | null)[]

const golden = readGolden<{ sentencepiece: string; flags: Rows[]; models: Rows[] }>('sentencepiece-offsets')
const files = ['flags', 'models'] as const

describe.each(files)('sentencepiece-%s', (file) => {
  const { texts: shared, charsmaps, models } = readGolden<Golden>(`sentencepiece-${file}`)
  const offsets = golden[file]

  it('belongs to the file with the offsets', () => {
    expect(golden.sentencepiece).toBe('0.2.3')
    expect(offsets.map((rows) => rows.length)).toEqual(models.map(({ ids }) => ids.length))
  })

  it.each(models.map((model, i) => [model.name, model, offsets[i] as Rows] as const))(
    '%s',
    (name, model, rows) => {
      const deviates = name.startsWith('deviation')
      let compared = 0
      // Under `special` nothing is reserved that text can spell; under `structural` trusted text spells marks.
      for (const [reserve, make] of [
        ['special', (text: string) => text],
        ['structural', trusted],
      ] as ['special' | 'structural', (text: string) => EncodeInput][]) {
        const bytes = modelFile(model.model, charsmaps?.[model.charsmap ?? ''])
        const tokenizer = Tokenizer.from(bytes, { reserve, sentencePieceVersion: '0.2.3' })
        for (const [i, text] of [...shared, ...model.texts].entries()) {
          const ours = tokenizer.encode(make(text), { offsets: true })
          expect(ours.ids).toEqual(tokenizer.encode(make(text)))
          // Trusted text may spell control pieces, which SentencePiece never finds.
          const same = String([...ours.ids]) === String(model.ids[i])
          if (!same && (deviates || reserve === 'structural')) continue
          compared++
          const expected = [...(rows[i] as number[])]
          // A mark of ours has its spelling alone; SentencePiece gives it what a charsmap drops behind it too.
          ours.ids.forEach((id, k) => {
            const end = 2 * k + 1
            if (tokenizer.isReserved(id))
              expected[end] = Math.min(expected[end] ?? 0, ours.byteOffsets[end] ?? 0)
          })
          expect([...ours.byteOffsets], JSON.stringify(text)).toEqual(expected)
          const utf8 = Buffer.from(text.toWellFormed())
          const units = Array.from(ours.byteOffsets, (at) => utf8.subarray(0, at).toString().length)
          expect([...ours.offsets]).toEqual(units)
        }
      }
      expect(compared).toBeGreaterThan(deviates ? 100 : shared.length + model.texts.length)
    },
  )
})
