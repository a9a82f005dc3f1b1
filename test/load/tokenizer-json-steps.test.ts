import { describe, expect, it } from 'vitest'
import { BYTE_LEVEL, type Json, read } from '../fixtures/tokenizer-file.js'

const NFC: Json = { type: 'NFC' }
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']

describe('the steps', () => {
  it.each<[Json, object[]]>([
    [null, []],
    ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'ByteLevel'].map(
      (type): [Json, object[]] => [{ type }, [{ type }]],
    ),
    [{ type: 'Strip', strip_left: true, strip_right: false }, [{ type: 'Strip', left: true, right: false }]],
    [{ type: 'Prepend', prepend: '▁' }, [{ type: 'Prepend', text: '▁' }]],
    [
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      [{ type: 'Replace', pattern: { literal: ' ' }, content: '▁' }],
    ],
    [
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '' },
      [{ type: 'Replace', pattern: { regex: ' {2,}' }, content: '' }],
    ],
    [
      {
        type: 'Sequence',
        normalizers: [NFC, { type: 'Sequence', normalizers: [{ type: 'NFD' }] }, { type: 'Lowercase' }],
      },
      [{ type: 'NFC' }, { type: 'NFD' }, { type: 'Lowercase' }],
    ],
  ])('normalizer %j', (normalizer, steps) => {
    expect(read({ top: { normalizer } }).normalizers).toEqual(steps)
  })

  it.each<[Json, object[]]>([
    [BYTE_LEVEL, [{ type: 'ByteLevel', addPrefixSpace: false, useRegex: false }]],
    [
      { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true },
      [{ type: 'ByteLevel', addPrefixSpace: true, useRegex: true }],
    ],
    ...BEHAVIORS.map((behavior): [Json, object[]] => [
      { type: 'Split', pattern: { String: ' ' }, behavior, invert: true },
      [
        {
          type: 'Split',
          pattern: { literal: ' ' },
          behavior: behavior[0]?.toLowerCase() + behavior.slice(1),
          invert: true,
        },
      ],
    ]),
    [
      { type: 'Split', pattern: { Regex: '\\s+' }, behavior: 'Isolated', invert: false },
      [{ type: 'Split', pattern: { regex: '\\s+' }, behavior: 'isolated', invert: false }],
    ],
    [
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false },
      [{ type: 'Metaspace', replacement: '▁', prepend: 'first', split: false }],
    ],
    [
      { type: 'Metaspace', replacement: '▁', str_rep: '▁', add_prefix_space: true },
      [{ type: 'Metaspace', replacement: '▁', prepend: 'always', split: true }],
    ],
    [
      { type: 'Metaspace', replacement: '▁', str_rep: '▁', add_prefix_space: false },
      [{ type: 'Metaspace', replacement: '▁', prepend: 'never', split: true }],
    ],
    [{ type: 'Whitespace' }, [{ type: 'Whitespace' }]],
    [{ type: 'WhitespaceSplit' }, [{ type: 'WhitespaceSplit' }]],
    [{ type: 'Punctuation' }, [{ type: 'Punctuation', behavior: 'isolated' }]],
    [{ type: 'Punctuation', behavior: 'Contiguous' }, [{ type: 'Punctuation', behavior: 'contiguous' }]],
    [{ type: 'Digits', individual_digits: true }, [{ type: 'Digits', individual: true }]],
    [
      {
        type: 'Sequence',
        pretokenizers: [{ type: 'Whitespace' }, { type: 'Digits', individual_digits: false }],
      },
      [{ type: 'Whitespace' }, { type: 'Digits', individual: false }],
    ],
  ])('pre-tokenizer %j', (pre_tokenizer, steps) => {
    expect(read({ top: { pre_tokenizer } }).preTokenizers).toEqual(steps)
  })

  it.each<[Json, object[]]>([
    [BYTE_LEVEL, [{ type: 'ByteLevel' }]],
    [
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'never', split: true },
      [{ type: 'Metaspace', replacement: '▁', prepend: 'never' }],
    ],
    [{ type: 'BPEDecoder', suffix: '</w>' }, [{ type: 'BPEDecoder', suffix: '</w>' }]],
    [
      { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] },
      [{ type: 'ByteFallback' }, { type: 'Fuse' }],
    ],
    [
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
      [{ type: 'Strip', content: ' ', start: 1, stop: 0 }],
    ],
    [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      [{ type: 'Replace', pattern: { literal: '▁' }, content: ' ' }],
    ],
  ])('decoder %j', (decoder, steps) => {
    expect(read({ top: { decoder } }).decoders).toEqual(steps)
  })
})

describe('the post-processor', () => {
  const text = (id: string): Json => ({ Sequence: { id, type_id: 0 } })
  const special = (id: string): Json => ({ SpecialToken: { id, type_id: 0 } })
  const template: Json = {
    type: 'TemplateProcessing',
    single: [special('[CLS]'), text('A'), special('two')],
    pair: [text('A'), special('two'), text('B')],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [0], tokens: ['a'] },
      two: { id: 'two', ids: [1, 2], tokens: ['b', 'c'] },
    },
  }
  const items = {
    single: [{ id: 0 }, { text: 'A' }, { id: 1 }, { id: 2 }],
    pair: [{ text: 'A' }, { id: 1 }, { id: 2 }, { text: 'B' }],
  }
  const plain = { single: [{ text: 'A' }], pair: [{ text: 'A' }, { text: 'B' }] }

  it.each<[string, Json, object | undefined]>([
    ['none', null, undefined],
    ['an empty Sequence', { type: 'Sequence', processors: [] }, undefined],
    ['a template', template, { ...items, trimOffsets: [] }],
    ['ByteLevel', BYTE_LEVEL, { ...plain, trimOffsets: [{ addPrefixSpace: false }] }],
    [
      'both',
      { type: 'Sequence', processors: [BYTE_LEVEL, template] },
      { ...items, trimOffsets: [{ addPrefixSpace: false }] },
    ],
  ])('is %s', (_, post_processor, spec) => {
    expect(read({ top: { post_processor } }).postProcessor).toEqual(spec)
  })
})
