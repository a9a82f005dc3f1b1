import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readJsonObject } from '../../src/load/folder-file.js'
import { readModelFiles } from '../../src/load/model-files.js'
import { tokenizerFile } from '../../src/load/tokenizer-file.js'
import { ModelFolders } from '../fixtures/model-folder.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

async function chosen(...names: string[]): Promise<string> {
  const place = folders.make(Object.fromEntries(names.map((name) => [name, ''])))
  return path.basename(await tokenizerFile(place, undefined))
}

async function chosenWith(config: object, ...names: string[]): Promise<string> {
  const place = folders.make({
    ...Object.fromEntries(names.map((name) => [name, ''])),
    'tokenizer_config.json': config,
  })
  return path.basename(await tokenizerFile(place, await readJsonObject(place, 'tokenizer_config.json')))
}

describe('the tokenizer of a folder', () => {
  it('is the first of the names that are known', async () => {
    const names = [
      'tokenizer.json',
      'tekken.json',
      'tokenizer.model',
      'tiktoken.model',
      'spm.model',
      'a.tiktoken',
      'b.model',
    ]
    for (let i = 0; i < names.length; i++) expect(await chosen(...names.slice(i))).toBe(names[i])
  })

  it('is tokenizer.model for ChatGLM, whose class is Python over it', async () => {
    const config = { tokenizer_class: 'ChatGLMTokenizer' }
    expect(await chosenWith(config, 'tokenizer.json', 'tokenizer.model')).toBe('tokenizer.model')
    expect(await chosenWith(config, 'tokenizer.json')).toBe('tokenizer.json')
  })

  it('may have versions', async () => {
    const files = ['tokenizer.json', 'tokenizer.4.json', 'tokenizer.5.23.0.json', 'tokenizer.5.24.json']
    expect(await chosenWith({ fast_tokenizer_files: files }, ...files)).toBe('tokenizer.5.23.0.json')
    expect(await chosenWith({ fast_tokenizer_files: files.slice(0, 2) }, ...files)).toBe('tokenizer.4.json')
    expect(await chosenWith({ fast_tokenizer_files: ['tokenizer.99.json'] }, ...files)).toBe('tokenizer.json')
    const odd = [7, 'tokenizer.x.json', 'tokenizer.4.json/../../a.json', '../tokenizer.4.json']
    expect(await chosenWith({ fast_tokenizer_files: odd }, ...files)).toBe('tokenizer.json')
    expect(await chosenWith({ fast_tokenizer_files: 'tokenizer.4.json' }, ...files)).toBe('tokenizer.json')
  })

  it('is an error when it cannot be told', async () => {
    await expect(chosen('a.tiktoken', 'b.tiktoken')).rejects.toMatchObject({
      name: 'UnsupportedTokenizerError',
      message: expect.stringContaining('give the path of one: a.tiktoken, b.tiktoken'),
    })
    await expect(chosen('config.json')).rejects.toMatchObject({ name: 'ModelNotFoundError' })
    await expect(chosen('vocab.json', 'merges.txt')).rejects.toThrow('become a tokenizer.json')
  })

  it('is an error when the whole folder is not there', async () => {
    await expect(readModelFiles('org/no-such-model')).rejects.toThrow('hf download org/no-such-model')
    await expect(readModelFiles(path.join(folders.make({}), 'nothing', 'here'))).rejects.toMatchObject({
      name: 'ModelNotFoundError',
    })
  })
})
