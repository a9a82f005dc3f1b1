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

  it('gives exactly those that meet where it is asked to', () => {
    const random = new Random(3)
    const name = (): string =>
      Array.from({ length: 1 + random.below(6) }, () => random.pick(['a', 'b', 'c', '<'])).join('')
    for (let round = 0; round < 300; round++) {
      const names = Array.from({ length: 12 }, name)
      const chosen = Uint8Array.from(names, () => random.below(2))
      const others = names.filter((_, i) => chosen[i] === 0)
      const meets = (name: string): boolean =>
        others.some((other) =>
          Array.from(other).some((_, at) => other.startsWith(name, at) || name.startsWith(other.slice(at))),
        )
      const expected = [...names.keys()].filter((i) => chosen[i] === 1 && meets(names[i] as string))
      expect([...addon.namesThatMayMeet(...columns(names), chosen, true)]).toEqual(expected)
    }
  })
})

describe('columnFacts', () => {
  const facts = (names: readonly string[], ids: readonly number[], flags: readonly number[]) =>
    addon.columnFacts(...columns(names), Uint32Array.from(ids), Uint8Array.from(flags))

  it('tells where tokens begin, and what they have in common', () => {
    expect(facts(['ab', '', 'cde'], [1, 2, 9], [16, 0, 1])).toEqual({
      starts: Uint32Array.of(0, 2, 2),
      ascending: true,
      someFlags: 17,
    })
    expect(facts(['a', 'b'], [2, 2], [0, 0])).toMatchObject({ ascending: false, someFlags: 0 })
    expect(facts([], [], [])).toMatchObject({ ascending: true })
  })

  it('tells nothing of columns that do not fit together', () => {
    expect(facts(['a', 'b'], [1], [0, 0])).toBeUndefined()
    expect(facts(['a', 'b'], [1, 2], [0])).toBeUndefined()
    const wrong = Uint32Array.of(1, 0xffffffff)
    expect(addon.columnFacts(addon.unitsOf('ab'), wrong, wrong, Uint8Array.of(0, 0))).toBeUndefined()
  })
})

describe('findNames', () => {
  it('gives the first place of each', () => {
    const names = ['a', 'long'.repeat(30), 'b', 'a', '\ud800', '']
    const wanted = ['b', 'a', 'c', '\ud800', 'long'.repeat(30), 'long'.repeat(31)]
    expect([...addon.findNames(...columns(names), wanted)]).toEqual([2, 0, 2 ** 32 - 1, 4, 1, 2 ** 32 - 1])
  })
})

describe('chosenIds', () => {
  it('gives ids in order, or none', () => {
    expect(addon.chosenIds(Uint32Array.of(5, 1, 7), Uint8Array.of(1, 0, 1))).toEqual(Uint32Array.of(5, 7))
    expect(addon.chosenIds(Uint32Array.of(5, 1, 7), Uint8Array.of(1, 1, 0))).toBeUndefined()
    expect(addon.chosenIds(Uint32Array.of(5, 5), Uint8Array.of(1, 1))).toBeUndefined()
    expect(() => addon.chosenIds(Uint32Array.of(5), Uint8Array.of(1, 1))).toThrow(RangeError)
  })
})

describe('spelledTokens', () => {
  it('knows tokens of the model alone, and looks nowhere else', () => {
    const bytes = Uint8Array.from(Buffer.from('ab\xffcdeab', 'latin1'))
    const kinds = Uint8Array.of(1, 1, 2, 1)
    const spelled = (offsets: readonly number[], spellings: readonly string[]): number[] => [
      ...addon.spelledTokens(bytes, Uint32Array.from(offsets), kinds, spellings),
    ]
    expect(spelled([0, 2, 3, 6, 8], ['ab', '\xff', 'cde', 'ab', '', 'x'])).toEqual([1, 1, 0, 1, 0, 0])
    // Nobody has checked offsets yet.
    expect(spelled([0, 2, 1, 2 ** 31, 8], ['ab', 'b'])).toEqual([1, 0])
    expect(spelled([0], ['ab'])).toEqual([0])
  })
})
