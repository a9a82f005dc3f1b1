// Where ids come from, against Hugging Face's `tokenizers` itself, its golden files, tiktoken and SentencePiece.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { NO_SEQUENCE } from '../../src/tokenizer/encoding.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteLevelJson, jsonBytes, type TokenizerJsonOptions } from '../fixtures/tokenizer-json.js'
import { modelGivesReserved } from './compare.js'
import { offsetDifference } from './reference-offsets.js'
import { describeShared, randomTexts, sharedFile, trickyTexts } from './shared.js'
import { huggingFace, type Reference, type ReferenceEncoding, TOKENIZERS } from './tokenizers.js'

const SEED = 20261202
const HUGGING_FACE = TOKENIZERS.filter(({ semantics }) => semantics === 'huggingface')
const TIKTOKEN = TOKENIZERS.filter(({ semantics }) => semantics === 'tiktoken')

interface Golden {
  readonly cases: Readonly<
    Record<string, { readonly ids: readonly number[]; readonly offsets?: [number, number][] }>
  >
}

function readShared(...segments: string[]): Buffer {
  return readFileSync(sharedFile('data', ...segments) as string)
}

function corpus(): { readonly id: string; readonly text: string }[] {
  return JSON.parse(readShared('corpus', 'corpus.json').toString()) as { id: string; text: string }[]
}

/** Texts that reach what offsets depend on: names of added tokens, white space around them, normalization. */
function textsFor(tokenizer: Tokenizer, count: number): string[] {
  const names = tokenizer.reserved.map(({ name }) => name)
  const fragments = names.flatMap((name) => [name, ` ${name}`, `${name}  `, `\n${name}\n`])
  return [
    ...randomTexts(SEED, count >> 1, { fragments }),
    ...trickyTexts(SEED, count - (count >> 1), fragments),
  ]
}

describe.each(HUGGING_FACE)('$name', { timeout: 60_000 }, ({ golden, read, load, reference }) => {
  const bytes = read()
  const run = it.skipIf(bytes === undefined)

  async function wrongTexts(texts: readonly string[]): Promise<string[]> {
    const tokenizer = load(bytes as Uint8Array)
    const theirs = (await reference(bytes as Uint8Array).encodings?.(texts)) ?? []
    return texts.flatMap((text, i) => {
      const { ids, offsets } = theirs[i] ?? { ids: [], offsets: [] }
      if (modelGivesReserved(tokenizer, text, ids)) return []
      const ours = tokenizer.encode(trusted(text), { offsets: true })
      const difference = String([...ours.ids]) !== String(ids) ? 'ids' : offsetDifference(ours, text, offsets)
      return difference === undefined ? [] : [`${JSON.stringify(text)}: ${difference}`]
    })
  }

  run('generated texts', async () => {
    expect((await wrongTexts(textsFor(load(bytes as Uint8Array), 2000))).slice(0, 5)).toEqual([])
  })

  run('with what the post-processor adds, and pairs', async () => {
    const tokenizer = load(bytes as Uint8Array)
    const { processed } = reference(bytes as Uint8Array) as Required<Reference>
    for (const text of ['', 'hello', ' world\n', '你好 <|x|>', '  😀']) {
      for (const pair of [undefined, '', ' and you? é']) {
        for (const addSpecialTokens of [true, false]) {
          const theirs = await processed(text, pair ?? null, addSpecialTokens)
          const ours = tokenizer.encode(trusted(text), {
            offsets: true,
            addSpecialTokens,
            pair: pair === undefined ? undefined : trusted(pair),
          })
          expect([...ours.ids]).toEqual(theirs.ids)
          expect(Array.from(ours.sequences, (k) => (k === NO_SEQUENCE ? null : k))).toEqual(theirs.sequences)
          ours.ids.forEach((_, k) => {
            const one = { ...ours, offsets: ours.offsets.subarray(2 * k, 2 * k + 2) }
            one.byteOffsets = ours.byteOffsets.subarray(2 * k, 2 * k + 2)
            const range = theirs.offsets[k] as [number, number]
            const whole = theirs.sequences[k] === 1 ? (pair as string) : text
            expect(offsetDifference(one, whole, [range]), JSON.stringify([text, pair, k])).toBeUndefined()
          })
        }
      }
    }
  })

  describeShared('the corpus', () => {
    run('live', async () => {
      expect((await wrongTexts(corpus().map(({ text }) => text))).slice(0, 5)).toEqual([])
    })

    run('in the golden file', () => {
      const tokenizer = load(bytes as Uint8Array)
      const { cases } = JSON.parse(gunzipSync(readShared('golden', `${golden}.json.gz`)).toString()) as Golden
      const wrong: string[] = []
      let compared = 0
      for (const { id, text } of corpus()) {
        const { ids = [], offsets: ranges } = cases[id] ?? {}
        if (ranges === undefined || modelGivesReserved(tokenizer, text, ids)) continue
        compared++
        const ours = tokenizer.encode(trusted(text), { offsets: true })
        const difference = offsetDifference(ours, text, ranges)
        if (difference !== undefined) wrong.push(`${JSON.stringify(text)}: ${difference}`)
      }
      expect(wrong.slice(0, 5)).toEqual([])
      expect(compared).toBeGreaterThan(2000)
    })
  })
})

describe('trim_offsets', () => {
  const byteLevel = (add_prefix_space: boolean): object => ({
    type: 'ByteLevel',
    add_prefix_space,
    trim_offsets: true,
    use_regex: true,
  })
  const strip = { type: 'Strip', strip_left: true, strip_right: true }
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
  const added = [
    '<s>',
    { content: ' <m> ', lstrip: true },
    { content: '\u3000x', normalized: true, special: false },
    { content: '  ', special: false },
    { content: 'Ġq', rstrip: true, special: false },
  ]
  const pipelines: [string, TokenizerJsonOptions][] = [
    ['ByteLevel', {}],
    ['ByteLevel with a prefix', { preTokenizer: byteLevel(true) }],
    ['Strip, ByteLevel', { normalizer: strip, preTokenizer: byteLevel(true) }],
    ['NFKC, ByteLevel', { normalizer: { type: 'NFKC' } }],
    ['Metaspace behind ByteLevel', { preTokenizer: sequence('pretokenizers', byteLevel(true), metaspace) }],
    ['characters', { preTokenizer: metaspace }],
  ]
  const processors: [string, object][] = [
    ['without a prefix', byteLevel(false)],
    ['with a prefix', byteLevel(true)],
    ['twice', sequence('processors', byteLevel(false), byteLevel(true))],
  ]
  const cases = pipelines.flatMap(([name, options]) =>
    processors.map(
      ([how, postProcessor]) => [`${name}, ${how}`, { ...options, added, postProcessor }] as const,
    ),
  )

  it.each(cases)('%s', async (_, options) => {
    const json = byteLevelJson(options)
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const texts = [
      ...trickyTexts(SEED, 500, ['<s>', ' <m> ', '   <m>   ', '\u3000x', 'Ġq  ', '    ', ' a']),
      ...randomTexts(SEED, 100),
    ]
    const theirs = await huggingFace(json).encodings(texts)
    const wrong = texts.flatMap((text, i) => {
      const { ids, offsets } = theirs[i] as ReferenceEncoding
      const ours = tokenizer.encode(trusted(text), { offsets: true })
      const difference = String([...ours.ids]) === String(ids) ? offsetDifference(ours, text, offsets) : 'ids'
      return difference === undefined ? [] : [`${JSON.stringify(text)}: ${difference}`]
    })
    expect(wrong.slice(0, 3)).toEqual([])
  })

  function sequence(field: string, ...steps: object[]): object {
    return { type: 'Sequence', [field]: steps }
  }
})

describe.each(TIKTOKEN)('$name', { timeout: 60_000 }, ({ read, load, reference }) => {
  const bytes = read()

  // tiktoken tells where tokens begin (`decode_with_offsets`): at the first character of which they hold a byte.
  it.skipIf(bytes === undefined)('tokens have the characters whose bytes they hold', () => {
    const tokenizer = load(bytes as Uint8Array)
    const { tokenBytes } = reference(bytes as Uint8Array) as Required<Reference>
    for (const text of textsFor(tokenizer, 1000)) {
      const ours = tokenizer.encode(trusted(text), { offsets: true })
      const utf8 = Buffer.from(text.toWellFormed())
      const inside = (at: number) => at < utf8.length && ((utf8[at] as number) & 0xc0) === 0x80
      let at = 0
      const expected = Array.from(ours.ids, (id) => {
        let begin = at
        at += tokenBytes(id).length
        let end = at
        while (inside(begin)) begin--
        while (inside(end)) end++
        return [begin, end]
      })
      expect([...ours.byteOffsets], text).toEqual(expected.flat())
      expect([...ours.offsets], text).toEqual(
        expected.flat().map((offset) => utf8.subarray(0, offset).toString().length),
      )
      expect(at).toBe(utf8.length)
    }
  })
})
