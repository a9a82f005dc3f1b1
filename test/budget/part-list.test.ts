import { describe, expect, it } from 'vitest'
import { PartList } from '../../src/budget/part-list.js'
import { Origin } from '../../src/chat/template/origin.js'
import { type OriginText, TextBuilder } from '../../src/chat/template/origin-text.js'
import { PartKind } from '../../src/prompt/parts.js'

const DATA = Origin.variable('content')

function textOf(...runs: readonly (readonly [text: string, origin: Origin | null])[]): OriginText {
  const builder = new TextBuilder()
  for (const [text, origin] of runs) builder.append(text, origin)
  return builder.build()
}

function contentOf({ parts, count, text, length, hasData }: PartList): object {
  return { parts: [...parts.subarray(0, count)], text, length, hasData }
}

describe('PartList', () => {
  it('has a part for each run, and one for neighbours of one origin', () => {
    const list = new PartList()
    list.appendText(textOf(['<|s|>', null], ['data', DATA]))
    list.appendText(textOf(['more', DATA], ['<|e|>', null]))
    const parts = [PartKind.trusted, 5, PartKind.data, 8, PartKind.trusted, 5]
    expect(contentOf(list)).toEqual({ parts, text: '<|s|>datamore<|e|>', length: 18, hasData: true })
  })

  it('keeps data without text, which part what is trusted', () => {
    const list = new PartList()
    list.appendText(textOf(['<|', null], ['', DATA], ['s|>', null]))
    const parts = [PartKind.trusted, 2, PartKind.data, 0, PartKind.trusted, 3]
    expect(contentOf(list)).toEqual({ parts, text: '<|s|>', length: 5, hasData: true })
  })

  it('begins within a text', () => {
    const list = new PartList()
    list.appendFrom(textOf(['abc', null], ['def', DATA]), 4)
    expect(contentOf(list)).toEqual({ parts: [PartKind.data, 2], text: 'ef', length: 2, hasData: true })
  })

  it('grows, and is empty again', () => {
    const list = new PartList()
    for (let i = 0; i < 100; i++) list.appendText(textOf(['a', null], ['b', DATA]))
    const parts = Array.from({ length: 100 }, () => [PartKind.trusted, 1, PartKind.data, 1]).flat()
    expect(contentOf(list)).toEqual({ parts, text: 'ab'.repeat(100), length: 200, hasData: true })
    list.clear()
    expect(contentOf(list)).toEqual({ parts: [], text: '', length: 0, hasData: false })
    list.appendText(textOf(['a', null]))
    expect(contentOf(list)).toEqual({ parts: [PartKind.trusted, 1], text: 'a', length: 1, hasData: false })
  })
})
