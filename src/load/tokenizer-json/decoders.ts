import type { DecoderStep } from '../pipeline-spec.js'
import type { Fields } from './fields.js'
import { readByteLevel, readMetaspace, readPattern } from './shared-fields.js'
import type { Stage } from './steps.js'

export const DECODERS: Stage<DecoderStep> = {
  name: 'decoder',
  children: 'decoders',
  read: new Map<string, (fields: Fields) => DecoderStep>([
    ['ByteLevel', byteLevel],
    ['Metaspace', metaspace],
    ['BPEDecoder', (fields) => ({ type: 'BPEDecoder', suffix: fields.string('suffix') })],
    [
      'WordPiece',
      (fields) => ({
        type: 'WordPiece',
        prefix: fields.string('prefix'),
        cleanup: fields.boolean('cleanup'),
      }),
    ],
    ['CTC', ctc],
    ['ByteFallback', () => ({ type: 'ByteFallback' })],
    ['Fuse', () => ({ type: 'Fuse' })],
    ['Strip', strip],
    [
      'Replace',
      (fields) => ({ type: 'Replace', pattern: readPattern(fields), content: fields.string('content') }),
    ],
  ]),
}

/** Its fields make no difference to a decoder. */
function byteLevel(fields: Fields): DecoderStep {
  readByteLevel(fields)
  return { type: 'ByteLevel' }
}

function metaspace(fields: Fields): DecoderStep {
  const { replacement, prepend } = readMetaspace(fields)
  return { type: 'Metaspace', replacement, prepend }
}

function ctc(fields: Fields): DecoderStep {
  return {
    type: 'CTC',
    padToken: fields.string('pad_token'),
    wordDelimiterToken: fields.string('word_delimiter_token'),
    cleanup: fields.boolean('cleanup'),
  }
}

function strip(fields: Fields): DecoderStep {
  const content = fields.character('content')
  return { type: 'Strip', content, start: fields.integer('start'), stop: fields.integer('stop') }
}
