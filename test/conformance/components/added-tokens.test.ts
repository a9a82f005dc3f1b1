// Added tokens with all flags, against Hugging Face `tokenizers` itself.
import { describe } from 'vitest'
import {
  ADDED,
  type AddedToken,
  byteLevel,
  type Component,
  metaspace,
  named,
  normalizers,
  replace,
  step,
} from './case.js'
import { compare } from './compare-case.js'

describe('added tokens', () => {
  /** Two for each combination of the five flags: one of words, one that is a mark. */
  const flagged = Array.from({ length: 32 }, (_, bits): AddedToken[] => {
    const flags = {
      single_word: (bits & 1) !== 0,
      lstrip: (bits & 2) !== 0,
      rstrip: (bits & 4) !== 0,
      normalized: (bits & 8) !== 0,
      special: (bits & 16) !== 0,
    }
    return [
      { content: `<T${bits}>`, ...flags },
      { content: `w${bits}q`, ...flags },
    ]
  }).flat()
  const spaces: AddedToken[] = [
    { content: '  ' },
    { content: '\n', normalized: true },
    { content: '\t', lstrip: true },
    { content: '▁▁▁', rstrip: true },
  ]
  const nested: AddedToken[] = [
    { content: '<T', special: false },
    { content: '<T>', special: true },
    { content: '<T>x', special: false },
    { content: '<T>xy', special: true },
    { content: 'T>', special: true, lstrip: true },
  ]
  const normalizersOf: Readonly<Record<string, Component>> = {
    Lowercase: step('Lowercase'),
    Strip: step('Strip', { strip_left: true, strip_right: true }),
    'Prepend, Replace': normalizers(step('Prepend', { prepend: '▁' }), replace(' ', '▁')),
    NFKD: step('NFKD'),
  }
  compare({
    'all flags': { added: flagged },
    'all flags, Metaspace': { added: flagged, preTokenizer: metaspace('first'), decoder: metaspace('first') },
    'all flags, ByteLevel': {
      added: flagged,
      preTokenizer: byteLevel(true, true),
      decoder: byteLevel(true, true),
    },
    ...named(
      Object.entries(normalizersOf),
      ([name]) => `all flags, ${name}`,
      ([, normalizer]) => ({
        added: flagged,
        normalizer,
        preTokenizer: metaspace('first'),
      }),
    ),
    'white space': { added: [...ADDED, ...spaces] },
    'white space and all flags': { added: [...flagged, ...spaces], preTokenizer: metaspace('first') },
    'one in the other': { added: nested },
  })
})
