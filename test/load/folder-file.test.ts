import { truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readFolderFiles, readJsonObject, readTextFile } from '../../src/load/folder-file.js'
import { ModelFolders } from '../fixtures/model-folder.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

const NAMES = [
  'tokenizer_config',
  'special_tokens_map',
  'added_tokens',
  'generation_config',
  'config',
  'chat_template',
]

describe('the JSON files of a folder', () => {
  it('are read when they are there', async () => {
    const place = folders.make({
      'config.json': '{"a": [NaN, Infinity, -Infinity, -1], "b": {"c": Infinity}}',
    })
    const { modelConfig, tokenizerConfig } = await readFolderFiles(place)
    expect(modelConfig?.get('a')).toEqual([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      -1,
    ])
    expect(tokenizerConfig).toBeUndefined()
  })

  it.each(NAMES)('are errors with line and column when they are no JSON: %s.json', async (name) => {
    const place = folders.make({ [`${name}.json`]: '{\n "a": 1,\n}' })
    await expect(readFolderFiles(place)).rejects.toMatchObject({
      name: 'TokenizerFileError',
      file: path.join(place, `${name}.json`),
      where: 'line 3, column 1',
    })
  })

  it.each<[string, string | Uint8Array, string]>([
    ['an array', '[]', '$'],
    ['a key twice', '{"a": 1, "a": 2}', 'line 1, column 15'],
    ['half a word', '{"a": Infin}', 'line 1, column 7'],
    ['a lone minus', '{"a": -}', 'line 1, column 7'],
    ['a byte order mark', '\ufeff{}', 'line 1, column 1'],
    ['what is not UTF-8', Uint8Array.of(0x7b, 0x22, 0xc3, 0xa9, 0xe2, 0x82), 'byte 4'],
    ['nothing', '', 'line 1, column 1'],
  ])('are errors: %s', async (_, content, where) => {
    const place = folders.make({ 'config.json': content })
    await expect(readFolderFiles(place)).rejects.toMatchObject({ name: 'TokenizerFileError', where })
  })

  it('are refused before they are read when they are huge', async () => {
    const place = folders.make({ 'config.json': '{}', 'x.jinja': '' })
    truncateSync(path.join(place, 'config.json'), 2 ** 26 + 1)
    truncateSync(path.join(place, 'x.jinja'), 2 ** 22 + 1)
    await expect(readFolderFiles(place)).rejects.toMatchObject({ name: 'UnsupportedTokenizerError' })
    await expect(readTextFile(path.join(place, 'x.jinja'))).rejects.toMatchObject({
      name: 'UnsupportedTokenizerError',
    })
  })

  it('are errors when they cannot be read', async () => {
    const place = folders.make({ 'config.json/a': '' })
    await expect(readJsonObject(place, 'config.json')).rejects.toMatchObject({ name: 'ModelNotFoundError' })
  })
})

describe('a text file', () => {
  it('has line ends as Python reads them, and keeps a byte order mark', async () => {
    const place = folders.make({ 'a.jinja': '\ufeffa\r\nb\rc\n\r\n' })
    expect(await readTextFile(path.join(place, 'a.jinja'))).toBe('\ufeffa\nb\nc\n\n')
  })

  it.each<[number[], number]>([
    [[0xff], 0],
    [[0x61, 0xc3, 0xa9, 0xc3], 3],
    [[0xed, 0xa0, 0x80], 0],
    [[...new TextEncoder().encode('é'.repeat(40_000)), 0x80, 0x61], 80_000],
    [[...new TextEncoder().encode('a€'.repeat(40_000)), 0xe2, 0x82, 0x61], 160_000],
    [Array(100_000).fill(0x80), 0],
  ])('is an error with the place of the first bad byte: %#', async (bytes, at) => {
    const place = folders.make({})
    writeFileSync(path.join(place, 'a'), Uint8Array.from(bytes))
    await expect(readTextFile(path.join(place, 'a'))).rejects.toMatchObject({ where: `byte ${at}` })
  })
})
