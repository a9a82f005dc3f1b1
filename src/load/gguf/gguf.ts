import type { PipelineSpec } from '../pipeline-spec.js'
import { quoted } from '../quoted.js'
import { readTokenizerJson } from '../tokenizer-json.js'
import type { TokenizerSpec } from '../tokenizer-spec.js'
import { readByteFallback } from './byte-fallback.js'
import { readByteLevel } from './byte-level.js'
import { type ByteSource, memorySource, withFileSource } from './byte-source.js'
import { readGgufHeader } from './container.js'
import { Metadata } from './metadata.js'
import { readSentencePiece } from './sentencepiece.js'
import { type TokenRole, Vocabulary } from './vocabulary.js'
import { readWordPiece } from './word-piece.js'

/** What a GGUF file says about text, and nothing of its tensors. */
export interface GgufFile {
  readonly spec: TokenizerSpec | PipelineSpec
  /** `general.architecture`, such as `llama`; `''` where it is missing. */
  readonly architecture: string
  /** Jinja templates by name; that of `tokenizer.chat_template` is `default`. */
  readonly chatTemplates: Readonly<Record<string, string>>
  /** Tokens with a role: `bos_token`, `eos_token`, `eot_token`, `pad_token`, `fim_prefix_token` and so on. */
  readonly specialTokens: Readonly<Record<string, SpecialToken>>
  /** What ends the model's turn, in order of id. */
  readonly eosTokenIds: readonly number[]
  /** How many tokens the model was made for. */
  readonly contextLength: number | undefined
}

export interface SpecialToken {
  readonly id: number
  readonly text: string
}

/** Pre-tokenizers that stand for another kind of tokenizer. */
const BYTE_FALLBACK_NAMES = ['gemma4', 'granite-embed-multi-311m', 'sarvam-moe']

/**
 * Reads the vocabulary and the chat templates of a GGUF file. Of a file, only the header is read, however many gigabytes
 * of tensors follow.
 *
 * @param file a path, or the bytes of a file or of its beginning with the whole header
 * @param source its name, for messages; default the path, or `<bytes>`
 * @throws TokenizerFileError when the header or the vocabulary is malformed; `where` is the key and the byte
 * @throws UnsupportedTokenizerError for tokenizers and pre-tokenizers that cannot be reproduced exactly
 *
 * @example
 * const { spec, chatTemplates, eosTokenIds } = readGguf('models/qwen3-0.6b-q8_0.gguf')
 *
 * Sources: ggml's docs/gguf.md; llama.cpp's converters and src/llama-vocab.cpp for what the keys mean. Ids are those of
 * the model's tokenizer.json or SentencePiece model: docs/gguf.md says where llama.cpp has others.
 */
export function readGguf(file: string | Uint8Array, source?: string): GgufFile {
  if (typeof file !== 'string') return read(memorySource(file), source ?? '<bytes>')
  return withFileSource(file, (bytes) => read(bytes, source ?? file))
}

function read(bytes: ByteSource, source: string): GgufFile {
  const header = readGgufHeader(
    bytes,
    source,
    (key) =>
      key.startsWith('tokenizer.') || key === 'general.architecture' || key.endsWith('.context_length'),
  )
  const metadata = new Metadata(source, header)
  const architecture = metadata.optionalString('general.architecture') ?? ''
  const chatTemplates = readTemplates(metadata)
  const vocabulary = new Vocabulary(metadata, Object.values(chatTemplates))
  const { spec, roles } = readTokenizer(metadata, vocabulary, architecture)
  return {
    spec,
    architecture,
    chatTemplates,
    specialTokens: Object.fromEntries(
      [...vocabulary.specials].map(([role, id]) => [role, { id, text: vocabulary.text(id) }]),
    ),
    eosTokenIds: vocabulary.endIds(roles),
    contextLength: metadata.integer(`${architecture}.context_length`),
  }
}

function readTokenizer(
  metadata: Metadata,
  vocabulary: Vocabulary,
  architecture: string,
): { spec: TokenizerSpec | PipelineSpec; roles: readonly TokenRole[] } {
  const json = metadata.optionalString('tokenizer.huggingface.json')
  if (json !== undefined) {
    const spec = readTokenizerJson(
      new TextEncoder().encode(json),
      `${metadata.source}: tokenizer.huggingface.json`,
    )
    return { spec, roles: vocabulary.roles(() => true) }
  }
  const model = metadata.string('tokenizer.ggml.model')
  const pre = metadata.optionalString('tokenizer.ggml.pre') ?? ''
  if (model === 'llama' || model === 't5') return readSentencePiece(metadata, vocabulary, model)
  if (model === 'gemma4' || (model === 'gpt2' && BYTE_FALLBACK_NAMES.includes(pre))) {
    return readByteFallback(metadata, vocabulary)
  }
  if (model === 'gpt2') return readByteLevel(metadata, vocabulary, architecture)
  if (model === 'bert') return readWordPiece(metadata, vocabulary)
  throw metadata.unsupported(
    `tokenizer.ggml.model ${quoted(model)}`,
    'this version reads llama, t5, gpt2, gemma4 and bert',
  )
}

/** `tokenizer.chat_template` and, for models with several, `tokenizer.chat_template.NAME`. */
function readTemplates(metadata: Metadata): Readonly<Record<string, string>> {
  const templates = new Map<string, string>()
  const prefix = 'tokenizer.chat_template'
  for (const key of metadata.keys) {
    if (key === prefix) templates.set('default', metadata.string(key))
    else if (key.startsWith(`${prefix}.`)) templates.set(key.slice(prefix.length + 1), metadata.string(key))
  }
  return Object.fromEntries(templates)
}
