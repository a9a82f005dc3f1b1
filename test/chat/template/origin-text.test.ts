import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Origin } from '../../../src/chat/template/origin.js'
import { OriginText, TextBuilder } from '../../../src/chat/template/origin-text.js'

const a = Origin.variable('a')
const b = Origin.variable('b')
const T = OriginText.trusted
const A = (text: string): OriginText => OriginText.data(text, a)
const B = (text: string): OriginText => OriginText.data(text, b)

/** `<|` trusted, `(a:user)` data. */
function shown(text: OriginText): string {
  return text.runs
    .map(({ start, end, origin }) => {
      const piece = text.text.slice(start, end)
      return origin === null ? piece : `(${origin.path}:${piece})`
    })
    .join('')
}

describe('Origin', () => {
  const root = Origin.variable('tools')

  it('spells paths as JavaScript reaches values, and keys in braces', () => {
    const properties = root.item(0).value('function').value('parameters').value('properties')
    expect(properties.value('city').path).toBe('tools[0].function.parameters.properties.city')
    expect(properties.value('a b').path).toBe('tools[0].function.parameters.properties["a b"]')
    expect(properties.key('city').path).toBe('tools[0].function.parameters.properties{city}')
    expect(properties.key('').path).toBe('tools[0].function.parameters.properties{""}')
    expect(root.value('__proto__').path).toBe('tools.__proto__')
  })

  it('shortens long keys', () => {
    expect(root.key('x'.repeat(1000)).path).toBe(`tools{${'x'.repeat(80)}…}`)
  })

  it('spells deep paths without recursion', () => {
    let origin = root
    for (let i = 0; i < 100_000; i++) origin = origin.item(0)
    expect(origin.path).toHaveLength(5 + 300_000)
  })
})

describe('OriginText', () => {
  it('joins neighbours of one origin and keeps empty data apart', () => {
    expect(shown(T('<|').concat(T('user')).concat(T('|>')))).toBe('<|user|>')
    expect(shown(T('<|').concat(A('')).concat(T('|>')))).toBe('<|(a:)|>')
    expect(shown(A('x').concat(A('y')).concat(B('')).concat(A('z')))).toBe('(a:xy)(b:)(a:z)')
    expect(shown(A('x').concat(A('')))).toBe('(a:x)')
    expect(shown(T('').concat(A('')).concat(T('')))).toBe('(a:)')
    expect(T('').runs).toEqual([])
  })

  it('keeps a barrier in slices that are empty or touch one', () => {
    const text = T('<|').concat(A('')).concat(T('|>'))
    expect(shown(text.slice(0, 2))).toBe('<|(a:)')
    expect(shown(text.slice(2, 4))).toBe('(a:)|>')
    expect(shown(text.slice(1, 3))).toBe('|(a:)|')
    expect(shown(text.slice(0, 1))).toBe('<')
    expect(shown(text.slice(2, 2))).toBe('(a:)')
    expect(shown(text.slice(0, 0))).toBe('(a:)')
    expect(shown(A('abc').slice(1, 1))).toBe('(a:)')
    expect(shown(T('abc').slice(1, 1))).toBe('')
  })

  it('knows code points', () => {
    const text = T('x').concat(A('😀é')).concat(T('y😀'))
    expect(text.length).toBe(5)
    expect(text.isFlat).toBe(false)
    expect(text.offsetOf(2)).toBe(3)
    expect(text.codePointAt(3)).toBe(2)
    expect(text.characters().map(shown)).toEqual(['x', '(a:😀)', '(a:é)', 'y', '😀'])
    const long = T('😀a'.repeat(1000))
    for (const at of [0, 1, 127, 128, 129, 1999, 2000]) {
      expect(long.offsetOf(at)).toBe(Math.floor(at / 2) * 3 + (at % 2) * 2)
      expect(long.codePointAt(long.offsetOf(at))).toBe(at)
    }
  })

  it('tells origins', () => {
    const text = T('<').concat(A('bc')).concat(B('d')).concat(T('>'))
    expect([0, 1, 2, 3, 4, 5].map((i) => text.originAt(i)?.path ?? null)).toEqual([
      ...[null, 'a', 'a', 'b', null, null],
    ])
    expect([text.firstOrigin, text.singleOrigin, text.isTrusted]).toEqual([a, undefined, false])
    expect([T('x').singleOrigin, A('').singleOrigin, T('x').isTrusted]).toEqual([null, a, true])
  })

  it('rewrites each run on its own', () => {
    const text = T('ß')
      .concat(A('ß'))
      .mapRuns((run) => run.toUpperCase())
    expect(shown(text)).toBe('SS(a:SS)')
    expect(
      shown(
        T('x')
          .concat(A('y'))
          .mapRuns(() => ''),
      ),
    ).toBe('(a:)')
  })

  it('is linear where a text is built in a loop', () => {
    let text = T('')
    for (let i = 0; i < 200_000; i++) text = text.concat(i % 2 === 0 ? A('x') : T('y'))
    expect(text.runs).toHaveLength(200_000)
    let front = T('')
    for (let i = 0; i < 200_000; i++) front = (i % 2 === 0 ? A('x') : T('y')).concat(front)
    expect(front.runs).toHaveLength(200_000)
  })

  /** Pieces as a plain model: characters, each with its origin. */
  const piece = fc.record({
    text: fc.string({ maxLength: 3, unit: 'binary' }),
    origin: fc.constantFrom(null, a, b),
  })

  it('agrees with a list of characters under joining and slicing', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.nat(30),
        fc.nat(30),
        fc.boolean(),
        (pieces, x, y, left) => {
          const texts = pieces.map(({ text, origin }) => OriginText.of(text.toWellFormed(), origin))
          const joined = left
            ? texts.reduce((text, next) => text.concat(next), OriginText.empty)
            : texts.reduceRight((text, next) => next.concat(text), OriginText.empty)
          const units = texts.flatMap((text) =>
            Array.from({ length: text.text.length }, (_, i) => text.originAt(i)),
          )
          expect(joined.text).toBe(texts.map(({ text }) => text).join(''))
          expect(units.map((_, i) => joined.originAt(i))).toEqual(units)
          const [start, end] = [Math.min(x, y, units.length), Math.min(Math.max(x, y), units.length)]
          const part = joined.slice(start, end)
          expect(part.text).toBe(joined.text.slice(start, end))
          expect(units.slice(start, end).map((_, i) => part.originAt(i))).toEqual(units.slice(start, end))
          // Neighbours differ, no trusted run is empty, and the runs cover the text.
          const { runs } = part
          for (const [i, run] of runs.entries()) {
            expect(run.start).toBe(runs[i - 1]?.end ?? 0)
            if (run.origin === null) expect(run.end).toBeGreaterThan(run.start)
            if (i > 0) expect(run.origin).not.toBe(runs[i - 1]?.origin)
          }
          expect(runs.at(-1)?.end ?? 0).toBe(part.text.length)
          // Parted and joined again, no two trusted runs meet where data stood between them.
          const builder = new TextBuilder()
          for (const span of [joined.slice(0, start), part, joined.slice(end, units.length)]) {
            builder.appendText(span)
          }
          const again = builder.build()
          expect(again.text).toBe(joined.text)
          const trusted = joined.runs.filter(({ origin }) => origin === null)
          for (const run of again.runs.filter(({ origin }) => origin === null)) {
            expect(trusted.some((whole) => whole.start <= run.start && run.end <= whole.end)).toBe(true)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })
})
