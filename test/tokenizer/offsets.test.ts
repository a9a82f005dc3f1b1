// encode(..., { offsets: true }): what a caller can count on. test/conformance compares with the reference implementations.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError, UnknownControlTokenError } from '../../src/errors.js'
import { control, cut, type EncodeInput, type Part, trusted } from '../../src/prompt/parts.js'
import { type Encoding, NO_SEQUENCE } from '../../src/tokenizer/encoding.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { byteFallbackJson, byteLevelJson, jsonBytes, type TokenizerJson } from '../fixtures/tokenizer-json.js'

const from = (json: TokenizerJson): Tokenizer => Tokenizer.from(jsonBytes(json))
const NAMES = ['<|u|>', '<|end|>', { content: '  ', special: false }, { content: 'user', special: false }]
const STRIPPED = [
  { content: '<|u|>', lstrip: true },
  { content: '<|end|>', rstrip: true },
]
const LOWER = { type: 'Sequence', normalizers: [{ type: 'NFKD' }, { type: 'Lowercase' }] }

/** Bytes, and no text is changed. */
const byteLevel = from(byteLevelJson({ added: NAMES }))
const others: Readonly<Record<string, Tokenizer>> = {
  'a prefix space': from(
    byteLevelJson({
      added: NAMES,
      preTokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      postProcessor: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    }),
  ),
  'a normalizer': from(byteLevelJson({ added: STRIPPED, normalizer: LOWER })),
  'byte fallback': from(byteFallbackJson({ added: NAMES })),
  'no unk': from(byteFallbackJson({ added: STRIPPED, model: { byte_fallback: false, unk_token: null } })),
}
let sentencePiece: Tokenizer
beforeAll(async () => {
  sentencePiece = await Tokenizer.load(defaultModelPath())
})

function ranges({ offsets }: Encoding): [number, number][] {
  return Array.from({ length: offsets.length / 2 }, (_, i) => [
    offsets[2 * i] ?? -1,
    offsets[2 * i + 1] ?? -1,
  ])
}

function textOf(input: EncodeInput): string {
  const parts = Array.isArray(input) ? (input as Part[]) : [input as Part]
  return parts
    .map((part) =>
      typeof part === 'string' ? part : 'text' in Object(part) ? (part as { text: string }).text : '',
    )
    .join('')
}

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...ATTACKS,
        '<|u|>',
        ' <|u|> ',
        '<|end|>  ',
        '    ',
        'user',
        'é',
        'e\u0301\u0323',
        'ǅ',
        '한',
        '😀',
        '\ud83d',
        '▁',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 6 },
  )
  .map((texts) => texts.join(''))

const anyParts = (names: readonly string[]): fc.Arbitrary<Part[]> =>
  fc.array(
    fc.oneof(
      anyText,
      anyText.map(trusted),
      fc.constantFrom(...names).map(control),
      fc.constantFrom(...names).map(trusted),
      fc.constant<Part>(cut),
    ),
    { maxLength: 7 },
  )

describe('the result', () => {
  it('is a plain list of ids unless offsets are asked for', () => {
    const ids: Uint32Array = byteLevel.encode('hello')
    expect(ids).toBeInstanceOf(Uint32Array)
    expect(byteLevel.encode('hello', { offsets: false })).toEqual(ids)
    const encoding: Encoding = byteLevel.encode('hello', { offsets: true })
    expect(encoding).toEqual({
      ids,
      offsets: Uint32Array.of(0, 5),
      byteOffsets: Uint32Array.of(0, 5),
      sequences: Uint8Array.of(0),
    })
    const either: Uint32Array | Encoding = byteLevel.encode('', { offsets: Math.random() < 2 })
    expect(either).toMatchObject({ ids: new Uint32Array(), offsets: new Uint32Array() })
  })

  it('counts in UTF-16 units and in bytes', () => {
    const { offsets, byteOffsets } = byteLevel.encode('é😀!', { offsets: true })
    expect([...offsets]).toEqual([0, 1, 0, 1, ...Array(4).fill([1, 3]).flat(), 3, 4])
    expect([...byteOffsets]).toEqual([0, 2, 0, 2, ...Array(4).fill([2, 6]).flat(), 6, 7])
    const fallback = sentencePiece.encode('a😀!', { offsets: true })
    expect(ranges(fallback)).toEqual([
      [0, 1],
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 3],
      [3, 4],
    ])
  })

  it('takes a lone surrogate for U+FFFD', () => {
    const { offsets, byteOffsets } = byteLevel.encode('a\ud83d', { offsets: true })
    expect([...offsets.slice(-2)]).toEqual([1, 2])
    expect([...byteOffsets.slice(-2)]).toEqual([1, 4])
    const halves = byteLevel.encode(['\ud83d', '\ude00'], { offsets: true })
    expect(halves.ids).toEqual(byteLevel.encode('\ufffd\ufffd'))
    expect(ranges(halves).map(([begin]) => begin)).toEqual([0, 0, 0, 1, 1, 1])
    expect(halves.byteOffsets.at(-1)).toBe(6)
  })

  it('is none for what is no part', () => {
    expect(() => byteLevel.encode(5 as never, { offsets: true })).toThrow(InvalidArgumentError)
    expect(() => byteLevel.encode([control('<|x|>')], { offsets: true })).toThrow(UnknownControlTokenError)
  })
})

describe('special tokens and pairs', () => {
  const item = (id: 'A' | 'B') => ({ Sequence: { id, type_id: 0 } })
  const token = { SpecialToken: { id: '<|u|>', type_id: 0 } }
  const special_tokens = { '<|u|>': { id: '<|u|>', ids: [270], tokens: ['<|u|>'] } }
  const postProcessor = {
    type: 'TemplateProcessing',
    single: [token, item('A'), token],
    pair: [item('B'), token, item('A')],
    special_tokens,
  }
  const json = byteLevelJson({ added: ['<|u|>'] })
  const id = json.added_tokens[0]?.id as number
  special_tokens['<|u|>'].ids = [id]
  const tokenizer = from({ ...json, post_processor: postProcessor })

  it('have no place in a text', () => {
    const { ids, offsets, sequences } = tokenizer.encode('hello w', { offsets: true, addSpecialTokens: true })
    expect(ids).toEqual(tokenizer.encode('hello w', { addSpecialTokens: true }))
    expect([ids[0], ids.at(-1)]).toEqual([id, id])
    expect([...offsets]).toEqual([0, 0, 0, 5, 5, 7, 0, 0])
    expect([...sequences]).toEqual([NO_SEQUENCE, 0, 0, NO_SEQUENCE])
  })

  it('say which text each id belongs to', () => {
    const options = { offsets: true, addSpecialTokens: true, pair: 'a' } as const
    const { ids, offsets, sequences } = tokenizer.encode([trusted('<|u|>'), 'hello'], options)
    expect(ids).toEqual(tokenizer.encode([trusted('<|u|>'), 'hello'], { ...options, offsets: false }))
    expect([...sequences]).toEqual([1, NO_SEQUENCE, 0, 0])
    expect([...offsets]).toEqual([0, 1, 0, 0, 0, 5, 5, 10])
  })

  it('are the texts alone without special tokens', () => {
    const { offsets, sequences } = tokenizer.encode('hello', { offsets: true, pair: 'a' })
    expect([...sequences]).toEqual([1, 0])
    expect([...offsets]).toEqual([0, 1, 0, 5])
  })
})

describe('parts', () => {
  it('are counted one after the other, and control tokens take no room', () => {
    const parts: Part[] = [trusted('<|u|>a'), ' b', control('<|end|>'), cut, 'c', control('<|u|>')]
    expect(ranges(byteLevel.encode(parts, { offsets: true }))).toEqual([
      [0, 5],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 8],
      [8, 9],
      [9, 9],
    ])
    const glm: Part[] = [trusted('<|user|>\n'), 'a', control('<|assistant|>'), 'b']
    const encoding = sentencePiece.encode(glm, { offsets: true })
    const at = (name: string) => ranges(encoding)[encoding.ids.indexOf(sentencePiece.getCommand(name))]
    expect(at('<|user|>')).toEqual([0, 8])
    expect(at('<|assistant|>')).toEqual([10, 10])
    expect(ranges(encoding).at(-1)).toEqual([10, 11])
  })

  it('tell what white space a token has absorbed', () => {
    const tokenizer = others['a normalizer'] as Tokenizer
    const end = { offsets: true } as const
    expect(ranges(tokenizer.encode(['a ', trusted(' <|u|>b')], end))).toEqual([
      [0, 1],
      [1, 8],
      [8, 9],
    ])
    expect(ranges(tokenizer.encode(['a ', control('<|u|>'), 'b'], end))).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    expect(ranges(tokenizer.encode([trusted('<|end|>'), ' ', '\n', 'b'], end))).toEqual([
      [0, 9],
      [9, 10],
    ])
    expect(ranges(tokenizer.encode([control('<|end|>'), ' \n', 'b'], end))).toEqual([
      [0, 2],
      [2, 3],
    ])
  })

  it('have the offsets of the whole text', () => {
    const whole = 'hello  user😀 <|u|> é\n\nw▁'
    for (const tokenizer of [byteLevel, ...Object.values(others), sentencePiece]) {
      const expected = tokenizer.encode(whole, { offsets: true })
      for (let i = 0; i <= whole.length; i++) {
        const [left, right] = [whole.slice(0, i), whole.slice(i)]
        if (!left.isWellFormed()) continue
        expect(tokenizer.encode([left, right], { offsets: true }), `${left}|${right}`).toEqual(expected)
      }
    }
  })
})

describe('properties', () => {
  function check(tokenizer: Tokenizer, parts: Part[]): Encoding {
    const encoding = tokenizer.encode(parts, { offsets: true })
    const { ids, offsets, byteOffsets, sequences } = encoding
    expect(ids).toEqual(tokenizer.encode(parts))
    expect([offsets.length, byteOffsets.length, sequences.length]).toEqual([
      2 * ids.length,
      2 * ids.length,
      ids.length,
    ])
    const text = textOf(parts)
    // Parts are transcoded each for itself; where no surrogate pair is torn, so is the whole text.
    const bytesBefore = (at: number) => Buffer.byteLength(text.slice(0, at))
    const wrong = ranges(encoding).filter(([begin, end], i) => {
      if (begin > end || end > text.length) return true
      return (
        text.isWellFormed() &&
        (byteOffsets[2 * i] !== bytesBefore(begin) || byteOffsets[2 * i + 1] !== bytesBefore(end))
      )
    })
    expect(wrong).toEqual([])
    return encoding
  }

  it('of bytes: ranges go forward, and all of them together are the text', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(anyParts(['<|u|>', '<|end|>']), (parts) => {
        let at = 0
        let text = ''
        for (const [begin, end] of ranges(check(byteLevel, parts))) {
          expect(begin <= at && at <= end).toBe(true)
          text += textOf(parts).slice(at, end)
          at = end
        }
        expect(text).toBe(textOf(parts))
      }),
      { numRuns: 500 },
    )
  })

  it.each([...Object.keys(others), 'SentencePiece'])(
    'with %s: ranges are in the text',
    { timeout: 30_000 },
    (name) => {
      const tokenizer = others[name] ?? sentencePiece
      const names = tokenizer.reserved.map((token) => token.name).filter((token) => token.startsWith('<|'))
      fc.assert(
        fc.property(anyParts(names), (parts) => {
          check(tokenizer, parts)
        }),
        { numRuns: 300 },
      )
    },
  )
})

describe('encodeAsync', () => {
  it('gives the same', async () => {
    const parts = [trusted('<|u|>'), 'hello 😀', control('<|end|>')]
    expect(await byteLevel.encodeAsync(parts, { offsets: true })).toEqual(
      byteLevel.encode(parts, { offsets: true }),
    )
    const options = { addSpecialTokens: true, pair: 'x' }
    for (const tokenizer of [byteLevel, sentencePiece]) {
      expect(await tokenizer.encodeAsync('hello', options)).toEqual(tokenizer.encode('hello', options))
      expect(await tokenizer.encodeAsync('hello', { ...options, offsets: true })).toEqual(
        tokenizer.encode('hello', { ...options, offsets: true }),
      )
    }
    const ids: Uint32Array = await byteLevel.encodeAsync('hello')
    expect(ids).toEqual(byteLevel.encode('hello'))
  })

  it('rejects what encode refuses', async () => {
    await expect(byteLevel.encodeAsync([control('<|x|>')], { offsets: true })).rejects.toThrow(
      UnknownControlTokenError,
    )
    await expect(byteLevel.encodeAsync('a', { offsets: true, pair: 5 as never })).rejects.toThrow(
      InvalidArgumentError,
    )
  })
})
