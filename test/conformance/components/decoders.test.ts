// Each decoder of a tokenizer.json, alone and in chains, against Hugging Face `tokenizers` itself.
import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../shared.js'
import {
  ADDED,
  type AddedToken,
  bpeDecoder,
  byteLevel,
  type Case,
  type Component,
  ctc,
  decoders,
  metaspace,
  named,
  nameOf,
  replace,
  SCHEMES,
  step,
  strip,
  wordPieceDecoder,
} from './case.js'
import { SEED } from './case-files.js'
import { COUNT, compare, differences, TIMEOUT } from './compare-case.js'

/** Tokens that cleaning up changes. */
const CONTRACTIONS: readonly AddedToken[] = [
  ...['.', '?', '!', ',', "'", "n't", "'m", 'do not', "'s", "'ve", "'re", " ' ", " do not's .", "it 's"],
].map((content) => ({ content }))

/** Random chains. */
const ROUNDS = COUNT / 10

describe('decoders', () => {
  const fuse = step('Fuse')
  const fallback = step('ByteFallback')
  const on = (decoder: Component): Case => ({
    preTokenizer: metaspace('first'),
    model: { byte_fallback: true },
    bytes: 'all',
    decoder,
  })
  const steps: Component[] = [
    byteLevel(true, true),
    fallback,
    fuse,
    ...SCHEMES.map((scheme) => metaspace(scheme)),
    bpeDecoder('</w>'),
    bpeDecoder('e'),
    bpeDecoder(''),
    wordPieceDecoder('##', true),
    wordPieceDecoder('', false),
    wordPieceDecoder('▁', true),
    wordPieceDecoder('e', false),
    ctc('<0x0A>', '▁', true),
    ctc('e', '▁', false),
    ctc('', '', true),
    strip(' ', 1, 0),
    strip('▁', 2, 0),
    replace('▁', ' '),
    replace('', '_'),
    replace({ Regex: '[aeiou]+' }, '<$0>'),
    replace({ Regex: '^.' }, ''),
    replace({ Regex: '\\s+$|(?<=.)x*' }, '|'),
  ]
  compare(named(steps, nameOf, on))
  compare({
    Llama: on(decoders(replace('▁', ' '), fallback, fuse, strip(' ', 1, 0))),
    'Llama, three spaces': on(decoders(replace('▁', ' '), fallback, fuse, strip(' ', 3, 0))),
    Gemma: on(decoders(replace('▁', ' '), fallback, fuse)),
    'ByteFallback, Metaspace': on(decoders(fallback, metaspace('always'))),
    'Metaspace, Fuse, Strip': on(decoders(metaspace('never'), fuse, strip(' ', 2, 0))),
    'on bytes: none': { preTokenizer: byteLevel(false, true) },
    'on bytes: Llama': {
      preTokenizer: byteLevel(false, true),
      decoder: decoders(replace('▁', ' '), fallback, fuse, strip(' ', 1, 0)),
    },
    'on bytes: Fuse': { preTokenizer: byteLevel(false, true), decoder: fuse },
    'on bytes: Replace, ByteLevel': {
      preTokenizer: byteLevel(false, true),
      decoder: decoders(replace('Ġ', '▁'), byteLevel(false, true), replace({ Regex: '\\s' }, '')),
    },
    'WordPiece, Fuse': on(decoders(wordPieceDecoder('e', true), fuse)),
    'CTC, Fuse': on(decoders(ctc('e', '▁', true), fuse)),
    'CTC, WordPiece': on(decoders(ctc('e', '▁', true), wordPieceDecoder('a', false))),
    'WordPiece, CTC': on(decoders(wordPieceDecoder('a', false), ctc(' e', '▁', true))),
    'ByteFallback, WordPiece': on(decoders(fallback, wordPieceDecoder('▁', true))),
    'WordPiece, ByteFallback': on(decoders(wordPieceDecoder('##', false), fallback)),
    ...named(
      ['##', ''].flatMap((prefix) => [wordPieceDecoder(prefix, true), wordPieceDecoder(prefix, false)]),
      (decoder) => `on words: ${nameOf(decoder)}`,
      (decoder) => ({
        preTokenizer: step('BertPreTokenizer'),
        model: { type: 'WordPiece' },
        added: [...ADDED, ...CONTRACTIONS],
        decoder,
      }),
    ),
    ...named(
      [ctc('<pad>', '|', true), ctc('<pad>', '|', false), ctc('a', 'e', true)],
      (decoder) => `on characters: ${nameOf(decoder)}`,
      (decoder) => ({
        preTokenizer: step('FixedLength', { length: 1 }),
        model: { type: 'WordLevel' },
        added: [...ADDED, ...CONTRACTIONS, { content: '<pad>', special: true }, { content: '|' }],
        decoder,
      }),
    ),
    // Without special tokens: the reference crashes when there is nothing to strip.
    'Strip at the end': {
      ...on(decoders(fuse, replace({ Regex: '$' }, '!~~~'), strip('~', 0, 2))),
      added: [],
    },
  })

  it('random sequences', { timeout: TIMEOUT }, async () => {
    const random = mulberry32(SEED)
    for (let round = 0; round < ROUNDS; round++) {
      const chain = Array.from(
        { length: 2 + Math.floor(random() * 4) },
        () => steps[Math.floor(random() * steps.length)] as Component,
      )
      const c =
        random() < 0.3
          ? { preTokenizer: byteLevel(false, true), decoder: decoders(...chain) }
          : on(decoders(...chain))
      expect(await differences(c, 100), chain.map(nameOf).join(', ')).toEqual([])
    }
  })
})
