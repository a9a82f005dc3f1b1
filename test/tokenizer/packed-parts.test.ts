import { describe, expect, it } from 'vitest'
import { InvalidArgumentError, Tokenizer } from '../../src/index.js'
import { PartKind } from '../../src/prompt/parts.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'

describe('parts in memory that is used again', () => {
  const tokenizer = Tokenizer.from(jsonBytes(byteLevelJson({ added: ['<|s|>'] })))
  const parts = Uint32Array.of(PartKind.trusted, 5, PartKind.data, 5, PartKind.data, 9)
  const text = '<|s|><|s|>'
  const idsOf = (count: number): readonly number[] => {
    const { ids, length } = tokenizer.lendPacked({ parts, text }, count)
    return [...ids.subarray(0, length)]
  }

  it('are those that are counted', () => {
    const [control] = tokenizer.reserved
    const data = tokenizer.encode('<|s|>')
    expect(idsOf(4)).toEqual([control?.id, ...data])
    expect([...data]).not.toContain(control?.id)
  })

  it('are refused where the count fits neither parts nor text', () => {
    for (const count of [-2, 3, 2, 0, 6, 8, 2 ** 40]) expect(() => idsOf(count)).toThrow(InvalidArgumentError)
  })
})
