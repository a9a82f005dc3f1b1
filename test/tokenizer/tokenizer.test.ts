import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import {
  InvalidArgumentError,
  InvalidTokenIdError,
  ModelNotFoundError,
  TokenizerFileError,
  UnknownControlTokenError,
} from '../../src/errors.js'
import { trusted } from '../../src/prompt/parts.js'
import { CHATGLM3_COMMANDS } from '../../src/tokenizer/commands.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteLevelJson, jsonBytes, type TokenizerJsonOptions } from '../fixtures/tokenizer-json.js'

const FILE = path.join(defaultModelPath(), 'tokenizer.model')

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await Tokenizer.load(defaultModelPath())
})

describe('loading', () => {
  it('takes a folder, a file or bytes', async () => {
    const text = '你好, <|user|>'
    const expected = tokenizer.encode(text)
    expect((await Tokenizer.load(FILE)).encode(text)).toEqual(expected)
    expect(Tokenizer.from(readFileSync(FILE)).encode(text)).toEqual(expected)
  })

  it('knows commands from the config, or from the caller', () => {
    const bytes = readFileSync(FILE)
    expect(tokenizer.vocabSize).toBe(8009)
    expect(Tokenizer.from(bytes).vocabSize).toBe(8000)
    const told = Tokenizer.from(bytes, { commands: CHATGLM3_COMMANDS })
    expect(told.getCommand('<|user|>')).toBe(8006)
  })

  it('refuses added tokens of over 1,024 bytes', () => {
    const load = (content: string, options: TokenizerJsonOptions = {}) =>
      Tokenizer.from(jsonBytes(byteLevelJson({ added: [{ content, normalized: true }], ...options })))
    expect(load('x'.repeat(1024)).encode('x')).toHaveLength(1)
    expect(() => load('é'.repeat(513))).toThrow(TokenizerFileError)
    const normalizer = { type: 'Replace', pattern: { String: 'x' }, content: '~'.repeat(1025) }
    expect(() => load('x', { normalizer })).toThrow(
      '$.added_tokens: that of id 120 has 1025 bytes when it is normalized',
    )
  })

  it('explains what a hub id is not', async () => {
    const error = await Tokenizer.load('THUDM/chatglm3-6b').catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ModelNotFoundError)
    expect((error as Error).message).toContain('hf download THUDM/chatglm3-6b')
    await expect(Tokenizer.load('./models/nothing')).rejects.toThrow('there is no such file or folder')
    await expect(Tokenizer.load(path.dirname(import.meta.dirname))).rejects.toThrow(
      'none of tokenizer.json, tekken.json, tokenizer.model',
    )
    await expect(Tokenizer.load(5 as never)).rejects.toThrow(InvalidArgumentError)
    expect(() => Tokenizer.from('x' as never)).toThrow(InvalidArgumentError)
  })
})

describe('reserved', () => {
  it('lists each id with its reason', () => {
    expect(tokenizer.reserved.slice(0, 4)).toEqual([
      { id: 0, name: '<unk>', reason: 'unknown piece, which byte fallback replaces' },
      { id: 1, name: '<s>', reason: 'control piece' },
      { id: 2, name: '</s>', reason: 'control piece' },
      { id: 8000, name: '[MASK]', reason: 'command' },
    ])
    expect(tokenizer.reserved).toHaveLength(12)
    expect(() => (tokenizer.reserved as unknown[]).pop()).toThrow(TypeError)
  })

  it('names of commands follow ChatGLM3, names of other models their pieces', () => {
    expect(tokenizer.getCommand('<eos>')).toBe(2)
    expect(() => tokenizer.getCommand('</s>')).toThrow(UnknownControlTokenError)
    const plain = Tokenizer.from(readFileSync(FILE))
    expect(plain.getCommand('</s>')).toBe(2)
    expect(() => plain.getCommand('<|user|>')).toThrow('it has <unk> <s> </s>')
    expect(() => plain.getCommand(undefined as never)).toThrow(UnknownControlTokenError)
    expect([...plain.encode(trusted('<s>'))]).toEqual([1])
    expect([...plain.encode(trusted('<unk>'))]).not.toContain(0)
  })
})

describe('text', () => {
  it('treats NUL as an ordinary character', () => {
    expect(tokenizer.decode(tokenizer.encode('a\0b'))).toBe('a\0b')
    expect(Array.from(tokenizer.encode('a\0b'), (id) => tokenizer.idToToken(id))).toContain('<0x00>')
  })

  it('takes a lone surrogate for U+FFFD', () => {
    expect(tokenizer.encode('a\ud83d')).toEqual(tokenizer.encode('a\ufffd'))
    expect(tokenizer.encode('\ude00')).toEqual(tokenizer.encode('\ufffd'))
  })

  it('refuses what is not text', () => {
    expect(() => tokenizer.encode(5 as never)).toThrow(InvalidArgumentError)
    expect(() => tokenizer.encode(undefined as never)).toThrow(InvalidArgumentError)
  })

  it('does not give out memory that a later call writes to', () => {
    const first = tokenizer.encode('hello')
    const copy = first.slice()
    tokenizer.encode('another text, a little longer')
    expect(first).toEqual(copy)
  })
})

describe('decode', () => {
  it('takes arrays and checks ids', () => {
    expect(tokenizer.decode([...tokenizer.encode('hello')])).toBe('hello')
    expect(tokenizer.decode([])).toBe('')
    expect(() => tokenizer.decode([9000])).toThrow(InvalidTokenIdError)
    expect(() => tokenizer.decodeParts([9000])).toThrow('id 9000 is outside the vocabulary of 8009 ids')
    for (const id of [-1, 1.5, 2 ** 32, Number.NaN, '5', 5n]) {
      expect(() => tokenizer.decode([id as never])).toThrow(InvalidTokenIdError)
    }
    expect(() => tokenizer.decode('5' as never)).toThrow(InvalidArgumentError)
    expect(tokenizer.decode([9000], { rules: 'transformers' })).toBe('')
  })

  it('shows or skips commands', () => {
    const ids = tokenizer.encode([trusted('<|user|>'), 'hi', trusted('<|assistant|>')])
    expect(tokenizer.decode(ids)).toBe('<|user|>hi<|assistant|>')
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe('hi')
    expect(tokenizer.decode(ids, { rules: 'transformers' })).toBe('<|user|> hi<|assistant|>')
    expect(tokenizer.decode(ids, { rules: 'transformers', skipSpecialTokens: true })).toBe('hi')
  })

  it('keeps text and control apart', () => {
    const ids = tokenizer.encode([trusted('<|user|>'), '<|user|>'])
    expect(tokenizer.decodeParts(ids)).toEqual([
      { type: 'control', id: 8006, name: '<|user|>' },
      { type: 'text', text: '<|user|>' },
    ])
  })

  it('gives one U+FFFD for each byte that is no part of a character', () => {
    const bytes = [0xf0, 0x9f, 0x91].map((byte) => byte + 3)
    expect(tokenizer.idToToken(0xf0 + 3)).toBe('<0xF0>')
    expect(tokenizer.decode(bytes)).toBe('\ufffd\ufffd\ufffd')
    expect(tokenizer.decode([...bytes, 0x8b + 3])).toBe('👋')
    expect(tokenizer.decode([0xed + 3, 0xa0 + 3, 0x80 + 3])).toBe('\ufffd\ufffd\ufffd')
  })

  it('names ids', () => {
    expect(tokenizer.idToToken(8006)).toBe('<|user|>')
    for (const id of [8009, -1, 0.5, Number.NaN]) expect(tokenizer.idToToken(id)).toBeUndefined()
  })
})

describe('tokens by name', () => {
  it('are found as their file spells them', () => {
    for (let id = 0; id < tokenizer.vocabSize; id++) {
      expect(tokenizer.tokenToId(tokenizer.idToToken(id) as string)).toBe(id)
    }
    expect(tokenizer.tokenToId('<|user|>')).toBe(8006)
    expect(tokenizer.tokenToId('no such token')).toBeUndefined()
    expect(tokenizer.tokenToId(5 as never)).toBeUndefined()
  })
})
