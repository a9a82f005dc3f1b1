// Broken model files: each gives a typed error that says what and where, or a working, certified model.
// golden/mutations.json and golden/unigram-mutations.json list the outcomes; `npx vitest run test/load/mutations.test.ts
// -u` writes them anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelBytes, type PieceInput } from '../fixtures/model-bytes.js'
import { expectSound, ModelGuard } from '../fixtures/model-guard.js'
import { TEXTS, UNLISTED } from '../fixtures/mutation-runs.js'
import { BASE_MODELS, mutations, UNIGRAM_MODELS } from '../fixtures/mutations.js'

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('mutations')
})
afterAll(() => guard.stop())

describe('a mutated model', () => {
  it('has sound base models', async () => {
    for (const { name, bytes, chatglm3 } of [...BASE_MODELS, ...UNIGRAM_MODELS]) {
      expect(await guard.run(bytes, { texts: TEXTS, chatglm3 }), name).toMatchObject({ kind: 'loads' })
    }
  })

  it.each([
    ['BPE', mutations(60, 2026), 'mutations.json'],
    ['Unigram and words', mutations(100, 2027, UNIGRAM_MODELS), 'unigram-mutations.json'],
  ])('has the listed outcome: %s', { timeout: 120_000 }, async (_, some, golden) => {
    const lines: string[] = []
    for (const { description, model, bytes } of some) {
      const outcome = await guard.run(bytes, { texts: TEXTS, chatglm3: model.chatglm3 })
      expectSound(outcome, description)
      const { kind, message } = outcome
      lines.push(JSON.stringify({ description, kind, message }))
    }
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot(`golden/${golden}`)
  })

  it(`has a sound outcome in ${UNLISTED} more cases of each model`, async () => {
    for (const { description, model, bytes } of mutations(UNLISTED, 7, [...BASE_MODELS, ...UNIGRAM_MODELS])) {
      expectSound(await guard.run(bytes, { texts: TEXTS, chatglm3: model.chatglm3 }), description)
    }
  }, 3_600_000)
})

describe('absurd counts', () => {
  const million = (piece: (i: number) => PieceInput): Uint8Array =>
    modelBytes(Array.from({ length: 1_000_000 }, (_, i) => (i === 0 ? ['<unk>', 0, 2] : piece(i))))

  it.each<[string, (i: number) => PieceInput, string]>([
    ['a million empty pieces', () => ['', 0], 'TokenizerFileError'],
    ['a million times one letter', () => ['a', 0], 'TokenizerFileError'],
  ])(
    '%s',
    async (name, piece, kind) => {
      const outcome = await guard.runAlone(million(piece), { texts: TEXTS })
      expectSound(outcome, name)
      expect(outcome.kind).toBe(kind)
    },
    60_000,
  )
})
