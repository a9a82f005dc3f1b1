import { describe, expect, it } from 'vitest'
import { isTekken } from '../../src/load/file-kinds.js'
import { readTekken } from '../../src/load/tekken.js'
import { TokenKind } from '../../src/load/token-table.js'
import { failure, type Json, tokenBytes, utf8 } from '../fixtures/tokenizer-file.js'

const base64 = (bytes: readonly number[]): string => Buffer.from(bytes).toString('base64')
const VOCAB: { [key: string]: Json }[] = [
  ...Array.from({ length: 256 }, (_, byte) => ({ rank: byte, token_bytes: base64([byte]), token_str: null })),
  { rank: 256, token_bytes: base64([104, 105]), token_str: 'hi' },
  { rank: 257, token_bytes: base64([104, 111]), token_str: 'ho' },
]
const CONFIG: { [key: string]: Json } = {
  pattern: '\\p{L}+|\\P{L}+',
  num_vocab_tokens: 258,
  default_vocab_size: 279,
  default_num_special_tokens: 22,
  version: 'v3',
}

function read(fields: { readonly [key: string]: Json } = {}) {
  return readTekken(utf8(JSON.stringify({ config: CONFIG, vocab: VOCAB, ...fields })), 'tekken.json')
}

const replaced = (index: number, token: Json): Json[] => VOCAB.map((old, i) => (i === index ? token : old))

describe('a tekken.json', () => {
  it('has control tokens first, then as many ranks as fit', () => {
    const spec = read()
    expect(spec).toMatchObject({
      semantics: 'tiktoken',
      model: { type: 'bpe', alphabet: 'bytes', merges: 'ranks', ignoreMerges: true },
      preTokenizers: [
        { type: 'Split', pattern: { regex: '\\p{L}+|\\P{L}+' }, behavior: 'removed', invert: true },
      ],
    })
    const tokens = tokenBytes(spec)
    expect(tokens).toHaveLength(279)
    expect([0, 3, 19, 20, 21].map((id) => tokens[id])).toEqual([
      '<unk>',
      '[INST]',
      '[TOOL_CONTENT]',
      '<SPECIAL_20>',
      '<SPECIAL_21>',
    ])
    expect(tokens.slice(22, 278)).toEqual(Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)))
    expect(tokens[278]).toBe('hi') // 'ho' does not fit
    expect([spec.tokens.kinds[21], spec.tokens.kinds[22]]).toEqual([TokenKind.ADDED, TokenKind.MODEL])
    expect(spec.addedTokens).toHaveLength(22)
    expect(spec.addedTokens[21]).toMatchObject({ id: 21, content: '<SPECIAL_21>', special: true })
  })

  it('may name its control tokens, and must from version 11 on', () => {
    const special_tokens = ['<a>', '<b>'].map((token_str, rank) => ({ rank, token_str, is_control: true }))
    const config = { ...CONFIG, version: 'v13' }
    expect(tokenBytes(read({ config, special_tokens })).slice(0, 3)).toEqual(['<a>', '<b>', '<SPECIAL_2>'])
    expect(failure(() => read({ config }))).toMatchObject({ where: '$.special_tokens' })
  })

  it('is told by its first fields', () => {
    expect(isTekken(utf8(JSON.stringify({ config: CONFIG, vocab: [] })))).toBe(true)
    expect(isTekken(utf8('{"version": "1.0"}'))).toBe(false)
  })

  it.each<[string, { [key: string]: Json }, string]>([
    ['$.config', { config: null }, 'an object was expected'],
    ['$.config.pattern', { config: { ...CONFIG, pattern: 7 } }, 'a string was expected'],
    [
      '$.config.default_vocab_size',
      { config: { ...CONFIG, default_vocab_size: 277 } },
      'leaves no place for 256 bytes',
    ],
    ['$.config.default_vocab_size', { config: { ...CONFIG, default_vocab_size: 2 ** 25 } }, 'at most'],
    ['$.vocab', { config: { ...CONFIG, default_vocab_size: 281 } }, 'needs 259 tokens, but there are 258'],
    ['$.vocab', { vocab: {} }, 'a list was expected'],
    ['$.vocab[1]', { vocab: replaced(1, 7) }, 'an object was expected'],
    ['$.vocab[1].rank', { vocab: replaced(1, { rank: 2, token_bytes: 'AQ==' }) }, '1 was expected'],
    ['$.vocab[1].rank', { vocab: replaced(1, { token_bytes: 'AQ==' }) }, '1 was expected'],
    ['$.vocab[1].token_bytes', { vocab: replaced(1, { rank: 1 }) }, 'base64'],
    ['$.vocab[1].token_bytes', { vocab: replaced(1, { rank: 1, token_bytes: 'AQ' }) }, 'base64'],
    ['$.vocab[1].token_bytes', { vocab: replaced(1, { rank: 1, token_bytes: 'Ag==' }) }, 'the single bytes'],
    [
      '$.vocab[256].token_bytes',
      { vocab: replaced(256, { rank: 256, token_bytes: 'Ag==' }) },
      'occurs twice',
    ],
    ['$.special_tokens', { special_tokens: 7 }, 'a list was expected'],
    ['$.special_tokens[0].rank', { special_tokens: [{ rank: 1, token_str: 'x' }] }, '0 was expected'],
    [
      '$.special_tokens[1]',
      { special_tokens: [0, 1].map((rank) => ({ rank, token_str: 'x' })) },
      'a name of its own',
    ],
    [
      '$.special_tokens',
      { special_tokens: Array.from({ length: 23 }, (_, rank) => ({ rank, token_str: `${rank}` })) },
      'more than the 22',
    ],
  ])('is an error at %s', (where, fields, message) => {
    const error = failure(() => read(fields))
    expect(error).toMatchObject({ name: 'TokenizerFileError', where })
    expect(error.message).toContain(message)
  })

  it('of a version to come is refused', () => {
    expect(failure(() => read({ config: { ...CONFIG, version: 'v99' } }))).toMatchObject({
      name: 'UnsupportedTokenizerError',
      where: 'version "v99"',
    })
    expect(failure(() => readTekken(utf8('{"config":'), 'x')).where).toBe('line 1, column 11')
  })
})
