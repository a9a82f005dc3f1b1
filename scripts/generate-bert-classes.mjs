// Writes native/core/normalization/bert_classes.inc: the characters that BertNormalizer removes, read off the reference
// itself, Hugging Face `tokenizers` (its table of categories is of Unicode 8).
//   node scripts/generate-bert-classes.mjs [--check]   --check writes nothing, and fails when the file differs
import { rangesOf, reference, table, writeTables } from './code-point-tables.mjs'

const NONE = { cleanText: false, handleChineseChars: false, stripAccents: false, lowercase: false }

/** Runs of the characters that the normalizer with one option removes. */
function removedWith(option) {
  const normalizer = reference.bertNormalizer({ ...NONE, ...option })
  return rangesOf((_, character) => normalizer.normalizeString(`a${character}b`) === 'ab')
}

writeTables('generate-bert-classes.mjs', 'normalization/bert_classes.inc', [
  table('CodePointRange', 'kControls', removedWith({ cleanText: true })),
  table('CodePointRange', 'kNonspacingMarks', removedWith({ stripAccents: true })),
])
