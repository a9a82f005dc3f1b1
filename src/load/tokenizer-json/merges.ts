import { quoted } from '../quoted.js'
import { grown } from '../token-table-builder.js'
import type { JsonReader } from './json-reader.js'
import { type ModelFile, placeOf } from './model-file.js'
import { NativeVocabulary, type VocabularyIndex } from './native-vocabulary.js'

const SPACE = 32

/**
 * Reads the merges into triples of ids: left, right, result. They are written `"a b"`, or `["a", "b"]` since spaces
 * may be part of tokens; all in one way. Nothing is allocated per merge.
 *
 * @param file the model, whose merges may have been read already
 * @param read the vocabulary
 * @param prefix the continuing_subword_prefix, which the right token loses when it is joined
 */
export function readMerges(file: ModelFile, read: VocabularyIndex, prefix: string): Uint32Array {
  const { reader, tables } = file
  if (prefix === '' && tables.merges !== undefined) return tables.merges
  const place = placeOf(file, 'merges')
  reader.at = place
  const prefixBytes = new TextEncoder().encode(prefix)
  const isNative = read instanceof NativeVocabulary
  const triplesRead = isNative ? read.merges(reader, prefixBytes) : undefined
  if (triplesRead !== undefined) return triplesRead
  const vocabulary = isNative ? read.inTypeScript() : read
  const pair = new Pair(reader)
  let triples = new Uint32Array(3 << 12)
  let length = 0
  let form = ''
  reader.at = place
  if (reader.next !== '[') throw reader.error('$.model.merges', 'a list was expected')
  reader.elements((index) => {
    const next = reader.next
    if (next !== '"' && next !== '[') {
      throw reader.error(path(index), 'a merge was expected: "a b" or ["a", "b"]')
    }
    if (form === '') form = next
    else if (form !== next) throw reader.error(path(index), 'merges as strings and as lists are mixed')
    if (next === '"') {
      reader.string()
      if (index === 0 && isVersion(reader)) return
      pair.split(index)
    } else pair.read(index)

    if (length + 3 > triples.length) triples = grown(triples, 0)
    triples[length++] = pair.id(vocabulary, 0, pair.middle, index)
    triples[length++] = pair.id(vocabulary, pair.middle, pair.end, index)
    if (prefixBytes.length > 0) pair.cutPrefix(prefixBytes, index)
    triples[length++] = pair.id(vocabulary, 0, pair.end, index)
  })
  return triples.slice(0, length)
}

/** The first line of a merges.txt, which converters have been seen to keep. */
function isVersion(reader: JsonReader): boolean {
  return reader.textEnd - reader.textStart >= 8 && reader.text().startsWith('#version')
}

/** Left and right token, one behind the other: `bytes[0 .. middle)` and `bytes[middle .. end)`. */
class Pair {
  middle = 0
  end = 0
  #bytes: Uint8Array = new Uint8Array(64)
  readonly #reader: JsonReader

  constructor(reader: JsonReader) {
    this.#reader = reader
  }

  /** Takes the reader's string apart at its one space. */
  split(index: number): void {
    const { textBytes, textStart, textEnd } = this.#reader
    this.#reserve(textEnd - textStart)
    this.middle = -1
    this.end = 0
    for (let i = textStart; i < textEnd; i++) {
      const byte = textBytes[i] as number
      if (byte !== SPACE) this.#bytes[this.end++] = byte
      else if (this.middle < 0) this.middle = this.end
      else throw this.#error(index, 'two tokens with one space between them were expected')
    }
    if (this.middle < 0) throw this.#error(index, 'two tokens with one space between them were expected')
  }

  /** Reads `["a", "b"]`. */
  read(index: number): void {
    let count = 0
    this.end = 0
    this.#reader.elements((i) => {
      count++
      if (this.#reader.next !== '"' || i > 1) throw this.#error(index, 'two strings were expected')
      this.#reader.string()
      const { textBytes, textStart, textEnd } = this.#reader
      this.#reserve(this.end + textEnd - textStart)
      this.middle = this.end
      for (let at = textStart; at < textEnd; at++) this.#bytes[this.end++] = textBytes[at] as number
    })
    if (count !== 2) throw this.#error(index, 'two strings were expected')
  }

  id(vocabulary: VocabularyIndex, start: number, end: number, index: number): number {
    const id = vocabulary.find(this.#bytes, start, end)
    if (id >= 0) return id
    const token = new TextDecoder().decode(this.#bytes.subarray(start, end))
    throw this.#error(index, `${quoted(token)} is not in the vocabulary`)
  }

  /** Removes the prefix of the right token. */
  cutPrefix(prefix: Uint8Array, index: number): void {
    for (let i = 0; i < prefix.length; i++) {
      if (this.middle + i >= this.end || this.#bytes[this.middle + i] !== prefix[i]) {
        throw this.#error(index, 'the second token does not begin with the continuing_subword_prefix')
      }
    }
    this.#bytes.copyWithin(this.middle, this.middle + prefix.length, this.end)
    this.end -= prefix.length
  }

  #reserve(length: number): void {
    if (length > this.#bytes.length) this.#bytes = grown(this.#bytes, length)
  }

  #error(index: number, message: string): Error {
    return this.#reader.error(path(index), message)
  }
}

function path(index: number): string {
  return `$.model.merges[${index}]`
}
