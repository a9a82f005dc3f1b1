// Lists of merges that are read from two places at once, by two threads.
import { describe, expect, it } from 'vitest'
import { readTokenizerJson } from '../../src/load/tokenizer-json.js'
import { bpeOf } from '../fixtures/tokenizer-file.js'

/** Characters with which a place in the middle of a token may look like one between two merges. */
const CHARACTERS = [...'ab",]\\[é']
const MERGES = 20_000

/** Numbers from 0 up to `below`, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A vocabulary in which each token but characters is the result of one merge or several. */
function model(seed: number): { tokens: string[]; merges: [left: number, right: number, result: number][] } {
  const random = numbers(seed)
  const ids = new Map(CHARACTERS.map((character, id) => [character, id]))
  const merges: [number, number, number][] = []
  const tokens = [...CHARACTERS]
  while (merges.length < MERGES) {
    const [left, right] = [tokens[random(tokens.length)] as string, tokens[random(tokens.length)] as string]
    const token = left + right
    if (token.length > 12 || ids.has(token)) continue
    ids.set(token, tokens.length)
    tokens.push(token)
    for (let middle = 1; middle < token.length; middle++) {
      const first = ids.get(token.slice(0, middle))
      const second = ids.get(token.slice(middle))
      if (first !== undefined && second !== undefined) merges.push([first, second, tokens.length - 1])
    }
  }
  return { tokens, merges }
}

function shuffled<T>(list: readonly T[], random: (below: number) => number): T[] {
  const result = [...list]
  for (let i = result.length - 1; i > 0; i--) {
    const other = random(i + 1)
    ;[result[i], result[other]] = [result[other] as T, result[i] as T]
  }
  return result
}

function file(tokens: readonly string[], merges: readonly unknown[], indent: number): Uint8Array {
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]))
  return Buffer.from(JSON.stringify({ model: { type: 'BPE', vocab, merges } }, null, indent))
}

describe('a long list of merges', () => {
  for (const asLists of [false, true]) {
    for (const indent of [0, 2]) {
      for (const inOrder of [true, false]) {
        const form = `${asLists ? 'lists' : 'strings'}, ${indent} spaces, ${inOrder ? 'in' : 'out of'} order`
        it(`gives its triples: ${form}`, () => {
          const { tokens, merges } = model(7 + indent)
          const listed = inOrder ? merges : shuffled(merges, numbers(3))
          const written = listed.map(([left, right]) =>
            asLists ? [tokens[left], tokens[right]] : `${tokens[left]} ${tokens[right]}`,
          )
          const spec = readTokenizerJson(file(tokens, written, indent), 'tokenizer.json')
          expect([...(bpeOf(spec).merges as Uint32Array)]).toEqual(listed.flat())
        })
      }
    }
  }

  it.each([10, MERGES / 2, MERGES - 10])('is refused for an unknown token in merge %i', (place) => {
    const { tokens, merges } = model(1)
    const written = merges.map(([left, right]) => `${tokens[left]} ${tokens[right]}`)
    written[place] = 'x a'
    expect(() => readTokenizerJson(file(tokens, written, 0), 'tokenizer.json')).toThrow(
      `$.model.merges[${place}]: "x" is not in the vocabulary`,
    )
  })

  it('is refused where it breaks off', () => {
    const { tokens, merges } = model(1)
    const written = merges.map(([left, right]) => `${tokens[left]} ${tokens[right]}`)
    const bytes = file(tokens, written, 1)
    expect(() => readTokenizerJson(bytes.subarray(0, bytes.length - 12), 'tokenizer.json')).toThrow(
      /line \d+/,
    )
  })
})
