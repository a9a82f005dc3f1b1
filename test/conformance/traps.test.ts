// Inputs at which other implementations of these tokenizers differ from the reference. The expected ids are those of
// `tokenizers` 0.23.2 and `tiktoken` 1.0.22, which are asked again each time.
import { beforeAll, describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteFallbackJson, byteLevelJson, jsonBytes, type TokenizerJson } from '../fixtures/tokenizer-json.js'
import { huggingFace, type Reference, realTokenizer } from './tokenizers.js'

const TEXT = { special: false, normalized: true }

type Trap = readonly [name: string, text: string, ids: readonly number[]]

const TRAPS: Readonly<Record<string, readonly Trap[]>> = {
  claude: [
    ['U+0085 is white space to ByteLevel', ' \u0085b', [225, 131, 232, 70]],
    ['U+FEFF is no white space', ' \uFEFFb', [225, 57538, 70]],
    ["U+FEFF before a contraction's letters", "\uFEFF'll", [57538, 11, 711]],
    ['NFKC is older than U+32FF', '\u32ff', [164, 238, 128]],
    ['NFKC is older than U+1E030', '\u{1e030}', [25756, 227, 113]],
    ['NFKC is older than U+107A3', '\u{107a3}', [11050, 257, 101]],
    ['NFKC is older than U+1FBF3', '\u{1fbf3}', [6617, 112, 116]],
    ['NFKC of ligatures', 'ſtﬁ', [275, 9697]],
  ],
  qwen3: [
    [
      'NFC does not reorder marks that are newer than its tables',
      '\u1df6\u1df2',
      [157, 115, 114, 157, 115, 110],
    ],
    ['nor those of Unicode 14', '\u1af9\u1abf', [157, 104, 117, 157, 103, 123]],
    ['NFC of a space that llama.cpp leaves as it is', '\u2000', [378, 224]],
    ['NFC of a mark that llama.cpp leaves as it is', '\u0344', [136, 230, 53839]],
    ['a mark behind a token that is not normalized', '<|im_start|>\u0338', [151644, 136, 116]],
  ],
  deepseek_v3: [
    ['U+A7D4 is no letter yet', '  \ua7d4', [223, 223, 169, 256, 245]],
    ['U+3345A is no letter yet', '  \u{3345a}', [223, 223, 175, 114, 242, 251]],
  ],
  gpt4o: [
    ['marks belong to words (Kannada)', 'ಕನ್ನಡ', [4488, 62889]],
    ['marks belong to words (Tamil)', 'தமிழ்', [118444, 902]],
  ],
  llama2: [
    ['a lone surrogate is the token of U+FFFD', '\ud83d', [28705, 29137]],
    ['two halves in the wrong order', '\ude00\ud83d', [28705, 29137, 29137]],
    ['an empty text has no prefix', '', []],
    ['U+2581 is a space', '▁', [259]],
    ['byte tokens cannot be spelled', '<0x0A>', [523, 28734, 28744, 28734, 28741, 28767]],
    ['each text between tokens has a prefix', ' <s> x', [259, 1, 28705, 1318]],
  ],
  gemini: [
    ['runs of spaces', '  ', [139]],
    ['runs of newlines', '\n\n\n', [110]],
    ['runs of tabs', '\t\t', [255969]],
    ['runs between spaces', ' \n\n x', [235248, 109, 1141]],
  ],
  bert: [
    [
      'a final sigma is like any other',
      'ΟΔΥΣΣΕΥΣ ΟΣ',
      [1169, 29722, 29735, 29733, 29733, 29723, 29735, 29733, 1169, 29733],
    ],
    ['astral ideographs are words', '\u{20000}\u{20001}', [100, 100]],
    ['but not those that the reference leaves out', '\u4e00\u{2b820}\u{2b821}\u4e00', [1740, 100, 1740]],
    ['whose neighbours are', '\u{2b81f}\u{2b920}', [100, 100]],
    ['U+FFFE stays', 'a\ufffeb', [100]],
    ['U+FFFD goes', 'a\ufffdb', [11113]],
    ['a lone surrogate goes with it', 'a\ud83d', [1037]],
    ['a word of 100 characters', 'a'.repeat(100), [13360, ...Array(48).fill(11057), 2050]],
    ['a word of 101 characters', 'a'.repeat(101), [100]],
    ['control characters go', 'x\0y\u0085z\u200bw', [1060, 2100, 2480, 2860]],
    ['a vertical tab is one', 'a\u000bb', [11113]],
    ['a mark that is newer than Unicode 8 stays', '\u1add', [100]],
    ['punctuation that is newer is none', '\u{10e8c}\u{10ead}', [100]],
    ['syllables are taken apart', '한글', [1469, 30006, 30021, 29991, 30017, 30022]],
    ['a keycap is one word', '1\ufe0f\u20e3', [100]],
    ['dotted capital I', 'İ', [1045]],
    ['## of a text is punctuation', '##ing', [1001, 1001, 13749]],
    ['[SEP] in lower case is text', '[sep]', [1031, 19802, 1033]],
    ['[SEP] with an accent is text', '[SÉP]', [1031, 19802, 1033]],
  ],
  r50k_base: [
    ['U+FEFF', '\uFEFF', [171, 119, 123]],
    ['U+FEFF inside of a text', 'a\uFEFFb', [64, 171, 119, 123, 65]],
    ['U+0085', ' \u0085b', [220, 126, 227, 65]],
    ['U+FEFF behind a space', ' \uFEFFb', [27332, 119, 123, 65]],
    ['U+0000', '\0\0', [188, 188]],
  ],
  cl100k_base: [
    ['U+FEFF', '\uFEFF', [3305]],
    ['U+FEFF inside of a text', 'a\uFEFFb', [64, 3305, 65]],
    ['U+0085', ' \u0085b', [220, 126, 227, 65]],
    ['U+0085 before another apostrophe', '\u0085’s', [126, 227, 753]],
    ['U+FEFF behind a space', ' \uFEFFb', [76880, 65]],
    ['U+0000', '\0\0', [188, 188]],
    ['U+0000 inside of a text', 'a \0b', [64, 220, 188, 65]],
  ],
  o200k_base: [
    ['U+FEFF', '\uFEFF', [5574]],
    ['U+0000', '\0\0', [156344]],
    ['U+0085', ' \u0085b', [220, 126, 227, 65]],
  ],
}

describe.each(Object.entries(TRAPS))('%s', { timeout: 60_000 }, (name, traps) => {
  const real = realTokenizer(name)
  const bytes = real.read()
  let tokenizer: Tokenizer
  let reference: Reference
  beforeAll(() => {
    if (bytes === undefined) return
    tokenizer = real.load(bytes)
    reference = real.reference(bytes)
  }, 60_000)

  it.skipIf(bytes === undefined).each(traps)('%s', async (_, text, ids) => {
    expect([...tokenizer.encode(trusted(text))]).toEqual(ids)
    expect(await reference.encode([text])).toEqual([ids])
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    if (!ids.some((id) => reserved.has(id))) expect([...tokenizer.encode(text)]).toEqual(ids)
    expect(tokenizer.decode(ids)).toBe((await reference.decode([ids], false))[0])
  })

  it.skipIf(bytes === undefined)('decodes nothing to nothing', async () => {
    expect(tokenizer.decode([])).toBe('')
    expect(await reference.decode([[]], false)).toEqual([''])
  })
})

/** Inputs at which `@huggingface/tokenizers` differs for small tokenizers with one added token. */
const ADDED: readonly (readonly [name: string, json: TokenizerJson, text: string, found: boolean])[] = [
  ['single_word behind _', byteLevelJson({ added: [{ content: '<X>', single_word: true }] }), '_<X>', false],
  [
    'single_word before a letter',
    byteLevelJson({ added: [{ content: 'abq', single_word: true }] }),
    'abq語',
    false,
  ],
  ['single_word alone', byteLevelJson({ added: [{ content: '<X>', single_word: true }] }), ' <X>.', true],
  ['lstrip of U+0085', byteLevelJson({ added: [{ content: '<X>', lstrip: true }] }), '\u0085<X>', true],
  ['lstrip of U+FEFF', byteLevelJson({ added: [{ content: '<X>', lstrip: true }] }), '\ufeff<X>', true],
  ['rstrip of U+0085', byteLevelJson({ added: [{ content: '<X>', rstrip: true }] }), '<X>\u0085', true],
  ['a text token before a prefix', byteFallbackJson({ added: [{ content: 'ab', ...TEXT }] }), 'abq', true],
  ['a lone surrogate', byteFallbackJson({ added: ['<X>'] }), '<X>\ud83d', true],
]

describe('added tokens', () => {
  it.each(ADDED)('%s', async (_, json, text, found) => {
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const [expected = []] = await huggingFace(json).encode([text])
    expect([...tokenizer.encode(trusted(text))]).toEqual(expected)
    expect(expected.includes(json.added_tokens[0]?.id as number)).toBe(found)
  })

  it('a normalized reserved token before a prefix', async () => {
    const json = byteFallbackJson({ added: [{ content: '<X>', normalized: true }] })
    const tokenizer = Tokenizer.from(jsonBytes(json))
    expect([[...tokenizer.encode(trusted('<X>us'))]]).toEqual(await huggingFace(json).encode(['<X>us']))
  })

  it('literal <s> is a control token in trusted text alone, which SentencePiece does not have', async () => {
    const real = realTokenizer('llama2')
    const tokenizer = real.load(real.read() as Uint8Array)
    expect([...tokenizer.encode(trusted('<s>'))]).toEqual([1])
    expect([...tokenizer.encode('<s>')]).not.toContain(1)
  })
})
