import { describe, expect, it } from 'vitest'
import { isBracketedMark } from '../../src/load/bracketed-mark.js'
import addon from '../../src/native.js'
import { Random } from '../fixtures/mutations.js'

const columns = (names: readonly string[]): [units: Uint16Array, lengths: Uint32Array] => [
  addon.unitsOf(names.join('')),
  Uint32Array.from(names, ({ length }) => length),
]

const marks = (names: readonly string[]): Uint8Array =>
  addon.structuralTokens(...columns(names), new Uint8Array(names.length), true)

describe('structuralTokens', () => {
  it('tells of each name what the pattern tells, or that it does not know', () => {
    const parts = [
      '<',
      '>',
      '[',
      ']',
      '|',
      '/',
      'a',
      'Z',
      '0',
      '_',
      '@',
      '-',
      ' ',
      'h1',
      'table',
      'é',
      '｜',
      '▁',
      '',
    ]
    const random = new Random(1)
    const names = Array.from({ length: 20_000 }, () => {
      const inside = Array.from({ length: random.below(5) }, () => random.pick(parts)).join('')
      return [inside, `<${inside}>`, `<|${inside}|>`, `[${inside}]`, `</${inside}>`][
        random.below(5)
      ] as string
    })
    const kinds = marks(names)
    expect(kinds).toHaveLength(names.length)
    const wrong = names.filter((name, i) => kinds[i] !== 2 && (kinds[i] === 1) !== isBracketedMark(name))
    expect(wrong).toEqual([])
    expect(new Set(kinds)).toEqual(new Set([0, 1, 2]))
  })

  it('knows the names that models have by the thousand', () => {
    const names = [
      '<unused6241>',
      '<|reserved_special_token_1|>',
      '[multimodal]',
      '<|im_end|>',
      '\n\n',
      '    ',
      '▁▁',
      'word',
    ]
    expect([...marks(names)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
  })

  it('refuses lengths of other contents', () => {
    for (const lengths of [[], [2], [4], [0xffffffff, 4]]) {
      const flags = new Uint8Array(lengths.length)
      const call = () => addon.structuralTokens(addon.unitsOf('abc'), Uint32Array.from(lengths), flags, true)
      expect(call).toThrow(RangeError)
    }
  })
})

describe('namesThatMayMeet', () => {
  it('leaves out no name that begins in another or at its end', () => {
    const random = new Random(2)
    const name = (): string =>
      Array.from({ length: 1 + random.below(6) }, () => random.pick(['a', 'b', '<'])).join('')
    for (let round = 0; round < 300; round++) {
      const names = Array.from({ length: 12 }, name)
      const chosen = Uint8Array.from(names, () => random.below(2))
      const found = new Set(addon.namesThatMayMeet(...columns(names), chosen))
      names.forEach((name, i) => {
        if (chosen[i] === 0) expect(found.has(i)).toBe(false)
        const meets = names.some((other, j) => {
          if (chosen[j] !== 0) return false
          return Array.from(other).some(
            (_, at) => other.startsWith(name, at) || name.startsWith(other.slice(at)),
          )
        })
        if (meets && chosen[i] !== 0) expect(found.has(i)).toBe(true)
      })
    }
  })

  it('keeps a thousand names out that share no beginning with the others', () => {
    const names = [...Array.from({ length: 1000 }, (_, i) => `<unused${i}>`), '<table>', '\n\n', '<u>']
    const chosen = Uint8Array.from(names, (_, i) => +(i < 1000))
    expect(addon.namesThatMayMeet(...columns(names), chosen)).toHaveLength(0)
  })

  it('wants to know of each name whether it is chosen', () => {
    expect(() => addon.namesThatMayMeet(addon.unitsOf('ab'), Uint32Array.of(1, 1), Uint8Array.of(1))).toThrow(
      RangeError,
    )
  })
})
