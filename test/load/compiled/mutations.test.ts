// Compiled models with something wrong and a checksum that fits: each gives a typed error, or a working, certified model.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../../src/cli/package-files.js'
import { readSentencePieceModel } from '../../../src/load/sentencepiece-model.js'
import { readTokenizerJson } from '../../../src/load/tokenizer-json.js'
import { compileFiles } from '../../../src/tokenizer/compile-files.js'
import { compileModel } from '../../../src/tokenizer/compile-model.js'
import { BASE_JSONS, UNIGRAM_JSONS } from '../../fixtures/json-mutations.js'
import { expectSound, ModelGuard } from '../../fixtures/model-guard.js'
import { TEXTS, UNLISTED } from '../../fixtures/mutation-runs.js'
import { BASE_MODELS, UNIGRAM_MODELS } from '../../fixtures/mutations.js'
import { wordLevelJson, wordPieceJson } from '../../fixtures/word-models.js'
import { mutated, mutatedStored } from './mutated.js'

const BESIDE = { config: undefined, folder: undefined, warnings: [] }

async function bases(): Promise<{ name: string; file: Uint8Array }[]> {
  return [
    { name: 'mini-chatml', file: await compileModel('models/mini-chatml') },
    { name: 'mini-chatglm3', file: await compileModel(defaultModelPath()) },
    ...[...BASE_MODELS, ...UNIGRAM_MODELS].map(({ name, bytes }) => ({
      name,
      file: compileFiles({ spec: readSentencePieceModel(bytes, name), ...BESIDE }),
    })),
    ...[
      ...[...BASE_JSONS, ...UNIGRAM_JSONS].map(({ name, text }) => [name, text] as const),
      ['WordPiece', JSON.stringify(wordPieceJson())] as const,
      ['WordLevel', JSON.stringify(wordLevelJson())] as const,
    ].map(([name, text]) => ({
      name,
      file: compileFiles({ spec: readTokenizerJson(new TextEncoder().encode(text), name), ...BESIDE }),
    })),
  ]
}

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('compiled')
})
afterAll(() => guard.stop())

function randomFrom(seed: number): (below: number) => number {
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return (seed >> 8) % below
  }
}

describe('a mutated compiled model', () => {
  it(`has a sound outcome in ${UNLISTED} cases`, { timeout: 600_000 }, async () => {
    const random = randomFrom(20_261_130)
    const models = await bases()
    const kinds = new Set<string>()
    for (let i = 0; i < UNLISTED; i++) {
      const { name, file } = models[i % models.length] as (typeof models)[number]
      const outcome = await guard.run(mutated(file, random), { texts: TEXTS })
      expectSound(outcome, `${name}, number ${i}`)
      kinds.add(outcome.kind)
    }
    expect(kinds).toContain('loads')
    expect(kinds).toContain('TokenizerFileError')
  })

  it(`has one with other native tables in ${UNLISTED} cases`, { timeout: 600_000 }, async () => {
    const random = randomFrom(8)
    const models = (await bases()).filter(({ file }) => mutatedStored(file, random) !== undefined)
    expect(models.length).toBeGreaterThan(1)
    const kinds = new Set<string>()
    for (let i = 0; i < UNLISTED; i++) {
      const { name, file } = models[i % models.length] as (typeof models)[number]
      const outcome = await guard.run(mutatedStored(file, random) as Uint8Array, { texts: TEXTS })
      expectSound(outcome, `${name}, number ${i}`)
      kinds.add(outcome.kind)
    }
    expect(kinds).toContain('loads')
    expect(kinds).toContain('TokenizerFileError')
  })
})
