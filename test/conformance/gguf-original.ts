// The tokenizer.json that a byte-level GGUF file was made from, put together again.
import { memorySource } from '../../src/load/gguf/byte-source.js'
import { readGgufHeader } from '../../src/load/gguf/container.js'
import { Metadata, tableText } from '../../src/load/gguf/metadata.js'
import type { PreTokenizer } from '../../src/load/gguf/pre-tokenizers.js'
import type { PreTokenizerStep, TextPattern } from '../../src/load/pipeline-spec.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { type WordModelJson, wordPieceJson } from '../fixtures/word-models.js'

export function originalJson(bytes: Uint8Array, pre: PreTokenizer): object {
  const { metadata, tokens, types } = vocabularyOf(bytes)
  const merges = metadata.strings('tokenizer.ggml.merges')
  const all = Array.from({ length: tokens.count }, (_, id) => [tableText(tokens, id), id] as const)
  const isModel = ([, id]: readonly [string, number]) => types[id] === PieceType.NORMAL
  const isToken = ([text, id]: readonly [string, number]) => text !== `[PAD${id}]`
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: all
      .filter((token) => !isModel(token) && isToken(token))
      .map(([content, id]) => ({
        id,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: types[id] !== PieceType.USER_DEFINED,
      })),
    normalizer: { type: 'Sequence', normalizers: pre.normalizers },
    pre_tokenizer: { type: 'Sequence', pretokenizers: pre.steps.map(stepJson) },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: pre.ignoreMerges,
      vocab: Object.fromEntries(all.filter(isToken)),
      merges: Array.from({ length: merges.count }, (_, i) => tableText(merges, i)),
    },
  }
}

/** The tokenizer.json of BERT, uncased, that a GGUF file was made from. */
export function originalBertJson(bytes: Uint8Array): WordModelJson {
  const { tokens, types } = vocabularyOf(bytes)
  const words = Array.from({ length: tokens.count }, (_, id) => {
    const text = tableText(tokens, id)
    if (text.startsWith('\u2581')) return text.slice(1)
    return types[id] === PieceType.CONTROL || /^\[unused\d+\]$/.test(text) ? text : `##${text}`
  })
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]))
  const json = wordPieceJson()
  const tokensOf = json.added_tokens.map((token) => ({ ...token, id: vocab[token.content] as number }))
  return { ...json, added_tokens: tokensOf, model: { ...json.model, vocab } }
}

function vocabularyOf(bytes: Uint8Array) {
  const metadata = new Metadata(
    '',
    readGgufHeader(memorySource(bytes), '', (key) => key.startsWith('tokenizer.')),
  )
  const tokens = metadata.tokens()
  return { metadata, tokens, types: metadata.numbers('tokenizer.ggml.token_type', tokens.count) }
}

function stepJson(step: PreTokenizerStep): object {
  switch (step.type) {
    case 'ByteLevel':
      return {
        type: step.type,
        add_prefix_space: step.addPrefixSpace,
        trim_offsets: true,
        use_regex: step.useRegex,
      }
    case 'Split':
      return {
        type: step.type,
        pattern: patternJson(step.pattern),
        behavior: named(step.behavior),
        invert: step.invert,
      }
    case 'Digits':
      return { type: step.type, individual_digits: step.individual }
    case 'Punctuation':
      return { type: step.type, behavior: named(step.behavior) }
    default:
      throw new Error(`no name of tokenizer.ggml.pre has the step ${step.type}`)
  }
}

function patternJson(pattern: TextPattern): object {
  return 'regex' in pattern ? { Regex: pattern.regex } : { String: pattern.literal }
}

function named(behavior: string): string {
  return behavior[0]?.toUpperCase() + behavior.slice(1)
}
