// Models made to be slow, big or confusing. The limits are guards against hangs and bombs, no claims about
// speed; SAFETOKENS_TIMINGS=1 prints what each took.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { hostileOutcome } from '../fixtures/hostile-outcome.js'
import { bytePieces, type ModelInput, modelBytes, type PieceInput } from '../fixtures/model-bytes.js'
import { ModelGuard, type Outcome } from '../fixtures/model-guard.js'
import { groups, Random } from '../fixtures/mutations.js'

const { NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED } = PieceType
const UNK: PieceInput = ['<unk>', 0, UNKNOWN]
const A_MILLION = 'a'.repeat(1_000_000)
const LETTERS = Array.from({ length: 120 }, (_, i) => String.fromCharCode(33 + i * 3)).join('')
const LONG_TEXTS = [A_MILLION, 'ab'.repeat(200_000), `${'a'.repeat(1023)}b`.repeat(500)]

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('hostile')
})
afterAll(() => guard.stop())

const outcomeOf = (name: string, bytes: Uint8Array, texts: readonly string[]): Promise<Outcome> =>
  hostileOutcome(guard, name, bytes, texts)

interface Case {
  readonly name: string
  readonly pieces: () => PieceInput[]
  readonly input?: ModelInput
  readonly texts?: readonly string[]
}

/** Numbers as strings of the given digits, all of the same length. */
function digits(number: number, length: number, alphabet = '01'): string {
  let text = ''
  for (let i = 0; i < length; i++) {
    text = (alphabet[number % alphabet.length] ?? '') + text
    number = Math.floor(number / alphabet.length)
  }
  return text
}

const prefixes = (count: number, score: (length: number) => number, type: number = NORMAL): PieceInput[] =>
  Array.from({ length: count }, (_, i) => ['a'.repeat(i + 1), score(i + 1), type])

const range = (count: number, piece: (i: number) => PieceInput): PieceInput[] =>
  Array.from({ length: count }, (_, i) => piece(i))

describe('big vocabularies load, and encode in reasonable time', () => {
  it.each<Case>([
    {
      name: '10,000 pieces of 1,024 bytes with 1,000 of them shared',
      pieces: () => [UNK, ...range(10_000, (i) => [digits(i, 24).padStart(1024, 'a'), -i])],
    },
    {
      name: '10,000 pieces of 1,024 bytes with 1,000 of them shared, and the prefixes',
      pieces: () => [
        UNK,
        ...prefixes(1000, (n) => -n),
        ...range(10_000, (i) => [digits(i, 24).padStart(1024, 'a'), -1e6 - i]),
      ],
    },
    {
      name: '10,000 unused pieces of 1,024 bytes, and the prefixes',
      pieces: () => [
        UNK,
        ...prefixes(1000, (n) => -n),
        ...range(10_000, (i) => [digits(i, 24).padStart(1024, 'a'), -1e6 - i, UNUSED]),
      ],
    },
    { name: 'the 1,024 prefixes of aaaa, all scores equal', pieces: () => [UNK, ...prefixes(1024, () => 0)] },
    {
      name: 'the 1,024 prefixes of aaaa, the longest first',
      pieces: () => [UNK, ...prefixes(1024, (n) => n)],
    },
    {
      name: 'the 1,024 prefixes of aaaa, the shortest first',
      pieces: () => [UNK, ...prefixes(1024, (n) => -n)],
    },
    {
      name: 'the 1,024 prefixes of aaaa, all but the first unused',
      pieces: () => [UNK, ['a', 0], ...prefixes(1024, (n) => n, UNUSED).slice(1)],
    },
    {
      name: '100,000 pieces of a and b, all scores equal',
      pieces: () => [UNK, ['a', 0], ['b', 0], ...range(100_000, (i) => [`b${digits(i, 17, 'ab')}`, 0])],
    },
    {
      name: '100,000 pairs of characters',
      pieces: () => [
        UNK,
        ...range(100_000, (i) => [
          String.fromCodePoint(0x4e00 + (i % 1000), 0x5e00 + Math.floor(i / 1000)),
          -i,
        ]),
      ],
    },
    {
      name: '4,000 user-defined pieces of 1,000 bytes that share 980',
      pieces: () => [UNK, ...range(4000, (i) => [digits(i, 20).padStart(1000, 'a'), 0, USER_DEFINED])],
    },
    {
      name: 'the 1,024 user-defined prefixes of aaaa, ending in b',
      pieces: () => [UNK, ...range(1023, (i) => [`${'a'.repeat(i + 1)}b`, 0, USER_DEFINED])],
    },
    {
      name: 'user-defined a, and a thousand times a before b: matched short, scanned far',
      pieces: () => [UNK, ['a', 0, USER_DEFINED], [`${'a'.repeat(1023)}b`, 0, USER_DEFINED]],
      texts: ['a'.repeat(300_000)], // the matcher looks up to 1,023 letters ahead for each
    },
    {
      name: '4,000 user-defined pieces of 1,024 random letters',
      pieces: () => {
        const random = new Random(3)
        const letters = (): string => digits(random.below(26 ** 6), 8, 'abcdefghijklmnopqrstuvwxyz')
        return [UNK, ...range(4000, () => [Array.from({ length: 128 }, letters).join(''), 0, USER_DEFINED])]
      },
    },
    {
      name: 'the 1,024 user-defined prefixes of aaaa, with spaces removed',
      pieces: () => [UNK, ...prefixes(1024, () => 0, USER_DEFINED)],
      input: { removeExtraWhitespaces: true },
    },
    {
      name: '100,000 control pieces',
      pieces: () => [UNK, ['a', 0], ...range(100_000, (i) => [`<${i}>`, 0, CONTROL])],
    },
    {
      name: '300,000 pieces of one character',
      pieces: () => [UNK, ...range(300_000, (i) => [String.fromCodePoint(0x10000 + i), 0])],
    },
  ])(
    '$name',
    async ({ name, pieces, input, texts = LONG_TEXTS }) => {
      expect((await outcomeOf(name, modelBytes(pieces(), input), texts)).kind).toBe('loads')
    },
    120_000,
  )
})

describe('big Unigram vocabularies load, and encode in reasonable time', () => {
  // Each character of these texts is the beginning of a piece of 1,024 bytes, or nearly.
  const texts = ['a'.repeat(200_000), 'ab'.repeat(100_000), `${'a'.repeat(1023)}b`.repeat(100)]

  it.each<Case>([
    {
      name: '10,000 pieces of 1,024 bytes with 1,000 of them shared',
      pieces: () => [UNK, ...range(10_000, (i) => [digits(i, 24).padStart(1024, 'a'), -i])],
    },
    { name: 'the 1,024 prefixes of aaaa, all scores equal', pieces: () => [UNK, ...prefixes(1024, () => 0)] },
    {
      name: 'the 1,024 prefixes of aaaa, with sums that soon are too large',
      pieces: () => [UNK, ...prefixes(1024, (n) => -1e6 * n)],
    },
    {
      name: '4,000 pieces of 1,024 random letters',
      pieces: () => {
        const random = new Random(3)
        const letters = (): string => digits(random.below(26 ** 6), 8, 'abcdefghijklmnopqrstuvwxyz')
        return [UNK, ...range(4000, () => [Array.from({ length: 128 }, letters).join(''), 0])]
      },
    },
    {
      name: '100,000 pieces whose nodes hardly fit into one block',
      pieces: () => [
        UNK,
        ...range(100_000, (i) => [String.fromCharCode(33 + (i % 89)).concat(digits(i, 4, LETTERS)), -i]),
      ],
    },
    {
      name: '300,000 pieces of one character',
      pieces: () => [UNK, ...range(300_000, (i) => [String.fromCodePoint(0x10000 + i), 0])],
    },
  ])(
    '$name',
    async ({ name, pieces, input }) => {
      const bytes = modelBytes(pieces(), { modelType: 1, ...input })
      expect((await outcomeOf(name, bytes, texts)).kind).toBe('loads')
    },
    120_000,
  )
})

describe('hash tables cannot be flooded', () => {
  it('pieces that collide in the standard library of GCC', async () => {
    // MurmurHash64A, whatever its seed: two blocks with a difference that the second one takes back.
    const blocks = ['\u026fKb\u24b9s4<N\u980d\u056a', '\u026f\b|}xa\u00024<\v\u0003<s}9']
    const piece = (i: number): string => digits(i, 18).replace(/./g, (bit) => blocks[Number(bit)] ?? '')
    const name = '60,000 pieces of one hash in libstdc++'
    const bytes = modelBytes([UNK, ...range(60_000, (i) => [piece(i), -i])])
    expect((await outcomeOf(name, bytes, LONG_TEXTS)).kind).toBe('loads')
  }, 120_000)

  it('pairs of pieces that collide in Fibonacci hashing', async () => {
    const count = 130_000
    const low = 0x7f4a7c15 // of 0x9e3779b97f4a7c15, by which (left << 32 | right) is multiplied
    const products = Uint32Array.from({ length: count }, (_, id) => Math.imul(id, low))
    const order = [...products.keys()].sort((a, b) => (products[a] ?? 0) - (products[b] ?? 0))
    const sorted = order.map((id) => products[id] ?? 0)
    const character = (id: number): string => String.fromCodePoint(0x10000 + id)
    const pieces = [UNK, ...range(count, (i) => [character(i + 1), 0])]
    // For each right, the lefts that bring the product to its first 2^48 values.
    for (let right = 1; right < count; right++) {
      const high = Number(BigInt.asUintN(64, BigInt(right) * 0x9e3779b97f4a7c15n) >> 32n)
      const wanted = (2 ** 32 - high) % 2 ** 32
      for (let at = lowerBound(sorted, wanted); (sorted[at] ?? Infinity) < wanted + 2 ** 16; at++) {
        const left = order[at] ?? 0
        if (left > 0) pieces.push([character(left) + character(right), -1])
      }
    }
    const texts = [`${character(1)}${character(2)}`.repeat(1000)]
    const name = `${pieces.length - count} pairs in the same slots`
    expect((await outcomeOf(name, modelBytes(pieces), texts)).kind).toBe('loads')
  }, 120_000)

  function lowerBound(sorted: readonly number[], wanted: number): number {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
})

describe('strange vocabularies mean what they say', () => {
  async function idsOf(pieces: PieceInput[], texts: string[], input?: ModelInput) {
    const outcome = await outcomeOf(texts.join(' '), modelBytes(pieces, input), texts)
    expect(outcome.message).toMatch(/ids/)
    return outcome.ids.slice(0, texts.length)
  }

  it('all scores equal: the leftmost pair merges first', async () => {
    expect(await idsOf([UNK, ['a', 0], ['aa', 0], ['aaaa', 0]], ['aaaaa', 'aaa'])).toEqual([
      [3, 1],
      [2, 1],
    ])
  })

  it('scores that grow with length, infinite ones', async () => {
    const pieces: PieceInput[] = [UNK, ['a', -Infinity], ['aa', 0], ['aaa', 1], ['aaaa', Infinity]]
    expect(await idsOf(pieces, ['aaaa', 'aaaaa'])).toEqual([[4], [4, 1]])
  })

  it('-0 is 0', async () => {
    expect(await idsOf([UNK, ['a', 0], ['b', 0], ['ab', -0], ['ba', 0]], ['aba'])).toEqual([[3, 1]])
  })

  it('pieces of combining marks', async () => {
    const pieces: PieceInput[] = [UNK, ['\u0301', -1], ['\u0301\u0301', -2], ['e', -3], ['e\u0301', -4]]
    expect(await idsOf(pieces, ['e\u0301\u0301\u0301', '\u0301'.repeat(5)])).toEqual([
      [3, 2, 1],
      [2, 2, 1],
    ])
  })

  it('a control piece named like a letter or the space symbol: that text is unknown', async () => {
    const pieces: PieceInput[] = [UNK, ['a', 0, CONTROL], ['▁', 0, CONTROL], ['b', 0], ['ab', 0]]
    expect(await idsOf(pieces, ['a', 'b a', 'ab'])).toEqual([[0], [3, 0], [4]])
    const bytes: PieceInput[] = [...pieces, ...bytePieces()]
    expect(await idsOf(bytes, ['a'], { byteFallback: true })).toEqual([[5 + 0x61]])
  })

  it('a normal piece spelled like a control piece is text, and the control piece is not', async () => {
    const pieces: PieceInput[] = [
      UNK,
      ['<s>', 0, CONTROL],
      ['<s>', 0],
      ['<', 0],
      ['s', 0],
      ['>', 0],
      ['s>', 0],
    ]
    expect(await idsOf(pieces, ['<s>', '<s'])).toEqual([[2], [3, 4]])
  })

  it('an unused piece named like a letter: that text is unknown', async () => {
    const pieces: PieceInput[] = [UNK, ['a', 0, UNUSED], ['b', 0], ['ab', 0], ['bab', 0, UNUSED]]
    expect(await idsOf(pieces, ['a', 'ab', 'bab'])).toEqual([[0], [3], [2, 3]])
  })

  it('the same pieces in another order: other ids, the same pieces', async () => {
    const pieces: PieceInput[] = ['a', 'b', 'c', 'ab', 'bc', 'abc'].map((text, i) => [text, -i])
    const [first] = await idsOf([UNK, ...pieces], ['abcbca'])
    const [second] = await idsOf([...pieces.toReversed(), UNK], ['abcbca'])
    expect(first).toEqual([6, 5, 1])
    expect(second).toEqual([0, 1, 5])
  })

  it('only the unknown piece', async () => {
    expect(await idsOf([UNK], ['', 'abc', 'a\0b 你'])).toEqual([[], [0], [0]])
  })

  it('byte pieces in another order', async () => {
    const bytes = bytePieces()
    const random = new Random(5)
    for (let i = 255; i > 0; i--) {
      const other = random.below(i + 1)
      ;[bytes[i], bytes[other]] = [bytes[other] as PieceInput, bytes[i] as PieceInput]
    }
    const id = (byte: string): number => 1 + bytes.findIndex(([text]) => text === `<0x${byte}>`)
    expect(await idsOf([UNK, ...bytes], ['A你'], { byteFallback: true })).toEqual([
      [id('41'), id('E4'), id('BD'), id('A0')],
    ])
  })

  it('an unk_surface that spells a control token', async () => {
    const pieces: PieceInput[] = [UNK, ['<s>', 0, CONTROL], ['a', 0]]
    expect(await idsOf(pieces, ['x', '<s>'], { unkSurface: '<s>' })).toEqual([[0], [0]])
  })

  it('user-defined pieces: leftmost, then longest', async () => {
    const pieces: PieceInput[] = [
      UNK,
      ...['a', 'ab', 'abcd', 'bc', 'c'].map((t) => [t, 0, USER_DEFINED] as const),
    ]
    expect(await idsOf(pieces, ['abcabcd', 'abc', 'xbcd'])).toEqual([
      [2, 5, 3],
      [2, 5],
      [0, 4, 0],
    ])
  })
})

describe('big files that are no model', () => {
  const FIFTY_MB = 50 * 2 ** 20

  it.each<[string, () => Uint8Array, RegExp]>([
    ['50 MB of zeros', () => new Uint8Array(FIFTY_MB), /model, byte 0: /],
    ['50 MB of 0A', () => new Uint8Array(FIFTY_MB).fill(0x0a), /pieces\[0\]/],
    ['50 MB of FF', () => new Uint8Array(FIFTY_MB).fill(0xff), /model, byte 0: /],
    [
      '50 MB of empty pieces',
      () => new Uint8Array(FIFTY_MB).map((_, i) => (i % 2 ? 0 : 0x0a)),
      /must not be empty/,
    ],
    [
      '50 MB of empty trainer_specs',
      () => new Uint8Array(FIFTY_MB).map((_, i) => (i % 2 ? 0 : 0x12)),
      /no pieces/,
    ],
    ['groups 99 deep', () => groups(99), /no pieces/],
    ['groups 101 deep', () => groups(102), /recursion depth/],
    ['50 MB of nested groups', () => groups(12_500_000).subarray(0, FIFTY_MB), /recursion depth/],
    [
      '50 MB of empty groups',
      () => new Uint8Array(FIFTY_MB).map((_, i) => (i % 2 ? 0x64 : 0x63)),
      /no pieces/,
    ],
    ['50 MB in one piece', () => modelBytes([UNK, ['a'.repeat(FIFTY_MB), 0]]), /at most 1024/],
    [
      '50 MB in unk_surface',
      () => modelBytes([UNK], { unkSurface: 'a'.repeat(FIFTY_MB) }),
      /unk_surface.*52428800 characters; at most 1024/,
    ],
    [
      '20 MB of user-defined pieces',
      () => modelBytes([UNK, ...range(20_000, (i) => [digits(i, 1000), 0, USER_DEFINED])]),
      /more than 4194304 bytes in all/,
    ],
  ])(
    '%s',
    async (name, bytes, message) => {
      expect((await outcomeOf(name, bytes(), [])).message).toMatch(message)
    },
    120_000,
  )
})

describe('messages stay readable', () => {
  it.each([
    ['bidi controls', '\u202ea\u2066'],
    ['zero-width characters', 'a\u200b\ufeff'],
    ['line breaks', 'a\n\r\u2028'],
    ['terminal escapes', '\u001b[2J\u009b'],
    ['tags', 'a\u{e0041}'],
  ])('%s', async (name, text) => {
    const outcome = await outcomeOf(name, modelBytes([UNK, [text, 0], [text, 0]]), [])
    expect(outcome.kind).toBe('TokenizerFileError')
    expect(outcome.message).toMatch(/^<bytes>: pieces\[2\]: the piece .*\\u\{[0-9a-f]+\}.* stands twice$/)
  })
})
