import { readFile } from 'node:fs/promises'
import type { PipelineSpec } from '../../load/pipeline-spec.js'
import type { TokenizerSpec } from '../../load/tokenizer-spec.js'
import { trusted } from '../../prompt/parts.js'
import type { Tokenizer } from '../../tokenizer/tokenizer.js'
import { type HuggingFaceTokenizer, importTokenizers } from './packages.js'
import { sentencePieceJson } from './sentencepiece-json.js'

/** Text to ids, with special tokens parsed from the text. */
export type TextEncoder = (text: string) => ArrayLike<number>

/** The tokenizer of the usual path. */
export interface UsualTokenizer {
  /** What runs: `@huggingface/tokenizers`, or what stands in for it. */
  readonly engine: string
  readonly encode: TextEncoder
  /**
   * As `encode` under Hugging Face's `split_special_tokens`: tokens whose flag says special are not looked for in text.
   * What is not so flagged, and what the model's own vocabulary holds, is still found. Undefined where the rule does not
   * exist, as for rank files.
   */
  readonly encodeSplit: TextEncoder | undefined
}

/**
 * The tokenizer that most stacks would use for these files. A `tokenizer.json` runs in `@huggingface/tokenizers` with
 * the added tokens that transformers would give it, as does a SentencePiece BPE model, converted. What that package
 * cannot read (rank files, GGUF, Unigram `.model` files) is encoded by our own tokenizer with all text trusted: by the
 * encode rule, text without data is one call of the reference.
 *
 * @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/tokenizers` is not installed
 */
export async function usualTokenizer(
  spec: TokenizerSpec | PipelineSpec,
  tokenizer: Tokenizer,
): Promise<UsualTokenizer> {
  if ('pieces' in spec) {
    if (spec.model !== 'bpe' || spec.normalizer.charsmap.length > 0) return trustedText(tokenizer)
    const commands = tokenizer.reserved.filter(({ reason }) => reason === 'command').map(({ name }) => name)
    return fromJson(sentencePieceJson(spec, commands) as TokenizerJson)
  }
  const json = spec.semantics === 'huggingface' ? await tokenizerJson(spec) : undefined
  return json === undefined ? trustedText(tokenizer) : fromJson(json)
}

interface TokenizerJson {
  readonly added_tokens: readonly { readonly content: string; readonly special: boolean }[]
  readonly post_processor?: unknown
}

async function fromJson(json: TokenizerJson): Promise<UsualTokenizer> {
  const { Tokenizer } = await importTokenizers()
  const make = (added: TokenizerJson['added_tokens']): TextEncoder => {
    // Special tokens are in the rendered prompt already, so nothing is added behind it.
    const made = new Tokenizer({ ...json, added_tokens: added, post_processor: null }, {})
    return (text) => encode(made, text)
  }
  return {
    engine: '@huggingface/tokenizers',
    encode: make(json.added_tokens),
    encodeSplit: make(json.added_tokens.filter(({ special }) => !special)),
  }
}

function encode(tokenizer: HuggingFaceTokenizer, text: string): number[] {
  return tokenizer.encode(text.toWellFormed(), { add_special_tokens: false }).ids
}

function trustedText(tokenizer: Tokenizer): UsualTokenizer {
  return {
    engine: 'safetokens with all text trusted',
    encode: (text) => tokenizer.encode(trusted(text)),
    encodeSplit: undefined,
  }
}

/** The file with the added tokens that its folder adds to it; undefined for what is no `tokenizer.json`, such as GGUF. */
async function tokenizerJson({ source, addedTokens }: PipelineSpec): Promise<TokenizerJson | undefined> {
  if (!source.endsWith('.json')) return undefined
  const json = JSON.parse(await readFile(source, 'utf8')) as TokenizerJson
  return {
    ...json,
    added_tokens: addedTokens.map(({ id, content, special, normalized, singleWord, lstrip, rstrip }) => {
      return { id, content, special, normalized, single_word: singleWord, lstrip, rstrip }
    }),
  }
}
