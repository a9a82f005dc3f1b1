import type { AddedTokenSpec, BpeSpec, PipelineSpec } from '../pipeline-spec.js'
import { quoted } from '../quoted.js'
import { TokenKind } from '../token-table.js'
import { TokenTableBuilder } from '../token-table-builder.js'
import { BYTE_CHARACTERS, toRawBytes } from '../tokenizer-json/byte-alphabet.js'
import type { TokenIndex } from '../tokenizer-json/token-index.js'
import { indexTokens, readMerges } from './merges.js'
import type { Metadata } from './metadata.js'
import { PRE_TOKENIZERS, type PreTokenizer, preTokenizerOf } from './pre-tokenizers.js'
import { readTemplate } from './template.js'
import type { TokenRole, Vocabulary } from './vocabulary.js'

/**
 * Reads the tokenizer `gpt2`: byte-level BPE. The file has the tokens and merges of a tokenizer.json; normalizer,
 * pre-tokenizer and flags are known by the name in `tokenizer.ggml.pre`.
 */
export function readByteLevel(metadata: Metadata, vocabulary: Vocabulary, architecture: string): ByteLevel {
  const pre = readPreTokenizer(metadata, architecture)
  const index = indexTokens(metadata, vocabulary.tokens)
  addSpelled(index, vocabulary)
  const byRank = pre.ranks && metadata.optionalStrings('tokenizer.ggml.merges') === undefined
  const merges = byRank ? 'ranks' : readMerges(metadata, index)
  const inMerges = new Uint8Array(vocabulary.size)
  const results = new Uint8Array(vocabulary.size)
  if (merges !== 'ranks') {
    for (const id of merges) inMerges[id] = 1
    for (let i = 2; i < merges.length; i += 3) results[merges[i] as number] = 1
  }
  const emits = (id: number) => results[id] === 1 || [...vocabulary.text(id)].length === 1
  const roles = vocabulary.roles(emits)

  const builder = new TokenTableBuilder()
  const addedTokens: AddedTokenSpec[] = []
  const mask = vocabulary.specials.get('mask_token')
  roles.forEach((role, id) => {
    const isAdded = role !== 'text' && role !== 'padding' && role !== 'unused'
    if (isAdded && vocabulary.text(id) !== '') {
      addedTokens.push(addedToken(id, vocabulary.text(id), role, pre.maskStripsLeft && id === mask))
    }
    addToTable(builder, vocabulary, id, role, inMerges[id] === 1)
  })
  const spec: PipelineSpec = {
    source: metadata.source,
    semantics: 'huggingface',
    tokens: builder.finish((_, message) => metadata.error('tokenizer.ggml.tokens', message)),
    model: { ...BYTE_LEVEL_BPE, merges, ignoreMerges: pre.ignoreMerges },
    addedTokens,
    normalizers: pre.normalizers,
    preTokenizers: pre.steps,
    decoders: [{ type: 'ByteLevel' }],
    postProcessor: readTemplate(metadata, vocabulary, { addBos: pre.addBos, secondBegin: pre.secondBegin }),
  }
  return { spec, roles }
}

export interface ByteLevel {
  readonly spec: PipelineSpec
  readonly roles: readonly TokenRole[]
}

/** There is no unk: Hugging Face's byte-level models leave out a byte that has no token. */
const BYTE_LEVEL_BPE: Omit<BpeSpec, 'merges' | 'ignoreMerges'> = {
  type: 'bpe',
  alphabet: 'bytes',
  byteFallback: false,
  fuseUnk: false,
  unkId: undefined,
  continuingSubwordPrefix: '',
  endOfWordSuffix: '',
}

function readPreTokenizer(metadata: Metadata, architecture: string): PreTokenizer {
  const name = metadata.optionalString('tokenizer.ggml.pre') ?? 'default'
  const found = name === 'default' || name === '' ? preTokenizerOf(architecture) : PRE_TOKENIZERS.get(name)
  if (found !== undefined) return found
  if (name === 'default' || name === '') {
    throw metadata.unsupported(
      'no tokenizer.ggml.pre',
      `the file does not say how text is split, and models of the architecture ${quoted(architecture)} differ;` +
        ' use a file of a newer converter, or the tokenizer.json of the model',
    )
  }
  throw metadata.unsupported(
    `tokenizer.ggml.pre ${quoted(name)}`,
    'this version does not know how it splits text; use the tokenizer.json of the model',
  )
}

/**
 * Converters write added tokens as plain text. One that is also part of merges stands there in GPT-2's printable
 * alphabet, so it is indexed under that spelling as well.
 */
function addSpelled(index: TokenIndex, vocabulary: Vocabulary): void {
  const { bytes, offsets, count } = vocabulary.tokens
  for (let id = 0; id < count; id++) {
    if (vocabulary.type(id) === 1) continue
    let spelled = ''
    for (let i = offsets[id] as number; i < (offsets[id + 1] as number); i++) {
      spelled += BYTE_CHARACTERS[bytes[i] as number]
    }
    const text = utf8.encode(spelled)
    if (text.length > 0) index.add(text, 0, text.length, id)
  }
}

function addedToken(id: number, content: string, role: TokenRole, lstrip: boolean): AddedTokenSpec {
  const special = role !== 'added'
  return { id, content, singleWord: false, lstrip, rstrip: false, normalized: false, special }
}

function addToTable(
  builder: TokenTableBuilder,
  { tokens: { bytes, offsets } }: Vocabulary,
  id: number,
  role: TokenRole,
  inMerges: boolean,
): void {
  const start = offsets[id] as number
  const end = offsets[id + 1] as number
  if (role === 'text') {
    const raw = new Uint8Array(end - start)
    const length = toRawBytes(bytes, start, end, raw)
    if (length > 0) builder.add(id, TokenKind.MODEL, raw, 0, length)
    else builder.add(id, TokenKind.UNREACHABLE, bytes, start, end)
  } else if (role === 'unused' || start === end) {
    builder.add(id, TokenKind.UNREACHABLE, bytes, start, end)
  } else if (role !== 'padding')
    builder.add(id, inMerges ? TokenKind.MODEL : TokenKind.ADDED, bytes, start, end)
}

const utf8 = new TextEncoder()
