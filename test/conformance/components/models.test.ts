// Each model of a tokenizer.json and its options, against Hugging Face `tokenizers` itself.
import { describe } from 'vitest'
import {
  type AddedToken,
  bertNormalizer,
  bpeDecoder,
  byteLevel,
  type Component,
  decoders,
  metaspace,
  named,
  nameOf,
  replace,
  step,
  wordPieceDecoder,
} from './case.js'
import { compare } from './compare-case.js'

describe('models', () => {
  const affixes = { continuing_subword_prefix: '##', end_of_word_suffix: '</w>' }
  const words = { preTokenizer: step('WhitespaceSplit') }
  compare({
    'no unk': { model: { unk_token: null } },
    'fused unk': { model: { fuse_unk: true } },
    'fused unk, words': { ...words, model: { fuse_unk: true } },
    continuing_subword_prefix: { ...words, model: { continuing_subword_prefix: '##' } },
    end_of_word_suffix: { ...words, model: { end_of_word_suffix: '</w>' }, decoder: bpeDecoder('</w>') },
    'both affixes': { ...words, model: affixes, decoder: bpeDecoder('</w>') },
    'both affixes, fused unk': {
      ...words,
      model: { ...affixes, fuse_unk: true },
      decoder: bpeDecoder('</w>'),
    },
    'both affixes, no unk': { ...words, model: { ...affixes, unk_token: null }, decoder: bpeDecoder('</w>') },
    'both affixes, byte fallback': {
      ...words,
      model: { ...affixes, byte_fallback: true },
      bytes: 'all',
      overrun: true,
    },
    'both affixes, some bytes': {
      ...words,
      model: { ...affixes, byte_fallback: true, fuse_unk: true },
      bytes: 'some',
      overrun: true,
    },
    'both affixes, ignore_merges': { ...words, model: { ...affixes, ignore_merges: true } },
    'affixes on bytes': {
      preTokenizer: byteLevel(false, true),
      model: affixes,
      decoder: decoders(byteLevel(false, true), replace('</w>', ' ')),
    },
    'end_of_word_suffix on bytes': {
      preTokenizer: byteLevel(false, true),
      model: { end_of_word_suffix: '</w>' },
      decoder: byteLevel(false, true),
    },
    'byte fallback': { model: { byte_fallback: true }, bytes: 'all' },
    'byte fallback, fused unk': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'all' },
    'some bytes': { model: { byte_fallback: true }, bytes: 'some' },
    'some bytes, fused unk': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'some' },
    'some bytes, no unk': { model: { byte_fallback: true, unk_token: null }, bytes: 'some' },
    'no bytes': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'none' },
    ignore_merges: { ...words, model: { ignore_merges: true } },
    'ignore_merges on bytes': {
      preTokenizer: byteLevel(false, true),
      model: { ignore_merges: true },
      decoder: byteLevel(false, true),
    },
    'ignore_merges, byte fallback': {
      ...words,
      model: { ignore_merges: true, byte_fallback: true },
      bytes: 'all',
    },
    'no dropout': { model: { dropout: 0 } },
  })
})

/** The added tokens, which have all flags: in the vocabulary the model finds them wherever they are not matched. */
const FLAGGED: readonly AddedToken[] = [
  { content: '<s>', special: true, normalized: true },
  { content: '</s>', special: true, single_word: true },
  { content: '<|user|>', special: true, single_word: true },
  { content: '[plain]', normalized: true, single_word: true },
  { content: 'tokenizer', normalized: false, single_word: true },
  { content: 'Hello', special: true, single_word: true },
  { content: '##s', special: true, single_word: true },
]
const PRE_TOKENIZERS: readonly Component[] = [
  step('BertPreTokenizer'),
  step('WhitespaceSplit'),
  step('Whitespace'),
  metaspace('first'),
]

describe('WordPiece', () => {
  const model = (fields: object = {}) => ({ type: 'WordPiece', ...fields })
  const decoder = wordPieceDecoder('##', true)
  compare({
    ...named(PRE_TOKENIZERS, nameOf, (preTokenizer) => ({ preTokenizer, decoder, model: model() })),
    'no pre-tokenizer': { decoder, model: model() },
    'no pre-tokenizer and no limit': { model: model({ max_input_chars_per_word: 2 ** 53 }) },
    BERT: {
      normalizer: bertNormalizer(),
      preTokenizer: step('BertPreTokenizer'),
      decoder,
      model: model(),
      added: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((content) => ({ content, special: true })),
      addedInVocabulary: true,
    },
    ...named(
      [0, 1, 4, 7],
      (max) => `at most ${max} characters`,
      (max) => ({ preTokenizer: step('WhitespaceSplit'), model: model({ max_input_chars_per_word: max }) }),
    ),
    ...named(
      ['', '@@', '▁', '你'],
      (prefix) => `prefix ${JSON.stringify(prefix)}`,
      (prefix) => ({
        preTokenizer: step('WhitespaceSplit'),
        decoder: wordPieceDecoder(prefix, false),
        model: model({ continuing_subword_prefix: prefix }),
      }),
    ),
    'an old file without a type': {
      preTokenizer: step('WhitespaceSplit'),
      model: model(),
      untyped: true,
    },
  })
})

describe('WordLevel', () => {
  const model = { type: 'WordLevel' }
  compare({
    ...named(PRE_TOKENIZERS, nameOf, (preTokenizer) => ({ preTokenizer, model })),
    'no pre-tokenizer': { model },
    ...named(
      PRE_TOKENIZERS,
      (preTokenizer) => `reserved words behind ${nameOf(preTokenizer)}`,
      (preTokenizer) => ({
        preTokenizer,
        normalizer: step('Lowercase'),
        model,
        added: FLAGGED,
        addedInVocabulary: true,
      }),
    ),
    'an old file without a type': { preTokenizer: step('WhitespaceSplit'), model, untyped: true },
  })
})
