// Each pre-tokenizer of a tokenizer.json, also those that no real model uses, against Hugging Face `tokenizers` itself.
import { describe } from 'vitest'
import {
  BEHAVIORS,
  byteLevel,
  decoders,
  digits,
  metaspace,
  named,
  normalizers,
  preTokenizers,
  punctuation,
  replace,
  SCHEMES,
  split,
  step,
} from './case.js'
import { compare } from './compare-case.js'

describe('pre-tokenizers', () => {
  const metaspaces = SCHEMES.flatMap((scheme) => [metaspace(scheme, true), metaspace(scheme, false)])
  compare({
    none: {},
    ...named(
      metaspaces,
      (s) => `Metaspace ${s.prepend_scheme} ${s.split}`,
      (s) => ({
        preTokenizer: s,
        decoder: s,
      }),
    ),
    'Metaspace with another replacement': {
      preTokenizer: metaspace('first', true, 'e'),
      decoder: metaspace('first', true, 'e'),
    },
    Whitespace: { preTokenizer: step('Whitespace') },
    WhitespaceSplit: { preTokenizer: step('WhitespaceSplit') },
    ...named(
      BEHAVIORS,
      (b) => `Punctuation ${b}`,
      (b) => ({ preTokenizer: punctuation(b) }),
    ),
    'Digits, one by one': { preTokenizer: digits(true) },
    'Digits together': { preTokenizer: digits(false) },
    ...named(
      [byteLevel(false, false), byteLevel(true, false), byteLevel(false, true), byteLevel(true, true)],
      (s) => `ByteLevel ${s.add_prefix_space} ${s.use_regex}`,
      (s) => ({ preTokenizer: s, decoder: s }),
    ),
    ...named(
      BEHAVIORS,
      (b) => `Split by a string, ${b}`,
      (b) => ({ preTokenizer: split({ String: 'e' }, b) }),
    ),
    ...named(
      BEHAVIORS,
      (b) => `Split by the inverse of a pattern, ${b}`,
      (b) => ({
        preTokenizer: split({ Regex: '\\p{L}+| ' }, b, true),
      }),
    ),
  })
})

describe('pre-tokenizers of word models', () => {
  const words = { model: { type: 'WordPiece' } }
  compare({
    BertPreTokenizer: { ...words, preTokenizer: step('BertPreTokenizer') },
    'BertPreTokenizer of BPE': { preTokenizer: step('BertPreTokenizer') },
    ...named(
      ['e', ' ', '▁', '哈', '\n', '.', '\\', '^'],
      (delimiter) => `CharDelimiterSplit ${JSON.stringify(delimiter)}`,
      (delimiter) => ({ ...words, preTokenizer: step('CharDelimiterSplit', { delimiter }) }),
    ),
    UnicodeScripts: { ...words, preTokenizer: step('UnicodeScripts') },
    ...named(
      [1, 2, 3, 5, 17, 2 ** 40],
      (length) => `FixedLength ${length}`,
      (length) => ({ ...words, preTokenizer: step('FixedLength', { length }) }),
    ),
    'FixedLength without a length': { ...words, preTokenizer: step('FixedLength') },
    'ByteLevel, whose characters WordPiece sees': {
      ...words,
      preTokenizer: byteLevel(true, true),
      decoder: byteLevel(true, true),
    },
  })
})

describe('sequences of pre-tokenizers', () => {
  compare({
    'words, then Metaspace': { preTokenizer: preTokenizers(step('WhitespaceSplit'), metaspace('first')) },
    'Metaspace, then Punctuation': { preTokenizer: preTokenizers(metaspace('first'), punctuation()) },
    'two Metaspaces': {
      preTokenizer: preTokenizers(metaspace('always', true, '_'), metaspace('first')),
    },
    'two first Metaspaces': {
      preTokenizer: preTokenizers(metaspace('first', true, '_'), metaspace('first', false)),
    },
    'Punctuation, Digits, Whitespace': {
      preTokenizer: preTokenizers(punctuation('MergedWithNext'), digits(true), step('Whitespace')),
    },
    'Split, Punctuation, ByteLevel': {
      preTokenizer: preTokenizers(
        split({ Regex: '\\s+(?!\\S)|\\s' }, 'MergedWithNext'),
        punctuation('Contiguous'),
        byteLevel(true, false),
      ),
      decoder: byteLevel(true, true),
    },
    'Digits, ByteLevel': {
      preTokenizer: preTokenizers(digits(false), byteLevel(true, true)),
      decoder: byteLevel(true, true),
    },
    "Falcon's: Digits and Split see the characters that ByteLevel makes of bytes": {
      preTokenizer: preTokenizers(
        punctuation('Contiguous'),
        byteLevel(false, true),
        digits(false),
        split({ Regex: '[0-9][0-9][0-9]' }, 'Isolated'),
      ),
      decoder: byteLevel(true, true),
    },
    'words and punctuation of the alphabet of bytes': {
      preTokenizer: preTokenizers(
        byteLevel(true, false),
        punctuation('MergedWithPrevious'),
        step('Whitespace'),
      ),
      decoder: byteLevel(true, true),
    },
    'UnicodeScripts, Digits, FixedLength': {
      preTokenizer: preTokenizers(step('UnicodeScripts'), digits(false), step('FixedLength', { length: 3 })),
    },
    'Metaspace, UnicodeScripts': { preTokenizer: preTokenizers(metaspace('first'), step('UnicodeScripts')) },
    'UnicodeScripts, Metaspace': { preTokenizer: preTokenizers(step('UnicodeScripts'), metaspace('always')) },
    'FixedLength, BertPreTokenizer': {
      preTokenizer: preTokenizers(step('FixedLength', { length: 4 }), step('BertPreTokenizer')),
    },
    'CharDelimiterSplit, Metaspace': {
      preTokenizer: preTokenizers(step('CharDelimiterSplit', { delimiter: 'e' }), metaspace('first', false)),
    },
    'a Sequence in a Sequence': {
      preTokenizer: preTokenizers(preTokenizers(digits(true), preTokenizers()), metaspace('first')),
    },
  })
})

/** The model sees the alphabet of bytes as characters then. */
describe('ByteLevel before others', () => {
  compare({
    'Metaspace behind ByteLevel': {
      preTokenizer: preTokenizers(byteLevel(true, true), metaspace('first')),
      decoder: byteLevel(true, true),
    },
    'Punctuation behind ByteLevel': {
      preTokenizer: preTokenizers(byteLevel(true, false), punctuation()),
      decoder: decoders(byteLevel(true, true), step('Fuse')),
    },
    'ByteLevel twice': {
      preTokenizer: preTokenizers(byteLevel(true, false), byteLevel(true, true)),
      decoder: byteLevel(true, true),
    },
    'ByteLevel twice, then Metaspace': {
      preTokenizer: preTokenizers(byteLevel(true, false), byteLevel(true, true), metaspace('first')),
    },
    'ByteLevel as a normalizer, then Metaspace': {
      normalizer: step('ByteLevel'),
      preTokenizer: metaspace('first'),
    },
    'ByteLevel as a normalizer, then as a pre-tokenizer': {
      normalizer: step('ByteLevel'),
      preTokenizer: byteLevel(true, true),
    },
    'Replace and Lowercase behind ByteLevel': {
      normalizer: normalizers(step('ByteLevel'), replace('Ġ', ' '), step('Lowercase')),
      preTokenizer: step('WhitespaceSplit'),
      model: { byte_fallback: true },
      bytes: 'all',
    },
  })
})
