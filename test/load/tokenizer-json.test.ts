import { describe, expect, it } from 'vitest'
import { TokenKind } from '../../src/load/token-table.js'
import {
  addedToken,
  BYTE_LEVEL,
  bpeOf,
  type Json,
  read,
  readText,
  tokenBytes,
} from '../fixtures/tokenizer-file.js'

const { NONE, MODEL, ADDED, UNREACHABLE } = TokenKind

describe('the model', () => {
  it('is read into tokens and merges by id', () => {
    const spec = read()
    expect(spec).toMatchObject({
      source: 'tokenizer.json',
      model: { type: 'bpe' },
      semantics: 'huggingface',
      postProcessor: undefined,
    })
    expect(tokenBytes(spec)).toEqual(['a', 'b', 'c', 'ab', 'abc'])
    expect([...spec.tokens.kinds]).toEqual([MODEL, MODEL, MODEL, MODEL, MODEL])
    expect(spec.model).toEqual({
      type: 'bpe',
      alphabet: 'characters',
      merges: Uint32Array.of(0, 1, 3, 3, 2, 4),
      ignoreMerges: false,
      byteFallback: false,
      fuseUnk: false,
      unkId: undefined,
      continuingSubwordPrefix: '',
      endOfWordSuffix: '',
    })
  })

  it('has merges as strings or as pairs', () => {
    const pairs = read({
      model: {
        merges: [
          ['a', 'b'],
          ['ab', 'c'],
        ],
      },
    })
    expect(bpeOf(pairs).merges).toEqual(bpeOf(read()).merges)
    const spaces = read({ model: { vocab: { ' ': 0, '  ': 1 }, merges: [[' ', ' ']] } })
    expect(bpeOf(spaces).merges).toEqual(Uint32Array.of(0, 0, 1))
    expect(bpeOf(read({ model: { merges: ['#version: 0.2', 'a b'] } })).merges).toEqual(
      Uint32Array.of(0, 1, 3),
    )
    expect(bpeOf(read({ model: { merges: [] } })).merges).toEqual(new Uint32Array())
  })

  it('has all options, and defaults for those that old files lack', () => {
    const bpe = bpeOf(
      read({
        model: {
          unk_token: 'c',
          fuse_unk: true,
          byte_fallback: true,
          ignore_merges: true,
          end_of_word_suffix: '</w>',
          dropout: 0,
        },
      }),
    )
    expect(bpe).toMatchObject({
      unkId: 2,
      fuseUnk: true,
      byteFallback: true,
      ignoreMerges: true,
      endOfWordSuffix: '</w>',
    })
    const gpt2 = readText('{"model":{"vocab":{"a":0},"merges":[]}}') // which has no type either
    expect(gpt2.model).toMatchObject({
      unkId: undefined,
      fuseUnk: false,
      byteFallback: false,
      ignoreMerges: false,
    })
  })

  it('joins tokens without the continuing_subword_prefix of the second', () => {
    const spec = read({
      model: {
        continuing_subword_prefix: '##',
        vocab: { a: 0, '##b': 1, ab: 2, '##bb': 3 },
        merges: ['a ##b', '##b ##b'],
      },
    })
    const bpe = bpeOf(spec)
    expect(bpe.continuingSubwordPrefix).toBe('##')
    expect(bpe.merges).toEqual(Uint32Array.of(0, 1, 2, 1, 1, 3))
  })

  it('may have ids in any order and with holes', () => {
    const spec = read({ model: { vocab: { abc: 6, b: 5, ab: 0, a: 2, c: 1 } } })
    expect(tokenBytes(spec)).toEqual(['ab', 'c', 'a', '', '', 'b', 'abc'])
    expect(spec.tokens.kinds[3]).toBe(NONE)
    expect(bpeOf(spec).merges).toEqual(Uint32Array.of(2, 5, 0, 0, 1, 6))
  })

  it('may hold names of object properties, escapes and the empty token', () => {
    const vocab = JSON.parse(
      '{"__proto__":0,"constructor":1,"toString":2,"\\u0001\\n\\"\\\\\\/":3,"\\ud83d\\ude00":4,"":5}',
    )
    const spec = read({ model: { vocab, merges: [] } })
    expect(tokenBytes(spec)).toEqual([
      '__proto__',
      'constructor',
      'toString',
      '\u0001\n"\\/',
      '\u00f0\u009f\u0098\u0080',
      '',
    ])
    expect(spec.tokens.kinds[5]).toBe(UNREACHABLE)
    const merged = read({
      model: { vocab: JSON.parse('{"__":0,"proto__":1,"__proto__":2}'), merges: ['__ proto__'] },
    })
    expect(bpeOf(merged).merges).toEqual(Uint32Array.of(0, 1, 2))
  })
})

describe('byte-level models', () => {
  const vocab = { Ġ: 0, a: 1, Ġa: 2, Ã: 3, '©': 4, 'Ã©': 5, '<é中>': 6, Ā: 7 }
  const merges = ['Ġ a', 'Ã ©']

  it.each<[string, { [key: string]: Json }]>([
    ['ByteLevel as pre-tokenizer', { pre_tokenizer: BYTE_LEVEL }],
    [
      'ByteLevel last in a Sequence',
      { pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, BYTE_LEVEL] } },
    ],
    [
      'ByteLevel as normalizer',
      { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'ByteLevel' }] } },
    ],
  ])('%s: tokens are raw bytes', (_, top) => {
    const spec = read({ top, model: { vocab, merges } })
    expect(bpeOf(spec).alphabet).toBe('bytes')
    expect(tokenBytes(spec)).toEqual([
      ' ',
      'a',
      ' a',
      '\u00c3',
      '\u00a9',
      '\u00c3\u00a9',
      Buffer.from('<é中>').toString('latin1'),
      '\0',
    ])
    expect([...spec.tokens.kinds]).toEqual([MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, UNREACHABLE, MODEL])
    expect(bpeOf(spec).merges).toEqual(Uint32Array.of(0, 1, 2, 3, 4, 5))
  })

  it('keep added tokens as text', () => {
    const spec = read({
      top: { pre_tokenizer: BYTE_LEVEL, added_tokens: [addedToken(8, 'Ġé')] },
      model: { vocab, merges },
    })
    expect(tokenBytes(spec)[8]).toBe(Buffer.from('Ġé').toString('latin1'))
    expect(spec.tokens.kinds[8]).toBe(ADDED)
  })

  it('that are no such models: ByteLevel only decodes', () => {
    const spec = read({ top: { decoder: BYTE_LEVEL } })
    expect(bpeOf(spec).alphabet).toBe('characters')
    expect(spec.decoders).toEqual([{ type: 'ByteLevel' }])
  })

  it('that are no such models: what is behind ByteLevel changes its characters', () => {
    const sequence = (...pretokenizers: Json[]): Json => ({ type: 'Sequence', pretokenizers })
    const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
    for (const top of [
      { pre_tokenizer: sequence(BYTE_LEVEL, metaspace) },
      { pre_tokenizer: sequence(BYTE_LEVEL, BYTE_LEVEL) },
      { normalizer: { type: 'ByteLevel' }, pre_tokenizer: BYTE_LEVEL },
      {
        normalizer: { type: 'Sequence', normalizers: [{ type: 'ByteLevel' }, { type: 'Lowercase' }] },
        pre_tokenizer: { type: 'Whitespace' },
      },
    ]) {
      const spec = read({ top, model: { vocab, merges } })
      expect(bpeOf(spec).alphabet).toBe('characters')
      expect(tokenBytes(spec)[0]).toBe(Buffer.from('Ġ').toString('latin1'))
    }
  })
})

describe('added tokens', () => {
  it('have all flags, in the order of the file', () => {
    const spec = read({
      top: {
        added_tokens: [
          addedToken(3, 'ab', { special: true, single_word: true }),
          addedToken(5, '<x>', { lstrip: true, normalized: true }),
          addedToken(6, '<y>', { rstrip: true }),
        ],
      },
    })
    const off = { singleWord: false, lstrip: false, rstrip: false, normalized: false, special: false }
    expect(spec.addedTokens).toEqual([
      { ...off, id: 3, content: 'ab', special: true, singleWord: true },
      { ...off, id: 5, content: '<x>', lstrip: true, normalized: true },
      { ...off, id: 6, content: '<y>', rstrip: true },
    ])
    expect([...spec.tokens.kinds]).toEqual([MODEL, MODEL, MODEL, MODEL, MODEL, ADDED, ADDED])
  })

  it('without content are ignored', () => {
    expect(
      read({ top: { added_tokens: [addedToken(5, ''), addedToken(5, '<x>')] } }).addedTokens,
    ).toHaveLength(1)
  })
})
