import type { WordLevelSpec } from '../pipeline-spec.js'
import type { ModelFile, ReadModel } from './model-file.js'
import { readVocabulary, tokenId } from './vocabulary.js'

/** Reads a model `WordLevel`. */
export function readWordLevelModel(file: ModelFile): ReadModel {
  const vocabulary = readVocabulary(file)
  const model: WordLevelSpec = {
    type: 'wordlevel',
    unkId: tokenId(file.fields, 'unk_token', vocabulary),
  }
  return { model, vocabulary }
}
