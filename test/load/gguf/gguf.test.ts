import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../../src/errors.js'
import { readGguf } from '../../../src/load/gguf/gguf.js'
import type { PipelineSpec } from '../../../src/load/pipeline-spec.js'
import { PieceType, type TokenizerSpec } from '../../../src/load/tokenizer-spec.js'
import { control, trusted } from '../../../src/prompt/parts.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import {
  byteFallbackGguf,
  byteLevelGguf,
  GGUF_KINDS,
  sentencePieceGguf,
  TEMPLATE,
  unigramGguf,
  unigramModel,
  wordPieceGguf,
} from '../../fixtures/gguf-files.js'
import { type BpeJson, type GgufInputs, ggufBytes, ggufFromBpeJson } from '../../fixtures/gguf-writer.js'
import { byteLevelJson, jsonBytes } from '../../fixtures/tokenizer-json.js'
import { wordPieceJson } from '../../fixtures/word-models.js'

const read = (inputs: GgufInputs) => readGguf(ggufBytes(inputs))
const load = (inputs: GgufInputs, options = {}) => Tokenizer.from(ggufBytes(inputs), options)
const pipeline = (inputs: GgufInputs) => read(inputs).spec as PipelineSpec
const pieces = (inputs: GgufInputs) => read(inputs).spec as TokenizerSpec

function errorOf(inputs: GgufInputs): Error {
  try {
    load(inputs)
  } catch (error) {
    return error as Error
  }
  throw new Error('no error')
}

/** Another value in place of one element of a list. */
function withElement(inputs: GgufInputs, key: string, index: number, value: string | number): GgufInputs {
  const [type, list] = inputs[key] as readonly ['strings', readonly string[]]
  return { ...inputs, [key]: [type, list.toSpliced(index, 1, value as string)] }
}

function without(inputs: GgufInputs, ...keys: string[]): GgufInputs {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !keys.includes(key)))
}

function idOf(inputs: GgufInputs, token: string): number {
  const [, tokens] = inputs['tokenizer.ggml.tokens'] as readonly ['strings', readonly (string | Uint8Array)[]]
  return tokens.findIndex(
    (text) => (typeof text === 'string' ? text : new TextDecoder().decode(text)) === token,
  )
}

describe('what a file says', () => {
  it('is its tokenizer, templates, special tokens and length', () => {
    const inputs = byteLevelGguf({
      'tokenizer.chat_templates': ['strings', ['tool_use']],
      'tokenizer.chat_template.tool_use': ['string', '{{ tools }}'],
      'tokenizer.ggml.padding_token_id': ['u32', 4_294_967_295],
    })
    const file = read(inputs)
    expect(file).toMatchObject({
      architecture: 'llama',
      chatTemplates: { default: TEMPLATE, tool_use: '{{ tools }}' },
      contextLength: 2048,
      eosTokenIds: [idOf(inputs, '<|end|>')],
    })
    expect(file.specialTokens).toEqual({
      bos_token: { id: idOf(inputs, '<|begin|>'), text: '<|begin|>' },
      eos_token: { id: idOf(inputs, '<|end|>'), text: '<|end|>' },
    })
  })

  it('may leave out all but the vocabulary', () => {
    const rest = without(sentencePieceGguf(), 'general.architecture', 'llama.context_length')
    expect(read(rest)).toMatchObject({ architecture: '', chatTemplates: {}, contextLength: undefined })
  })

  it('names what ends a turn, and other tokens that are known to', () => {
    const harmony = byteLevelJson({ added: ['<|return|>', '<|call|>', '<|end|>', '<|eot_id|>'] }) as BpeJson
    const inputs = ggufFromBpeJson(harmony, 'gpt-4o')
    const ids = ['<|return|>', '<|call|>', '<|eot_id|>'].map((name) => idOf(inputs, name))
    expect(read(inputs).eosTokenIds).toEqual(ids)
    const eom = { ...inputs, 'tokenizer.ggml.eom_token_id': ['u32', idOf(inputs, '<|end|>')] } as const
    expect(read(eom).eosTokenIds).toEqual([...ids, idOf(inputs, '<|end|>')].sort((a, b) => a - b))
  })

  it('may be a whole tokenizer.json', () => {
    const json = byteLevelJson({ added: ['<|x|>'] })
    const text = new TextDecoder().decode(jsonBytes(json))
    const tokenizer = load(byteLevelGguf({ 'tokenizer.huggingface.json': ['string', text] }))
    expect([...tokenizer.encode(trusted('<|x|>'))]).toEqual([json.added_tokens[0]?.id])
  })

  it('is the same in either byte order and in version 2', () => {
    for (const [, make] of GGUF_KINDS) {
      const spec = { ...read(make()).spec, source: '' }
      for (const layout of [{ littleEndian: false }, { version: 2 }]) {
        expect({ ...readGguf(ggufBytes(make(), layout)).spec, source: '' }).toEqual(spec)
      }
    }
  })
})

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

describe('other tokenizers', () => {
  it.each(['rwkv', 'plamo2', 'none', 'no_vocab', 'hybriddna', 'whitespace', ''])(
    '%s is refused by name',
    (model) => {
      const error = errorOf(byteLevelGguf({ 'tokenizer.ggml.model': ['string', model] }))
      expect(error).toBeInstanceOf(UnsupportedTokenizerError)
      expect((error as UnsupportedTokenizerError).component).toBe(
        `tokenizer.ggml.model ${JSON.stringify(model)}`,
      )
    },
  )

  it('a file without a vocabulary says what is missing', () => {
    const error = errorOf({ 'general.architecture': ['string', 'llama'] })
    expect(error).toBeInstanceOf(TokenizerFileError)
    expect(error.message).toBe('<bytes>: tokenizer.ggml.tokens: it is missing')
  })
})

describe('what is reserved', () => {
  const inputs = byteLevelGguf()
  const reasons = (some: GgufInputs) => new Map(load(some).reserved.map(({ name, reason }) => [name, reason]))

  it('control tokens and marks, and no padding', () => {
    expect(reasons(inputs)).toEqual(
      new Map([
        ['<|begin|>', 'special added token'],
        ['<|user|>', 'special added token'],
        ['<|end|>', 'special added token'],
        ['<think>', 'added token that is a bracketed mark'],
      ]),
    )
    const padding = idOf(inputs, `[PAD${Object.keys(byteLevelJson().model.vocab).length + 7}]`)
    expect(padding).toBeGreaterThan(0)
    const typed = withElement(inputs, 'tokenizer.ggml.token_type', padding, PieceType.USER_DEFINED)
    const tokenizer = load(typed)
    expect(tokenizer.idToToken(padding)).toBeUndefined()
    const text = `[PAD${padding}]`
    expect(tokenizer.encode(trusted(text))).toEqual(tokenizer.encode(text))
  })

  it('marks that are typed as normal, in trusted text and nowhere else', () => {
    const typed = {
      ...inputs,
      'tokenizer.ggml.token_type': ['i32s', Array(300).fill(1).slice(0, 277)],
    } as GgufInputs
    expect([...reasons(typed).keys()]).toEqual(['<|begin|>', '<|user|>', '<|end|>', '<think>'])
    const tokenizer = load(typed)
    const user = idOf(inputs, '<|user|>')
    expect([...tokenizer.encode(trusted('<|user|>'))]).toEqual([user])
    expect([...tokenizer.encode([control('<|user|>')])]).toEqual([user])
    expect([...tokenizer.encode('<|user|>')]).not.toContain(user)
  })

  it('not marks that the model itself makes of text, unless they have a role', () => {
    const json = byteLevelJson({ merges: ['[ a', '[a ]', '< |', '<| x', '<|x |', '<|x| >'] }) as BpeJson
    const plain = ggufFromBpeJson(json, 'gpt-2')
    expect([...reasons(plain).keys()]).toEqual([])
    const eos = { ...plain, 'tokenizer.ggml.eos_token_id': ['u32', idOf(plain, '<|x|>')] } as const
    expect([...reasons(eos).keys()]).toEqual(['<|x|>'])
    expect([...load(eos).encode('<|x|>')]).not.toContain(idOf(plain, '<|x|>'))
  })

  it('tokens with a role, unless they are ordinary text', () => {
    const role = (name: string, token: string): GgufInputs => ({
      ...withElement(inputs, 'tokenizer.ggml.token_type', idOf(inputs, token), PieceType.NORMAL),
      [`tokenizer.ggml.${name}_token_id`]: ['u32', idOf(inputs, token)],
    })
    for (const name of ['eot', 'fim_pre', 'padding', 'mask', 'middle']) {
      expect([...reasons(role(name, '<|user|>')).keys()], name).toContain('<|user|>')
    }
    for (const token of ['!', 'h', 'hell', '\u010a\u010a', '\n\n\n']) {
      expect([...reasons(role('padding', token)).keys()], token).not.toContain(token)
    }
  })

  it('words that the chat template writes and the model cannot', () => {
    const json = byteLevelJson({
      added: ['sop', 'user', 'other', '***'].map((content) => ({ content, special: false })),
    }) as BpeJson
    const template = '{# other #}{% set other = 1 %}sop{{ \'user\' + "***" + other }}'
    const file = (more: GgufInputs) => ggufFromBpeJson(json, 'gpt-2', 0, more)
    expect([...reasons(file({})).keys()]).toEqual([])
    // `user` is a token of the model, which makes it of merges.
    expect([...reasons(file({ 'tokenizer.chat_template': ['string', template] })).keys()]).toEqual(['sop'])
    expect([...reasons(file({ 'tokenizer.chat_template.tools': ['string', template] })).keys()]).toEqual([
      'sop',
    ])
  })

  it('with templates that are not absurdly long', () => {
    const content = Array.from({ length: 2000 }, (_, i) => ({ content: `word${i}`, special: false }))
    const json = byteLevelJson({ added: content }) as BpeJson
    const file = (length: number) =>
      ggufFromBpeJson(json, 'gpt-2', 0, { 'tokenizer.chat_template': ['string', 'x'.repeat(length)] })
    expect(load(file(20_000)).reserved).toEqual([])
    expect(errorOf(file(1_000_000)).message).toMatch(/chat_template, byte \d+: it is too long/)
  })

  it('whatever the policy of the caller', () => {
    const special = load(inputs, { reserve: 'special' }).reserved.map(({ name }) => name)
    expect(special).toEqual(['<|begin|>', '<|user|>', '<|end|>'])
    const all = load(inputs, { reserve: 'all-added' }).reserved.map(({ name }) => name)
    expect(all).toEqual(['<|begin|>', '<|user|>', '<|end|>', '<think>', '\n\n\n'])
  })
})

describe('files', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'safetokens-gguf-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('are known by their first bytes, whatever their name', async () => {
    for (const name of ['model.gguf', 'model.bin', 'tokenizer.json']) {
      const file = path.join(folder, name)
      writeFileSync(file, ggufBytes(byteLevelGguf()))
      expect((await Tokenizer.load(file)).encode('hello')).toEqual(load(byteLevelGguf()).encode('hello'))
    }
    const file = path.join(folder, 'broken.gguf')
    writeFileSync(file, 'PK')
    await expect(Tokenizer.load(file)).rejects.toThrow(`${file}: byte 0: the file ends too early`)
  })

  it.skipIf(process.platform === 'win32')('of 40 GB are read up to their tensors', async () => {
    const file = path.join(folder, 'large.gguf')
    const bytes = ggufBytes(byteLevelGguf(), { tensors: 1 })
    writeFileSync(file, bytes)
    const descriptor = openSync(file, 'r+')
    ftruncateSync(descriptor, 40e9) // with a hole
    closeSync(descriptor)
    const before = process.memoryUsage().arrayBuffers
    expect((await Tokenizer.load(file)).vocabSize).toBe(274)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64e6)
  })

  it('may have a vocabulary larger than what is read at once', async () => {
    const json = byteLevelJson() as BpeJson
    const file = path.join(folder, 'wide.gguf')
    const inputs = ggufFromBpeJson(json, 'gpt-2', 100_000, {
      'tokenizer.chat_template': ['string', 'x'.repeat(3e6)],
    })
    writeFileSync(file, ggufBytes(inputs))
    expect(readGguf(file).chatTemplates.default).toHaveLength(3e6)
    expect((await Tokenizer.load(file)).encode('hello')).toEqual(Uint32Array.of(idOf(inputs, 'hello')))
  })

  it('have their chat template, eos ids and special tokens in chats', async () => {
    const file = path.join(folder, 'chat.gguf')
    const inputs = byteLevelGguf()
    writeFileSync(file, ggufBytes(inputs))
    const chat = await Chat.load(file)
    const id = (token: string) => idOf(inputs, token)
    const { ids } = chat.encode([{ role: 'user', content: 'h<|end|>' }])
    expect([...ids.subarray(0, 3)]).toEqual([id('<|begin|>'), id('<|user|>'), id('h')])
    expect([...ids].filter((some) => some === id('<|end|>'))).toHaveLength(1)
    expect(chat.eosTokenIds).toEqual([id('<|end|>')])
  })
})
