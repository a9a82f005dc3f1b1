// llama.cpp's own test strings, with the ids that transformers gave for them.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { describeShared, sharedFile } from './shared.js'
import { realTokenizer } from './tokenizers.js'

const PAIRS = [
  ['llama-bpe', 'llama3_1'],
  ['qwen2', 'qwen3'],
  ['deepseek-r1-qwen', 'qwen3'],
  ['gpt-2', 'gpt2'],
  ['llama-spm', 'llama2-legacy'],
] as const

/** Whose vocabulary is a GGUF file of ../shared too. */
const GGUF_FILES = ['bert-bge', 'deepseek-coder', 'deepseek-llm', 'gpt-2', 'llama-spm', 'phi-3'] as const

function expectPairs(vocabulary: string, tokenizer: Tokenizer): void {
  const read = (name: string) => readFileSync(sharedFile('data', 'gguf', name) as string, 'utf8')
  const inputs = read(`ggml-vocab-${vocabulary}.gguf.inp`).split('\n__ggml_vocab_test__\n')
  const lines = read(`ggml-vocab-${vocabulary}.gguf.out`).split('\n')
  const expected = lines.map((line) => line.split(' ').filter(Boolean).map(Number))
  expect(inputs.map((text) => [...tokenizer.encode(text)])).toEqual(expected)
  expect(inputs).toHaveLength(47)
}

describeShared('the vocabulary tests of llama.cpp', () => {
  it.each(PAIRS)('%s', { timeout: 60_000 }, (vocabulary, name) => {
    const real = realTokenizer(name)
    expectPairs(vocabulary, real.load(real.read() as Uint8Array))
  })

  it.each(GGUF_FILES)('%s as a GGUF file', { timeout: 60_000 }, async (vocabulary) => {
    const file = sharedFile('data', 'gguf', `ggml-vocab-${vocabulary}.gguf`) as string
    expectPairs(vocabulary, await Tokenizer.load(file))
  })
})
