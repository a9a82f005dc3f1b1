import type { CompiledFile, PostProcessorSpec } from './pipeline-spec.js'

/** SentencePiece's piece types, with the numbers of its file format (sentencepiece_model.proto). */
export const PieceType = { NORMAL: 1, UNKNOWN: 2, CONTROL: 3, USER_DEFINED: 4, UNUSED: 5, BYTE: 6 } as const

/**
 * What every reader of a tokenizer file gives: the vocabulary and the rules of the text pipeline, without any
 * decision about safety. The reserve policy and the native compiler take it from here.
 */
export interface TokenizerSpec {
  /** Where it came from, for messages: a path, or `<bytes>`. */
  readonly source: string
  /** Of a compiled model: the file that its tables lie in. */
  readonly file?: CompiledFile | undefined
  /** The algorithm. */
  readonly model: 'unigram' | 'bpe' | 'word' | 'char'
  /** Whose behaviour is reproduced where implementations differ. */
  readonly semantics: 'sentencepiece'
  readonly pieces: PieceTable
  readonly normalizer: SentencePieceNormalizerSpec
  readonly byteFallback: boolean
  /** What an unknown id decodes to. */
  readonly unkSurface: string
  /** What `addSpecialTokens` puts around a text. A `.model` file does not say; a GGUF file does. */
  readonly postProcessor?: PostProcessorSpec | undefined
}

/** The vocabulary as flat tables: the piece of id `i` is `bytes[offsets[i] .. offsets[i + 1])` in UTF-8. */
export interface PieceTable {
  readonly bytes: Uint8Array
  /** One more than there are pieces. */
  readonly offsets: Uint32Array
  /** Log probabilities (Unigram), or merge priorities: the pair whose piece has the highest score merges first. */
  readonly scores: Float32Array
  /** Values of {@link PieceType}. */
  readonly types: Uint8Array
}

/** The fields of SentencePiece's NormalizerSpec and TrainerSpec that shape text before it is encoded. */
export interface SentencePieceNormalizerSpec {
  /** The `precompiled_charsmap`: rules that replace strings of text. No bytes: text stays as it is. */
  readonly charsmap: Uint8Array
  readonly addDummyPrefix: boolean
  readonly removeExtraWhitespaces: boolean
  readonly escapeWhitespaces: boolean
  readonly treatWhitespaceAsSuffix: boolean
}

/** The piece of an id, as a string. */
export function pieceText(pieces: PieceTable, id: number): string {
  return utf8.decode(pieces.bytes.subarray(pieces.offsets[id], pieces.offsets[id + 1]))
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
