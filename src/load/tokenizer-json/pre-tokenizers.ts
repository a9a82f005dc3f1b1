import type { PreTokenizerStep } from '../pipeline-spec.js'
import type { Fields } from './fields.js'
import { readBehavior, readByteLevel, readMetaspace, readPattern } from './shared-fields.js'
import type { Stage } from './steps.js'

export const PRE_TOKENIZERS: Stage<PreTokenizerStep> = {
  name: 'pre_tokenizer',
  children: 'pretokenizers',
  read: new Map<string, (fields: Fields) => PreTokenizerStep>([
    ['ByteLevel', byteLevel],
    ['Split', split],
    ['Metaspace', (fields) => ({ type: 'Metaspace', ...readMetaspace(fields) })],
    ['Whitespace', () => ({ type: 'Whitespace' })],
    ['WhitespaceSplit', () => ({ type: 'WhitespaceSplit' })],
    ['Punctuation', (fields) => ({ type: 'Punctuation', behavior: readBehavior(fields, 'Isolated') })],
    ['Digits', (fields) => ({ type: 'Digits', individual: fields.boolean('individual_digits') })],
    ['BertPreTokenizer', () => ({ type: 'BertPreTokenizer' })],
    ['UnicodeScripts', () => ({ type: 'UnicodeScripts' })],
    [
      'CharDelimiterSplit',
      (fields) => ({ type: 'CharDelimiterSplit', delimiter: fields.character('delimiter') }),
    ],
    ['FixedLength', fixedLength],
  ]),
}

function byteLevel(fields: Fields): PreTokenizerStep {
  const { addPrefixSpace, useRegex } = readByteLevel(fields)
  return { type: 'ByteLevel', addPrefixSpace, useRegex }
}

function split(fields: Fields): PreTokenizerStep {
  const pattern = readPattern(fields)
  return { type: 'Split', pattern, behavior: readBehavior(fields), invert: fields.boolean('invert') }
}

/** Hugging Face panics at a length of 0. */
function fixedLength(fields: Fields): PreTokenizerStep {
  const length = fields.get('length') === undefined ? 5 : fields.count('length')
  if (length === 0) throw fields.error('length', 'a length of at least 1 was expected')
  return { type: 'FixedLength', length }
}
