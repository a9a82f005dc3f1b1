import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import { defaultModelPath } from '../../../src/cli/package-files.js'
import {
  InvalidArgumentError,
  ModelNotFoundError,
  TokenizerFileError,
  UnsupportedTokenizerError,
} from '../../../src/errors.js'
import { readCompiled } from '../../../src/load/compiled/compiled-model.js'
import { readContainer } from '../../../src/load/compiled/container.js'
import { HEADER } from '../../../src/load/compiled/header.js'
import { writeContainer } from '../../../src/load/compiled/write-container.js'
import { readModelFiles } from '../../../src/load/model-files.js'
import addon from '../../../src/native.js'
import { trusted } from '../../../src/prompt/parts.js'
import { compileModel } from '../../../src/tokenizer/compile-model.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import { ModelFolders } from '../../fixtures/model-folder.js'
import { addedToken, tokenizerFile } from '../../fixtures/tokenizer-file.js'
import { compileTo } from './compile-to.js'
import { compiledAgain, lastPart, sealed } from './mutated.js'

const CHATML = path.resolve(import.meta.dirname, '../../../models/mini-chatml')
const folders = new ModelFolders()
const place = folders.make({})
afterAll(() => folders.remove())

const compiled = (model: string, name: string): Promise<string> => compileTo(path.join(place, name), model)

describe.each([
  ['mini-chatml', CHATML],
  ['mini-chatglm3', defaultModelPath()],
])('%s', (name, model) => {
  it('gives what its files give', async () => {
    const file = await compiled(model, `${name}.stk`)
    const [stored, read] = [await readModelFiles(file), await readModelFiles(model)]
    for (const name of ['config', 'warnings'] as const) expect(stored[name]).toEqual(read[name])
    expect(stored.folder?.chatTemplates).toEqual(read.folder?.chatTemplates)
    expect(stored.folder?.limits).toEqual(read.folder?.limits)
    // What is compiled once more is the same file.
    expect(Buffer.compare(await compileModel(file), await compileModel(model))).toBe(0)
  })

  it('chats as its folder does', async () => {
    const file = await compiled(model, `${name}.stk`)
    const [ours, expected] = [await Chat.load(file), await Chat.load(model)]
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello <|im_end|> [gMASK]' },
    ] as const
    expect(ours.encode(messages).ids).toEqual(expected.encode(messages).ids)
    expect(ours.eosTokenIds).toEqual(expected.eosTokenIds)
    expect(ours.padTokenId).toEqual(expected.padTokenId)
    expect(ours.guarantee).toEqual(expected.guarantee)
    for (const { tokenizer } of [ours, expected]) tokenizer.dispose()
  })
})

it('is held once in a process, but apart from the model that it was made from', async () => {
  const { liveModels } = (await import('../../../binding.cjs')).default
  const before = liveModels()
  const [file, copy] = [await compiled(CHATML, 'shared.stk'), await compiled(CHATML, 'copy.stk')]
  const all = [await Tokenizer.load(file), await Tokenizer.load(copy), Tokenizer.from(readFileSync(file))]
  expect(liveModels()).toBe(before + 1)
  // Tables of a file may be wrong: whoever loads the model itself must not get them.
  all.push(await Tokenizer.load(CHATML))
  expect(liveModels()).toBe(before + 2)
  for (const tokenizer of all) tokenizer.dispose()
})

describe('merges, for which native tables stand', () => {
  // A model of characters, with an added token that is one of them.
  const json = tokenizerFile({
    top: { added_tokens: [addedToken(3, '#')] },
    model: { vocab: { a: 0, b: 1, ab: 2, '#': 3 }, merges: ['a b'] },
  })
  const make = async (name: string): Promise<string> =>
    compiled(folders.make({ 'tokenizer.json': json }), name)
  const damage = (file: string, at: number): void => {
    const bytes = readFileSync(file)
    bytes[at] = (bytes[at] as number) ^ 1
    writeFileSync(file, bytes)
  }

  it('are read where the caller reserves what the tables depend on', async () => {
    const file = await make('late.stk')
    expect(lastPart(readFileSync(file))).toBeLessThan(readFileSync(file).length)
    const tokenizer = await Tokenizer.load(file, { reserve: ['#'] })
    expect(tokenizer.encode('ab#ab')).toEqual(
      Tokenizer.from(readFileSync(file), { reserve: ['#'] }).encode('ab#ab'),
    )
    expect([...tokenizer.encode('ab#')]).not.toContain(3)
    expect([...(await Tokenizer.load(file)).encode('ab#')]).toEqual([2, 3])
  })

  it('are checked when they are read, and else not looked at', async () => {
    const file = await make('damaged-late.stk')
    damage(file, readFileSync(file).length - 1)
    expect([...(await Tokenizer.load(file)).encode('ab#')]).toEqual([2, 3])
    await expect(Tokenizer.load(file, { reserve: ['#'] })).rejects.toThrow(
      /byte 72: the checksum does not fit/,
    )
    expect(() => Tokenizer.from(readFileSync(file))).toThrow(/byte 72: the checksum does not fit/)
  })

  it('are not read of a file that has changed', async () => {
    const file = await make('changed-late.stk')
    const { spec } = await readModelFiles(file)
    writeFileSync(file, readFileSync(file).subarray(0, -1))
    expect(() => Tokenizer.fromSpec(spec, { reserve: ['#'] })).toThrow(
      'the file has changed since it was loaded',
    )
    await expect(Tokenizer.load(file)).rejects.toThrow(/byte 32: the file has \d+ bytes/)
  })
})

describe('added tokens', () => {
  // One that is text overlaps a reserved one, and one has several units.
  const json = tokenizerFile({
    top: {
      added_tokens: [
        addedToken(2, '<|a|>', { special: true }),
        addedToken(3, 'x<|'),
        addedToken(4, 'é😀'),
        addedToken(5, '[b]'),
      ],
    },
    model: { vocab: { a: 0, b: 1 }, merges: [] },
  })
  const make = async (): Promise<[model: string, file: string]> => {
    const model = folders.make({ 'tokenizer.json': json })
    return [model, await compiled(model, 'added.stk')]
  }

  it('are those of the model, with their reasons', async () => {
    const [model, file] = await make()
    const [ours, expected] = [await Tokenizer.load(file), await Tokenizer.load(model)]
    expect(ours.reserved.map(({ id }) => id)).toEqual([2, 5])
    for (const reserve of ['structural', 'special', 'all-added', ['x<|', 4]] as const) {
      const [a, b] = [await Tokenizer.load(file, { reserve }), await Tokenizer.load(model, { reserve })]
      expect(a.reserved).toEqual(b.reserved)
    }
    const text = [trusted('<|a|>b'), 'x<|a|>[b]é😀'] as const
    expect(ours.encode([...text])).toEqual(expected.encode([...text]))
    expect(ours.getCommand('[b]')).toBe(5)
  })

  it('have the warnings of the model, however late they are asked for', async () => {
    const [model, file] = await make()
    const expected = (await Tokenizer.load(model)).warnings
    expect(expected.map(({ code }) => code)).toContain('RESERVED_TEXT_OVERLAP')
    const ours = await Tokenizer.load(file)
    expect(ours.warnings).toEqual(expected)
    const disposed = await Tokenizer.load(file)
    disposed.dispose()
    expect(disposed.warnings).toEqual(expected)
  })
})

describe('a path', () => {
  it('that is none is refused as for any model, whatever native code makes of it', async () => {
    const file = await compiled(CHATML, 'path é.stk')
    expect((await Tokenizer.load(file)).encode('a').length).toBe(1)
    const found = addon.fileHead(file, 8)
    expect(found).toEqual({
      size: readFileSync(file).length,
      head: Uint8Array.from(readFileSync(file).subarray(0, 8)),
    })
    expect(addon.fileHead(file, found?.size ?? 0)?.head).toHaveLength(found?.size ?? -1)
    expect(addon.fileHead(file, 1 + (found?.size ?? 0))).toBeUndefined()
    for (const other of [place, `${file}x`, `${file}\0x`, '', '/dev/null']) {
      expect(addon.fileHead(other, 8)).toBeUndefined()
    }
    await expect(Tokenizer.load(`${file}\0x`)).rejects.toThrow(ModelNotFoundError)
    await expect(Tokenizer.load(`${file}x`)).rejects.toThrow('there is no such file or folder')
  })
})

it('refuses options that are for the making', async () => {
  const file = await compiled(CHATML, 'encoding.stk')
  await expect(Tokenizer.load(file, { encoding: 'o200k_base' })).rejects.toThrow(InvalidArgumentError)
})

describe('a damaged file', () => {
  it('is refused wherever a bit is flipped, or where it ends', async () => {
    const bytes = await compileModel(defaultModelPath())
    for (let at = 8; at < bytes.length; at += at < 100 ? 1 : 997) {
      const flipped = bytes.slice()
      flipped[at] = (flipped[at] as number) ^ 1
      expect(() => Tokenizer.from(flipped), `byte ${at}`).toThrow(
        /byte (8|32|64|72): |version \d+ of the format/,
      )
      expect(() => readCompiled(bytes.slice(0, at), 'x')).toThrow(TokenizerFileError)
    }
  })

  it('says what is wrong, and where', async () => {
    const bytes = await compileModel(CHATML)
    const { json, tables } = readContainer(bytes, 'x')
    const changed = (from: string, to: string) => writeContainer({ json: json.replace(from, to), tables })
    const read = (file: Uint8Array) => () => readCompiled(file, 'model.stk')
    expect(read(changed('"semantics":"huggingface"', '"semantics":"mine"'))).toThrow(
      'model.stk: $.spec.semantics: huggingface or tiktoken was expected',
    )
    expect(read(changed('"special":true', '"special":1'))).toThrow('$.folder.tokens.special[0].special')
    expect(read(changed('"offsets":1', '"offsets":0'))).toThrow('the number of a Uint32Array was expected')
    expect(read(writeContainer({ json: '{', tables: [] }))).toThrow('model.stk: its JSON')
    const newer = bytes.slice()
    newer[24] = 99
    expect(read(newer)).toThrow(UnsupportedTokenizerError)
    expect(read(newer)).toThrow('version 99 of the format')
  })

  it('may hold no table outside of itself', async () => {
    const bytes = await compileModel(CHATML)
    for (const [at, value] of [
      [40, 2n ** 40n],
      [48, 2n ** 63n],
      [HEADER + 8, BigInt(bytes.length + 1)],
      [HEADER + 16, 2n ** 61n],
    ] as const) {
      const file = bytes.slice()
      new DataView(file.buffer).setBigUint64(at, value, true)
      expect(() => readCompiled(sealed(file), 'x')).toThrow(/byte \d+: it lies outside of the file/)
    }
  })

  it('with tables that contradict each other is refused', async () => {
    const bytes = await compileModel(CHATML)
    const wrong = compiledAgain(bytes, ({ spec }) => {
      if (!('tokens' in spec)) throw new Error('a pipeline was expected')
      return { ...spec, tokens: { ...spec.tokens, kinds: spec.tokens.kinds.subarray(1) } }
    })
    expect(() => Tokenizer.from(wrong)).toThrow(TokenizerFileError)
  })
})
