// tokenizer.json with Unigram models against Hugging Face `tokenizers` itself, and the same models as `.model` against
// SentencePiece: where they part, each reader follows the reference of its own file.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSentencePieceModel } from '../../src/load/sentencepiece-model.js'
import { serdeFloat } from '../../src/load/tokenizer-json/serde-float.js'
import { PieceType, pieceText } from '../../src/load/tokenizer-spec.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonBytes, unigramJson } from '../fixtures/tokenizer-json.js'
import { mulberry32, randomTexts, trickyTexts } from './random-texts.js'
import { describeShared, sharedFile } from './shared.js'
import { huggingFace, type Reference, sentencePiece } from './tokenizers.js'

const SEED = 20261130
/** For a longer run: SAFETOKENS_UNIGRAMS=5000 npx vitest run test/conformance/unigram.test.ts */
const COUNT = Number(process.env.SAFETOKENS_UNIGRAMS ?? 200)

type Vocabulary = [token: string, score: number][]

/** Random models over few characters, with scores that make ties and near ties. */
class Models {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = mulberry32(seed)
  }

  below(n: number): number {
    return Math.floor(this.#random() * n)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  text(characters: readonly string[], most: number): string {
    return Array.from({ length: 1 + this.below(most) }, () => this.pick(characters)).join('')
  }

  vocabulary(characters: readonly string[]): Vocabulary {
    const known = this.below(3) === 0 ? characters.slice(1) : characters
    const words = Array.from({ length: this.below(25) }, () => this.text(characters, 6))
    const scores = [
      () => -1,
      () => -1 - this.below(3),
      () => Math.fround(-this.#random() * 20),
      () => -this.#random() * 20,
      () => this.pick([-0.1, -0.2, -0.3, -0.30000000000000004, -1.1]),
      () => this.#random() * 40 - 10,
      () => 30 + this.#random() * 40, // two unknown characters may then cost less than their token
    ]
    const score = this.pick(scores)
    return [...new Set(['<unk>', ...known, ...words])].map((token) => [token, score()])
  }
}

const ALPHABETS = ['ab', 'abc', '▁ab', 'aé你', '▁abcdef', '<unk>a'].map((text) => [...text])
const PRE_TOKENIZERS: readonly (object | null)[] = [
  null,
  { type: 'WhitespaceSplit' },
  ...['always', 'never', 'first'].flatMap((prepend_scheme) =>
    [true, false].map((split) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme, split })),
  ),
]

it(`${COUNT} random models have the reference's ids and texts`, { timeout: 600_000 }, async () => {
  const models = new Models(SEED)
  const wrong: object[] = []
  for (let i = 0; i < COUNT && wrong.length < 3; i++) {
    const characters = models.pick(ALPHABETS)
    const json = unigramJson({
      vocabulary: models.vocabulary(characters),
      byteFallback: models.below(3) === 0,
      preTokenizer: models.pick(PRE_TOKENIZERS),
    })
    const ours = Tokenizer.from(jsonBytes(json))
    const theirs = huggingFace(json)
    const texts = [
      ...Array.from({ length: 20 }, () => models.text([...characters, ' '], models.pick([4, 20, 300]))),
      ...trickyTexts(SEED + i, 5).filter((text) => !text.includes('<0x')),
    ]
    const ids = await theirs.encode(texts)
    const decoded = await theirs.decode(ids, false)
    texts.forEach((text, k) => {
      const expected = ids[k] as number[]
      if (String([...ours.encode(text)]) !== String(expected)) wrong.push({ json, text, expected })
      if (ours.decode(expected) !== decoded[k]) wrong.push({ json, expected, decoded: decoded[k] })
    })
  }
  expect(wrong).toEqual([])
})

describe('scores are the numbers that the reference reads', () => {
  const read = (text: string): number | undefined => {
    const bytes = new TextEncoder().encode(text)
    return serdeFloat(bytes, 0, bytes.length)
  }

  /** Whether the reference finds that `right` is greater than `left`. */
  async function isGreater(left: string, right: string): Promise<boolean> {
    const json = JSON.stringify(
      unigramJson({
        vocabulary: [
          ['<unk>', 0],
          ['ab', 1],
          ['a', 2],
          ['b', 0],
        ],
        preTokenizer: null,
      }),
    )
    const file = json.replace('["ab",1]', `["ab",${left}]`).replace('["a",2]', `["a",${right}]`)
    const [ids] = await huggingFace(new TextEncoder().encode(file)).encode(['ab'])
    return ids?.length === 2
  }

  it('neighbours in 300 random numbers', { timeout: 60_000 }, async () => {
    const random = mulberry32(SEED)
    let rounded = 0
    for (let i = 0; i < 300; i++) {
      const digits = 1 + Math.floor(random() * 24)
      const value = -random() * 10 ** Math.floor(random() * 6 - 3)
      const left =
        i % 3 === 0 ? value.toExponential(Math.min(20, digits)) : value.toFixed(Math.min(digits, 20))
      const right = (Number(left) * (1 + (Math.floor(random() * 5) - 2) * 2 ** -53)).toFixed(18)
      if (read(left) !== Number(left) || read(right) !== Number(right)) rounded++
      expect(await isGreater(left, right), `${left} ${right}`).toBe(
        (read(right) as number) > (read(left) as number),
      )
    }
    expect(rounded).toBeGreaterThan(10)
  })

  it.each([
    ['0', 0],
    ['-0', -0],
    ['12', 12],
    ['-1.5', -1.5],
    ['1e2', 100],
    ['1.25E+2', 125],
    ['5e-1', 0.5],
    ['0.000', 0],
    ['0e99999999999', 0],
    ['1e-99999999999', 0],
    ['-1e-400', -0],
    ['18446744073709551616', 2 ** 64],
    ['18446744073709553665', 18446744073709550 * 1000], // the last digits do not fit
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['0.1234567890123456789012345678', 0.12345678901234568],
    ['1e309', undefined],
    ['1e99999999999', undefined],
  ])('%s', (text, number) => {
    expect(read(text)).toBe(number)
  })

  it('one in five with 17 digits is not the nearest double', () => {
    expect(read('-9.0299997329711914')).toBe(-9.029999732971191)
    const random = mulberry32(SEED)
    const texts = Array.from({ length: 1000 }, () => (-random() * 20).toPrecision(17))
    const other = texts.filter((text) => read(text) !== Number(text)).length
    expect(other).toBeGreaterThan(100)
    expect(other).toBeLessThan(400)
  })
})

/** A `.model` as a tokenizer.json: the charsmap is the normalizer, words begin with U+2581. */
function converted(file: string): object {
  const { pieces, normalizer } = readSentencePieceModel(readFileSync(file), file)
  const ids = [...pieces.types.keys()]
  const json = unigramJson({
    vocabulary: ids.map((id) => [pieceText(pieces, id), pieces.scores[id] as number]),
    normalizer: {
      type: 'Precompiled',
      precompiled_charsmap: Buffer.from(normalizer.charsmap).toString('base64'),
    },
    added: ids.filter((id) => pieces.types[id] !== PieceType.NORMAL).map((id) => pieceText(pieces, id)),
  })
  json.model.unk_id = pieces.types.indexOf(PieceType.UNKNOWN)
  return json
}

interface Pair {
  readonly model: Tokenizer
  readonly json: Tokenizer
  readonly sentencePiece: Reference
  readonly huggingFace: Reference
}

describeShared('the same model as `.model` and as tokenizer.json', () => {
  const pairs = new Map<string, Pair>()
  beforeAll(() => {
    for (const name of ['sentencepiece_test_model', 'sentencepiece_test_ja_model', 'albert_30k-clean']) {
      const file = sharedFile('data', 'spm', `${name}.model`) as string
      const json = converted(file)
      pairs.set(name, {
        model: Tokenizer.from(readFileSync(file)),
        json: Tokenizer.from(jsonBytes(json)),
        sentencePiece: sentencePiece(readFileSync(file)),
        huggingFace: huggingFace(json),
      })
    }
  })
  const pair = (name: string): Pair => pairs.get(name) as Pair

  it('is two tokenizers, and each says which', () => {
    const { model, json } = pair('albert_30k-clean')
    expect([model.semantics, model.model]).toEqual(['sentencepiece', 'unigram'])
    expect([json.semantics, json.model]).toEqual(['huggingface', 'unigram'])
    const texts = randomTexts(SEED, 500)
    const differing = texts.filter((text) => String(model.encode(text)) !== String(json.encode(text)))
    expect(differing.length).toBeGreaterThan(100)
  })

  /** What each gives, as pieces; and that it is what its reference gives. */
  async function pieces(name: string, text: string): Promise<{ model: string; json: string }> {
    const { model, json, ...references } = pair(name)
    const ids = [...model.encode(text)]
    const other = [...json.encode(text)]
    expect([ids]).toEqual(await references.sentencePiece.encode([text]))
    expect([other]).toEqual(await references.huggingFace.encode([text]))
    const show = (list: number[]): string => list.map((id) => json.idToToken(id)).join(' ')
    return { model: show(ids), json: show(other) }
  }

  it.each([
    ['sentencepiece_test_model', '---', '▁ -- -', '▁ - --'],
    ['sentencepiece_test_ja_model', '1_000', '▁ 1 _ 00 0', '▁ 1 _ 0 00'],
    ['albert_30k-clean', 'looooooong', '▁ lo oo oo o ong', '▁ lo o oo oo ong'],
  ])('ties, %s: %s', async (name, text, model, json) => {
    expect(await pieces(name, text)).toEqual({ model, json })
  })

  it.each([
    ['か\u3099', '▁ が', '▁ か <unk>'], // a grapheme cluster of six bytes is looked up character by character
    ['ｶﾞ', '▁ ガ', '▁ カ <unk>'],
    ['a\u0300\u0301\u0302', '▁ à <unk>', '▁ a <unk>'],
    ['ﬁ①㍿', '▁ f i 1 株式会社', '▁ f i 1 株式会社'],
  ])('the longest rule against the shortest: %j', async (text, model, json) => {
    expect(await pieces('sentencepiece_test_ja_model', text)).toEqual({ model, json })
  })

  it('white space around a text goes, or stays', async () => {
    expect(await pieces('sentencepiece_test_model', ' a  b ')).toEqual({ model: '▁a ▁b', json: '▁a ▁ ▁b ▁' })
  })
})
