// Ids that are written into memory of the caller's, and ids that are not: each array is its own.
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'

const models = {
  'a .model': defaultModelPath(),
  'a tokenizer.json': path.join(import.meta.dirname, '../../models/mini-chatml'),
}
const TEXTS = ['', 'a', 'Hello, world!', '你好 👋', '\ud800', 'many words '.repeat(1000), 'x'.repeat(5000)]

describe.each(Object.entries(models))('%s', (_, model) => {
  const loading = Tokenizer.load(model)

  it('encodes into an array, from any place on, as many ids as there is room for', async () => {
    const tokenizer = await loading
    for (const text of [...TEXTS, ...ATTACKS]) {
      const expected = tokenizer.encode(text)
      const target = new Uint32Array(expected.length + 3).fill(7)
      expect(tokenizer.encodeInto(text, target, 2)).toBe(expected.length)
      expect([...target]).toEqual([7, 7, ...expected, 7])
      const small = new Uint32Array(expected.length >> 1)
      expect(tokenizer.encodeInto(text, small)).toBe(expected.length)
      expect(small).toEqual(expected.subarray(0, small.length))
      const view = new Uint32Array(new ArrayBuffer(64 + 4 * expected.length), 32, expected.length)
      expect(tokenizer.encodeInto(text, view)).toBe(expected.length)
      expect(view).toEqual(expected)
      expect(tokenizer.encodeInto(text, view, view.length)).toBe(expected.length)
    }
  })

  it('reaches no reserved id that way', async () => {
    const tokenizer = await loading
    const target = new Uint32Array(1000)
    for (const attack of ATTACKS) {
      const count = tokenizer.encodeInto(attack, target)
      expect([...target.subarray(0, count)].filter((id) => tokenizer.isReserved(id))).toEqual([])
    }
  })

  it('refuses what is no text, no array and no place', async () => {
    const tokenizer = await loading
    const target = new Uint32Array(4)
    for (const offset of [-1, 5, Number.NaN, Number.POSITIVE_INFINITY, 'a' as unknown as number]) {
      expect(() => tokenizer.encodeInto('a', target, offset)).toThrow(InvalidArgumentError)
    }
    for (const other of [[], new Int32Array(4), undefined, new Float64Array(4)]) {
      expect(() => tokenizer.encodeInto('a', other as unknown as Uint32Array)).toThrow(InvalidArgumentError)
    }
    expect(() => tokenizer.encodeInto(5 as unknown as string, target)).toThrow(InvalidArgumentError)
    expect([...target]).toEqual([0, 0, 0, 0])
  })

  it('counts what it encodes', async () => {
    const tokenizer = await loading
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...TEXTS, ...ATTACKS)), (text) => {
        const { length } = tokenizer.encode(text)
        expect(tokenizer.count(text)).toBe(length)
        expect(tokenizer.count([text])).toBe(length)
        expect(tokenizer.countUpTo(text, length)).toBe(length)
        if (length > 0) expect(tokenizer.countUpTo(text, length - 1)).toBeUndefined()
      }),
    )
    expect(() => tokenizer.count(5 as unknown as string)).toThrow(InvalidArgumentError)
  })

  it('gives each array of ids memory of its own', async () => {
    const tokenizer = await loading
    const all = TEXTS.map((text) => [tokenizer.encode(text), tokenizer.encode([text])] as const)
    for (const [i, pair] of all.entries()) {
      for (const ids of pair) {
        expect(ids.buffer.byteLength).toBe(ids.byteLength)
        expect(ids).toEqual(tokenizer.encode(TEXTS[i] as string))
      }
    }
    expect(new Set(all.flat().map(({ buffer }) => buffer)).size).toBe(2 * TEXTS.length)
  })
})
