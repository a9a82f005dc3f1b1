import type { WordPieceSpec } from '../pipeline-spec.js'
import type { ModelFile, ReadModel } from './model-file.js'
import { readVocabulary, tokenId } from './vocabulary.js'

/** Reads a model `WordPiece`, all of whose fields must be there. */
export function readWordPieceModel(file: ModelFile): ReadModel {
  const { fields } = file
  const vocabulary = readVocabulary(file)
  const model: WordPieceSpec = {
    type: 'wordpiece',
    unkId: tokenId(fields, 'unk_token', vocabulary),
    continuingSubwordPrefix: fields.string('continuing_subword_prefix'),
    maxCharacters: fields.count('max_input_chars_per_word'),
  }
  return { model, vocabulary }
}
