// I1 for every real tokenizer: no writing of a reserved token's name, in whatever parts, gives a reserved id.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Part, trusted } from '../../src/prompt/parts.js'
import type { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { TOKENIZERS } from './tokenizers.js'
import { WRITINGS } from './writings.js'

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
