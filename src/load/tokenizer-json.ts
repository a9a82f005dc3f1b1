import { UnsupportedTokenizerError } from '../errors.js'
import type { AddedTokenSpec, NormalizerStep, PipelineSpec, PreTokenizerStep } from './pipeline-spec.js'
import { quoted, shortened } from './quoted.js'
import type { FolderTokens } from './special-tokens.js'
import { TokenKind, type TokenTable } from './token-table.js'
import { TokenTableBuilder } from './token-table-builder.js'
import { addFolderTokens, readAddedTokens } from './tokenizer-json/added-tokens.js'
import { toRawBytes } from './tokenizer-json/byte-alphabet.js'
import { DECODERS } from './tokenizer-json/decoders.js'
import { JsonReader, type JsonValue } from './tokenizer-json/json-reader.js'
import { readModel } from './tokenizer-json/model.js'
import { NativeVocabulary, type VocabularyIndex } from './tokenizer-json/native-vocabulary.js'
import { NORMALIZERS } from './tokenizer-json/normalizers.js'
import { readPostProcessor } from './tokenizer-json/post-processor.js'
import { PRE_TOKENIZERS } from './tokenizer-json/pre-tokenizers.js'
import { readSteps } from './tokenizer-json/steps.js'
import { findToken, NativeTables } from './tokenizer-json/vocabulary.js'

/** `truncation` and `padding` are about batches; the libraries that load these files set them per call. */
const FIELDS = ['version', 'truncation', 'padding', 'added_tokens', 'normalizer', 'pre_tokenizer']
const MORE_FIELDS = ['post_processor', 'decoder', 'model']

/**
 * Reads a `tokenizer.json` of Hugging Face's `tokenizers`.
 *
 * @param bytes the whole file; it is only read
 * @param source its name, for messages
 * @param added tokens that the configs of its folder add
 * @throws TokenizerFileError when the file is malformed; `where` is the JSON path, or line and column
 * @throws UnsupportedTokenizerError for components, fields and values that this version does not know
 *
 * Source of behaviour: `tokenizers` 0.23.2. It is stricter in what no sound file has: tokens, ids and fields that
 * occur twice, ids that contradict each other, unknown fields.
 */
export function readTokenizerJson(bytes: Uint8Array, source: string, added?: FolderTokens): PipelineSpec {
  const reader = new JsonReader(bytes, source)
  let modelFields: ReadonlyMap<string, number> | undefined
  const tables = new NativeTables()
  const places = reader.fields('$', (name) => {
    if (name === 'model') modelFields = reader.fields('$.model', (field) => tables.pass(reader, field))
    else reader.skip()
  })
  reader.end()
  for (const name of places.keys()) {
    if (!FIELDS.includes(name) && !MORE_FIELDS.includes(name)) {
      throw new UnsupportedTokenizerError(
        source,
        `field ${shortened(name)}`,
        '$: this version does not know what it means',
      )
    }
  }
  const value = (name: string): JsonValue | undefined => {
    const place = places.get(name)
    return place === undefined ? undefined : reader.valueAt(place)
  }
  const version = value('version') ?? '1.0'
  if (version !== '1.0') {
    throw new UnsupportedTokenizerError(
      source,
      `version ${quoted(version)}`,
      '$.version: only "1.0" is known',
    )
  }
  const normalizers = readSteps(NORMALIZERS, source, '$.normalizer', value('normalizer'))
  const preTokenizers = readSteps(PRE_TOKENIZERS, source, '$.pre_tokenizer', value('pre_tokenizer'))
  if (modelFields === undefined) throw reader.error('$.model', 'it is missing: this is not a tokenizer.json')
  const { model, vocabulary } = readModel(reader, modelFields, tables, () =>
    isByteLevel(normalizers, preTokenizers) ? 'bytes' : 'characters',
  )
  const inFile = readAddedTokens(source, value('added_tokens'), vocabulary)
  const addedTokens = added === undefined ? inFile : addFolderTokens(inFile, vocabulary, added)
  const byteLevel = model.type === 'bpe' && model.alphabet === 'bytes'
  const tokens = tokenTable(reader, vocabulary, addedTokens, inFile.length, byteLevel)
  return {
    source,
    semantics: 'huggingface',
    tokens,
    model,
    addedTokens,
    normalizers,
    preTokenizers,
    decoders: readSteps(DECODERS, source, '$.decoder', value('decoder')),
    postProcessor: readPostProcessor(
      source,
      value('post_processor'),
      (id) => (tokens.kinds[id] ?? TokenKind.NONE) !== TokenKind.NONE,
    ),
  }
}

/** What may come behind ByteLevel: it only parts words. */
const SPLITTERS: readonly string[] = ['Split', 'Digits', 'Punctuation', 'Whitespace', 'WhitespaceSplit']

/**
 * Whether the model sees bytes: text goes through ByteLevel, once and last but for steps that part words. Other steps
 * behind it change the byte alphabet's characters, and then the model sees characters.
 */
function isByteLevel(
  normalizers: readonly NormalizerStep[],
  preTokenizers: readonly PreTokenizerStep[],
): boolean {
  const steps = [...normalizers, ...preTokenizers]
  const first = steps.findIndex((step) => step.type === 'ByteLevel')
  return first >= 0 && steps.slice(first + 1).every(({ type }) => SPLITTERS.includes(type))
}

function tokenTable(
  reader: JsonReader,
  read: VocabularyIndex,
  addedTokens: readonly AddedTokenSpec[],
  inFile: number,
  byteLevel: boolean,
): TokenTable {
  const isNative = read instanceof NativeVocabulary
  const isNew = ({ content }: AddedTokenSpec): boolean => findToken(read, content) === undefined
  const table = isNative ? read.table(byteLevel, addedTokens.filter(isNew)) : undefined
  if (table !== undefined) return table
  const vocabulary = isNative ? read.inTypeScript() : read
  const builder = new TokenTableBuilder()
  let raw = new Uint8Array(64)
  vocabulary.forEach((id, bytes, start, end) => {
    if (end - start > raw.length) raw = new Uint8Array(2 * (end - start))
    const length = byteLevel ? toRawBytes(bytes, start, end, raw) : -1
    if (length > 0) builder.add(id, TokenKind.MODEL, raw, 0, length)
    else
      builder.add(id, byteLevel || start === end ? TokenKind.UNREACHABLE : TokenKind.MODEL, bytes, start, end)
  })
  const paths: string[] = []
  addedTokens.forEach((token, i) => {
    // Ids of the vocabulary are below or, if it has holes, among those of added tokens.
    if (!isNew(token)) return
    builder.add(token.id, TokenKind.ADDED, new TextEncoder().encode(token.content))
    paths.push(i < inFile ? `$.added_tokens[${i}].id` : `the added token ${quoted(token.content)}`)
  })
  return builder.finish((entry, message) => {
    const inVocabulary = `$.model.vocab[${quoted(vocabulary.text(entry))}]`
    return reader.error(
      entry < vocabulary.count ? inVocabulary : (paths[entry - vocabulary.count] ?? '$'),
      message,
    )
  })
}
