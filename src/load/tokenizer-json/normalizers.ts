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
