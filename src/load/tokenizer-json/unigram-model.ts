import type { UnigramSpec } from '../pipeline-spec.js'
import { MAX_ID } from '../token-table.js'
import { grown } from '../token-table-builder.js'
import type { JsonReader } from './json-reader.js'
import { type ModelFile, placeOf, type ReadModel } from './model-file.js'
import { TokenIndex } from './token-index.js'
import { findToken } from './vocabulary.js'

/** The longest token bounds the time that each character of a text may take. */
const MAX_TOKEN_BYTES = 1024

/** Reads a model `Unigram`. */
export function readUnigramModel(file: ModelFile): ReadModel {
  const { fields } = file
  const { vocabulary, scores } = readScoredVocabulary(file.reader, placeOf(file, 'vocab'))
  const byteFallback = fields.boolean('byte_fallback', false)
  const unkId = (fields.get('unk_id') ?? null) === null ? undefined : fields.integer('unk_id')
  if (unkId === undefined && !(byteFallback && hasEveryByte(vocabulary))) {
    throw fields.error(
      'unk_id',
      'a number was expected, not null: Hugging Face fails at the first character that is in no token',
    )
  }
  if (unkId !== undefined && unkId >= vocabulary.count) {
    throw fields.error('unk_id', `${unkId} is not in the vocabulary of ${vocabulary.count} tokens`)
  }
  const model: UnigramSpec = { type: 'unigram', scores, byteFallback, unkId }
  return { model, vocabulary }
}

/** Reads `vocab`, which is a list of pairs `["token", score]`: the ids are the places in it. */
function readScoredVocabulary(
  reader: JsonReader,
  place: number,
): { vocabulary: TokenIndex; scores: Float64Array } {
  const vocabulary = new TokenIndex()
  let scores = new Float64Array(1 << 12)
  reader.at = place
  if (reader.next !== '[') throw reader.error('$.model.vocab', 'a list was expected')
  reader.elements((id) => {
    const error = (message: string): Error => reader.error(`$.model.vocab[${id}]`, message)
    if (id >= MAX_ID) throw error(`at most ${MAX_ID} tokens are supported`)
    if (reader.next !== '[') throw error('a token and its score were expected, in a list')
    if (id === scores.length) scores = grown(scores, 0)
    let count = 0
    reader.elements((i) => {
      count++
      if (i === 0 && reader.next === '"') {
        reader.string()
        const { textBytes, textStart, textEnd } = reader
        if (textEnd - textStart > MAX_TOKEN_BYTES) {
          throw error(`the token has ${textEnd - textStart} bytes; at most ${MAX_TOKEN_BYTES} are supported`)
        }
        if (!vocabulary.add(textBytes, textStart, textEnd, id)) {
          throw error(`the token ${JSON.stringify(reader.text())} occurs twice`)
        }
      } else if (i === 1 && reader.next === '0') {
        const score = reader.float()
        if (score === undefined) throw error('the score is out of range')
        scores[id] = score
      } else throw error('a token and its score were expected: a string and a number')
    })
    if (count !== 2) throw error('a token and its score were expected: a string and a number')
  })
  return { vocabulary, scores: scores.slice(0, vocabulary.count) }
}

function hasEveryByte(vocabulary: TokenIndex): boolean {
  return Array.from({ length: 256 }, (_, byte) => byte).every((byte) => {
    const hex = byte.toString(16).toUpperCase().padStart(2, '0')
    return findToken(vocabulary, `<0x${hex}>`) !== undefined
  })
}
