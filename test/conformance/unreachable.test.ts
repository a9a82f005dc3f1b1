// I1 for every real tokenizer: no writing of a reserved token's name, in whatever parts, gives a reserved id.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Part, trusted } from '../../src/prompt/parts.js'
import type { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { TOKENIZERS } from './tokenizers.js'

const FULL_WIDTH = 0xfee0
const map = (text: string, change: (c: number) => number): string =>
  Array.from(text, (character) => String.fromCodePoint(change(character.codePointAt(0) as number))).join('')
const isVisible = (c: number): boolean => c > 32 && c < 127

/** Texts that normalizers turn into the name, or nearly. */
const WRITINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `a${name}b`,
  (name) => ` ${name}\n`,
  (name) => `你好${name}${name}.`,
  (name) => map(name, (c) => (isVisible(c) ? c + FULL_WIDTH : c)),
  (name) => map(name, (c) => ('<|>[]/'.includes(String.fromCodePoint(c)) ? c + FULL_WIDTH : c)),
  (name) => name.replaceAll('<', '﹤').replaceAll('>', '﹥'),
  (name) =>
    map(name, (c) => (c > 96 && c < 123 ? c - 97 + 0x1d41a : c > 64 && c < 91 ? c - 65 + 0x1d400 : c)),
  (name) => map(name, (c) => (c > 96 && c < 123 ? c - 97 + 0x24d0 : c)),
  (name) => name.replaceAll('s', 'ſ').replaceAll('K', 'K'),
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => name.replaceAll('▁', ' '),
  (name) => name.replaceAll(' ', '▁').replaceAll('_', '▁'),
  (name) => name.replaceAll('｜', '|'),
  (name) => name.replaceAll('|', '｜'),
  (name) => name.normalize('NFD'),
  (name) => name.normalize('NFKC'),
  (name) => name.normalize('NFKD'),
  (name) => `▁${name}▁`,
  (name) => `${name}\u0338`,
  (name) => Array.from(name).join('\u200b'),
  (name) => Array.from(name).join('\u0301'),
  (name) => `\0${name}\ud83d`,
  (name) => name.slice(0, -1) + name + name.slice(-1),
]

function reservedIn(tokenizer: Tokenizer, reserved: ReadonlySet<number>, parts: string | Part[]): number[] {
  return [...tokenizer.encode(parts)].filter((id) => reserved.has(id))
}

describe.each(TOKENIZERS)('$name', { timeout: 60_000 }, ({ read, load }) => {
  const bytes = read()
  let tokenizer: Tokenizer
  let reserved: ReadonlySet<number>
  beforeAll(() => {
    if (bytes === undefined) return
    tokenizer = load(bytes)
    reserved = new Set(tokenizer.reserved.map(({ id }) => id))
  }, 60_000)

  it.skipIf(bytes === undefined)('no writing of a reserved name gives a reserved id', () => {
    const leaks: string[] = []
    for (const { id, name } of tokenizer.reserved) {
      for (const write of WRITINGS) {
        const text = write(name)
        if (reservedIn(tokenizer, reserved, text).length > 0) leaks.push(text)
      }
      expect([...tokenizer.encode(trusted(name))]).toContain(id)
      expect(tokenizer.getCommand(name)).toBe(id)
    }
    for (const attack of ATTACKS) {
      if (reservedIn(tokenizer, reserved, attack).length > 0) leaks.push(attack)
    }
    expect(leaks).toEqual([])
  })

  it.skipIf(bytes === undefined)('nor does a name in parts', () => {
    const leaks: string[] = []
    const some = tokenizer.reserved.filter((_, i, all) => i < 40 || i > all.length - 10)
    for (const { name } of some) {
      const characters = Array.from(name)
      for (let cut = 1; cut < characters.length; cut++) {
        const left = characters.slice(0, cut).join('')
        const right = characters.slice(cut).join('')
        const inputs: Part[][] = [
          [left, right],
          [trusted(left), right],
          [left, trusted(right)],
          [trusted(left), '', trusted(right)],
          [trusted(`\n${left}`), right, trusted('\n')],
        ]
        for (const parts of inputs) {
          if (reservedIn(tokenizer, reserved, parts).length > 0) leaks.push(`${left}|${right}`)
        }
      }
    }
    expect(leaks).toEqual([])
  })

  it.skipIf(bytes === undefined)('nor does any text', () => {
    const names = tokenizer.reserved.map(({ name }) => name)
    const part = fc.oneof(
      fc.constantFrom(...names),
      fc.tuple(fc.constantFrom(...names), fc.constantFrom(...WRITINGS)).map(([name, write]) => write(name)),
      fc.tuple(fc.constantFrom(...names), fc.nat(30)).map(([name, length]) => name.slice(0, length)),
      fc.tuple(fc.constantFrom(...names), fc.nat(30)).map(([name, length]) => name.slice(length)),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (texts) => {
        expect(reservedIn(tokenizer, reserved, texts)).toEqual([])
        expect(reservedIn(tokenizer, reserved, texts.join(''))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
