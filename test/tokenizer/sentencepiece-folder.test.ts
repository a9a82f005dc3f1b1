// A SentencePiece model whose folder adds tokens to it.
import { afterAll, describe, expect, it } from 'vitest'
import { Tokenizer, trusted } from '../../src/index.js'
import { bytePieces, modelBytes, type PieceInput } from '../fixtures/model-bytes.js'
import { ModelFolders } from '../fixtures/model-folder.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

const PIECES: readonly PieceInput[] = [
  ['<unk>', 0, 2],
  ['<s>', 0, 3],
  ['</s>', 0, 3],
  ...bytePieces(),
  ...['[', 'I', 'N', 'S', 'T', ']', '<unused0>'].map((text): PieceInput => [text, -9]),
  ['[I', -1],
  ['ST', -2],
  ['NST', -3],
  ['[INST', -4],
  ['[INST]', -5],
]
const MODEL = modelBytes(PIECES, { byteFallback: true })
const SIZE = PIECES.length

const load = (files: Record<string, unknown>, options = {}) =>
  Tokenizer.load(folders.make({ 'tokenizer.model': MODEL, ...files }), options)

describe('the folder of a SentencePiece model', () => {
  it('adds tokens behind the vocabulary', async () => {
    const tokenizer = await load({
      'added_tokens.json': { '<|im_end|>': SIZE + 1, '<|im_start|>': SIZE },
      'special_tokens_map.json': { eos_token: '<|im_end|>', pad_token: '[PAD]' },
    })
    expect(tokenizer.getCommand('<|im_start|>')).toBe(SIZE)
    expect(tokenizer.getCommand('<|im_end|>')).toBe(SIZE + 1)
    expect(tokenizer.getCommand('[PAD]')).toBe(SIZE + 2)
    expect(tokenizer.getCommand('<s>')).toBe(1)
    expect(tokenizer.vocabSize).toBe(SIZE + 3)
    expect(tokenizer.warnings).toEqual([])
    expect([...tokenizer.encode(trusted('<|im_end|><s>'))]).toEqual([SIZE + 1, 1])
    expect(Math.max(...tokenizer.encode('<|im_end|><s>'))).toBeLessThan(SIZE)
    expect(tokenizer.encodeBatch(['', '[]'], { padding: {} }).ids[0]?.[0]).toBe(SIZE + 2)
  })

  it('makes pieces control tokens', async () => {
    const bare = await load({})
    const id = bare.tokenToId('[INST]') as number
    expect([...bare.encode('[INST]')]).toEqual([id])
    const tokenizer = await load({
      'tokenizer_config.json': { added_tokens_decoder: { [id]: { content: '[INST]', special: true } } },
    })
    expect([...tokenizer.encode('[INST]')]).not.toContain(id)
    expect(tokenizer.decode(tokenizer.encode('[INST]'))).toBe('[INST]')
    expect([...tokenizer.encode(trusted('[INST]'))]).toEqual([id])
    expect(tokenizer.reserved).toContainEqual({ id, name: '[INST]', reason: 'control piece' })
    expect(tokenizer.warnings).toEqual([])
  })

  it('gives pieces other names, which keep their ids', async () => {
    const id = PIECES.findIndex(([text]) => text === '<unused0>')
    const decoder = { [id]: { content: '<|user|>', special: true }, 0: { content: '<x>', special: true } }
    const tokenizer = await load({ 'tokenizer_config.json': { added_tokens_decoder: decoder } })
    expect(tokenizer.getCommand('<|user|>')).toBe(id)
    expect([...tokenizer.encode(trusted('<|user|>'))]).toEqual([id])
    expect(tokenizer.tokenToId('<unused0>')).toBeUndefined()
    expect(tokenizer.decode(tokenizer.encode('<unused0>'))).toBe('<unused0>')
    expect(tokenizer.getCommand('<x>')).toBe(SIZE) // not in the place of unk
    expect(tokenizer.warnings).toMatchObject([
      { code: 'ADDED_TOKEN_ID', token: { name: '<x>' }, configId: 0 },
    ])
    const text = { 'tokenizer_config.json': { added_tokens_decoder: { [id]: { content: 'IST' } } } }
    expect([...(await load(text)).encode('IST')]).toEqual([id])
  })

  it('does not count beside given commands', async () => {
    const files = { 'added_tokens.json': { '<|x|>': SIZE } }
    const tokenizer = await load(files, { commands: { names: ['<|y|>'] } })
    expect(tokenizer.getCommand('<|y|>')).toBe(SIZE)
    expect(() => tokenizer.getCommand('<|x|>')).toThrow('not a control token')
    expect(tokenizer.warnings).toMatchObject([{ code: 'ADDED_TOKEN_MISSING', name: '<|x|>' }])
  })

  it('gives warnings for ids and flags that mean nothing', async () => {
    const { warnings } = await load({
      'tokenizer_config.json': {
        added_tokens_decoder: {
          2: { content: '</s>', special: true, rstrip: true },
          [SIZE + 7]: { content: '<|x|>', special: true },
        },
      },
    })
    expect(warnings).toMatchObject([
      { code: 'ADDED_TOKEN_FLAGS', token: { id: 2, name: '</s>' } },
      { code: 'ADDED_TOKEN_ID', token: { id: SIZE, name: '<|x|>' }, configId: SIZE + 7 },
    ])
  })

  it('cannot add ordinary text', async () => {
    await expect(load({ 'added_tokens.json': { hello: SIZE } })).rejects.toMatchObject({
      name: 'UnsupportedTokenizerError',
      component: 'added token "hello"',
    })
  })
})
