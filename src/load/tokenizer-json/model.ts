import type { BpeSpec } from '../pipeline-spec.js'
import { shortened } from '../quoted.js'
import { readBpeModel } from './bpe-model.js'
import type { Fields } from './fields.js'
import type { JsonReader } from './json-reader.js'
import { type ModelFile, modelFile, type ReadModel } from './model-file.js'
import { readUnigramModel } from './unigram-model.js'
import type { NativeTables } from './vocabulary.js'
import { readWordLevelModel } from './word-level-model.js'
import { readWordPieceModel } from './word-piece-model.js'

/** What a byte-pair encoding is made of depends on the other components. */
type Alphabet = () => BpeSpec['alphabet']

const MODELS: ReadonlyMap<string, (file: ModelFile, alphabet: Alphabet) => ReadModel> = new Map([
  ['BPE', (file: ModelFile, alphabet: Alphabet) => readBpeModel(file, alphabet())],
  ['Unigram', readUnigramModel],
  ['WordLevel', readWordLevelModel],
  ['WordPiece', readWordPieceModel],
])

/** Reads the object `model`, whose fields begin at `places`, and of which `tables` have been read. */
export function readModel(
  reader: JsonReader,
  places: ReadonlyMap<string, number>,
  tables: NativeTables,
  alphabet: Alphabet,
): ReadModel {
  const file = modelFile(reader, places, tables)
  const type = modelType(file.fields)
  const read = MODELS.get(type)
  if (read === undefined) {
    const known = [...MODELS.keys()].join(', ')
    throw file.fields.unsupported(`model ${shortened(type)}`, `this version reads ${known}`, 'type')
  }
  const model = read(file, alphabet)
  file.fields.end()
  return model

  /** Files of before 2020 have no type; Hugging Face takes the first model whose fields are there. */
  function modelType(fields: Fields): string {
    const has = (...names: string[]): boolean => names.every((name) => places.has(name))
    if (fields.get('type') === undefined && has('vocab')) {
      if (has('merges')) return 'BPE'
      if (has('unk_token', 'continuing_subword_prefix', 'max_input_chars_per_word')) return 'WordPiece'
      if (has('unk_token')) return 'WordLevel'
      if (has('unk_id')) return 'Unigram'
    }
    return fields.string('type')
  }
}
