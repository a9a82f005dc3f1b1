// The ids and texts of our BPE core against the real SentencePiece, compiled to WebAssembly.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { describeShared, randomTexts, sharedFile, wellFormed } from './shared.js'
import { type SentencePieceOracle as Oracle, throughTextDecoder } from './tokenizers.js'

const MODELS: readonly [name: string, ...file: string[]][] = [
  ['Llama 2', 'spm', 'llama2.tokenizer.model'],
  ['Mistral v1', 'spm', 'mistral_v1.tokenizer.model'],
  ['Mistral v2', 'spm', 'mistral_instruct_240216.model.v2'],
  ['Mistral v3', 'spm', 'mistral_v3.tokenizer.model'],
  ['Mistral v7', 'spm', 'mistral_instruct_241114.model.v7'],
  ['ChatGLM3', 'chatglm3', 'tokenizer.model'],
  ['CodeGeeX2', 'codegeex2', 'tokenizer.model'],
]
/** The models with user-defined pieces: all of them are bracketed marks, which the default policy reserves. */
const WITH_MARKS = MODELS.filter(([name]) => name === 'Mistral v3' || name === 'Mistral v7')
const SEED = 20260301
const TEXTS = 5000

interface CorpusCase {
  id: number
  text: string
}

function data(file: readonly string[]): string {
  const found = sharedFile('data', ...file)
  if (found === undefined) throw new Error(`../shared/data/${file.join('/')} is missing`)
  return found
}

async function load(file: readonly string[]): Promise<{ ours: Tokenizer; oracle: Oracle }> {
  const { SentencePieceProcessor } = createRequire(import.meta.url)('@agnai/sentencepiece-js') as {
    SentencePieceProcessor: new () => Oracle
  }
  const oracle = new SentencePieceProcessor()
  await oracle.load(data(file))
  return { ours: Tokenizer.from(readFileSync(data(file))), oracle }
}

function readCorpus(): CorpusCase[] {
  return JSON.parse(readFileSync(data(['corpus', 'corpus.json']), 'utf8')) as CorpusCase[]
}

/** The pieces that no text produces here, although SentencePiece finds them in text. */
function reservedMarks(tokenizer: Tokenizer): { id: number; name: string }[] {
  return tokenizer.reserved.filter(({ reason }) => reason === 'user-defined piece that is a bracketed mark')
}

/**
 * Compares ids and their decoding on every text. `toEqual` would take longer than all the encoding, and so it
 * is asked only where something differs.
 */
function expectSame(ours: Tokenizer, oracle: Oracle, texts: readonly string[]): void {
  for (const text of texts) {
    const ids = ours.encode(text)
    const expected = oracle.encodeIds(text)
    if (!same(ids, expected)) expect(Array.from(ids), JSON.stringify(text)).toEqual(expected)
    const decoded = ours.decode(ids)
    const back = oracle.decodeIds(expected)
    if (decoded !== back && throughTextDecoder(decoded) !== throughTextDecoder(back)) {
      expect(decoded, JSON.stringify(text)).toBe(back)
    }
  }
}

function same(ids: Uint32Array, expected: readonly number[]): boolean {
  return ids.length === expected.length && expected.every((id, i) => id === ids[i])
}

describeShared('against SentencePiece in WebAssembly', () => {
  let corpus: string[]
  let generated: string[]
  beforeAll(() => {
    corpus = readCorpus().map(({ text }) => wellFormed(text).replaceAll('\0', ''))
    generated = randomTexts(SEED, TEXTS, { nul: false })
  })

  describe.each(MODELS)('%s', (_name, ...file) => {
    let ours: Tokenizer
    let oracle: Oracle
    let comparable: (texts: readonly string[]) => string[]
    beforeAll(async () => {
      ;({ ours, oracle } = await load(file))
      const marks = reservedMarks(ours)
      comparable = (texts) => texts.filter((text) => !marks.some(({ name }) => text.includes(name)))
    })

    it('gives the same ids and the same text on the corpus', () => {
      const texts = comparable(corpus)
      expect(texts.length).toBeGreaterThan(2950)
      expectSame(ours, oracle, texts)
    })

    it(`gives the same ids and the same text on ${TEXTS} random texts (seed ${SEED})`, () => {
      const texts = comparable(generated)
      expect(texts.length).toBeGreaterThan(4500)
      expectSame(ours, oracle, texts)
    })

    it('decodes random ids to the same text, control and broken byte pieces too', () => {
      const random = randomIds(ours.vocabSize)
      for (let i = 0; i < 2000; i++) {
        const ids = random()
        const decoded = throughTextDecoder(ours.decode(ids))
        const expected = throughTextDecoder(oracle.decodeIds(ids))
        if (decoded !== expected) expect(decoded, JSON.stringify(ids)).toBe(expected)
      }
    })

    it('encodes a lone surrogate as U+FFFD', () => {
      for (const text of ['\ud800', 'a\udfffb', '\udc00\ud800', ' \ud83d ']) {
        expect(Array.from(ours.encode(text))).toEqual(oracle.encodeIds(wellFormed(text)))
      }
    })
  })
})

/** Short runs of ids, of which half come from the first 1,100: control and byte pieces in all these models. */
function randomIds(size: number): () => number[] {
  let state = 1
  const below = (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 4294967296) * n)
  }
  return () => Array.from({ length: below(10) }, () => below(below(2) === 0 ? 1100 : size))
}

describeShared('user-defined pieces that are bracketed marks', () => {
  let base: Tokenizer
  beforeAll(() => {
    base = Tokenizer.from(readFileSync(data(['spm', 'mistral_v1.tokenizer.model'])))
  })

  describe.each(WITH_MARKS)('%s', (name, ...file) => {
    let ours: Tokenizer
    let oracle: Oracle
    let marks: { id: number; name: string }[]
    let texts: string[]
    beforeAll(async () => {
      ;({ ours, oracle } = await load(file))
      marks = reservedMarks(ours)
      const names = marks.map((mark) => mark.name)
      const controls = ours.reserved.filter(({ reason }) => reason === 'control piece')
      texts = names.flatMap((mark) => [
        mark,
        ` ${mark}`,
        `${mark} `,
        `a${mark}b`,
        `\n${mark}${mark}`,
        `${mark}天`,
      ])
      // Trusted text would spell the control pieces, which SentencePiece finds in no text.
      texts.push(
        ...randomTexts(SEED + 1, 2000, { nul: false, fragments: names })
          .filter((text) => names.some((mark) => text.includes(mark)))
          .filter((text) => !controls.some((control) => text.includes(control.name))),
      )
    })

    it('are all reserved, with the reason', () => {
      expect(marks.length).toBe(name === 'Mistral v3' ? 20 : 22)
      expect(marks.map((mark) => mark.name)).toContain('[REFERENCE_DOC_0]')
      expect(texts.length).toBeGreaterThan(500)
    })

    it('are found in text by SentencePiece, and in data by us never', () => {
      const reserved = new Set(ours.reserved.map(({ id }) => id))
      const ids = new Set(marks.map(({ id }) => id))
      for (const text of texts) {
        if (!oracle.encodeIds(text).some((id) => ids.has(id)))
          throw new Error(`no mark in ${JSON.stringify(text)}`)
        const found = ours.encode(text).find((id) => reserved.has(id))
        if (found !== undefined) throw new Error(`reserved id ${found} from ${JSON.stringify(text)}`)
      }
    })

    it('leave text the ids that it has in a vocabulary without them', () => {
      // Mistral v1 has the same pieces, 768 ids lower, and no user-defined ones.
      for (const text of texts) {
        const expected = Array.from(base.encode(text), (id) => (id < 3 ? id : id + 768))
        if (!same(ours.encode(text), expected)) {
          expect(Array.from(ours.encode(text)), JSON.stringify(text)).toEqual(expected)
        }
      }
    })

    it('are found in trusted text, with the ids of SentencePiece', () => {
      for (const text of texts) {
        const ids = ours.encode(trusted(text))
        const expected = oracle.encodeIds(text)
        if (!same(ids, expected)) expect(Array.from(ids), JSON.stringify(text)).toEqual(expected)
        const decoded = throughTextDecoder(ours.decode(ids))
        const back = throughTextDecoder(oracle.decodeIds(expected))
        if (decoded !== back) expect(decoded, JSON.stringify(text)).toBe(back)
      }
    })

    it('are text like any other for the policy `special`', () => {
      const special = Tokenizer.from(readFileSync(data(file)), { reserve: 'special' })
      expectSame(special, oracle, texts)
    })
  })
})

describeShared('golden ids of SentencePiece 0.1.97', () => {
  it('Llama 2: the whole corpus, encoded and decoded, NUL included', () => {
    const golden = JSON.parse(
      gunzipSync(readFileSync(data(['golden', 'spm-llama2.json.gz']))).toString('utf8'),
    ) as { cases: Record<string, { ids: number[]; dec: string }> }
    const ours = Tokenizer.from(readFileSync(data(['spm', 'llama2.tokenizer.model'])))
    const texts = new Map(readCorpus().map(({ id, text }) => [String(id), text]))
    let compared = 0
    for (const [id, { ids, dec }] of Object.entries(golden.cases)) {
      const text = texts.get(id)
      if (text === undefined) throw new Error(`the corpus has no text ${id}`)
      if (!same(ours.encode(text), ids)) {
        expect(Array.from(ours.encode(text)), JSON.stringify(text)).toEqual(ids)
      }
      if (ours.decode(ids) !== dec) expect(ours.decode(ids), JSON.stringify(text)).toBe(dec)
      compared++
    }
    expect(compared).toBeGreaterThan(2900)
  })
})
