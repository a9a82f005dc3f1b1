// Each name of tokenizer.ggml.pre with GPT-2's vocabulary, and the vocabularies of ../shared with their own name: ids must be
// those of the same components in Hugging Face's library.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PRE_TOKENIZERS, type PreTokenizer } from '../../src/load/gguf/pre-tokenizers.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { type BpeJson, ggufBytes, ggufFromBpeJson } from '../fixtures/gguf-writer.js'
import { originalBertJson, originalJson } from './gguf-original.js'
import { describeShared, randomTexts, sharedFile, trickyTexts } from './shared.js'
import { huggingFace, realTokenizer } from './tokenizers.js'

const SEED = 20261130
const DIGITS = [
  '1234567',
  '12345',
  '12345678 1234',
  '12a345',
  '١٢٣٤٥٦٧',
  '½1234',
  'a1b22c333d4444',
  '\r\n\r\n 1\n',
]
const TEXTS = [...DIGITS, ...randomTexts(SEED, 150), ...trickyTexts(SEED, 400, DIGITS)].map((text) =>
  text.toWellFormed(),
)

async function expectSame(bytes: Uint8Array, original: object): Promise<void> {
  const tokenizer = Tokenizer.from(bytes)
  const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
  const theirs = await huggingFace(original).encode(TEXTS)
  TEXTS.forEach((text, i) => {
    if (theirs[i]?.some((id) => reserved.has(id))) return
    expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(theirs[i])
  })
}

describe('names with the vocabulary of GPT-2', { timeout: 120_000 }, () => {
  const json = realTokenizer('gpt2').read()
  // Names with one pre-tokenizer share its steps.
  const byRules = new Map<string, [string, PreTokenizer]>()
  for (const [name, pre] of PRE_TOKENIZERS) {
    const key = JSON.stringify([pre.steps, pre.normalizers, pre.ignoreMerges])
    if (!byRules.has(key)) byRules.set(key, [name, pre])
  }
  const architectures = new Map([['gpt-neox', 'gptneox']]) // no file names it
  it.skipIf(json === undefined).each([...byRules.values()])('%s', async (name, pre) => {
    const gpt2 = JSON.parse(new TextDecoder().decode(json)) as BpeJson
    const architecture = architectures.get(name)
    const inputs = ggufFromBpeJson(gpt2, architecture === undefined ? name : 'default')
    const more =
      architecture === undefined ? {} : { 'general.architecture': ['string', architecture] as const }
    const bytes = ggufBytes({ ...inputs, ...more })
    await expectSame(bytes, originalJson(bytes, pre))
  })
})

describeShared('vocabularies of llama.cpp', () => {
  it.each([
    ['deepseek-coder', 'deepseek-coder'],
    ['deepseek-llm', 'deepseek-llm'],
    ['gpt-2', 'gpt-2'],
    ['gpt-neox', 'gpt-neox'],
  ])('%s', { timeout: 120_000 }, async (vocabulary, name) => {
    const file = sharedFile('data', 'gguf', `ggml-vocab-${vocabulary}.gguf`) as string
    const bytes = readFileSync(file)
    await expectSame(bytes, originalJson(bytes, PRE_TOKENIZERS.get(name) as PreTokenizer))
  })

  it('bert-bge', { timeout: 120_000 }, async () => {
    const bytes = readFileSync(sharedFile('data', 'gguf', 'ggml-vocab-bert-bge.gguf') as string)
    await expectSame(bytes, originalBertJson(bytes))
  })
})
