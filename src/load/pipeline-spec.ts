import type binding from '../../binding.cjs'
import type { TokenTable } from './token-table.js'

/**
 * A tokenizer that works as Hugging Face's `tokenizers` or `tiktoken` do: added tokens are found first, what is left
 * is normalized, split into words and encoded by the model. Readers of `tokenizer.json` and of rank files give it.
 */
export interface PipelineSpec {
  /** Where it came from, for messages: a path, or `<bytes>`. */
  readonly source: string
  readonly semantics: 'huggingface' | 'tiktoken'
  /**
   * Every id with its text: of the model's vocabulary and of added tokens. Where the alphabet is bytes, tokens of the
   * model are raw bytes; added tokens are always UTF-8.
   */
  readonly tokens: TokenTable
  readonly model: ModelSpec
  readonly addedTokens: readonly AddedTokenSpec[]
  /** In order; a Sequence is flattened. */
  readonly normalizers: readonly NormalizerStep[]
  /** In order; a Sequence is flattened. */
  readonly preTokenizers: readonly PreTokenizerStep[]
  /** In order; a Sequence is flattened. */
  readonly decoders: readonly DecoderStep[]
  readonly postProcessor: PostProcessorSpec | undefined
  /** Of a compiled model: the file that its tables lie in. */
  readonly file?: CompiledFile | undefined
  /** What split patterns compile to, by flavour and pattern: kept there, and taken from there. */
  readonly programs?: Map<string, Uint32Array> | undefined
  /** Of a compiled model: what native code need not make again of the tokens and the model. */
  readonly stored?: readonly Uint8Array[] | undefined
  /** Where `stored` lies, if its file is mapped. */
  readonly mapping?: binding.NativeFileMapping | undefined
  /** Where `stored` lies, if its file was read. */
  readonly memory?: binding.NativeMemory | undefined
}

/** The bytes of a compiled model, and what tells them from all others in this process. */
export interface CompiledFile {
  readonly bytes: Uint8Array
  readonly secret: Uint8Array
}

/** What turns the words of a text into ids. */
export type ModelSpec = BpeSpec | WordPieceSpec | WordLevelSpec | UnigramSpec

export interface BpeSpec {
  readonly type: 'bpe'
  /** What words are made of before merging: bytes (byte-level and rank files), or characters. */
  readonly alphabet: 'bytes' | 'characters'
  /**
   * Triples left id, right id, result id, the first merges first; of equal pairs the last counts. `ranks`: any two
   * tokens merge whose concatenation is a token, the one with the lowest id first (rank files).
   */
  readonly merges: Uint32Array | 'ranks'
  /** A word that is a token is that token, whatever the merges say. */
  readonly ignoreMerges: boolean
  /** Unknown characters become `<0x..>` tokens. */
  readonly byteFallback: boolean
  /** Neighbouring unknown characters share one unk. */
  readonly fuseUnk: boolean
  readonly unkId: number | undefined
  /** Before every character of a word but the first. */
  readonly continuingSubwordPrefix: string
  /** Behind the last character of a word. */
  readonly endOfWordSuffix: string
}

/** The longest tokens from left to right; unk for a whole word where that fails. */
export interface WordPieceSpec {
  readonly type: 'wordpiece'
  readonly unkId: number
  /** Before the tokens behind the first one of a word. */
  readonly continuingSubwordPrefix: string
  /** Words of more characters (code points) are unk. */
  readonly maxCharacters: number
}

/** A word is a token, or unk. */
export interface WordLevelSpec {
  readonly type: 'wordlevel'
  readonly unkId: number
}

/** The most probable tokens of all ways to part a word. */
export interface UnigramSpec {
  readonly type: 'unigram'
  /** Log probabilities by id, of the model's vocabulary. */
  readonly scores: Float64Array
  /** Unknown characters become `<0x..>` tokens. */
  readonly byteFallback: boolean
  readonly unkId: number | undefined
}

export interface AddedTokenSpec {
  readonly id: number
  readonly content: string
  readonly singleWord: boolean
  readonly lstrip: boolean
  readonly rstrip: boolean
  readonly normalized: boolean
  readonly special: boolean
}

export type SplitBehavior = 'removed' | 'isolated' | 'mergedWithPrevious' | 'mergedWithNext' | 'contiguous'

export type NormalizerStep =
  | { readonly type: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' | 'Lowercase' | 'StripAccents' | 'ByteLevel' | 'Nmt' }
  | { readonly type: 'Strip'; readonly left: boolean; readonly right: boolean }
  | { readonly type: 'Prepend'; readonly text: string }
  | { readonly type: 'Replace'; readonly pattern: TextPattern; readonly content: string }
  /** `charsmap`: the blob of SentencePiece. */
  | { readonly type: 'Precompiled'; readonly charsmap: Uint8Array }
  | {
      readonly type: 'BertNormalizer'
      readonly cleanText: boolean
      readonly handleChineseChars: boolean
      readonly stripAccents: boolean
      readonly lowercase: boolean
    }

/**
 * A literal string, or a regular expression: in Oniguruma's dialect where the semantics are `huggingface`, else in that
 * of Rust's `fancy-regex`. `path` is its JSON path, for messages.
 */
export type TextPattern = { readonly literal: string } | { readonly regex: string; readonly path?: string }

export type PreTokenizerStep =
  | { readonly type: 'ByteLevel'; readonly addPrefixSpace: boolean; readonly useRegex: boolean }
  | {
      readonly type: 'Split'
      readonly pattern: TextPattern
      readonly behavior: SplitBehavior
      readonly invert: boolean
    }
  | {
      readonly type: 'Metaspace'
      readonly replacement: string
      readonly prepend: 'always' | 'first' | 'never'
      readonly split: boolean
    }
  | { readonly type: 'Whitespace' | 'WhitespaceSplit' | 'BertPreTokenizer' | 'UnicodeScripts' }
  | { readonly type: 'CharDelimiterSplit'; readonly delimiter: string }
  /** Pieces of so many characters (code points). */
  | { readonly type: 'FixedLength'; readonly length: number }
  | { readonly type: 'Punctuation'; readonly behavior: SplitBehavior }
  | { readonly type: 'Digits'; readonly individual: boolean }

export type DecoderStep =
  | { readonly type: 'ByteLevel' | 'ByteFallback' | 'Fuse' }
  | {
      readonly type: 'Metaspace'
      readonly replacement: string
      readonly prepend: 'always' | 'first' | 'never'
    }
  | { readonly type: 'BPEDecoder'; readonly suffix: string }
  | { readonly type: 'WordPiece'; readonly prefix: string; readonly cleanup: boolean }
  | {
      readonly type: 'CTC'
      readonly padToken: string
      readonly wordDelimiterToken: string
      readonly cleanup: boolean
    }
  | { readonly type: 'Strip'; readonly content: string; readonly start: number; readonly stop: number }
  | { readonly type: 'Replace'; readonly pattern: TextPattern; readonly content: string }

/** What `addSpecialTokens` puts around one text or two. */
export interface PostProcessorSpec {
  readonly single: readonly TemplateItem[]
  readonly pair: readonly TemplateItem[]
  /**
   * One for each ByteLevel and RobertaProcessing with `trim_offsets`: spaces at the ends of tokens do not count as
   * theirs.
   */
  readonly trimOffsets: readonly TrimOffsets[]
}

/** `addPrefixSpace`: a single space at the beginning is the one that the pre-tokenizer has put there. */
export interface TrimOffsets {
  readonly addPrefixSpace: boolean
}

/** An id of a special token, or the place of a text. */
export type TemplateItem = { readonly id: number } | { readonly text: 'A' | 'B' }
