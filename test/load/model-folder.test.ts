// What docs/model-folders.md says of the files beside the tokenizer. model-folders.test.ts compares with transformers.
import { afterAll, describe, expect, it } from 'vitest'
import { eosTokens } from '../../src/load/eos-tokens.js'
import { readFolderFiles } from '../../src/load/folder-file.js'
import { readModelFolder } from '../../src/load/model-folder.js'
import { ModelFolders } from '../fixtures/model-folder.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

async function read(files: Record<string, unknown>) {
  const place = folders.make(files)
  const { folder, warnings } = await readModelFolder(place, await readFolderFiles(place))
  // The place differs from run to run.
  return { folder, warnings: JSON.parse(JSON.stringify(warnings).replaceAll(`${place}/`, '')) }
}

describe('limits', () => {
  it.each<[unknown, number | undefined]>([
    [2048, 2048],
    [2048.5, 2048],
    [1e20, 1e20],
    [1e30, undefined],
    ['2048', undefined],
    [-1, undefined],
    [0, undefined],
    [true, undefined],
    [null, undefined],
  ])('model_max_length %j is %j', async (model_max_length, limit) => {
    const { folder } = await read({ 'tokenizer_config.json': { model_max_length } })
    expect(folder.limits.modelMaxLength).toBe(limit)
  })

  it.each<[object, number | undefined]>([
    [{ max_position_embeddings: 4096 }, 4096],
    [{ n_positions: 1024, n_ctx: 512 }, 1024],
    [{ seq_length: 8192 }, 8192],
    [{ max_position_embeddings: 77, text_config: { max_position_embeddings: 99 } }, 77],
    [
      { text_config: { max_position_embeddings: 131_072 }, vision_config: { max_position_embeddings: 9 } },
      131_072,
    ],
    [{ max_position_embeddings: '4096' }, undefined],
    [{}, undefined],
  ])('config.json %j has %j', async (config, limit) => {
    const { folder } = await read({ 'config.json': { model_type: 'x', ...config } })
    expect(folder.limits.maxPositionEmbeddings).toBe(limit)
    expect(folder.modelType).toBe('x')
  })

  it('may be missing', async () => {
    const { folder } = await read({})
    expect(folder.limits).toEqual({ modelMaxLength: undefined, maxPositionEmbeddings: undefined })
    expect(folder.modelType).toBeUndefined()
  })
})

describe('eos ids', () => {
  const generation = { 'generation_config.json': { eos_token_id: [2, 7, 2] } }

  it("are the format's joined with generation_config's, and their source is told", async () => {
    const { folder } = await read({ ...generation, 'config.json': { eos_token_id: 9 } })
    expect(eosTokens([5, 7, 5], folder.generationEos, 3)).toEqual([
      { id: 5, source: 'format' },
      { id: 7, source: 'format' },
      { id: 2, source: 'generation_config.json' },
    ])
  })

  it("are tokenizer_config's only where both have none", async () => {
    const { folder } = await read({ 'generation_config.json': {}, 'config.json': { eos_token_id: 9 } })
    expect(eosTokens([], folder.generationEos, 3)).toEqual([{ id: 3, source: 'tokenizer_config.json' }])
    expect(eosTokens([1], folder.generationEos, 3)).toEqual([{ id: 1, source: 'format' }])
    expect(eosTokens([], [], undefined)).toEqual([])
  })

  it("are config.json's where there is no generation_config.json", async () => {
    const { folder } = await read({ 'config.json': { text_config: { eos_token_id: [4] } } })
    expect(folder.generationEos).toEqual([{ id: 4, source: 'config.json' }])
  })

  it('may be negative, which means none', async () => {
    const { folder } = await read({ 'generation_config.json': { eos_token_id: [-1, 4] } })
    expect(folder.generationEos).toEqual([{ id: 4, source: 'generation_config.json' }])
  })

  it.each(['2', [2, '3'], 1.5, [[2]], 2 ** 32])(
    'are an error when they are no ids: %j',
    async (eos_token_id) => {
      await expect(read({ 'generation_config.json': { eos_token_id } })).rejects.toMatchObject({
        name: 'TokenizerFileError',
        where: '$.eos_token_id',
      })
    },
  )
})

describe('chat templates', () => {
  const texts = async (files: Record<string, unknown>) => {
    const { folder, warnings } = await read(files)
    const templates = Object.fromEntries([...folder.chatTemplates].map(([name, { text }]) => [name, text]))
    return { templates, warnings }
  }

  it('of chat_template.json count only where there are no others', async () => {
    const json = { 'chat_template.json': { chat_template: 'P' } }
    expect(await texts(json)).toEqual({ templates: { default: 'P' }, warnings: [] })
    const both = await texts({ ...json, 'tokenizer_config.json': { chat_template: 'T' } })
    expect(both.templates).toEqual({ default: 'T' })
    expect(both.warnings).toEqual([
      {
        code: 'CHAT_TEMPLATES_DIFFER',
        name: 'default',
        used: 'tokenizer_config.json: $.chat_template',
        unused: 'chat_template.json: $.chat_template',
        message: expect.stringContaining('differs from that of'),
      },
    ])
  })

  it('that say the same give no warning', async () => {
    const files = { 'chat_template.jinja': 'a\nb\n', 'tokenizer_config.json': { chat_template: 'a\r\nb' } }
    expect(await texts(files)).toEqual({ templates: { default: 'a\nb\n' }, warnings: [] })
  })

  it('that are not used give a warning', async () => {
    const chat_template = [
      { name: 'default', template: 'D' },
      { name: 'rag', template: 'R' },
    ]
    const { warnings } = await texts({
      'chat_template.jinja': 'D',
      'tokenizer_config.json': { chat_template },
    })
    expect(warnings).toEqual([
      {
        code: 'CHAT_TEMPLATES_DIFFER',
        name: 'rag',
        unused: 'tokenizer_config.json: $.chat_template[1].template',
        message: expect.stringContaining('is not used'),
      },
    ])
  })

  it.each<[unknown, string]>([
    [7, '$.chat_template'],
    [[{ name: 'x' }], '$.chat_template[0].template'],
    [[{ template: 'x' }], '$.chat_template[0].name'],
    [['x'], '$.chat_template[0]'],
    [{ a: 1 }, '$.chat_template.a'],
  ])('that are none are errors: %j', async (chat_template, where) => {
    await expect(read({ 'tokenizer_config.json': { chat_template } })).rejects.toMatchObject({
      name: 'TokenizerFileError',
      where,
    })
  })

  it('may have names that mean something to JavaScript', async () => {
    const { folder } = await read({
      'tokenizer_config.json': '{"chat_template": {"__proto__": "P", "constructor": "C"}}',
    })
    expect([...folder.chatTemplates.keys()]).toEqual(['__proto__', 'constructor'])
  })

  it('are limited in number', async () => {
    const files = Array.from({ length: 101 }, (_, i) => [`additional_chat_templates/${i}.jinja`, ''])
    await expect(read(Object.fromEntries(files))).rejects.toMatchObject({
      name: 'UnsupportedTokenizerError',
      component: '101 chat templates',
    })
  })
})

describe('special tokens', () => {
  it('may differ between files', async () => {
    const map = { 'special_tokens_map.json': { eos_token: '<b>', bos_token: { content: '<s>' } } }
    const config = { eos_token: '<a>', bos_token: '<s>' }
    const legacy = await read({ ...map, 'tokenizer_config.json': config })
    expect(legacy.warnings).toMatchObject([
      { code: 'SPECIAL_TOKENS_DIFFER', name: 'eos_token', used: '<b>', unused: '<a>' },
    ])
    expect(legacy.folder.tokens.named.get('eos_token')).toBe('<b>')
    const current = await read({ ...map, 'tokenizer_config.json': { ...config, added_tokens_decoder: {} } })
    expect(current.warnings).toMatchObject([{ used: '<a>', unused: '<b>' }])
    expect(current.folder.tokens.named.get('eos_token')).toBe('<a>')
  })

  it.each<[string, object, string]>([
    ['tokenizer_config.json', { bos_token: 7 }, '$.bos_token'],
    ['tokenizer_config.json', { bos_token: { lstrip: true } }, '$.bos_token.content'],
    ['tokenizer_config.json', { extra_special_tokens: [7] }, '$.extra_special_tokens[0]'],
    ['tokenizer_config.json', { added_tokens_decoder: { 1.5: {} } }, '$.added_tokens_decoder["1.5"]'],
    [
      'tokenizer_config.json',
      { added_tokens_decoder: { 16777216: {} } },
      '$.added_tokens_decoder["16777216"]',
    ],
    [
      'tokenizer_config.json',
      { added_tokens_decoder: { 1: { content: 'x', lstrip: 1 } } },
      '$.added_tokens_decoder["1"].lstrip',
    ],
    ['added_tokens.json', { '<x>': '1' }, '$["<x>"]'],
    ['special_tokens_map.json', { eos_token: [] }, '$.eos_token'],
  ])('that are none are errors: %s %j', async (name, content, where) => {
    await expect(read({ [name]: content })).rejects.toMatchObject({ name: 'TokenizerFileError', where })
  })
})
