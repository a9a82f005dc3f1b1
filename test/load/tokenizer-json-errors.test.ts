import { describe, expect, it } from 'vitest'
import { readTokenizerJson } from '../../src/load/tokenizer-json.js'
import {
  addedToken,
  BYTE_LEVEL,
  failure,
  type Json,
  read,
  readText,
  type TokenizerFileInput,
  tokenizerFile,
  utf8,
} from '../fixtures/tokenizer-file.js'

const vocab = (vocab: Json): TokenizerFileInput => ({ model: { vocab, merges: [] } })
const merges = (merges: Json): TokenizerFileInput => ({ model: { merges } })
const top = (name: string, value: Json): TokenizerFileInput => ({ top: { [name]: value } })
const added = (...tokens: Json[]): TokenizerFileInput => top('added_tokens', tokens)
const template = (fields: { [key: string]: Json }): TokenizerFileInput =>
  top('post_processor', {
    type: 'TemplateProcessing',
    single: [A],
    pair: [A, B],
    special_tokens: {},
    ...fields,
  })
const processors = (...processors: Json[]): TokenizerFileInput =>
  top('post_processor', { type: 'Sequence', processors })
const TEMPLATE: { [key: string]: Json } = {
  type: 'TemplateProcessing',
  single: [
    { SpecialToken: { id: 'x', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: 'x', type_id: 0 } },
  ],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 0 } }],
  special_tokens: { x: { id: 'x', ids: [0], tokens: ['a'] } },
}
const A: Json = { Sequence: { id: 'A', type_id: 0 } }
const B: Json = { Sequence: { id: 'B', type_id: 1 } }

/** Only these fields. */
const only = (fields: { [key: string]: Json }): TokenizerFileInput => ({ model: fields, whole: true })
const wordPiece = (fields: { [key: string]: Json }): TokenizerFileInput =>
  only({
    type: 'WordPiece',
    vocab: { a: 0, b: 1, '[UNK]': 2 },
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    ...fields,
  })
const wordLevel = (fields: { [key: string]: Json }): TokenizerFileInput =>
  only({ type: 'WordLevel', vocab: { a: 0, b: 1, '[UNK]': 2 }, unk_token: '[UNK]', ...fields })

describe('a malformed file is an error with its JSON path', () => {
  it.each<[string, TokenizerFileInput, string]>([
    ['$.model.vocab', vocab([]), 'an object'],
    ['$.model.vocab["a"]', vocab({ a: -1 }), 'an id was expected'],
    ['$.model.vocab["a"]', vocab({ a: 1.5 }), 'an id was expected'],
    ['$.model.vocab["a"]', vocab({ a: '1' }), 'an id was expected'],
    ['$.model.vocab["a"]', vocab({ a: null }), 'an id was expected'],
    ['$.model.vocab["__proto__"]', vocab(JSON.parse('{"__proto__":{"a":1}}')), 'an id was expected'],
    ['$.model.vocab["a"]', vocab({ a: 2 ** 24 }), 'an id was expected'],
    ['$.model.vocab["a"]', vocab({ a: 1e300 }), 'an id was expected'],
    ['$.model.vocab["b"]', vocab({ a: 0, b: 2 ** 24 - 1 }), 'too far from the others'],
    ['$.model.vocab["b"]', vocab({ a: 1, b: 1 }), 'the id 1 belongs to another token'],
    ['$.model.merges', merges({}), 'a list'],
    ['$.model.merges[1]', merges(['a b', 7]), 'a merge was expected'],
    ['$.model.merges[1]', merges(['a b', ['ab', 'c']]), 'mixed'],
    ['$.model.merges[0]', merges(['ab']), 'one space'],
    ['$.model.merges[0]', merges(['a  b']), 'one space'],
    ['$.model.merges[0]', merges([['a']]), 'two strings'],
    ['$.model.merges[0]', merges([['a', 'b', 'c']]), 'two strings'],
    ['$.model.merges[0]', merges([['a', 1]]), 'two strings'],
    ['$.model.merges[1]', merges(['a b', 'x b']), '"x" is not in the vocabulary'],
    ['$.model.merges[1]', merges(['a b', 'a x']), '"x" is not in the vocabulary'],
    ['$.model.merges[1]', merges(['a b', 'b a']), '"ba" is not in the vocabulary'],
    ['$.model.merges[0]', { model: { continuing_subword_prefix: '##' } }, 'does not begin with the'],
    ['$.model.unk_token', { model: { unk_token: '<unk>' } }, '"<unk>" is not in the vocabulary'],
    ['$.model.unk_token', { model: { unk_token: 7 } }, 'a string was expected, not 7'],
    ['$.model.fuse_unk', { model: { fuse_unk: 'yes' } }, 'true or false was expected, not "yes"'],
    ['$.model.type', { model: { type: 7 } }, 'a string'],
    ['$.model.unk_token', wordPiece({ unk_token: null }), 'a string was expected, not null'],
    ['$.model.unk_token', wordPiece({ unk_token: '<unk>' }), '"<unk>" is not in the vocabulary'],
    ['$.model.continuing_subword_prefix', wordPiece({ continuing_subword_prefix: null }), 'a string'],
    ['$.model.max_input_chars_per_word', wordPiece({ max_input_chars_per_word: -1 }), 'a whole number'],
    ['$.model.max_input_chars_per_word', wordPiece({ max_input_chars_per_word: 1.5 }), 'a whole number'],
    ['$.model.vocab', wordPiece({ vocab: [] }), 'an object'],
    ['$.model.unk_token', wordLevel({ unk_token: '<unk>' }), '"<unk>" is not in the vocabulary'],
    ['$.model.vocab["b"]', wordLevel({ vocab: { '[UNK]': 0, b: 0 } }), 'belongs to another token'],
    ['$.added_tokens', top('added_tokens', {}), 'a list was expected, not an object'],
    ['$.added_tokens[0]', added('<x>'), 'an object'],
    ['$.added_tokens[0].id', added(addedToken(-1, '<x>')), 'a whole number'],
    ['$.added_tokens[0].id', added(addedToken(2 ** 24, '<x>')), 'an id below'],
    ['$.added_tokens[0].id', added(addedToken(9, '<x>')), 'numbers added tokens behind the vocabulary: 5'],
    ['$.added_tokens[0].id', added(addedToken(5, 'ab')), 'the vocabulary gives it 3'],
    ['$.added_tokens[1].content', added(addedToken(5, '<x>'), addedToken(6, '<x>')), '"<x>" occurs twice'],
    [
      '$.added_tokens[0].content',
      added(addedToken(5, '<x>', { content: null })),
      'a string was expected, not null',
    ],
    ['$.added_tokens[0].lstrip', added(addedToken(5, '<x>', { lstrip: 1 })), 'true or false'],
    ['$.normalizer', top('normalizer', 'NFC'), 'an object was expected, not "NFC"'],
    ['$.normalizer.type', top('normalizer', {}), 'a string was expected, but it is missing'],
    [
      '$.normalizer.normalizers',
      top('normalizer', { type: 'Sequence' }),
      'a list was expected, but it is missing',
    ],
    [
      '$.normalizer.normalizers[0].strip_left',
      top('normalizer', { type: 'Sequence', normalizers: [{ type: 'Strip' }] }),
      'missing',
    ],
    [
      '$.normalizer.pattern',
      top('normalizer', { type: 'Replace', content: '', pattern: { String: '', Regex: '' } }),
      'one field',
    ],
    [
      '$.normalizer.pattern.Regex',
      top('normalizer', { type: 'Replace', content: '', pattern: { Regex: 1 } }),
      'a string',
    ],
    [
      '$.pre_tokenizer.trim_offsets',
      top('pre_tokenizer', { type: 'ByteLevel', add_prefix_space: true }),
      'missing',
    ],
    [
      '$.pre_tokenizer.replacement',
      top('pre_tokenizer', { type: 'Metaspace', replacement: '__' }),
      'one character',
    ],
    [
      '$.pre_tokenizer.add_prefix_space',
      top('pre_tokenizer', {
        type: 'Metaspace',
        replacement: '_',
        add_prefix_space: false,
        prepend_scheme: 'first',
      }),
      'contradicts',
    ],
    [
      '$.normalizer.precompiled_charsmap',
      top('normalizer', { type: 'Precompiled' }),
      'a string was expected',
    ],
    [
      '$.normalizer.precompiled_charsmap',
      top('normalizer', { type: 'Precompiled', precompiled_charsmap: 'AAA' }),
      'base64 was expected',
    ],
    ['$.normalizer.lowercase', top('normalizer', { type: 'BertNormalizer' }), 'true or false was expected'],
    [
      '$.normalizer.strip_accents',
      top('normalizer', {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: 'no',
        lowercase: true,
      }),
      'true or false was expected, not "no"',
    ],
    [
      '$.pre_tokenizer.delimiter',
      top('pre_tokenizer', { type: 'CharDelimiterSplit', delimiter: 'ab' }),
      'one character',
    ],
    ['$.pre_tokenizer.length', top('pre_tokenizer', { type: 'FixedLength', length: 0 }), 'at least 1'],
    ['$.pre_tokenizer.length', top('pre_tokenizer', { type: 'FixedLength', length: null }), 'a whole number'],
    ['$.decoder.prefix', top('decoder', { type: 'WordPiece', cleanup: true }), 'a string was expected'],
    ['$.decoder.cleanup', top('decoder', { type: 'WordPiece', prefix: '##' }), 'true or false was expected'],
    ['$.decoder.pad_token', top('decoder', { type: 'CTC' }), 'a string was expected'],
    [
      '$.post_processor.cls',
      top('post_processor', { type: 'BertProcessing', cls: ['a', 99], sep: ['b', 1] }),
      'the id of a token was expected, not 99',
    ],
    [
      '$.post_processor.sep',
      top('post_processor', { type: 'BertProcessing', cls: ['a', 0], sep: ['b'] }),
      'a token and its id were expected',
    ],
    [
      '$.post_processor.trim_offsets',
      top('post_processor', { type: 'RobertaProcessing', cls: ['a', 0], sep: ['b', 1] }),
      'true or false was expected',
    ],
    [
      '$.decoder.start',
      top('decoder', { type: 'Strip', content: ' ', start: -1, stop: 0 }),
      'a whole number',
    ],
    ['$.post_processor.pair', template({ pair: [A] }), 'each text must occur once'],
    ['$.post_processor.single[0].Sequence.id', template({ single: [B] }), '"A" was expected, not "B"'],
    ['$.post_processor.single[0]', template({ single: [{}] }), 'one field'],
    [
      '$.post_processor.single[1].SpecialToken.id',
      template({ single: [A, { SpecialToken: { id: 'x', type_id: 0 } }] }),
      'not among',
    ],
    [
      '$.post_processor.special_tokens["[CLS]"].ids',
      template({ special_tokens: { '[CLS]': { id: '[CLS]', ids: [9], tokens: ['?'] } } }),
      'the id of a token was expected',
    ],
  ])('%s', (where, input, message) => {
    const error = failure(() => read(input))
    expect(error).toMatchObject({ name: 'TokenizerFileError', where })
    expect(error.message).toContain(message)
  })

  it('where added tokens would fill the holes of a vocabulary', () => {
    const input = {
      top: { added_tokens: [addedToken(2, '<x>'), addedToken(3, '<y>')] },
      ...vocab({ a: 0, b: 3 }),
    }
    expect(failure(() => read(input))).toMatchObject({ where: '$.added_tokens[1].id' })
  })
})

describe('what is not known is refused by name', () => {
  it.each<[string, string, TokenizerFileInput]>([
    ['model Bigram', '$.model.type', { model: { type: 'Bigram' } }],
    ['dropout 0.1', '$.model.dropout', { model: { dropout: 0.1 } }],
    ['field shiny', '$.model.shiny', { model: { shiny: true } }],
    ['field shiny', '$', top('shiny', 1)],
    ['version "2.0"', '$.version', top('version', '2.0')],
    ['field shiny', '$.added_tokens[0].shiny', added(addedToken(5, '<x>', { shiny: 1 }))],
    [
      'normalizer Shiny',
      '$.normalizer.normalizers[0]',
      top('normalizer', { type: 'Sequence', normalizers: [{ type: 'Shiny' }] }),
    ],
    ['normalizer __proto__', '$.normalizer', top('normalizer', { type: '__proto__' })],
    ['field shiny', '$.normalizer.shiny', top('normalizer', { type: 'NFC', shiny: 1 })],
    [
      'pattern Glob',
      '$.normalizer.pattern.Glob',
      top('normalizer', { type: 'Replace', content: '', pattern: { Glob: '' } }),
    ],
    ['pre_tokenizer Shiny', '$.pre_tokenizer', top('pre_tokenizer', { type: 'Shiny' })],
    [
      'behavior Shiny',
      '$.pre_tokenizer.behavior',
      top('pre_tokenizer', { type: 'Punctuation', behavior: 'Shiny' }),
    ],
    [
      'prepend_scheme last',
      '$.pre_tokenizer.prepend_scheme',
      top('pre_tokenizer', { type: 'Metaspace', replacement: '_', prepend_scheme: 'last' }),
    ],
    ['decoder Shiny', '$.decoder', top('decoder', { type: 'Shiny' })],
    ['post_processor Shiny', '$.post_processor', top('post_processor', { type: 'Shiny' })],
    [
      'post_processor Sequence',
      '$.post_processor.processors[1]',
      processors(TEMPLATE, { ...TEMPLATE, single: [A] }),
    ],
    [
      'TemplateProcessing',
      '$.post_processor.single',
      template({
        single: [A, ...Array(65).fill({ SpecialToken: { id: 'x', type_id: 0 } })],
        special_tokens: { x: { id: 'x', ids: Array(64).fill(0), tokens: [] } },
      }),
    ],
    ['field shiny', '$.model.shiny', wordPiece({ shiny: 1 })],
    [
      'field max_input_chars_per_word',
      '$.model.max_input_chars_per_word',
      wordLevel({ max_input_chars_per_word: 9 }),
    ],
    [
      'end_of_word_suffix "é"',
      '$.model.end_of_word_suffix',
      { top: { pre_tokenizer: BYTE_LEVEL }, model: { end_of_word_suffix: 'é' } },
    ],
    [
      'byte_fallback with ByteLevel',
      '$.model.byte_fallback',
      { top: { pre_tokenizer: BYTE_LEVEL }, model: { byte_fallback: true } },
    ],
    [
      'normalizer Sequence',
      '$.normalizer.normalizers[64]',
      top('normalizer', { type: 'Sequence', normalizers: Array(65).fill({ type: 'NFC' }) }),
    ],
  ])('%s (%s)', (component, path, input) => {
    const error = failure(() => read(input))
    expect(error).toMatchObject({ name: 'UnsupportedTokenizerError', where: component })
    expect(error.message).toContain(`${component}: ${path}: `)
  })
})

describe('what is not JSON is an error with line and column', () => {
  it.each<[string, string, string]>([
    ['', 'line 1, column 1', 'a value was expected, but the file ends'],
    ['\ufeff{}', 'line 1, column 1', 'a value was expected'],
    ['{"a"', 'line 1, column 5', '":" was expected, but the file ends'],
    ['{\n "é": 1,\n}', 'line 3, column 1', 'a key in double quotes was expected, but "}" was found'],
    ['{"é": nul}', 'line 1, column 7', 'a value was expected'],
    ['{"a": [1 2]}', 'line 1, column 10', '"," or "]" was expected, but "2" was found'],
    ['{"a": 1 "b": 2}', 'line 1, column 9', '"," or "}" was expected'],
    ['{"a": 01}', 'line 1, column 7', 'a number was expected'],
    ['{"a": 1.}', 'line 1, column 7', 'a number was expected'],
    ['{"a": "\n"}', 'line 1, column 8', 'the end of the string was expected'],
    ['{"a": "\\x"}', 'line 1, column 8', 'a valid escape was expected'],
    ['{"a": "\\u12"}', 'line 1, column 8', 'four hexadecimal digits'],
    ['{"a": "\\ud800"}', 'line 1, column 14', 'a valid escape was expected'],
    ['{"a": "\\ud800\\u0041"}', 'line 1, column 8', 'a pair of surrogates was expected'],
    ['{"a": "\\udc00"}', 'line 1, column 8', 'a pair of surrogates was expected'],
    ['{} x', 'line 1, column 4', 'the end of the file was expected, but "x" was found'],
    [`{"a": ${'['.repeat(1e6)}`, 'line 1, column 134', 'nested deeper than 128'],
    [`{"a": ${'{"a":'.repeat(1e6)}`, 'line 1, column 642', 'nested deeper than 128'],
  ])('%#', (text, where, message) => {
    const error = failure(() => readText(text))
    expect(error).toMatchObject({ name: 'TokenizerFileError', where })
    expect(error.message).toContain(message)
  })

  it.each<[string, string, string]>([
    ['[]', '$', 'an object was expected'],
    ['{}', '$.model', 'it is missing'],
    ['{"model": 7}', '$.model', 'an object was expected'],
    ['{"model": {"type": "BPE", "merges": []}}', '$.model.vocab', 'it is missing'],
    ['{"model": {"type": "BPE", "vocab": {}}}', '$.model.merges', 'it is missing'],
    ['{"model": {"vocab": {}}}', '$.model.type', 'it is missing'],
    ['{"version": "1.0", "version": "1.0"}', '$', 'the field "version" occurs twice'],
    [tokenizerFile().replace('"a":0', '"a":0,"a":0'), '$.model.vocab["a"]', 'the token occurs twice'],
  ])('but some are JSON: %#', (text, where, message) => {
    const error = failure(() => readText(text))
    expect(error).toMatchObject({ where })
    expect(error.message).toContain(message)
  })

  it('nor what is not UTF-8', () => {
    const bytes = utf8(tokenizerFile())
    bytes[20] = 0xff
    expect(failure(() => readTokenizerJson(bytes, 'x'))).toMatchObject({
      where: 'byte 20',
      message: 'x: byte 20: it is not valid UTF-8',
    })
  })

  it('wherever the file is cut', () => {
    const bytes = utf8(tokenizerFile({ top: { added_tokens: [addedToken(5, '<\n>')] } }))
    for (let length = 0; length < bytes.length; length++) {
      expect(failure(() => readTokenizerJson(bytes.subarray(0, length), 'x')).where).toMatch(
        /^line 1, column \d+$/,
      )
    }
  })
})
