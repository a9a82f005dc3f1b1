import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { ModelNotFoundError, TokenizerFileError } from '../../src/errors.js'
import { compileModel } from '../../src/tokenizer/compile-model.js'
import { CACHE_VARIABLE } from '../../src/tokenizer/read-model.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ModelFolders } from '../fixtures/model-folder.js'

const CHATML = path.resolve(import.meta.dirname, '../../models/mini-chatml')
const folders = new ModelFolders()
afterAll(() => folders.remove())

let model: string
let cacheFolder: string
beforeEach(() => {
  model = folders.make({})
  cpSync(CHATML, model, { recursive: true })
  cacheFolder = path.join(folders.make({}), 'made', 'when needed')
})
afterEach(() => {
  delete process.env[CACHE_VARIABLE]
})
const kept = () => readdirSync(cacheFolder)
const load = () => Tokenizer.load(model, { cacheFolder })

it('keeps a model, and takes it from there', async () => {
  const first = await load()
  expect(kept()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.stk$/)])
  const file = path.join(cacheFolder, kept()[0] as string)
  const { mtimeMs } = statSync(file)
  const second = await load()
  expect(statSync(file).mtimeMs).toBe(mtimeMs)
  expect({ ...second }).toEqual({ ...first })
  expect(second.encode('hello <|im_end|>')).toEqual(first.encode('hello <|im_end|>'))
  const [cached, plain] = [await Chat.load(model, { cacheFolder }), await Chat.load(model)]
  const messages = [{ role: 'user', content: 'hi' }] as const
  expect(cached.encode(messages).ids).toEqual(plain.encode(messages).ids)
  expect(kept()).toHaveLength(1)
})

it('is told by the environment, unless an option tells', async () => {
  process.env[CACHE_VARIABLE] = cacheFolder
  await Tokenizer.load(model)
  expect(kept()).toHaveLength(1)
  await Tokenizer.load(CHATML, { cacheFolder: '' })
  expect(kept()).toHaveLength(1)
})

it('sees when a file changes, comes or goes', async () => {
  await load()
  const config = path.join(model, 'tokenizer_config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replace('"', ' "'))
  await load()
  mkdirSync(path.join(model, 'additional_chat_templates'))
  writeFileSync(path.join(model, 'additional_chat_templates', 'rag.jinja'), 'x')
  await load()
  expect(kept()).toHaveLength(3)
  writeFileSync(path.join(model, 'model.safetensors'), 'weights do not matter')
  await load()
  expect(kept()).toHaveLength(3)
})

it('makes anew what is damaged', async () => {
  await load()
  const file = path.join(cacheFolder, kept()[0] as string)
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.subarray(0, 1000))
  expect((await load()).vocabSize).toBeGreaterThan(0)
  expect(Buffer.compare(readFileSync(file), bytes)).toBe(0)
})

it('lets errors of the model through, and keeps nothing of them', async () => {
  writeFileSync(path.join(model, 'tokenizer.json'), '{')
  await expect(load()).rejects.toThrow(TokenizerFileError)
  await expect(Tokenizer.load(path.join(model, 'missing'), { cacheFolder })).rejects.toThrow(
    ModelNotFoundError,
  )
  expect(kept).toThrow('ENOENT')
})

it('works where nothing can be written, and keeps no compiled model', async () => {
  const blocked = path.join(model, 'tokenizer.json', 'below a file')
  expect((await Tokenizer.load(model, { cacheFolder: blocked })).vocabSize).toBeGreaterThan(0)
  const file = path.join(model, 'chatml.stk')
  writeFileSync(file, await compileModel(model))
  await Tokenizer.load(file, { cacheFolder })
  expect(kept).toThrow('ENOENT')
})
