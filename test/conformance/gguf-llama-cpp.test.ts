// Ids of GGUF files by us, by the original tokenizer and by llama.cpp. Where llama.cpp is known to differ, a rule says in
// which texts: there our ids must be the original's. docs/gguf.md explains the rules.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRE_TOKENIZERS, type PreTokenizer } from '../../src/load/gguf/pre-tokenizers.js'
import { readSentencePieceModel } from '../../src/load/sentencepiece-model.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import {
  type BpeJson,
  type GgufInputs,
  ggufBytes,
  ggufFromBpeJson,
  ggufFromGemmaJson,
  ggufFromSentencePiece,
} from '../fixtures/gguf-writer.js'
import { originalBertJson, originalJson } from './gguf-original.js'
import { llamaCpp, llamaCppFile } from './llama-cpp.js'
import { randomTexts, sharedFile, trickyTexts } from './shared.js'
import { huggingFace, realTokenizer } from './tokenizers.js'

const SEED = Number(process.env.SAFETOKENS_SEED ?? 20261130)
const STRINGS = Number(process.env.SAFETOKENS_STRINGS ?? 1000)

/** Letters and others that came with Unicode 16, which llama.cpp's tables do not have yet. */
const UNICODE_16 =
  /[\u0897\u1c89\u1c8a\ua7cb-\ua7cd\ua7da-\ua7dc\u{105c0}-\u{105ff}\u{10d40}-\u{10d8f}\u{10ec2}-\u{10ec4}\u{10efc}\u{11380}-\u{113ff}\u{116d0}-\u{116ff}\u{11bc0}-\u{11bff}\u{11f5a}\u{13460}-\u{143ff}\u{16100}-\u{1613f}\u{16d40}-\u{16d7f}\u{18cff}\u{1cc00}-\u{1cebf}\u{1e5d0}-\u{1e5ff}\u{1f8b2}-\u{1f8c1}\u{1fa89}-\u{1fa8f}\u{1fabe}-\u{1fac6}\u{1fadc}\u{1fadf}\u{1fae9}\u{1fbcb}-\u{1fbef}]/u

/** What the tables of Hugging Face's library, of Unicode 8, do not call punctuation, and some of what they do. */
const NEW_PUNCTUATION =
  /[\u061d\u09fd\u0a76\u0c77\u0c84\u1b4e\u1b4f\u1b7d-\u1b7f\u2e43-\u2e5d]|(?=\p{P})[\u{10000}-\u{1ffff}]/u

/** In which texts llama.cpp differs, beyond those with Unicode 16. */
const RULES = {
  nothing: () => false,
  'it does not normalize': (text: string) => text.normalize('NFC') !== text,
  'its pattern knows no marks and no long s': (text: string) => /\p{M}|'\u017f/u.test(text),
  'its classes have no white space': (text: string) =>
    /[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(text),
  'it finds no pieces of spaces in U+2581': (text: string) => text.includes('\u2581'),
  'it takes spaces for added tokens': (text: string) => /\u2581| {32}/.test(text),
  'it does not trim U+2581': (text: string) => /\u2581[\s\u2581]*$/.test(text),
  'it normalizes in its own way': (text: string) =>
    /[\uac00-\ud7a3\v\f\u0085\u2581]|\p{M}|\p{Cf}|\S{101}/u.test(text) || NEW_PUNCTUATION.test(text),
} as const

const FILES: readonly [
  name: string,
  kind: string,
  rule: keyof typeof RULES,
  write: (json: BpeJson) => GgufInputs,
][] = [
  ['llama3_1', 'llama-bpe', 'nothing', (json) => ggufFromBpeJson(json, 'llama-bpe')],
  ['qwen3', 'qwen2', 'it does not normalize', (json) => ggufFromBpeJson(json, 'qwen2', 151936)],
  ['deepseek_v3', 'deepseek-v3', 'nothing', (json) => ggufFromBpeJson(json, 'deepseek-v3', 129280)],
  ['gpt4o', 'gpt-4o', 'its pattern knows no marks and no long s', (json) => ggufFromBpeJson(json, 'gpt-4o')],
  ['gpt2', 'gpt-2', 'nothing', (json) => ggufFromBpeJson(json, 'gpt-2')],
  ['gemini', 'SentencePiece', 'it finds no pieces of spaces in U+2581', ggufFromGemmaJson],
  [
    'gemini',
    'gemma4',
    'it takes spaces for added tokens',
    (json) =>
      ggufFromBpeJson(json, 'gemma4', 0, {
        'tokenizer.ggml.model': ['string', 'gemma4'],
        'tokenizer.ggml.bos_token_id': ['u32', 2],
        'tokenizer.ggml.unknown_token_id': ['u32', 3],
      }),
  ],
]

const DEEPSEEK_LLM = PRE_TOKENIZERS.get('deepseek-llm') as PreTokenizer

const found = llamaCppFile()
const title = found === undefined ? 'llama.cpp (skipped: node-llama-cpp is absent)' : 'llama.cpp'

describe.skipIf(found === undefined)(title, { timeout: 3_600_000 }, () => {
  let folder: string
  let load: Awaited<ReturnType<typeof llamaCpp>>
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'safetokens-gguf-'))
    load = await llamaCpp(found as string)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const texts = [...randomTexts(SEED, STRINGS, { nul: false }), ...trickyTexts(SEED, STRINGS)]
    .map((text) => text.toWellFormed())
    .filter((text) => !text.includes('\0')) // llama.cpp takes C strings

  describe.each(FILES)('%s, %s, %s', (name, kind, rule, write) => {
    const real = realTokenizer(name)
    const bytes = real.read()
    it.skipIf(bytes === undefined)('has our ids, but by the rule', async () => {
      const json = JSON.parse(new TextDecoder().decode(bytes)) as BpeJson
      const file = path.join(folder, `${kind}.gguf`)
      writeFileSync(file, ggufBytes(write(json)))
      const tokenizer = await Tokenizer.load(file)
      const theirs = await load(file)
      const original = await real.reference(bytes as Uint8Array).encode(texts)
      const names = tokenizer.reserved.map((token) => token.name)
      const counts = { same: 0, byRule: 0 }
      texts.forEach((text, i) => {
        if (names.some((token) => text.includes(token))) return // the original finds them in text
        const ids = [...tokenizer.encode(text)]
        const described = JSON.stringify(text)
        if (RULES[rule](text) || UNICODE_16.test(text)) {
          counts.byRule++
          if (kind !== 'SentencePiece') expect(ids, described).toEqual(original[i])
        } else {
          counts.same++
          expect(ids, `${described}: llama.cpp`).toEqual(theirs.tokenize(text))
        }
      })
      await theirs.dispose()
      expect(counts.same).toBeGreaterThan(texts.length / 3)
    })
  })

  it.each<[name: string, rule: keyof typeof RULES, original?: (bytes: Uint8Array) => object]>([
    ['deepseek-coder', 'nothing'],
    ['deepseek-llm', 'its classes have no white space', (bytes) => originalJson(bytes, DEEPSEEK_LLM)],
    ['gpt-2', 'nothing'],
    ['llama-spm', 'nothing'],
    ['phi-3', 'nothing'],
    ['bert-bge', 'it normalizes in its own way', originalBertJson],
  ])('%s, %s', async (name, rule, original) => {
    const file = sharedFile('data', 'gguf', `ggml-vocab-${name}.gguf`)
    if (file === undefined) return
    const tokenizer = await Tokenizer.load(file)
    const theirs = await load(file)
    const originals = original && (await huggingFace(original(readFileSync(file))).encode(texts))
    const names = tokenizer.reserved.map((token) => token.name)
    texts.forEach((text, i) => {
      if (names.some((token) => text.includes(token))) return
      const expected = RULES[rule](text) || UNICODE_16.test(text) ? originals?.[i] : theirs.tokenize(text)
      if (expected) expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(expected)
    })
    await theirs.dispose()
  })

  it.each(['albert_30k-clean', 'sentencepiece_test_model', 'sentencepiece_test_ja_model'])(
    '%s as t5, it does not trim U+2581, and sums scores otherwise',
    async (name) => {
      const model = sharedFile('data', 'spm', `${name}.model`)
      if (model === undefined) return
      const spec = readSentencePieceModel(readFileSync(model), name)
      const original = Tokenizer.fromSpec(spec, {})
      const file = path.join(folder, `${name}.gguf`)
      const unknown = spec.pieces.types.indexOf(PieceType.UNKNOWN)
      const inputs = ggufFromSentencePiece(spec, { 'tokenizer.ggml.unknown_token_id': ['u32', unknown] })
      writeFileSync(file, ggufBytes(inputs))
      const tokenizer = await Tokenizer.load(file)
      const theirs = await load(file)
      const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)
      for (const text of texts) {
        const ids = [...tokenizer.encode(text)]
        const described = JSON.stringify(text)
        expect(ids, described).toEqual([...original.encode(text)])
        if (RULES['it does not trim U+2581'](text)) continue
        // Where a text can be parted in ways of equal score, rounding decides: the pieces are the same, in another order.
        expect(sorted(ids), `${described}: llama.cpp`).toEqual(sorted(theirs.tokenize(text)))
      }
      await theirs.dispose()
    },
  )
})
