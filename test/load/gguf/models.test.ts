import { describe, expect, it } from 'vitest'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../../src/errors.js'
import { PieceType } from '../../../src/load/tokenizer-spec.js'
import { trusted } from '../../../src/prompt/parts.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import {
  byteFallbackGguf,
  byteLevelGguf,
  sentencePieceGguf,
  unigramGguf,
  unigramModel,
  wordPieceGguf,
} from '../../fixtures/gguf-files.js'
import {
  errorOf,
  idOf,
  load,
  pieces,
  pipeline,
  read,
  withElement,
  without,
} from '../../fixtures/gguf-inputs.js'
import { type BpeJson, type GgufInputs, ggufFromBpeJson } from '../../fixtures/gguf-writer.js'
import { byteLevelJson, jsonBytes } from '../../fixtures/tokenizer-json.js'
import { wordPieceJson } from '../../fixtures/word-models.js'

describe('byte-level files', () => {
  it('have the pipeline of the name in tokenizer.ggml.pre', () => {
    expect(pipeline(byteLevelGguf())).toMatchObject({
      semantics: 'huggingface',
      model: { type: 'bpe', alphabet: 'bytes', ignoreMerges: true, byteFallback: false },
      normalizers: [],
      preTokenizers: [{ type: 'Split' }, { type: 'ByteLevel' }],
      decoders: [{ type: 'ByteLevel' }],
    })
    expect(pipeline(byteLevelGguf({ 'tokenizer.ggml.pre': ['string', 'qwen2'] }))).toMatchObject({
      model: { ignoreMerges: false },
      normalizers: [{ type: 'NFC' }],
    })
  })

  it('from before there were names are known by their architecture, if that is enough', () => {
    const nameless = (architecture: string) => ({
      ...without(byteLevelGguf(), 'tokenizer.ggml.pre'),
      'general.architecture': ['string', architecture] as const,
    })
    expect(pipeline(nameless('gptneox')).normalizers).toEqual([{ type: 'NFC' }])
    expect(pipeline(nameless('falcon')).preTokenizers[0]).toMatchObject({ type: 'Punctuation' })
    const error = errorOf(nameless('llama'))
    expect(error).toBeInstanceOf(UnsupportedTokenizerError)
    expect(error.message).toMatch(/no tokenizer\.ggml\.pre: .*"llama" differ/)
  })

  it('with an unknown name are refused', () => {
    for (const name of ['bert-bge', '__proto__', 'toString', 'x'.repeat(1000)]) {
      const error = errorOf(byteLevelGguf({ 'tokenizer.ggml.pre': ['string', name] }))
      expect(error).toBeInstanceOf(UnsupportedTokenizerError)
      expect(error.message.length).toBeLessThan(300)
    }
  })

  it('add bos and eos as they say, else as their name does', () => {
    const inputs = byteLevelGguf()
    const [bos, eos] = [idOf(inputs, '<|begin|>'), idOf(inputs, '<|end|>')]
    const ids = (more: GgufInputs, pair?: string) => [
      ...load({ ...inputs, ...more }).encode('h', { addSpecialTokens: true, pair }),
    ]
    const h = idOf(inputs, 'h')
    expect(ids({})).toEqual([bos, h])
    expect(ids({ 'tokenizer.ggml.add_bos_token': ['bool', false] })).toEqual([h])
    expect(ids({ 'tokenizer.ggml.pre': ['string', 'gpt-2'] })).toEqual([h])
    const both: GgufInputs = { 'tokenizer.ggml.add_eos_token': ['bool', true] }
    expect(ids(both, 'h')).toEqual([bos, h, eos, bos, h, eos])
    const roberta = {
      ...both,
      'tokenizer.ggml.pre': ['string', 'roberta-bpe'],
      'tokenizer.ggml.add_bos_token': ['bool', true],
    } as const
    expect(ids(roberta, 'h')).toEqual([bos, h, eos, eos, h, eos])
  })

  it('of a rank file may have no merges', () => {
    const inputs = without(
      byteLevelGguf({ 'tokenizer.ggml.pre': ['string', 'kimi-k2'] }),
      'tokenizer.ggml.merges',
    )
    expect(pipeline(inputs).model).toMatchObject({ merges: 'ranks' })
    expect([...load(inputs).encode('hell')]).toEqual([idOf(inputs, 'hell')])
    expect(errorOf(without(byteLevelGguf(), 'tokenizer.ggml.merges')).message).toMatch(
      /merges: it is missing/,
    )
  })

  it('have added tokens that are part of merges, spelled as text', () => {
    const json = byteLevelJson({ merges: ['h e', 'Ċ Ċ', 'ĊĊ ĊĊ'] })
    const id = json.model.vocab.ĊĊ as number
    json.added_tokens = [
      {
        id,
        content: '\n\n',
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: false,
      },
    ]
    const inputs = ggufFromBpeJson(json as BpeJson, 'gpt-2')
    expect(idOf(inputs, '\n\n')).toBe(id)
    expect([...load(inputs).encode('he\n\nhe')]).toEqual([256, id, 256])
    expect(load(inputs).decode([id])).toBe('\n\n')
  })
})

describe('SentencePiece files', () => {
  it('have the rules of their keys, or those of llama.cpp', () => {
    const bare = without(
      sentencePieceGguf(),
      'tokenizer.ggml.add_space_prefix',
      'tokenizer.ggml.remove_extra_whitespaces',
    )
    expect(pieces(bare)).toMatchObject({
      model: 'bpe',
      semantics: 'sentencepiece',
      byteFallback: true,
      normalizer: { addDummyPrefix: true, removeExtraWhitespaces: false, escapeWhitespaces: true },
    })
    const flags: GgufInputs = {
      'tokenizer.ggml.add_space_prefix': ['bool', false],
      'tokenizer.ggml.remove_extra_whitespaces': ['bool', true],
    }
    expect(pieces(sentencePieceGguf(flags)).normalizer).toMatchObject({
      addDummyPrefix: false,
      removeExtraWhitespaces: true,
    })
    expect([...load(sentencePieceGguf()).encode('hello', { addSpecialTokens: true })]).toEqual([
      1,
      idOf(sentencePieceGguf(), '\u2581hello'),
    ])
  })

  it('have one unknown piece, whatever the types say', () => {
    const inputs = sentencePieceGguf()
    const lying = withElement(
      withElement(inputs, 'tokenizer.ggml.token_type', 0, PieceType.CONTROL),
      'tokenizer.ggml.token_type',
      1,
      PieceType.UNKNOWN,
    )
    const { types } = pieces(lying).pieces
    expect([...types.subarray(0, 3)]).toEqual([PieceType.UNKNOWN, PieceType.CONTROL, PieceType.CONTROL])
    const none = withElement(
      without(inputs, 'tokenizer.ggml.unknown_token_id'),
      'tokenizer.ggml.token_type',
      0,
      3,
    )
    expect(errorOf(none).message).toMatch(
      /unknown_token_id: it is missing, and no token has the type unknown/,
    )
  })

  it('have user-defined pieces with spaces, and pieces without a name', () => {
    const inputs = sentencePieceGguf()
    const last = idOf(inputs, '\u2581\u2581')
    const spaces = withElement(
      withElement(inputs, 'tokenizer.ggml.tokens', last, '  '),
      'tokenizer.ggml.token_type',
      last,
      PieceType.USER_DEFINED,
    )
    expect([...load(spaces).encode('h  h')].filter((id) => id === last)).toHaveLength(1)
    const empty = load(withElement(inputs, 'tokenizer.ggml.tokens', last, ''))
    expect(empty.idToToken(last)).toBe(`[EMPTY_${last}]`)
    expect(empty.reserved.find(({ id }) => id === last)?.reason).toBe('unused piece')
  })

  it('without types have byte pieces by their names', () => {
    const bare = without(sentencePieceGguf(), 'tokenizer.ggml.token_type')
    const typed = load(sentencePieceGguf())
    const tokenizer = load(bare)
    for (const text of ['hello', '\ufe0f\n', 'us<|user|>er', '<0x0A>']) {
      expect(tokenizer.encode(text), text).toEqual(typed.encode(text))
    }
    const reserved = tokenizer.reserved.map(({ name }) => name)
    expect(reserved).toEqual(expect.arrayContaining(['<unk>', '<s>', '</s>', '<|user|>']))
  })

  it('need scores', () => {
    expect(errorOf(without(sentencePieceGguf(), 'tokenizer.ggml.scores')).message).toMatch(
      /scores: it is missing/,
    )
  })
})

describe('Unigram files', () => {
  it('have the ids of the .model file', () => {
    expect(pieces(unigramGguf())).toMatchObject({
      model: 'unigram',
      byteFallback: false,
      normalizer: { addDummyPrefix: true, removeExtraWhitespaces: true },
    })
    const original = Tokenizer.from(unigramModel())
    const tokenizer = load(unigramGguf())
    for (const text of [
      'hello',
      ' hell  lo ',
      '\ufb01\u3000hel',
      '<mask>',
      '<|im_end|>',
      '[1]',
      '\u{1f600}',
    ]) {
      const ids = tokenizer.encode(text)
      expect(ids, text).toEqual(original.encode(text))
      expect(tokenizer.decode(ids)).toBe(original.decode(ids))
    }
    expect(tokenizer.reserved).toEqual(original.reserved)
  })

  it('know user-defined pieces by their score', () => {
    const { types } = pieces(unigramGguf()).pieces
    expect([...types.subarray(2, 6)]).toEqual([
      PieceType.UNKNOWN,
      PieceType.USER_DEFINED,
      PieceType.USER_DEFINED,
      PieceType.NORMAL,
    ])
  })

  it('end with eos, and have no prefix, where they do not say', () => {
    const [type, charsmap] = unigramGguf()['tokenizer.ggml.precompiled_charsmap'] as readonly [
      'u8s',
      Uint8Array,
    ]
    expect(type).toBe('u8s')
    const bare = without(
      unigramGguf({ 'tokenizer.ggml.precompiled_charsmap': ['i8s', Int8Array.from(charsmap)] }),
      ...['add_space_prefix', 'remove_extra_whitespaces', 'add_bos_token', 'add_eos_token'].map(
        (key) => `tokenizer.ggml.${key}`,
      ),
      ...['eos', 'unknown', 'padding'].map((role) => `tokenizer.ggml.${role}_token_id`),
    )
    expect(pieces(bare).normalizer).toMatchObject({ charsmap, addDummyPrefix: false })
    expect(read(bare)).toMatchObject({ specialTokens: { eos_token: { id: 1 }, pad_token: { id: 0 } } })
    const hell = idOf(bare, 'hell')
    expect([...load(bare).encode('hell', { addSpecialTokens: true })]).toEqual([hell, 1])
  })

  it('have a piece of trained text that looks like a mark as text, unless it has a role', () => {
    const inputs = unigramGguf()
    const id = idOf(inputs, '<|im_end|>')
    expect([...load(inputs).encode('<|im_end|>')]).toContain(id)
    const eot = load(unigramGguf({ 'tokenizer.ggml.eot_token_id': ['u32', id] }))
    expect([...eot.encode('<|im_end|>')]).not.toContain(id)
    expect(eot.reserved.map(({ name }) => name)).toContain('<|im_end|>')
  })

  it('with a broken charsmap are refused', () => {
    const refused = (charsmap: GgufInputs[string]) =>
      errorOf(unigramGguf({ 'tokenizer.ggml.precompiled_charsmap': charsmap }))
    expect(refused(['i32s', [4, 0, 0, 256]]).message).toMatch(
      /precompiled_charsmap, byte \d+: number 3: a byte was expected, not 256/,
    )
    for (const bytes of [[1], [255, 255, 255, 255], [3, 0, 0, 0, 1, 2, 3]]) {
      expect(refused(['u8s', bytes])).toBeInstanceOf(TokenizerFileError)
    }
  })
})

describe('WordPiece files', () => {
  const inputs = wordPieceGguf()

  it('have the ids of the tokenizer.json', () => {
    const json = wordPieceJson({
      postProcessor: {
        type: 'BertProcessing',
        sep: ['[SEP]', 3],
        cls: ['[CLS]', 2],
      },
    })
    const original = Tokenizer.from(jsonBytes(json))
    for (const marked of [true, false]) {
      const tokenizer = load(wordPieceGguf({}, json, marked))
      for (const text of [
        'unaffable',
        'H\u00e9llo, world',
        '[CLS]',
        'plays\u4f60\u597d',
        'zzzzz',
        '\u00e6',
      ]) {
        const ids = tokenizer.encode(text, { addSpecialTokens: true, pair: 'sep' })
        expect(ids, text).toEqual(original.encode(text, { addSpecialTokens: true, pair: 'sep' }))
        expect(tokenizer.decode(ids)).toBe(original.decode(ids))
      }
      expect(tokenizer.reserved).toEqual(original.reserved)
    }
  })

  it('are lower-cased if they say so, else if they have no capitals', () => {
    const normalizer = (some: GgufInputs) => pipeline(some).normalizers[0]
    expect(normalizer(inputs)).toMatchObject({ lowercase: true, stripAccents: true })
    const cased = withElement(inputs, 'tokenizer.ggml.tokens', idOf(inputs, '\u2581hello'), '\u2581Hello')
    expect(normalizer(cased)).toMatchObject({ lowercase: false, stripAccents: false })
    const flags: GgufInputs = {
      'tokenizer.ggml.normalizer.lowercase': ['bool', true],
      'tokenizer.ggml.normalizer.strip_accents': ['bool', false],
    }
    expect(normalizer({ ...cased, ...flags })).toMatchObject({ lowercase: true, stripAccents: false })
  })

  it('have words of their vocabulary in brackets as such', () => {
    for (const text of ['\u2581[unused0]', '[unused0]']) {
      const tokenizer = load(withElement(inputs, 'tokenizer.ggml.tokens', idOf(inputs, '\u2581world'), text))
      expect(tokenizer.tokenToId('[unused0]')).toBe(idOf(inputs, '\u2581world'))
      expect([...tokenizer.encode(trusted('[unused0]'))]).toEqual([...tokenizer.encode('[unused0]')])
    }
  })

  it('need a token for unknown words', () => {
    const id = idOf(inputs, '[UNK]')
    const none = withElement(
      without(inputs, 'tokenizer.ggml.unknown_token_id'),
      'tokenizer.ggml.tokens',
      id,
      '[NONE]',
    )
    expect(errorOf(none).message).toMatch(/unknown_token_id: it is missing, and there is no token \[UNK\]/)
    expect(pipeline(without(inputs, 'tokenizer.ggml.unknown_token_id')).model).toMatchObject({ unkId: id })
  })
})

describe('Gemma 4 files', () => {
  it('have the pipeline of its tokenizer.json', () => {
    const inputs = byteFallbackGguf()
    expect(pipeline(inputs)).toMatchObject({
      model: { alphabet: 'characters', byteFallback: true, fuseUnk: true, unkId: 0 },
      normalizers: [{ type: 'Replace', content: '\u2581' }],
    })
    const tokenizer = load(inputs)
    const spaces = idOf(inputs, '  ')
    expect(tokenizer.tokenToId('\u2581\u2581')).toBe(spaces)
    expect(tokenizer.decode(tokenizer.encode(' hello \u{1f600}'))).toBe(' hello \u{1f600}')
    const { 'tokenizer.ggml.model': _, ...rest } = inputs
    expect(pipeline({ ...rest, 'tokenizer.ggml.model': ['string', 'gpt2'] }).model).toMatchObject({
      alphabet: 'characters',
    })
  })
})
