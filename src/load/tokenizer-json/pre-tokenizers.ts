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
