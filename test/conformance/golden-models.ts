// What the tests share that compare small SentencePiece models with a golden file.
import { expect } from 'vitest'
import { control, type Part } from '../../src/prompt/parts.js'

/** The text between the marks that it spells, as data, and the marks as control tokens. */
export function splitAt(text: string, marks: readonly string[]): Part[] {
  const parts: Part[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const mark = marks.find((name) => text.startsWith(name, at))
    if (mark === undefined) continue
    if (at > start) parts.push(text.slice(start, at))
    parts.push(control(mark))
    start = at + mark.length
    at = start - 1
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

/** As `toEqual`, but fast where nothing differs. */
export function expectIds(ids: Uint32Array, expected: readonly number[], text: string): void {
  if (ids.length === expected.length && expected.every((id, i) => id === ids[i])) return
  expect(Array.from(ids), JSON.stringify(text)).toEqual(expected)
}
