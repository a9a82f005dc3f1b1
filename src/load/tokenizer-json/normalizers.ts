import { decodeBase64 } from '../base64.js'
import type { NormalizerStep } from '../pipeline-spec.js'
import type { Fields } from './fields.js'
import { readPattern } from './shared-fields.js'
import type { Stage } from './steps.js'

export const NORMALIZERS: Stage<NormalizerStep> = {
  name: 'normalizer',
  children: 'normalizers',
  read: new Map<string, (fields: Fields) => NormalizerStep>([
    ['NFC', () => ({ type: 'NFC' })],
    ['NFD', () => ({ type: 'NFD' })],
    ['NFKC', () => ({ type: 'NFKC' })],
    ['NFKD', () => ({ type: 'NFKD' })],
    ['Lowercase', () => ({ type: 'Lowercase' })],
    ['StripAccents', () => ({ type: 'StripAccents' })],
    ['ByteLevel', () => ({ type: 'ByteLevel' })],
    ['Nmt', () => ({ type: 'Nmt' })],
    ['Precompiled', precompiled],
    ['BertNormalizer', bertNormalizer],
    [
      'Strip',
      (fields) => ({
        type: 'Strip',
        left: fields.boolean('strip_left'),
        right: fields.boolean('strip_right'),
      }),
    ],
    ['Prepend', (fields) => ({ type: 'Prepend', text: fields.string('prepend') })],
    [
      'Replace',
      (fields) => ({ type: 'Replace', pattern: readPattern(fields), content: fields.string('content') }),
    ],
  ]),
}

function precompiled(fields: Fields): NormalizerStep {
  const text = new TextEncoder().encode(fields.string('precompiled_charsmap'))
  const charsmap = new Uint8Array(text.length)
  const length = decodeBase64(text, 0, text.length, charsmap)
  if (length < 0) throw fields.error('precompiled_charsmap', 'base64 was expected')
  return { type: 'Precompiled', charsmap: charsmap.subarray(0, length) }
}

/** Accents are stripped as `lowercase` says where `strip_accents` is null. */
function bertNormalizer(fields: Fields): NormalizerStep {
  const lowercase = fields.boolean('lowercase')
  const accents = fields.get('strip_accents') ?? null
  return {
    type: 'BertNormalizer',
    cleanText: fields.boolean('clean_text'),
    handleChineseChars: fields.boolean('handle_chinese_chars'),
    stripAccents: accents === null ? lowercase : fields.boolean('strip_accents'),
    lowercase,
  }
}
