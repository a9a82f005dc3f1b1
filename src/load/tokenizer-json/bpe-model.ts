import type { BpeSpec } from '../pipeline-spec.js'
import { quoted, shortened } from '../quoted.js'
import { MAX_ID } from '../token-table.js'
import { BYTE_CHARACTERS } from './byte-alphabet.js'
import { Fields } from './fields.js'
import type { JsonReader, JsonValue } from './json-reader.js'
import { readMerges } from './merges.js'
import { TokenIndex } from './token-index.js'

export interface BpeModel {
  readonly model: BpeSpec
  /** The vocabulary as the file writes it. */
  readonly vocabulary: TokenIndex
}

/**
 * Reads the fields of `model`, which begin at `places`. The big ones are read where they lie; the others become values.
 */
export function readBpeModel(
  reader: JsonReader,
  places: ReadonlyMap<string, number>,
  alphabet: BpeSpec['alphabet'],
): BpeModel {
  const values = new Map<string, JsonValue>()
  for (const [name, at] of places) {
    if (name !== 'vocab' && name !== 'merges') values.set(name, reader.valueAt(at))
  }
  const fields = new Fields(reader.source, '$.model', values)
  checkType(fields, places)

  const vocabulary = readVocabulary(reader, required(reader, places, 'vocab'))
  const prefix = readAffix(fields, 'continuing_subword_prefix', alphabet)
  const dropout = fields.get('dropout') ?? null
  if (dropout !== null && dropout !== 0) {
    throw fields.unsupported(
      `dropout ${quoted(dropout)}`,
      'only null and 0 give the same ids twice',
      'dropout',
    )
  }
  const everyByte = alphabet === 'bytes' && hasEveryByte(vocabulary)
  const byteFallback = fields.boolean('byte_fallback', false)
  if (byteFallback && alphabet === 'bytes' && !everyByte) {
    throw fields.unsupported(
      'byte_fallback with ByteLevel',
      'the vocabulary lacks a byte, and bytes would be escaped twice',
      'byte_fallback',
    )
  }
  const model: BpeSpec = {
    type: 'bpe',
    alphabet,
    merges: readMerges(reader, required(reader, places, 'merges'), vocabulary, prefix),
    ignoreMerges: fields.boolean('ignore_merges', false),
    byteFallback: byteFallback && !everyByte,
    fuseUnk: fields.boolean('fuse_unk', false),
    unkId: readUnkId(fields, vocabulary, everyByte),
    continuingSubwordPrefix: prefix,
    endOfWordSuffix: readAffix(fields, 'end_of_word_suffix', alphabet),
  }
  fields.end()
  return { model, vocabulary }
}

/** Files of before 2020 have no type; Hugging Face takes what has `merges` for BPE. */
function checkType(fields: Fields, places: ReadonlyMap<string, number>): void {
  if (fields.get('type') === undefined && places.has('merges')) return
  const type = fields.string('type')
  if (type !== 'BPE') throw fields.unsupported(`model ${shortened(type)}`, 'this version reads BPE', 'type')
}

function required(reader: JsonReader, places: ReadonlyMap<string, number>, name: string): number {
  const place = places.get(name)
  if (place === undefined) throw reader.error(`$.model.${name}`, 'it is missing')
  return place
}

function readVocabulary(reader: JsonReader, place: number): TokenIndex {
  const vocabulary = new TokenIndex()
  let token = new Uint8Array(64) // a copy of the key: reading the id may overwrite it
  reader.at = place
  if (reader.next !== '{') throw reader.error('$.model.vocab', 'an object was expected')
  reader.members(() => {
    const length = reader.textEnd - reader.textStart
    if (length > token.length) token = new Uint8Array(2 * length)
    for (let i = 0; i < length; i++) token[i] = reader.textBytes[reader.textStart + i] as number
    const id = reader.integer()
    if (id < 0 || id >= MAX_ID) {
      throw reader.error(
        vocabPath(token, length),
        `an id was expected: a whole number from 0 to ${MAX_ID - 1}`,
      )
    }
    if (!vocabulary.add(token, 0, length, id))
      throw reader.error(vocabPath(token, length), 'the token occurs twice')
  })
  return vocabulary
}

function vocabPath(token: Uint8Array, length: number): string {
  return `$.model.vocab[${quoted(new TextDecoder().decode(token.subarray(0, length)))}]`
}

/** A byte-level model joins affixes to text that is written in the byte alphabet: only ASCII is the same in both. */
function readAffix(fields: Fields, name: string, alphabet: BpeSpec['alphabet']): string {
  const affix = fields.optionalString(name)
  if (alphabet === 'bytes' && !/^[\x21-\x7e]*$/.test(affix)) {
    throw fields.unsupported(
      `${name} ${quoted(affix)}`,
      'with ByteLevel only printable ASCII is supported',
      name,
    )
  }
  return affix
}

/** Hugging Face fails at the first unknown character when unk_token is no token; a byte-level model has none. */
function readUnkId(fields: Fields, vocabulary: TokenIndex, everyByte: boolean): number | undefined {
  const value = fields.get('unk_token') ?? null
  if (value === null) return undefined
  const token = new TextEncoder().encode(fields.string('unk_token'))
  const id = vocabulary.find(token, 0, token.length)
  if (id >= 0) return id
  if (everyByte) return undefined
  throw fields.error('unk_token', `${quoted(value)} is not in the vocabulary`)
}

function hasEveryByte(vocabulary: TokenIndex): boolean {
  return BYTE_CHARACTERS.every((character) => {
    const text = new TextEncoder().encode(character)
    return vocabulary.find(text, 0, text.length) >= 0
  })
}
