// What the tests share that compare small SentencePiece models with a golden file.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { expect } from 'vitest'
import { control, type Part } from '../../src/prompt/parts.js'

/** A golden file by name. */
export function readGolden<T>(name: string): T {
  const file = readFileSync(new URL(`./golden/${name}.json.gz`, import.meta.url))
  return JSON.parse(gunzipSync(file).toString('utf8')) as T
}

/** A `.model` with a charsmap, both in base64: fields of two normalizer_specs in one file add up to one. */
export function modelFile(model: string, charsmap = ''): Uint8Array {
  const file = Buffer.from(model, 'base64')
  if (charsmap === '') return file
  const writer = new BinaryWriter().tag(3, WireType.LengthDelimited).fork()
  writer.tag(2, WireType.LengthDelimited).bytes(Buffer.from(charsmap, 'base64')).join()
  return Buffer.concat([file, writer.finish()])
}

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
