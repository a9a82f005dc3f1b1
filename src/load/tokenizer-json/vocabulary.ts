import { quoted } from '../quoted.js'
import { MAX_ID } from '../token-table.js'
import type { Fields } from './fields.js'
import { type ModelFile, placeOf } from './model-file.js'
import { NativeVocabulary, type VocabularyIndex } from './native-vocabulary.js'
import { TokenIndex } from './token-index.js'

/** Reads `vocab`, which is an object from tokens to ids. */
export function readVocabulary(file: ModelFile): VocabularyIndex {
  const again = (): TokenIndex => readInTypeScript(file)
  return NativeVocabulary.read(file.reader, placeOf(file, 'vocab'), again) ?? again()
}

function readInTypeScript(file: ModelFile): TokenIndex {
  const { reader } = file
  const vocabulary = new TokenIndex()
  let token = new Uint8Array(64) // a copy of the key: reading the id may overwrite it
  reader.at = placeOf(file, 'vocab')
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
