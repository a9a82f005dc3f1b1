import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { PRE_TOKENIZERS } from '../../../src/load/gguf/pre-tokenizers.js'

it('docs/gguf.md has each name of tokenizer.ggml.pre once, with the right normalizer', () => {
  const docs = readFileSync(path.resolve(import.meta.dirname, '../../../docs/gguf.md'), 'utf8')
  const table = docs.slice(docs.indexOf('## Pre-tokenizers'), docs.indexOf('## Where llama.cpp differs'))
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const normalizers = rows.flatMap((row) => {
    const [, names = '', , normalizer = ''] = row.split('|')
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, normalizer.trim()])
  })
  const expected = [...PRE_TOKENIZERS].map(([name, pre]) => [
    name,
    pre.normalizers.map(({ type }) => type).join(),
  ])
  expect(normalizers.sort()).toEqual(expected.sort())
})
