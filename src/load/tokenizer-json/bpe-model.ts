import type { BpeSpec } from '../pipeline-spec.js'
import { quoted } from '../quoted.js'
import { BYTE_CHARACTERS } from './byte-alphabet.js'
import type { Fields } from './fields.js'
import { readMerges } from './merges.js'
import type { ModelFile, ReadModel } from './model-file.js'
import type { VocabularyIndex } from './native-vocabulary.js'
import { findToken, readVocabulary, tokenId } from './vocabulary.js'

/** Reads a model `BPE`. */
export function readBpeModel(file: ModelFile, alphabet: BpeSpec['alphabet']): ReadModel {
  const { fields } = file
  const vocabulary = readVocabulary(file)
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
    merges: readMerges(file, vocabulary, prefix),
    ignoreMerges: fields.boolean('ignore_merges', false),
    byteFallback: byteFallback && !everyByte,
    fuseUnk: fields.boolean('fuse_unk', false),
    unkId: readUnkId(fields, vocabulary, everyByte),
    continuingSubwordPrefix: prefix,
    endOfWordSuffix: readAffix(fields, 'end_of_word_suffix', alphabet),
  }
  return { model, vocabulary }
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
function readUnkId(fields: Fields, vocabulary: VocabularyIndex, everyByte: boolean): number | undefined {
  const value = fields.get('unk_token') ?? null
  if (value === null) return undefined
  const unk = fields.string('unk_token')
  return everyByte ? findToken(vocabulary, unk) : tokenId(fields, 'unk_token', vocabulary)
}

function hasEveryByte(vocabulary: VocabularyIndex): boolean {
  return BYTE_CHARACTERS.every((character) => findToken(vocabulary, character) !== undefined)
}
