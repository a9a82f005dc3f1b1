import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamParser } from '../../src/engine/server-sent-events.js'

const parse = (chunks: readonly Uint8Array[]): string[] => {
  const parser = new EventStreamParser()
  return [...chunks.flatMap((bytes) => parser.push(bytes)), ...parser.end()]
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('events', () => {
  it.each([
    ['one', 'data: a\n\n', ['a']],
    ['several', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['without a space', 'data:a\n\n', ['a']],
    ['with two spaces', 'data:  a\n\n', [' a']],
    ['of several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['without data', 'event: ping\nid: 1\n\ndata\n\n', ['']],
    ['between comments', ': ping\n\ndata: a\n: x\n\n', ['a']],
    ['with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['with CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['behind a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['that the end cuts off', 'data: a\n\ndata: b', ['a', 'b']],
    ['of older llama.cpp', 'error: {"code":500}\n\n', ['{"error":{"code":500}}']],
    ['of other fields', 'dataset: a\n\n', []],
    ['none', '', []],
  ])('%s', (_, text, expected) => {
    expect(parse([bytes(text)])).toEqual(expected)
  })
})

it('are the same however the stream is cut', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('', '', ': ping', 'event: x', 'data'),
  )
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
    .map((lines) => bytes(lines.flat().join('')))
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (all, cuts) => {
      const at = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].sort((a, b) => a - b)
      const pieces = at.slice(1).map((end, i) => all.subarray(at[i], end))
      expect(parse(pieces)).toEqual(parse([all]))
      expect(parse(Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(parse([all]))
    }),
  )
})

it('of any length are refused, also without an end', () => {
  const parser = new EventStreamParser(10)
  expect(parser.push(bytes('data: abcd\n\ndata: abcd'))).toEqual(['abcd'])
  expect(() => parser.push(bytes('\ndata: a'))).toThrow(RangeError)
})

it('in a million pieces take linear time', () => {
  const parser = new EventStreamParser()
  const letter = bytes('a')
  parser.push(bytes('data: '))
  for (let i = 0; i < 1e6; i++) parser.push(letter)
  expect(parser.push(bytes('\n\n'))[0]).toHaveLength(1e6)
})
