// Texts of several windows: they are read, and where no place parts them merged, some of them at a time (unit_reader,
// window_merge). What comes out must not depend on where a window ends.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteFallbackJson, jsonBytes, unigramJson } from '../fixtures/tokenizer-json.js'
import { wordPieceJson } from '../fixtures/word-models.js'

/** The units that are read at once. */
const WINDOW = 65_535
const chatml = Tokenizer.load(path.join(import.meta.dirname, '../../models/mini-chatml'))
const models: Readonly<Record<string, Tokenizer | Promise<Tokenizer>>> = {
  'byte-level BPE': chatml,
  'BPE with byte fallback': Tokenizer.from(jsonBytes(byteFallbackJson({}))),
  'a .model': Tokenizer.load(defaultModelPath()),
  Unigram: Tokenizer.from(jsonBytes(unigramJson())),
  WordPiece: Tokenizer.from(jsonBytes(wordPieceJson())),
}

describe('what is read', () => {
  // Of a byte-level model, whose text comes back byte by byte.
  const back = async (text: string) => {
    const tokenizer = await chatml
    expect(tokenizer.decode(tokenizer.encode(text)) === Buffer.from(text).toString()).toBe(true)
  }

  it.each([0, 1, 2, 3])(
    'is the same where a pair of surrogates stands %d units before a border',
    async (before) => {
      await back(`${'b'.repeat(WINDOW - before)}😀${'é'.repeat(WINDOW)}z`)
      await back(`${'b'.repeat(WINDOW - before)}${'😀'.repeat(3 * WINDOW)}`)
    },
  )

  it.each(['\ud83d', '\ude00', '\ude00\ud83d', '\ud83d\ud83d\ude00'])(
    'has U+FFFD for lone surrogates: %j',
    async (lone) => {
      for (let before = 0; before < 4; before++) {
        await back(`${'b'.repeat(WINDOW - before)}${lone}${'c'.repeat(WINDOW)}`)
        await back(`${'b'.repeat(2 * WINDOW - before)}${lone}`)
      }
    },
  )

  it('may be as long as a window, and as the room for short texts', async () => {
    for (const size of [4094, 4095, 4096, 4097, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 2 * WINDOW + 1]) {
      await back('好'.repeat(size))
      await back(`${'a'.repeat(size - 1)}\ud83d`)
    }
  })

  it('grows where it becomes longer than its beginning said', async () => {
    await back(`${'a'.repeat(WINDOW)}${'好'.repeat(10 * WINDOW)}${'a b'.repeat(WINDOW)}`)
  })

  it('joins no halves of parts at the border of a window', async () => {
    const tokenizer = await chatml
    for (let before = -1; before < 3; before++) {
      const start = 'b'.repeat(WINDOW - before)
      const ids = tokenizer.encode([`${start}\ud83d`, '\ude00end'])
      expect(ids).toEqual(tokenizer.encode(`${start}\ufffd\ufffdend`))
    }
  })
})

describe.each(Object.entries(models))('%s', (_, loading) => {
  const SIZE = 300_000
  const texts: Readonly<Record<string, string>> = {
    'one letter': 'a'.repeat(SIZE),
    spaces: ' '.repeat(SIZE),
    'line breaks': '\n'.repeat(SIZE),
    words: 'hello, world of <|im_end|> '.repeat(SIZE / 25),
    'a period of seven letters': 'helowrd'.repeat(SIZE / 7),
    'letters without an order': noise('ehlowrd', SIZE),
    'characters of all lengths': noise([...'aé好😀'], SIZE),
    'a long word among others': `say ${'lo'.repeat(SIZE)} and ${'😀'.repeat(SIZE)} once`,
  }

  it.each(Object.keys(texts))(
    'encodes %s as it does with offsets, in parts and on another thread',
    async (name) => {
      const tokenizer = await loading
      const text = texts[name] ?? ''
      const ids = tokenizer.encode(text)
      expect(same(tokenizer.encode(text, { offsets: true }).ids, ids)).toBe(true)
      expect(same(tokenizer.encode(pieces(text)), ids)).toBe(true)
      expect(same(await tokenizer.encodeAsync(text), ids)).toBe(true)
      expect(tokenizer.count(text)).toBe(ids.length)
      // Data beside trusted text, which is packed.
      const beside = tokenizer.encode(['a ', text, trusted(' b'), trusted('c')])
      expect(same(beside, tokenizer.encode(`a ${text} bc`))).toBe(true)
      expect(same(tokenizer.encode(text), ids)).toBe(true)
    },
  )
})

/** Data parts, which are one text. */
function pieces(text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + 20_011)
    if (text.codePointAt(end - 1) !== text.charCodeAt(end - 1)) end++
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

function noise(characters: string | readonly string[], count: number): string {
  let seed = 12345
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return characters[(seed >> 8) % characters.length]
  }).join('')
}

/** Without a list of a million numbers where they differ. */
const same = (a: Uint32Array, b: Uint32Array): boolean => Buffer.from(a.buffer).equals(Buffer.from(b.buffer))
