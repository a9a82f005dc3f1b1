// Each normalizer of a tokenizer.json as part of a tokenizer, against Hugging Face `tokenizers` itself.
import { describe } from 'vitest'
import { precompiledCharsmap } from '../../../scripts/precompiled-charsmap.mjs'
import {
  bertNormalizer,
  byteLevel,
  type Component,
  decoders,
  metaspace,
  named,
  nameOf,
  normalizers,
  replace,
  step,
  strip,
  wordPieceDecoder,
} from './case.js'
import { compare } from './compare-case.js'

describe('normalizers', () => {
  const steps = ['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents'].map((type) => step(type))
  const stripEnds = (strip_left: boolean, strip_right: boolean) => step('Strip', { strip_left, strip_right })
  const patterns: [string, string][] = [
    ['\\s+', ' '],
    [' {2,}|\\n', '▁'],
    ['(?i:h)ello', ''],
    ['\\p{M}', 'x'],
    ['x*', '-'],
    ['(?<=a)b|(\\w)\\1', 'é'],
    ['^\\s*|\\s*$', ''],
    ['\\G[a-z]', '*'],
  ]
  compare({
    ...named(
      steps,
      (s) => s.type,
      (s) => ({ normalizer: s, preTokenizer: metaspace('first') }),
    ),
    'Strip both': { normalizer: stripEnds(true, true), preTokenizer: metaspace('first') },
    'Strip left': { normalizer: stripEnds(true, false), preTokenizer: metaspace('first', false) },
    'Strip right': { normalizer: stripEnds(false, true), preTokenizer: metaspace('always') },
    Prepend: { normalizer: step('Prepend', { prepend: '▁▁' }), preTokenizer: metaspace('first') },
    'Replace a string': { normalizer: replace('a', 'bb'), preTokenizer: metaspace('first') },
    'Replace nothing': { normalizer: replace('', '-') },
    'Replace by nothing': { normalizer: replace(' ', ''), preTokenizer: metaspace('first') },
    ...named(
      patterns,
      ([p, c]) => `Replace ${p} by ${c}`,
      ([p, c]) => ({
        normalizer: replace({ Regex: p }, c),
        preTokenizer: metaspace('first'),
      }),
    ),
    ByteLevel: { normalizer: step('ByteLevel'), decoder: byteLevel(true, true) },
    'Prepend, Replace, ByteLevel': {
      normalizer: normalizers(
        step('Prepend', { prepend: ' ' }),
        replace({ Regex: '\\d' }, '#'),
        step('ByteLevel'),
      ),
      decoder: decoders(byteLevel(true, true), strip(' ', 1, 0)),
    },
    'Sequence of many': {
      normalizer: normalizers(
        step('NFKD'),
        step('StripAccents'),
        step('Lowercase'),
        stripEnds(true, true),
        replace({ Regex: '\\s+' }, ' '),
      ),
      preTokenizer: metaspace('first'),
    },
  })

  const bertFlags = [
    {},
    { strip_accents: true, lowercase: false },
    { strip_accents: false },
    { clean_text: false },
    { handle_chinese_chars: false },
  ]
  const bert = { preTokenizer: step('BertPreTokenizer'), model: { type: 'WordPiece' } }
  const charsmap = (rules: readonly (readonly [string, string])[]): Component =>
    step('Precompiled', { precompiled_charsmap: Buffer.from(precompiledCharsmap(rules)).toString('base64') })
  const rules: readonly (readonly [string, string])[] = [
    ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (c): [string, string] => [c, c.toLowerCase()]),
    ...['\u0001', '\u200b', '\u00ad', '\u0301'].map((c): [string, string] => [c, '']),
    ...['\t', '\n', '\r', '\u00a0', '\u3000'].map((c): [string, string] => [c, ' ']),
    ['ﬁ', 'fi'],
    ['…', '...'],
    ['＜', '<'],
    ['＞', '>'],
    ['e\u0301', 'é'],
  ]
  compare({
    ...named(
      bertFlags,
      (flags) => nameOf(bertNormalizer(flags)),
      (flags) => ({ ...bert, normalizer: bertNormalizer(flags), decoder: wordPieceDecoder('##', true) }),
    ),
    Nmt: { normalizer: step('Nmt'), preTokenizer: metaspace('first') },
    Precompiled: { normalizer: charsmap(rules), preTokenizer: metaspace('first') },
    'Precompiled, Strip, Replace': {
      normalizer: normalizers(charsmap(rules), stripEnds(true, true), replace({ Regex: ' {2,}' }, ' ')),
      preTokenizer: metaspace('first'),
    },
    'Nmt, NFKC, Precompiled': {
      normalizer: normalizers(step('Nmt'), step('NFKC'), charsmap([['a', '']])),
      preTokenizer: metaspace('first', false),
    },
  })
})
