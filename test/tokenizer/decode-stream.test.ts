import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError, InvalidTokenIdError } from '../../src/errors.js'
import { type DecodeOptions, Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonBytes } from '../fixtures/tokenizer-json.js'
import { wordLevelJson } from '../fixtures/word-models.js'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await Tokenizer.load(defaultModelPath())
})

const OPTIONS: DecodeOptions[] = [{}, { rules: 'transformers' }, { skipSpecialTokens: true }]

/** Ids of whole and broken characters, text, commands, bos and unk; for `transformers` also outside ids. */
const anyIds = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 3, max: 258 }) }, // bytes, mostly broken
    {
      weight: 2,
      arbitrary: fc.constantFrom(...[0xf0, 0x9f, 0x91, 0x8b, 0xe4, 0xbd, 0xa0, 0xed, 0xa0].map((b) => b + 3)),
    },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 8008 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 2, 5192, 8001, 8006) },
  ),
  { maxLength: 40 },
)

/** Tokens that decoders treat in their own ways, at the beginning, in the middle and behind each other. */
const TOKENS = [
  ...[
    'a',
    '##b',
    '##',
    ' ',
    '  c',
    '▁',
    '▁d',
    'e▁',
    '▁▁f',
    'g</w>',
    '</w>',
    '.',
    ' .',
    "'s",
    "n't",
    "' ",
    '你',
    '👋',
  ],
  ...[
    '<0xF0>',
    '<0x9F>',
    '<0x91>',
    '<0x8B>',
    '<0x41>',
    '<pad>',
    '|',
    'do not',
    '?',
    'a long token of more than sixteen bytes',
  ],
]
const DECODERS: Record<string, object | null> = {
  none: null,
  WordPiece: { type: 'WordPiece', prefix: '##', cleanup: true },
  'WordPiece without cleanup': { type: 'WordPiece', prefix: '##', cleanup: false },
  Metaspace: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  BPEDecoder: { type: 'BPEDecoder', suffix: '</w>' },
  CTC: { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true },
  Llama: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  'Replace and Strip': {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { Regex: '[a-c]+' }, content: '▁x' },
      { type: 'Strip', content: '▁', start: 1, stop: 1 },
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    ],
  },
  ByteLevel: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
}

describe.each(Object.entries(DECODERS))('decodeStream of decoder %s', (_, decoder) => {
  const model = Tokenizer.from(
    jsonBytes(wordLevelJson({ vocab: ['[UNK]', ...TOKENS], added: ['[UNK]', '<pad>'], decoder })),
  )

  it('gives what decode gives, id by id and in pieces', () => {
    const ids = fc.array(fc.integer({ min: 0, max: model.vocabSize - 1 }), { maxLength: 300 })
    const options = fc.record({
      skipSpecialTokens: fc.boolean(),
      cleanUpTokenizationSpaces: fc.boolean(),
    })
    fc.assert(
      fc.property(ids, options, fc.nat(5), (list, option, size) => {
        const stream = model.decodeStream(option)
        let text = ''
        for (let i = 0; i < list.length; i += Math.max(size, 1)) {
          text += stream.push(size === 0 ? (list[i] as number) : list.slice(i, i + size))
        }
        text += stream.end()
        expect(text).toBe(model.decode(list, option))
      }),
      { numRuns: 300 },
    )
  })

  it('throws for ids outside the vocabulary, wherever they come', () => {
    const stream = model.decodeStream()
    const ids = Array.from({ length: 40 }, (_, i) => i % TOKENS.length)
    let text = ''
    for (const id of ids) {
      for (const wrong of [model.vocabSize, -1, 1.5, Number.NaN, 2 ** 32]) {
        expect(() => stream.push(wrong)).toThrow(InvalidTokenIdError)
      }
      text += stream.push(id)
    }
    expect(text + stream.end()).toBe(model.decode(ids))
  })
})

describe('decodeStream', () => {
  it('gives what decode gives, for every way of cutting', () => {
    fc.assert(
      fc.property(
        anyIds,
        fc.array(fc.nat(40), { maxLength: 10 }),
        fc.constantFrom(...OPTIONS),
        (ids, cuts, options) => {
          const stream = tokenizer.decodeStream(options)
          const borders = [
            0,
            ...cuts.map((cut) => Math.min(cut, ids.length)).sort((a, b) => a - b),
            ids.length,
          ]
          let text = ''
          for (let i = 1; i < borders.length; i++) text += stream.push(ids.slice(borders[i - 1], borders[i]))
          text += stream.end()
          expect(text).toBe(tokenizer.decode(ids, options))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('gives what decode gives, id by id, and is as new after end', () => {
    const stream = tokenizer.decodeStream()
    fc.assert(
      fc.property(anyIds, (ids) => {
        expect(ids.map((id) => stream.push(id)).join('') + stream.end()).toBe(tokenizer.decode(ids))
      }),
      { numRuns: 1000 },
    )
  })

  it('never gives half a character', () => {
    const text = '👋🏽 你好 𠮷 e\u0301'
    for (const id of tokenizer.encode(text))
      expect(tokenizer.decodeStream().push(id).isWellFormed()).toBe(true)
    const stream = tokenizer.decodeStream()
    const pushed = [...tokenizer.encode('👋')].map((id) => stream.push(id))
    expect(pushed.filter((piece) => piece !== '')).toEqual(['👋'])
  })

  it('flushes broken bytes as soon as no more bytes can help', () => {
    const stream = tokenizer.decodeStream()
    const byte = (value: number) => stream.push(value + 3)
    expect([byte(0xf0), byte(0x9f), byte(0x41)]).toEqual(['', '', '\ufffd\ufffdA'])
    expect([byte(0xed), byte(0xa0)]).toEqual(['', '\ufffd\ufffd'])
    expect(byte(0xe4)).toBe('')
    expect(stream.end()).toBe('\ufffd')
    expect(stream.end()).toBe('')
  })

  it('is an async iterable of a source of ids', async () => {
    const text = 'Hello 👋 你好!'
    const ids = tokenizer.encode(text)
    async function* source() {
      for (const id of ids) yield id
    }
    const collect = async (iterable: AsyncIterable<string>) => {
      const texts: string[] = []
      for await (const piece of iterable) texts.push(piece)
      return texts
    }
    const streamed = await collect(tokenizer.decodeStream(source()))
    expect(streamed.join('')).toBe(text)
    expect(streamed).not.toContain('')
    expect(await collect(tokenizer.decodeStream(ids))).toEqual(streamed)
    expect((await collect(tokenizer.decodeStream([ids.slice(0, 4), ids.slice(4)]))).join('')).toBe(text)
    expect(await collect(tokenizer.decodeStream([0xf0 + 3]))).toEqual(['\ufffd'])
    expect(await collect(tokenizer.decodeStream([8006], { skipSpecialTokens: true }))).toEqual([])
  })

  it('refuses what is no id, and goes on', () => {
    const stream = tokenizer.decodeStream()
    expect(() => stream.push(9000)).toThrow(InvalidTokenIdError)
    expect(() => stream.push(-1)).toThrow(InvalidTokenIdError)
    expect(() => stream.push('5' as never)).toThrow(InvalidArgumentError)
    expect(stream.push(tokenizer.encode('hi')) + stream.end()).toBe('hi')
    expect(tokenizer.decodeStream({ rules: 'transformers' }).push(9000)).toBe('')
  })
})
