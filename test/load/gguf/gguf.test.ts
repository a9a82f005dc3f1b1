import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../../src/errors.js'
import { readGguf } from '../../../src/load/gguf/gguf.js'
import { trusted } from '../../../src/prompt/parts.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import { byteLevelGguf, GGUF_KINDS, sentencePieceGguf, TEMPLATE } from '../../fixtures/gguf-files.js'
import { errorOf, idOf, load, read, without } from '../../fixtures/gguf-inputs.js'
import { type BpeJson, ggufBytes, ggufFromBpeJson } from '../../fixtures/gguf-writer.js'
import { byteLevelJson, jsonBytes } from '../../fixtures/tokenizer-json.js'

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
