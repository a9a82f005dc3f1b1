// Compiled models that are mapped: the same tokenizer, on request alone.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import { defaultModelPath } from '../../../src/cli/package-files.js'
import { InvalidArgumentError, ModelNotFoundError, TokenizerFileError } from '../../../src/errors.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import { ModelFolders } from '../../fixtures/model-folder.js'
import { compileTo } from './compile-to.js'

const CHATML = path.resolve(import.meta.dirname, '../../../models/mini-chatml')
const TEXT = `Hello <|im_end|> wörld, 你好 \u0000 don’t ${'abc'.repeat(50)}`
const folders = new ModelFolders()
const place = folders.make({})
afterAll(() => folders.remove())

const compiled = (model: string, name: string): Promise<string> => compileTo(path.join(place, name), model)

describe.skipIf(process.platform === 'win32')('a mapped model', () => {
  it.each([
    ['mini-chatml', CHATML],
    ['mini-chatglm3', defaultModelPath()],
  ])('is the same tokenizer: %s', async (name, model) => {
    const file = await compiled(model, `${name}.stk`)
    const [mapped, read] = [await Tokenizer.load(file, { map: true }), await Tokenizer.load(file)]
    for (const options of [{}, { addSpecialTokens: true }]) {
      expect(mapped.encode(TEXT, options)).toEqual(read.encode(TEXT, options))
    }
    expect(mapped.decode(mapped.encode(TEXT))).toBe(read.decode(read.encode(TEXT)))
    expect(mapped.reserved).toEqual(read.reserved)
    expect(mapped.warnings).toEqual(read.warnings)
    const messages = [{ role: 'user', content: TEXT }] as const
    const [ours, expected] = [await Chat.load(file, { map: true }), await Chat.load(file)]
    expect(ours.encode(messages).ids).toEqual(expected.encode(messages).ids)
    mapped.dispose()
  })

  it('outlives the objects that loaded it', async () => {
    const file = await compiled(CHATML, 'collected.stk')
    const tokenizer = await Tokenizer.load(file, { map: true })
    const expected = (await Tokenizer.load(CHATML)).encode(TEXT)
    for (let i = 0; i < 5; i++) {
      globalThis.gc?.()
      await new Promise((resolve) => setTimeout(resolve, 10))
      Array.from({ length: 100 }, () => new Uint8Array(1e5))
    }
    expect(tokenizer.encode(TEXT)).toEqual(expected)
  })

  it('is not shared with one that is read', async () => {
    const { liveModels } = (await import('../../../binding.cjs')).default
    const file = await compiled(CHATML, 'apart.stk')
    const before = liveModels()
    const options = { reserve: 'special' } as const
    const all = [await Tokenizer.load(file, { ...options, map: true }), await Tokenizer.load(file, options)]
    expect(liveModels()).toBe(before + 2)
    for (const tokenizer of all) tokenizer.dispose()
  })

  it('has its checksum checked', async () => {
    const file = await compiled(CHATML, 'damaged.stk')
    const bytes = readFileSync(file)
    bytes[200] = (bytes[200] as number) ^ 1
    writeFileSync(file, bytes)
    await expect(Tokenizer.load(file, { map: true })).rejects.toThrow(TokenizerFileError)
    await expect(Tokenizer.load(file, { map: true })).rejects.toThrow('checksum')
  })

  it('is nothing else than a compiled model', async () => {
    await expect(Tokenizer.load(CHATML, { map: true })).rejects.toThrow(InvalidArgumentError)
    const json = path.join(CHATML, 'tokenizer.json')
    await expect(Tokenizer.load(json, { map: true })).rejects.toThrow('only they are mapped')
    await expect(Tokenizer.load(path.join(place, 'nothing.stk'), { map: true })).rejects.toThrow(
      ModelNotFoundError,
    )
    const empty = path.join(place, 'empty.stk')
    writeFileSync(empty, '')
    await expect(Tokenizer.load(empty, { map: true })).rejects.toThrow('it is empty')
  })
})

it('a model that was read does not care what becomes of its file', async () => {
  const file = await compiled(CHATML, 'truncated.stk')
  const tokenizer = await Tokenizer.load(file)
  const expected = (await Tokenizer.load(CHATML)).encode(TEXT)
  truncateSync(file, 100)
  expect(tokenizer.encode(TEXT)).toEqual(expected)
  expect(tokenizer.tokenToId('hello')).toBe((await Tokenizer.load(CHATML)).tokenToId('hello'))
})
