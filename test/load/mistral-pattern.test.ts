// What transformers 5.23.0 gave for a tokenizer of 100,001 tokens and these configs.
import { afterAll, describe, expect, it } from 'vitest'
import { readModelFiles } from '../../src/load/model-files.js'
import type { PipelineSpec } from '../../src/load/pipeline-spec.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
const SPLIT = { type: 'Split', pattern: { Regex: '\\p{L}+' }, behavior: 'Removed', invert: true }
const FIX = { fix_mistral_regex: true }

async function read(
  config: object,
  modelConfig: object | undefined,
  pretokenizers = [SPLIT, BYTE_LEVEL],
  size = 100_001,
) {
  const json = byteLevelJson({ preTokenizer: { type: 'Sequence', pretokenizers } })
  const used = Object.keys(json.model.vocab).length
  for (let id = used; id < size; id++) json.model.vocab[`x${id}`] = id
  const place = folders.make({
    'tokenizer.json': json,
    'tokenizer_config.json': config,
    ...(modelConfig === undefined ? {} : { 'config.json': modelConfig }),
  })
  const { spec, warnings } = await readModelFiles(place)
  return { steps: (spec as PipelineSpec).preTokenizers, codes: warnings.map(({ code }) => code) }
}

describe('the pattern of a Mistral tokenizer.json', () => {
  it.each([
    { model_type: 'mistral' },
    { model_type: 'mistral3', transformers_version: '4.57.1' },
    { transformers_version: '5.0.0.dev0' },
    {},
  ])('is replaced if the folder asks for it: %j', async (modelConfig) => {
    const { steps, codes } = await read(FIX, modelConfig)
    expect(steps).toMatchObject([
      {
        type: 'Split',
        pattern: { regex: expect.stringMatching(/\|\\p\{N\}\|/) },
        behavior: 'isolated',
        invert: false,
      },
      { type: 'ByteLevel' },
    ])
    expect(codes).toEqual([])
  })

  it.each<[object, object | undefined, string[]]>([
    [FIX, undefined, []],
    [FIX, { model_type: 'llama' }, []],
    [FIX, { model_type: 'mistral', transformers_version: '5.0.0' }, []],
    [FIX, { model_type: 'mistral', transformers_version: '10.1' }, []],
    [{}, { model_type: 'mistral' }, ['MISTRAL_PATTERN']],
    [{ fix_mistral_regex: false }, { model_type: 'mistral' }, ['MISTRAL_PATTERN']],
  ])('stays otherwise: %j %j', async (config, modelConfig, expected) => {
    const { steps, codes } = await read(config, modelConfig)
    expect(steps[0]).toMatchObject({ pattern: { regex: '\\p{L}+' }, behavior: 'removed' })
    expect(codes).toEqual(expected)
  })

  it('stays in smaller vocabularies', async () => {
    const { steps } = await read(FIX, {}, [SPLIT, BYTE_LEVEL], 100_000)
    expect(steps[0]).toMatchObject({ pattern: { regex: '\\p{L}+' } })
  })

  it('cannot be put where there is none', async () => {
    await expect(read(FIX, {}, [BYTE_LEVEL as never])).rejects.toMatchObject({
      name: 'UnsupportedTokenizerError',
      component: 'fix_mistral_regex',
    })
  })
})
