import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EdgeText } from '../../src/output/edge-text.js'
import { TextMatcher } from '../../src/output/text-matcher.js'

/** Character by character: the pattern that is complete first, of several the longest. */
function slow(text: string, patterns: readonly string[]): (string | number)[] {
  const found: (string | number)[] = []
  let begin = 0
  for (let end = 1; end <= text.length; end++) {
    const ending = patterns.filter((each) => text.slice(begin, end).endsWith(each))
    const longest = ending.sort((a, b) => b.length - a.length)[0]
    if (longest === undefined) continue
    const before = text.slice(begin, end - longest.length)
    if (before !== '') found.push(before)
    found.push(patterns.indexOf(longest))
    begin = end
  }
  return begin < text.length ? [...found, text.slice(begin)] : found
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const borders = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
  return borders.slice(1).map((end, i) => text.slice(borders[i], end))
}

const letters = fc.constantFrom('a', 'b', '<', '>', '\n', '👋')
const cuts = fc.array(fc.nat(40), { maxLength: 8 })

describe('TextMatcher', () => {
  it('finds what a slow search finds, however the text is cut', () => {
    const pattern = fc.string({ unit: letters, minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.uniqueArray(pattern, { maxLength: 4 }),
        fc.string({ unit: letters, maxLength: 30 }),
        cuts,
        (patterns, text, places) => {
          const matcher = new TextMatcher(patterns)
          const found: (string | number)[] = []
          const add = (piece: string): void => {
            const last = found.at(-1)
            if (typeof last === 'string') found[found.length - 1] = last + piece
            else if (piece !== '') found.push(piece)
          }
          for (const piece of pieces(text, places)) {
            for (const each of matcher.push(piece)) {
              if ('text' in each) add(each.text)
              else found.push(each.pattern)
            }
          }
          add(matcher.end())
          expect(found).toEqual(slow(text, patterns))
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('EdgeText', () => {
  it('takes as much away at the edges as it is told, however the text is cut', () => {
    const count = fc.oneof(fc.nat(3), fc.constant(Number.POSITIVE_INFINITY))
    fc.assert(
      fc.property(
        fc.string({ unit: letters, maxLength: 20 }),
        count,
        count,
        cuts,
        (text, begin, end, places) => {
          let out = ''
          const edge = new EdgeText((piece) => {
            out += piece
          })
          edge.skip(begin)
          for (const piece of pieces(text, places)) edge.push(piece)
          edge.trim(end)
          let expected = text
          for (let i = 0; i < begin && expected.startsWith('\n'); i++) expected = expected.slice(1)
          for (let i = 0; i < end && expected.endsWith('\n'); i++) expected = expected.slice(0, -1)
          expect(out).toBe(expected)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
