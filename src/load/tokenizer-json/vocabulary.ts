import { quoted } from '../quoted.js'
import { MAX_ID } from '../token-table.js'
import type { Fields } from './fields.js'
import type { JsonReader } from './json-reader.js'
import { type ModelFile, placeOf } from './model-file.js'
import { NativeVocabulary, type VocabularyIndex } from './native-vocabulary.js'
import { TokenIndex } from './token-index.js'

/** Reads `vocab`, which is an object from tokens to ids. */
export function readVocabulary(file: ModelFile): VocabularyIndex {
  return file.tables.vocabulary ?? readInTypeScript(file.reader, placeOf(file, 'vocab'))
}

/**
 * The vocabulary and the merges, if native code reads them: as it comes by while the whole file is checked, since passing
 * over them takes a part of the time.
 */
export class NativeTables {
  vocabulary: NativeVocabulary | undefined
  /** Of a model without a `continuing_subword_prefix`. */
  merges: Uint32Array | undefined

  /** Goes behind the value of a field of the model. */
  pass(reader: JsonReader, name: string): void {
    const place = reader.at
    if (name === 'vocab') {
      this.vocabulary = NativeVocabulary.read(reader, () => readInTypeScript(reader, place))
    } else if (name === 'merges') {
      this.merges = this.vocabulary?.merges(reader, new Uint8Array())
    }
    if (reader.at === place) reader.skip()
  }
}

function readInTypeScript(reader: JsonReader, place: number): TokenIndex {
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

/** The id of a token; undefined when there is none. */
export function findToken(vocabulary: VocabularyIndex, token: string): number | undefined {
  const bytes = new TextEncoder().encode(token)
  const id = vocabulary.find(bytes, 0, bytes.length)
  return id < 0 ? undefined : id
}

/** The id of the token that a field names, which must be there: Hugging Face fails at the first text that needs it. */
export function tokenId(fields: Fields, name: string, vocabulary: VocabularyIndex): number {
  const token = fields.string(name)
  const id = findToken(vocabulary, token)
  if (id !== undefined) return id
  throw fields.error(name, `${quoted(token)} is not in the vocabulary`)
}

function vocabPath(token: Uint8Array, length: number): string {
  return `$.model.vocab[${quoted(new TextDecoder().decode(token.subarray(0, length)))}]`
}
