import { readMergesLater } from '../late-merges.js'
import type { LoadWarning } from '../load-warning.js'
import type { CleanUp, ModelFolder, ModelLimits, TokenizerConfig } from '../model-folder.js'
import type {
  BpeSpec,
  DecoderStep,
  ModelSpec,
  NormalizerStep,
  PipelineSpec,
  PostProcessorSpec,
  PreTokenizerStep,
  SplitBehavior,
  TemplateItem,
  TextPattern,
} from '../pipeline-spec.js'
import type { FolderToken, FolderTokens } from '../special-tokens.js'
import { addedColumns, columnFacts, listedColumns, listLater, type TokenColumns } from '../token-columns.js'
import type { TokenTable } from '../token-table.js'
import type { PieceTable, SentencePieceNormalizerSpec, TokenizerSpec } from '../tokenizer-spec.js'
import { LateTable } from './container.js'
import {
  count,
  either,
  flag,
  list,
  mapOf,
  number,
  optional,
  record,
  type Shape,
  table,
  text,
  variant,
  word,
} from './shape.js'

// The shapes of all that the readers of model files give. `source`, a path, is not kept: a model is told by the file
// that it is read from.

type Sourceless<T> = Omit<T, 'source' | 'file'>
/** Programs of patterns and native tables are kept for themselves. */
type StoredPipeline = Omit<PipelineSpec, 'source' | 'file' | 'programs' | 'stored' | 'mapping' | 'memory'>

const nothing: Shape<object> = record<object>({})
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const pattern: Shape<TextPattern> = either(
  (value): value is { readonly literal: string } => 'literal' in value,
  () => record<{ readonly literal: string }>({ literal: text }),
  (flat) => isObject(flat) && Object.hasOwn(flat as object, 'literal'),
  regexPattern,
)

/** Its path is there or not, never undefined. */
function regexPattern(): Shape<Extract<TextPattern, { readonly regex: string }>> {
  const fields = record<{ regex: string; path: string | undefined }>({ regex: text, path: optional(text) })
  return {
    write: ({ regex, path }, tables) => fields.write({ regex, path }, tables),
    read(flat, context) {
      const { regex, path } = fields.read(flat, context)
      return path === undefined ? { regex } : { regex, path }
    },
  }
}

const behavior: Shape<SplitBehavior> = word(
  'removed',
  'isolated',
  'mergedWithPrevious',
  'mergedWithNext',
  'contiguous',
)

const normalizer: Shape<NormalizerStep> = variant<NormalizerStep>({
  NFC: () => nothing,
  NFD: () => nothing,
  NFKC: () => nothing,
  NFKD: () => nothing,
  Lowercase: () => nothing,
  StripAccents: () => nothing,
  ByteLevel: () => nothing,
  Nmt: () => nothing,
  Strip: () => record({ left: flag, right: flag }),
  Prepend: () => record({ text }),
  Replace: () => record({ pattern, content: text }),
  Precompiled: () => record({ charsmap: table(Uint8Array) }),
  BertNormalizer: () =>
    record({ cleanText: flag, handleChineseChars: flag, stripAccents: flag, lowercase: flag }),
})

const prepend = word('always', 'first', 'never')

const preTokenizer: Shape<PreTokenizerStep> = variant<PreTokenizerStep>({
  ByteLevel: () => record({ addPrefixSpace: flag, useRegex: flag }),
  Split: () => record({ pattern, behavior, invert: flag }),
  Metaspace: () => record({ replacement: text, prepend, split: flag }),
  Whitespace: () => nothing,
  WhitespaceSplit: () => nothing,
  BertPreTokenizer: () => nothing,
  UnicodeScripts: () => nothing,
  CharDelimiterSplit: () => record({ delimiter: text }),
  FixedLength: () => record({ length: count }),
  Punctuation: () => record({ behavior }),
  Digits: () => record({ individual: flag }),
})

const decoder: Shape<DecoderStep> = variant<DecoderStep>({
  ByteLevel: () => nothing,
  ByteFallback: () => nothing,
  Fuse: () => nothing,
  Metaspace: () => record({ replacement: text, prepend }),
  BPEDecoder: () => record({ suffix: text }),
  WordPiece: () => record({ prefix: text, cleanup: flag }),
  CTC: () => record({ padToken: text, wordDelimiterToken: text, cleanup: flag }),
  Strip: () => record({ content: text, start: count, stop: count }),
  Replace: () => record({ pattern, content: text }),
})

/** Merges may be left in the file. */
const merges: Shape<BpeSpec['merges'] | LateTable> = {
  write: (merges, tables) => (merges === 'ranks' ? merges : tables.addLate(merges as Uint32Array)),
  read(flat, context) {
    if (flat === 'ranks') return flat
    const found = context.tableOrLate(flat)
    if (found instanceof Uint32Array || (found instanceof LateTable && found.Kind === Uint32Array))
      return found
    throw context.fail('ranks, or the number of a Uint32Array, was expected')
  },
}

type BpeFields = Omit<BpeSpec, 'type'>
const anyBpe = record<Omit<BpeFields, 'merges'> & { merges: BpeSpec['merges'] | LateTable }>({
  alphabet: word('bytes', 'characters'),
  merges,
  ignoreMerges: flag,
  byteFallback: flag,
  fuseUnk: flag,
  unkId: optional(count),
  continuingSubwordPrefix: text,
  endOfWordSuffix: text,
})
const bpe: Shape<BpeFields> = {
  write: anyBpe.write,
  read(flat, context) {
    const { merges, ...others } = anyBpe.read(flat, context)
    if (!(merges instanceof LateTable)) return { ...others, merges }
    return readMergesLater(others as BpeFields, () => merges.read() as Uint32Array)
  },
}

const model: Shape<ModelSpec> = variant<ModelSpec>({
  bpe: () => bpe,
  wordpiece: () => record({ unkId: count, continuingSubwordPrefix: text, maxCharacters: count }),
  wordlevel: () => record({ unkId: count }),
  unigram: () => record({ scores: table(Float64Array), byteFallback: flag, unkId: optional(count) }),
})

const tokens: Shape<TokenTable> = record<TokenTable>({
  bytes: table(Uint8Array),
  offsets: table(Uint32Array),
  kinds: table(Uint8Array),
})

const flagsOfToken = {
  content: text,
  singleWord: flag,
  lstrip: flag,
  rstrip: flag,
  normalized: flag,
  special: flag,
}
const folderToken: Shape<FolderToken> = record<FolderToken>(flagsOfToken)

const anyColumns = record<TokenColumns>({
  units: table(Uint16Array),
  lengths: table(Uint32Array),
  ids: table(Uint32Array),
  flags: table(Uint8Array),
})
const columns: Shape<TokenColumns> = {
  write: anyColumns.write,
  read(flat, context) {
    const columns = anyColumns.read(flat, context)
    if (columnFacts(columns) !== undefined) return columns
    throw context.fail('columns that fit together were expected')
  },
}

/** An object with a list of tokens, of which some models have thousands: they are listed when they are asked for. */
function withTokens<T extends object, K extends keyof T & string>(
  name: K,
  columnsOf: (value: T) => TokenColumns,
  shape: Shape<Omit<T, K> & Readonly<Record<K, TokenColumns>>>,
): Shape<T> {
  return {
    write: (value, tables) => shape.write({ ...value, [name]: columnsOf(value) } as never, tables),
    read(flat, context) {
      const value = shape.read(flat, context)
      return listLater<T>(value as never, name, value[name] as TokenColumns)
    },
  }
}

const templateItem: Shape<TemplateItem> = either(
  (value): value is { readonly id: number } => 'id' in value,
  () => record<{ readonly id: number }>({ id: count }),
  (flat) => isObject(flat) && Object.hasOwn(flat as object, 'id'),
  () => record<{ readonly text: 'A' | 'B' }>({ text: word('A', 'B') }),
)

const postProcessor: Shape<PostProcessorSpec> = record<PostProcessorSpec>({
  single: list(templateItem),
  pair: list(templateItem),
  trimOffsets: list(record({ addPrefixSpace: flag })),
})

type Columns<K extends string> = Readonly<Record<K, TokenColumns>>

const pipelineFields = () =>
  record<Omit<StoredPipeline, 'addedTokens'> & Columns<'addedTokens'>>({
    semantics: word('huggingface', 'tiktoken'),
    tokens,
    model,
    addedTokens: columns,
    normalizers: list(normalizer),
    preTokenizers: list(preTokenizer),
    decoders: list(decoder),
    postProcessor: optional(postProcessor),
  })
const pipeline = (): Shape<StoredPipeline> =>
  withTokens<StoredPipeline, 'addedTokens'>('addedTokens', addedColumns, pipelineFields())

const sentencePiece = (): Shape<Sourceless<TokenizerSpec>> =>
  record<Sourceless<TokenizerSpec>>({
    model: word('unigram', 'bpe', 'word', 'char'),
    semantics: word('sentencepiece'),
    pieces: record<PieceTable>({
      bytes: table(Uint8Array),
      offsets: table(Uint32Array),
      scores: table(Float32Array),
      types: table(Uint8Array),
    }),
    normalizer: record<SentencePieceNormalizerSpec>({
      charsmap: table(Uint8Array),
      addDummyPrefix: flag,
      removeExtraWhitespaces: flag,
      escapeWhitespaces: flag,
      treatWhitespaceAsSuffix: flag,
    }),
    byteFallback: flag,
    unkSurface: text,
    postProcessor: optional(postProcessor),
  })

/** A tokenizer of either kind. */
export const spec: Shape<StoredPipeline | Sourceless<TokenizerSpec>> = either(
  (value): value is Sourceless<TokenizerSpec> => 'pieces' in value,
  sentencePiece,
  (flat) => isObject(flat) && Object.hasOwn(flat as object, 'pieces'),
  pipeline,
)

export const config: Shape<TokenizerConfig> = record<TokenizerConfig>({
  tokenizer_class: optional(text),
  name_or_path: optional(text),
  added_tokens_decoder: optional(decoderTokens()),
})

/** Contents by id, where there are any. Both are lists of strings, which are read much faster than objects. */
function decoderTokens(): Shape<NonNullable<TokenizerConfig['added_tokens_decoder']>> {
  const lists = record<{ ids: readonly string[]; contents: readonly (string | undefined)[] }>({
    ids: list(text),
    contents: list(optional(text)),
  })
  return {
    write(tokens, tables) {
      const contents = Object.values(tokens).map(({ content }) => content)
      return lists.write({ ids: Object.keys(tokens), contents }, tables)
    },
    read(flat, context) {
      const { ids, contents } = lists.read(flat, context)
      if (ids.length !== contents.length) throw context.fail('as many contents as ids were expected')
      return Object.fromEntries(
        ids.map((id, i) => {
          const content = contents[i]
          return [id, content === undefined ? {} : { content }]
        }),
      )
    },
  }
}

const limit = optional(number)

export const folder: Shape<ModelFolder> = record<ModelFolder>({
  tokens: withTokens<FolderTokens, 'listed'>(
    'listed',
    listedColumns,
    record<Omit<FolderTokens, 'listed'> & Columns<'listed'>>({
      named: mapOf(text),
      extra: list(text),
      listed: columns,
      yields: flag,
      special: list(folderToken),
    }),
  ),
  chatTemplates: mapOf(record({ text, source: text })),
  generationEos: list(
    record({
      id: count,
      source: word('format', 'generation_config.json', 'config.json', 'tokenizer_config.json', 'gguf'),
    }),
  ),
  limits: record<ModelLimits>({ modelMaxLength: limit, maxPositionEmbeddings: limit }),
  cleanUp: record<CleanUp>({ spaces: flag, bpeToo: flag }),
  modelType: optional(text),
})

/** Warnings are written as they are: programs read their fields, nothing here does. */
export const warnings: Shape<readonly LoadWarning[]> = list<LoadWarning>({
  write: (warning) => ({ ...warning }) as never,
  read(flat, context) {
    record<{ code: string; message: string }>({ code: text, message: text }).read(flat, context)
    return flat as LoadWarning
  },
})

/** Programs of split patterns, by flavour and pattern, and of literal ones. */
export const programs: Shape<ReadonlyMap<string, Uint32Array>> = mapOf(table(Uint32Array))
