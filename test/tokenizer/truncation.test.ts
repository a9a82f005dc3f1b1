import { describe, expect, it } from 'vitest'
import { InvalidArgumentError, Tokenizer } from '../../src/index.js'
import { keptTokens, type Truncation } from '../../src/tokenizer/truncation.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'

/** Lengths that are kept. */
function kept(
  lengths: readonly [number, number?],
  added: number,
  truncation: Truncation,
): readonly [number, number] {
  const [first, second] = keptTokens(lengths, added, truncation)
  return [first.end - first.start, second.end - second.start]
}

describe('truncation', () => {
  it('keeps what fits', () => {
    expect(kept([5], 2, { maxLength: 7 })).toEqual([5, 0])
    expect(kept([5, 3], 3, { maxLength: 11, strategy: 'only_first' })).toEqual([5, 3])
    expect(kept([5], 0, { maxLength: 5, strategy: 'only_second' })).toEqual([5, 0])
  })

  it('counts special tokens', () => {
    expect(kept([5], 2, { maxLength: 6 })).toEqual([4, 0])
    expect(kept([5], 2, { maxLength: 2 })).toEqual([0, 0])
    expect(() => kept([5], 2, { maxLength: 1 })).toThrow('at least 2')
  })

  it.each<[first: number, second: number, room: number, [number, number]]>([
    [9, 5, 9, [5, 4]],
    [5, 9, 9, [4, 5]],
    [6, 6, 5, [2, 3]],
    [3, 5, 4, [2, 2]],
    [2, 6, 4, [2, 2]],
    [1, 9, 4, [1, 3]],
    [9, 1, 4, [3, 1]],
    [0, 5, 1, [0, 1]],
    [5, 0, 1, [1, 0]],
    [5, 5, 0, [0, 0]],
  ])('shortens the longer of %i and %i to %i', (first, second, room, lengths) => {
    expect(kept([first, second], 3, { maxLength: room + 3 })).toEqual(lengths)
  })

  it('shortens one of a pair when it is told to', () => {
    expect(kept([9, 5], 0, { maxLength: 9, strategy: 'only_first' })).toEqual([4, 5])
    expect(kept([5, 9], 0, { maxLength: 9, strategy: 'only_second' })).toEqual([5, 4])
    expect(() => kept([4, 5], 0, { maxLength: 5, strategy: 'only_first' })).toThrow(
      '4 tokens are too many, but the first text has only 4',
    )
    expect(() => kept([9, 2], 0, { maxLength: 5, strategy: 'only_second' })).toThrow(
      'the second text has only 2',
    )
    expect(() => kept([9], 0, { maxLength: 5, strategy: 'only_second' })).toThrow('for pairs')
  })

  it('cuts on either side', () => {
    expect(keptTokens([5, 4], 0, { maxLength: 4 })).toEqual([
      { start: 0, end: 2 },
      { start: 0, end: 2 },
    ])
    expect(keptTokens([5, 4], 0, { maxLength: 4, side: 'left' })).toEqual([
      { start: 3, end: 5 },
      { start: 2, end: 4 },
    ])
  })

  it.each<[string, object]>([
    ['truncation.maxLength', {}],
    ['truncation.maxLength', { maxLength: -1 }],
    ['truncation.maxLength', { maxLength: 1.5 }],
    ['truncation.side', { maxLength: 1, side: 'top' }],
    ['truncation.strategy', { maxLength: 1, strategy: 'longest' }],
  ])('is an error: %s in %j', (name, options) => {
    const run = () => keptTokens([1], 0, options as Truncation)
    expect(run).toThrow(InvalidArgumentError)
    expect(run).toThrow(name)
  })
})

it('encode cuts texts, not what the post-processor adds', () => {
  const template = {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
    ],
    special_tokens: { '<s>': { id: '<s>', ids: [268], tokens: ['<s>'] } },
  }
  const json = byteLevelJson({ added: ['<s>'], postProcessor: template, merges: [] })
  const id = json.added_tokens[0]?.id as number
  template.special_tokens['<s>'].ids = [id]
  const tokenizer = Tokenizer.from(jsonBytes(json))
  const codes = (text: string): number[] =>
    [...text].map((character) => json.model.vocab[character] as number)
  const truncation = { maxLength: 4 }
  expect([...tokenizer.encode('abcdef', { truncation })]).toEqual(codes('abcd'))
  expect([...tokenizer.encode('abcdef', { truncation, addSpecialTokens: true })]).toEqual([
    id,
    ...codes('abc'),
  ])
  expect([...tokenizer.encode('abcdef', { truncation: { ...truncation, side: 'left' } })]).toEqual(
    codes('cdef'),
  )
  const pair = tokenizer.encode('abcdef', { truncation, pair: 'xyz', addSpecialTokens: true })
  expect([...pair]).toEqual([id, ...codes('a'), id, ...codes('x')])
  expect([...tokenizer.encode('ab', { truncation, pair: 'c' })]).toEqual(codes('abc'))
})
