import type { EncodingName, RankEncoding } from '../load/encodings.js'
import type { LoadWarning } from '../load/load-warning.js'
import type { ModelFolder } from '../load/model-folder.js'
import type { EncodeInput } from '../prompt/parts.js'
import type { CommandSet } from './commands.js'
import type { Padding } from './padding.js'
import type { ReservePolicy } from './reserve-policy.js'
import type { SentencePieceVersion } from './sentencepiece-input.js'
import type { Truncation } from './truncation.js'

export interface TokenizerOptions {
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
  /**
   * Control tokens that stand behind the text vocabulary, as in the ChatGLM family, whose `.model` files do not
   * hold them. Default: told by the folder's `tokenizer_config.json`, else none.
   */
  commands?: CommandSet | undefined
  /**
   * For a tiktoken rank file, which holds neither its pattern nor its special tokens: the name of a built-in encoding,
   * or both. Known files are recognised.
   */
  encoding?: EncodingName | RankEncoding | undefined
  /**
   * A folder for compiled models, which are read in milliseconds: each model that is loaded is kept there, told by the
   * content of its files. Whoever can write there decides about the models. Default: what the environment variable
   * SAFETOKENS_CACHE names, else none.
   */
  cacheFolder?: string | undefined
  /**
   * For the path of a compiled model (`*.stk`): map the file instead of reading it, so that all processes share the memory of
   * its tables. Only where nobody changes the file: what is written to it later is used unchecked, and a file that is cut
   * off ends the process. POSIX systems only. Default false.
   */
  map?: boolean | undefined
  /**
   * For a Unigram `.model`: which SentencePiece decides between ways to part a text that are nearly as good, such as
   * `-` `--` and `--` `-`. It changed with 0.2.2. Default `0.2.1`, which stands for all versions before.
   */
  sentencePieceVersion?: SentencePieceVersion | undefined
  /**
   * How much memory may be taken at most, in bytes, to remember the ids of the text between two control tokens, so
   * that a conversation that comes again with one more turn costs little more than that turn. It begins with 8 MiB,
   * taken as it is filled, and grows when much of what comes has been there before and was thrown away. 0 turns it
   * off. Default 32 MiB.
   */
  memoBytes?: number | undefined
}

/** What a tokenizer remembers of the text between control tokens, and what that was good for. */
export interface MemoStatistics {
  /** How often such a text was found, and how often it was not. */
  readonly hits: number
  readonly misses: number
  /** How much text was found, in bytes of UTF-8. */
  readonly reusedBytes: number
  /** How many of those that were not found had been remembered and thrown away: more memory would have helped. */
  readonly returned: number
  /** What is remembered at the moment: how many texts, and how many bytes they take with their ids. */
  readonly entries: number
  readonly bytes: number
  /** How much memory it may take at the moment, in bytes: it grows up to `capacity` where that helps. */
  readonly limit: number
  /** `memoBytes`, or 0 when nothing is remembered. */
  readonly capacity: number
}

export interface EncodeOptions {
  /** Add what the file's post-processor adds, such as bos. Default false. */
  addSpecialTokens?: boolean | undefined
  /** A second text, placed by the post-processor. */
  pair?: EncodeInput | undefined
  /** Give an {@link Encoding}: the ids and where each of them comes from. Default false. */
  offsets?: boolean | undefined
  /** Cut what is too long. Default: nothing is cut, whatever the file says. */
  truncation?: Truncation | undefined
}

export interface EncodeBatchOptions extends Pick<EncodeOptions, 'addSpecialTokens' | 'truncation'> {
  /** A second text for each, in the same order. */
  pairs?: readonly EncodeInput[] | undefined
  /** Make all rows equally long. Default: they stay as they are. */
  padding?: Padding | undefined
}

export type WithOffsets = EncodeOptions & { offsets: true }
export type WithoutOffsets = EncodeOptions & { offsets?: false | undefined }

export interface DecodeOptions {
  /** Leave reserved ids out. Default false: commands appear by name, control pieces as nothing. */
  skipSpecialTokens?: boolean | undefined
  /**
   * Whose rules. `sentencepiece` (default): each run between commands is decoded for itself, an id outside the
   * vocabulary is an error. `transformers`: all tokens are one run, in which commands are plain strings and
   * control, unknown and outside ids are nothing (what `ChatGLMTokenizer.decode` does).
   */
  rules?: 'sentencepiece' | 'transformers' | undefined
  /**
   * Take away spaces before English punctuation and contractions, as transformers does for some models. Default: as the
   * model's folder says, which BPE models ignore; false for a single file.
   */
  cleanUpTokenizationSpaces?: boolean | undefined
}

/** What was read with a tokenizer's file. */
export interface LoadedWith {
  readonly folder?: ModelFolder | undefined
  readonly warnings?: readonly LoadWarning[]
  /** What its chat template or format writes. */
  readonly literals?: readonly string[] | undefined
}
