import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../src/errors.js'
import { readSentencePieceModel } from '../../src/load/sentencepiece-model.js'
import { PieceType, pieceText } from '../../src/load/tokenizer-spec.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { bytePieces, modelBytes, type PieceInput } from '../fixtures/model-bytes.js'

const UNK: PieceInput = ['<unk>', 0, PieceType.UNKNOWN]

function errorOf(bytes: Uint8Array): Error & { where?: string; file?: string } {
  try {
    Tokenizer.from(bytes)
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

describe('a sound model', () => {
  it('is read field by field', () => {
    const spec = readSentencePieceModel(
      readFileSync(path.join(defaultModelPath(), 'tokenizer.model')),
      'mini',
    )
    expect(spec).toMatchObject({
      source: 'mini',
      model: 'bpe',
      semantics: 'sentencepiece',
      byteFallback: true,
      unkSurface: ' ⁇ ',
      normalizer: {
        addDummyPrefix: true,
        removeExtraWhitespaces: false,
        escapeWhitespaces: true,
        treatWhitespaceAsSuffix: false,
      },
    })
    expect(spec.pieces.types).toHaveLength(8000)
    expect([0, 1, 2, 3, 258].map((id) => pieceText(spec.pieces, id))).toEqual([
      '<unk>',
      '<s>',
      '</s>',
      '<0x00>',
      '<0xFF>',
    ])
  })

  it('may leave out every optional field', () => {
    // A piece with nothing but its text, and a trainer spec with nothing but the model type.
    const bytes = Uint8Array.of(
      0x0a,
      7,
      0x0a,
      3,
      0x75,
      0x6e,
      0x6b,
      0x18,
      2,
      0x0a,
      3,
      0x0a,
      1,
      0x61,
      0x12,
      2,
      0x18,
      2,
    )
    const spec = readSentencePieceModel(bytes, 'tiny')
    expect(spec.normalizer).toEqual({
      charsmap: new Uint8Array(),
      addDummyPrefix: true,
      removeExtraWhitespaces: true,
      escapeWhitespaces: true,
      treatWhitespaceAsSuffix: false,
    })
    expect([...spec.pieces.types]).toEqual([2, 1])
    expect([...Tokenizer.from(bytes).encode(' a')]).toEqual([0, 1])
  })
})

describe('a malformed model', () => {
  const good = modelBytes([UNK, ['a', -1], ['b', -2], ['ab', -3]])

  it('is refused wherever it is cut off, but for a place between two fields', () => {
    const accepted: number[] = []
    for (let length = 0; length < good.length; length++) {
      try {
        Tokenizer.from(good.subarray(0, length)).encode('ab')
        accepted.push(length)
      } catch (error) {
        const sound = error instanceof TokenizerFileError || error instanceof UnsupportedTokenizerError
        expect(sound, `${length}: ${error}`).toBe(true)
      }
    }
    // Behind each piece, and before the normalizer's fields: what is left out has default values.
    expect(accepted).toEqual([16, 28, 40, 53, good.length - 6])
  })

  it('says what is wrong and where', () => {
    const error = errorOf(good.subarray(0, 20))
    expect(error).toBeInstanceOf(TokenizerFileError)
    expect(error.file).toBe('<bytes>')
    expect(error.where).toMatch(/^pieces\[1\], byte \d+$/)
    expect(error.message).toMatch(/bytes were announced, but only \d+ are left/)
  })

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /there are no pieces/],
    ['text', new TextEncoder().encode('hello world, this is no model'), /./],
    [
      'a wrong wire type',
      Uint8Array.of(0x0a, 2, 0x08, 1),
      /a length-delimited value was expected, not a varint one/,
    ],
    ['a huge length', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f), /4294967295 bytes were announced/],
    ['an endless varint', new Uint8Array(40).fill(0xff), /./],
    ['a field past its message', Uint8Array.of(0x0a, 3, 0x0a, 5, 0x61, 0x61, 0x61, 0x61, 0x61), /./],
    ['an empty piece', modelBytes([UNK, ['', 0]]), /pieces\[1\].piece/],
    [
      'a type that does not exist',
      modelBytes([UNK, ['a', 0, 9]]),
      /a number from 1 to 6 was expected, not 9/,
    ],
    ['a repeated piece', modelBytes([UNK, ['a', 0], ['a', -1]]), /pieces\[2\]: the piece a stands twice/],
    ['a score that is no number', modelBytes([UNK, ['a', Number.NaN]]), /the score is not a number/],
    ['no unknown piece', modelBytes([['a', 0]]), /there is no unknown piece/],
    ['two unknown pieces', modelBytes([UNK, ['u', 0, PieceType.UNKNOWN]]), /a second unknown piece/],
    ['byte pieces without byte fallback', modelBytes([UNK, ...bytePieces()]), /byte_fallback is false/],
    [
      'a missing byte piece',
      modelBytes([UNK, ...bytePieces().slice(1)], { byteFallback: true }),
      /the piece of byte 0 is missing/,
    ],
    [
      'a byte piece without a byte',
      modelBytes([UNK, ['<0x1>', 0, PieceType.BYTE]], { byteFallback: true }),
      /not of the form/,
    ],
    [
      'a broken charsmap',
      modelBytes([UNK, ['a', 0]], { charsmap: Uint8Array.of(1) }),
      /precompiled_charsmap: it is cut short/,
    ],
    ['a piece without end', modelBytes([UNK, ['a'.repeat(5000), 0]]), /5000 bytes; at most 1024/],
  ])('%s', (_, bytes, message) => {
    const error = errorOf(bytes)
    expect(error).toBeInstanceOf(TokenizerFileError)
    expect(error.message).toMatch(message)
  })

  it('refuses pieces that are not UTF-8', () => {
    const bytes = modelBytes([UNK, ['aa', -1]])
    bytes[bytes.indexOf(0x61)] = 0xff
    expect(errorOf(bytes).message).toMatch(/pieces\[1\]: the piece is not valid UTF-8/)
  })
})

describe('what this version cannot reproduce', () => {
  it.each([0, 5, 77])('is refused by name: model type %i', (modelType) => {
    const error = errorOf(modelBytes([UNK, ['a', 0]], { modelType }))
    expect(error).toBeInstanceOf(UnsupportedTokenizerError)
    expect(error.message).toContain(`model_type number ${modelType}`)
  })
})
