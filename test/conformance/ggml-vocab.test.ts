// llama.cpp's own test strings, with the ids that transformers gave for them.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeShared, sharedFile } from './shared.js'
import { realTokenizer } from './tokenizers.js'

const PAIRS = [
  ['llama-bpe', 'llama3_1'],
  ['qwen2', 'qwen3'],
  ['deepseek-r1-qwen', 'qwen3'],
  ['gpt-2', 'gpt2'],
  ['llama-spm', 'llama2-legacy'],
] as const

describeShared('the vocabulary tests of llama.cpp', () => {
  const read = (name: string) => readFileSync(sharedFile('data', 'gguf', name) as string, 'utf8')

  it.each(PAIRS)('%s', { timeout: 60_000 }, (vocabulary, name) => {
    const inputs = read(`ggml-vocab-${vocabulary}.gguf.inp`).split('\n__ggml_vocab_test__\n')
    const lines = read(`ggml-vocab-${vocabulary}.gguf.out`).split('\n')
    const real = realTokenizer(name)
    const tokenizer = real.load(real.read() as Uint8Array)
    const expected = lines.map((line) => line.split(' ').filter(Boolean).map(Number))
    expect(inputs.map((text) => [...tokenizer.encode(text)])).toEqual(expected)
    expect(inputs).toHaveLength(47)
  })
})
