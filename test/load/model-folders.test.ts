// Model folders as transformers reads them. scripts/golden-model-folders.py made the expected values.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { SafetokensError, Tokenizer, trusted } from '../../src/index.js'
import { eosTokens } from '../../src/load/eos-tokens.js'
import { readModelFiles } from '../../src/load/model-files.js'
import type { AddedTokenSpec, PipelineSpec } from '../../src/load/pipeline-spec.js'
import { ModelFolders } from '../fixtures/model-folder.js'

interface Golden {
  spaced: string
  base: object
  folders: {
    name: string
    'tokenizer.json': object
    files: Record<string, unknown>
    texts: string[]
    error?: string
    added: [id: number, content: string, flags: string][]
    named: Record<string, string>
    extra: string[]
    templates: Record<string, string>
    limit: number | null
    decoded: string
    skipped: string
    ids: [plain: number[], withSpecial: number[]][]
    eos: number[]
  }[]
}

const golden: Golden = JSON.parse(readFileSync(new URL('golden/model-folders.json', import.meta.url), 'utf8'))
const folders = new ModelFolders()
afterAll(() => folders.remove())

function flags(token: AddedTokenSpec): string {
  return `${token.singleWord ? 'S' : ''}${token.lstrip ? 'L' : ''}${token.rstrip ? 'R' : ''}${token.normalized ? 'N' : ''}`
}

describe('a folder is read as transformers reads it', () => {
  it.each(golden.folders.map((expected) => [expected.name, expected] as const))('%s', async (_, expected) => {
    const place = folders.make({
      'tokenizer.json': { ...golden.base, ...expected['tokenizer.json'] },
      ...expected.files,
    })
    if (expected.error !== undefined) {
      await expect(Tokenizer.load(place)).rejects.toThrow(SafetokensError)
      return
    }
    const { spec, folder: read } = await readModelFiles(place)
    const added = [...(spec as PipelineSpec).addedTokens].sort((a, b) => a.id - b.id)
    const ours = added.map((token): [number, string, string] => [token.id, token.content, flags(token)])
    expect(ours).toEqual(
      expected.added.map(([id, content, letters]) => [id, content, letters.replace('s', '')]),
    )
    // What once was special is so for the reference too, though it does not show.
    for (const [i, [, , letters]] of expected.added.entries()) {
      if (letters.includes('s')) expect(added[i]?.special).toBe(true)
    }
    expect(Object.fromEntries(read?.tokens.named ?? [])).toEqual(expected.named)
    expect(read?.tokens.extra).toEqual(expected.extra)
    const templates = [...(read?.chatTemplates ?? [])].map(([name, { text }]) => [name, text])
    expect(Object.fromEntries(templates)).toEqual(expected.templates)
    expect(read?.limits.modelMaxLength ?? null).toBe(expected.limit)
    const eos = eosTokens([], read?.generationEos ?? [], undefined)
    expect(eos.map(({ id }) => id)).toEqual([...new Set(expected.eos)])

    const tokenizer = await Tokenizer.load(place)
    expected.texts.forEach((text, i) => {
      expect([...tokenizer.encode(trusted(text))], text).toEqual(expected.ids[i]?.[0])
      expect([...tokenizer.encode(trusted(text), { addSpecialTokens: true })], text).toEqual(
        expected.ids[i]?.[1],
      )
    })
    expect(tokenizer.decode(tokenizer.encode(golden.spaced))).toBe(expected.decoded)
    const ids = added.map(({ id }) => id)
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(expected.skipped)
  })
})
