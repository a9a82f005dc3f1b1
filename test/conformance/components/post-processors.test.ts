// Each post-processor of a tokenizer.json, alone and in sequences, against Hugging Face `tokenizers` itself.
import { describe, expect, it } from 'vitest'
import { UnsupportedTokenizerError } from '../../../src/errors.js'
import { mulberry32 } from '../shared.js'
import { byteLevel, type Case, type Component, nameOf, processors, step } from './case.js'
import { SEED } from './case-files.js'
import { COUNT, compare, differences, TIMEOUT } from './compare-case.js'

/** Ids of added tokens: these are the first ones of the vocabulary, behind unk. */
const IDS = { '<s>': 1, '</s>': 2, '<|user|>': 3 }
type Name = keyof typeof IDS

const pair = (name: Name) => [name, IDS[name]]
const bert = step('BertProcessing', { cls: pair('<s>'), sep: pair('</s>') })
const roberta = (flags: object = {}): Component =>
  step('RobertaProcessing', {
    ...{ cls: pair('<|user|>'), sep: pair('</s>'), trim_offsets: true, add_prefix_space: true },
    ...flags,
  })
const items = (list: string): object[] =>
  list
    .split(' ')
    .map((id) =>
      /^[AB]$/.test(id) ? { Sequence: { id, type_id: 0 } } : { SpecialToken: { id, type_id: 0 } },
    )
const template = (single: string, pairs: string): Component =>
  step('TemplateProcessing', {
    single: items(single),
    pair: items(pairs),
    special_tokens: {
      ...Object.fromEntries(
        Object.entries(IDS).map(([id, number]) => [id, { id, ids: [number], tokens: [id] }]),
      ),
      two: { id: 'two', ids: [3, 2], tokens: ['<|user|>', '</s>'] },
    },
  })

const STEPS: readonly Component[] = [
  bert,
  roberta(),
  roberta({ trim_offsets: false, add_prefix_space: false }),
  byteLevel(true, true),
  template('<s> A', '<s> A B </s>'),
  template('A two', 'A two B'),
  template('A', 'B A'),
  template('A', 'A </s> B'),
]

const on = (postProcessor: Component): Case => ({
  preTokenizer: step('WhitespaceSplit'),
  model: { type: 'WordPiece' },
  addedInVocabulary: true,
  postProcessor,
})

describe('post-processors', () => {
  compare(
    Object.fromEntries(STEPS.map((postProcessor, i) => [`${i} ${nameOf(postProcessor)}`, on(postProcessor)])),
  )

  it('random sequences', { timeout: TIMEOUT }, async () => {
    const random = mulberry32(SEED)
    let refused = 0
    for (let round = 0; round < COUNT / 5; round++) {
      const list = Array.from(
        { length: 2 + Math.floor(random() * 3) },
        () => STEPS[Math.floor(random() * STEPS.length)] as Component,
      )
      try {
        expect(await differences(on(processors(...list)), 10), list.map(nameOf).join(', ')).toEqual([])
      } catch (error) {
        // The reference ends the process for these.
        if (!(error instanceof UnsupportedTokenizerError)) throw error
        refused++
      }
    }
    expect(refused).toBeLessThan(COUNT / 10)
  })
})
