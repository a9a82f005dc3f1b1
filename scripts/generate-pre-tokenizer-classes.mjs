// Writes native/core/pre_tokenizer_classes.inc: the characters that the pre-tokenizers Punctuation and Digits look for,
// read off the reference itself, Hugging Face `tokenizers` (one table is of Unicode 8, the other of Unicode 17).
//   node scripts/generate-pre-tokenizer-classes.mjs [--check]   --check writes nothing, and fails when the file differs
import { rangesOf, reference, table, writeTables } from './code-point-tables.mjs'

/** Runs of the characters that the pre-tokenizer parts from their neighbours. */
const partedBy = (preTokenizer) =>
  rangesOf((_, character) => preTokenizer.preTokenizeString(`a${character}a`).length === 3)

writeTables('generate-pre-tokenizer-classes.mjs', 'pre_tokenizer_classes.inc', [
  table('CodePointRange', 'kPunctuation', partedBy(reference.punctuationPreTokenizer())),
  table('CodePointRange', 'kNumeric', partedBy(reference.digitsPreTokenizer(true))),
])
