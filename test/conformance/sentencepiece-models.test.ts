// SentencePiece models that are not BPE, and charsmaps in all of them, against SentencePiece 0.2.3 and 0.2.1: small
// models that hold every flag and every kind of piece. The golden file is written by
// scripts/golden-sentencepiece-models.py.
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import type { SentencePieceVersion } from '../../src/tokenizer/sentencepiece-input.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { expectIds, modelFile, readGolden, splitAt } from './golden-models.js'

interface GoldenModel {
  name: string
  /** The `.model` file in base64, but for the charsmap of this name. */
  model: string
  charsmap: string
  /** Texts of its own, which come after those that all models share. */
  texts: string[]
  /** Of 0.2.3; null where it fails. */
  ids: (number[] | null)[]
  decoded: (string | null)[]
  /** Begin and end of each piece in bytes, by index of the text: each seventh text. */
  offsets: Record<string, number[]>
  /** Id sequences that no encoding makes, and their text. */
  runs: [ids: number[], text: string][]
  /** The ids of 0.2.1 where they differ, by index of the text. */
  older: Record<string, number[]>
}

const golden = readGolden<{
  sentencepiece: string
  older: string
  texts: string[]
  charsmaps: Record<string, string>
  models: GoldenModel[]
}>('sentencepiece-models')
const isUnigram = ({ name }: GoldenModel): boolean => name.startsWith('unigram')

const textsOf = (model: GoldenModel): string[] => [...golden.texts, ...model.texts]

function load(
  model: GoldenModel,
  reserve: 'structural' | 'special',
  sentencePieceVersion?: SentencePieceVersion,
): Tokenizer {
  return Tokenizer.from(modelFile(model.model, golden.charsmaps[model.charsmap]), {
    reserve,
    sentencePieceVersion,
  })
}

/** What a version gives for each text. */
function idsOf(model: GoldenModel, version: SentencePieceVersion): (number[] | null)[] {
  return version === '0.2.3' ? model.ids : model.ids.map((ids, i) => model.older[i] ?? ids)
}

it('the golden file is large enough to mean something', () => {
  expect(golden).toMatchObject({ sentencepiece: '0.2.3', older: '0.2.1' })
  expect(
    golden.models.filter(({ name }) => /^unigram (flags|user-defined) [-+]bytes/.test(name)).length,
  ).toBe(96)
  const count = (kind: string) => golden.models.filter(({ name }) => name.startsWith(kind)).length
  expect([count('unigram'), count('bpe'), count('word'), count('char')]).toEqual([140, 8, 17, 17])
  expect(golden.models.reduce((sum, { older }) => sum + Object.keys(older).length, 0)).toBeGreaterThan(500)
  for (const model of golden.models) {
    expect(model.ids.length, model.name).toBe(textsOf(model).length)
    expect(model.ids.length, model.name).toBeGreaterThan(240)
    expect(Object.keys(model.offsets).length, model.name).toBeGreaterThan(30)
  }
})

describe.each(golden.models)('$name', (model) => {
  // The policy `special` reserves what SentencePiece never finds in text, so that nothing is left to differ.
  const versions: SentencePieceVersion[] = isUnigram(model) ? ['0.2.1', '0.2.3'] : ['0.2.3']
  it.each(versions)('gives the ids and the texts of SentencePiece %s', (version) => {
    const ours = load(model, 'special', version)
    const ids = idsOf(model, version)
    textsOf(model).forEach((text, i) => {
      expectIds(ours.encode(text), ids[i] as number[], text)
      expect(ours.decode(model.ids[i] as number[]), JSON.stringify(text)).toBe(model.decoded[i])
    })
    for (const [run, text] of model.runs) expect(ours.decode(run), JSON.stringify(run)).toBe(text)
  })

  it('tells where the ids come from', () => {
    const ours = load(model, 'special', '0.2.3')
    const texts = textsOf(model)
    for (const [index, offsets] of Object.entries(model.offsets)) {
      const text = texts[Number(index)] as string
      const encoding = ours.encode(text, { offsets: true })
      expectIds(encoding.ids, model.ids[Number(index)] as number[], text)
      expectIds(encoding.byteOffsets, offsets, text)
    }
  })

  // The default policy differs in bracketed user-defined pieces alone: data never becomes one, trusted text does.
  it('gives no reserved id, and the ids of SentencePiece where no mark is spelled', () => {
    const ours = load(model, 'structural')
    const reserved = new Set(ours.reserved.map(({ id }) => id))
    const ids = idsOf(model, '0.2.1')
    const controls = ours.reserved.filter(({ reason }) => reason === 'control piece').map(({ name }) => name)
    const marks = ours.reserved
      .filter(({ reason }) => reason === 'user-defined piece that is a bracketed mark')
      .map(({ name }) => name)
    for (const [i, text] of textsOf(model).entries()) {
      const expected = ids[i] as number[]
      const data = ours.encode(text)
      expect(data.filter((id) => reserved.has(id)).length, JSON.stringify(text)).toBe(0)
      if (!expected.some((id) => reserved.has(id))) expectIds(data, expected, text)
      if (!marks.some((mark) => text.includes(mark))) continue
      // To the model of words a user-defined piece is a word, or nothing.
      if (model.name.startsWith('word') || controls.some((name) => text.includes(name))) continue
      expectIds(ours.encode(trusted(text)), expected, text)
      const parts = splitAt(text, marks)
      // Marks alone have no dummy prefix unless they are spelled.
      if (parts.some((part) => typeof part === 'string')) expectIds(ours.encode(parts), expected, text)
    }
  })
})

it('text that is normalized to a mark does not become it', () => {
  const model = golden.models.find(
    ({ name }) => name === 'unigram user-defined -bytes -suffix -dummy -remove -escape custom',
  )
  const text = '<|im_xend|>'
  const id = load(model as GoldenModel, 'special').tokenToId('<|im_end|>')
  expect(model?.ids[golden.texts.indexOf(text)]).toEqual([id])
  expect(Array.from(load(model as GoldenModel, 'structural').encode(text))).not.toContain(id)
  expect(Array.from(load(model as GoldenModel, 'structural').encode(trusted(text)))).not.toContain(id)
})
