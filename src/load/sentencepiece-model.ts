import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import { PieceType, type TokenizerSpec } from './tokenizer-spec.js'

/** The values of `model_type`, from 1 on. */
const MODELS = ['unigram', 'bpe', 'word', 'char'] as const
/** Each unknown id decodes to it: a long one would turn a few ids into gigabytes. */
const MAX_UNK_SURFACE = 1024
const WIRE_TYPES = ['varint', '64-bit', 'length-delimited', 'start group', 'end group', '32-bit'] as const

/** The fields of `sentencepiece_model.proto` that decide about ids, with its default values. */
interface Fields {
  modelType: number
  byteFallback: boolean
  treatWhitespaceAsSuffix: boolean
  unkSurface: string
  charsmap: Uint8Array
  denormalizerCharsmap: number
  addDummyPrefix: boolean
  removeExtraWhitespaces: boolean
  escapeWhitespaces: boolean
}

/**
 * Reads a SentencePiece `.model` file (protobuf `sentencepiece.ModelProto`).
 *
 * @param bytes the whole file; it is only read
 * @param source its name, for messages
 * @throws TokenizerFileError when the file is not a well-formed model; `where` names the field and the byte
 * @throws UnsupportedTokenizerError for models of an unknown type, or with rules for decoded text
 *
 * Source of behaviour: SentencePiece 0.2 (`sentencepiece_model.proto`, `model_interface.cc`). The rules for
 * pieces (no empty or repeated piece, one unknown piece, 256 byte pieces) are checked when the model is
 * compiled.
 */
export function readSentencePieceModel(bytes: Uint8Array, source: string): TokenizerSpec {
  const file = new ModelFile(bytes, source)
  const fields: Fields = {
    modelType: 1,
    byteFallback: false,
    treatWhitespaceAsSuffix: false,
    unkSurface: ' \u2047 ',
    charsmap: new Uint8Array(),
    denormalizerCharsmap: 0,
    addDummyPrefix: true,
    removeExtraWhitespaces: true,
    escapeWhitespaces: true,
  }
  const pieces = new PieceTableBuilder(bytes.length)

  file.message('model', (field) => {
    if (field === 1) readPiece(file, pieces)
    else if (field === 2) readTrainerSpec(file, fields)
    else if (field === 3) readNormalizerSpec(file, fields)
    else if (field === 5) readDenormalizerSpec(file, fields)
    else return false
    return true
  })

  if (pieces.count === 0) throw file.error('pieces', 'there are no pieces: this is not a SentencePiece model')
  const model = MODELS[fields.modelType - 1]
  if (model === undefined) {
    throw new UnsupportedTokenizerError(
      source,
      `model_type number ${fields.modelType}`,
      'known are 1 to 4: Unigram, BPE, words and characters',
    )
  }
  if (fields.denormalizerCharsmap > 0) {
    throw new UnsupportedTokenizerError(
      source,
      'denormalizer_spec.precompiled_charsmap',
      'rules for decoded text are not supported by this version',
    )
  }
  return {
    source,
    model,
    semantics: 'sentencepiece',
    pieces: pieces.finish(),
    normalizer: {
      charsmap: fields.charsmap,
      addDummyPrefix: fields.addDummyPrefix,
      removeExtraWhitespaces: fields.removeExtraWhitespaces,
      escapeWhitespaces: fields.escapeWhitespaces,
      treatWhitespaceAsSuffix: fields.treatWhitespaceAsSuffix,
    },
    byteFallback: fields.byteFallback,
    unkSurface: fields.unkSurface,
  }
}

function readPiece(file: ModelFile, pieces: PieceTableBuilder): void {
  let text: Uint8Array | undefined
  let score = 0
  let type: number = PieceType.NORMAL
  file.message(`pieces[${pieces.count}]`, (field) => {
    if (field === 1) text = file.bytes('piece')
    else if (field === 2) score = file.float('score')
    else if (field === 3) type = file.varint('type')
    else return false
    return true
  })
  if (text === undefined || text.length === 0) {
    throw file.error(`pieces[${pieces.count}].piece`, 'a piece must not be empty')
  }
  if (type < PieceType.NORMAL || type > PieceType.BYTE) {
    throw file.error(`pieces[${pieces.count}].type`, `a number from 1 to 6 was expected, not ${type}`)
  }
  pieces.add(text, score, type)
}

function readTrainerSpec(file: ModelFile, fields: Fields): void {
  file.message('trainer_spec', (field) => {
    if (field === 3) fields.modelType = file.varint('model_type')
    else if (field === 24) fields.treatWhitespaceAsSuffix = file.bool('treat_whitespace_as_suffix')
    else if (field === 35) fields.byteFallback = file.bool('byte_fallback')
    else if (field === 44) fields.unkSurface = file.string('unk_surface')
    else return false
    return true
  })
  if (fields.unkSurface.length > MAX_UNK_SURFACE) {
    throw file.error(
      'trainer_spec.unk_surface',
      `it has ${fields.unkSurface.length} characters; at most ${MAX_UNK_SURFACE} are supported`,
    )
  }
}

function readNormalizerSpec(file: ModelFile, fields: Fields): void {
  file.message('normalizer_spec', (field) => {
    if (field === 2) fields.charsmap = Uint8Array.from(file.bytes('precompiled_charsmap'))
    else if (field === 3) fields.addDummyPrefix = file.bool('add_dummy_prefix')
    else if (field === 4) fields.removeExtraWhitespaces = file.bool('remove_extra_whitespaces')
    else if (field === 5) fields.escapeWhitespaces = file.bool('escape_whitespaces')
    else return false
    return true
  })
}

function readDenormalizerSpec(file: ModelFile, fields: Fields): void {
  file.message('denormalizer_spec', (field) => {
    if (field !== 2) return false
    fields.denormalizerCharsmap = file.bytes('precompiled_charsmap').length
    return true
  })
}

/** A protobuf reader that knows where it is, so that each failure can say so. */
class ModelFile {
  readonly #reader: BinaryReader
  readonly #source: string
  #end: number
  #path = ''
  #wireType: WireType = WireType.LengthDelimited

  constructor(bytes: Uint8Array, source: string) {
    this.#reader = new BinaryReader(bytes)
    this.#source = source
    this.#end = bytes.length
  }

  /** `at`: the byte, by default where the reader stands. */
  error(where: string, message: string, at: number = this.#reader.pos, cause?: unknown): TokenizerFileError {
    return new TokenizerFileError(this.#source, `${where}, byte ${at}`, message, { cause })
  }

  /**
   * Reads a message: the whole file the first time, a field's value inside another. `read` consumes a field
   * and gives true, or leaves it and gives false.
   */
  message(path: string, read: (field: number) => boolean): void {
    const outerEnd = this.#end
    const outerPath = this.#path
    if (outerPath !== '') {
      this.#expect(path, WireType.LengthDelimited)
      const length = this.#guard(path, () => this.#reader.uint32())
      if (length > outerEnd - this.#reader.pos) {
        throw this.error(
          path,
          `${length} bytes were announced, but only ${outerEnd - this.#reader.pos} are left`,
        )
      }
      this.#end = this.#reader.pos + length
    }
    this.#path = path
    while (this.#reader.pos < this.#end) {
      const [field, wireType] = this.#guard(path, () => this.#reader.tag())
      this.#wireType = wireType
      if (wireType === WireType.EndGroup) throw this.error(path, 'a group ends that never began')
      if (!read(field)) this.#guard(path, () => this.#reader.skip(wireType, field))
      if (this.#reader.pos > this.#end) throw this.error(path, 'a field runs past the end of its message')
    }
    this.#end = outerEnd
    this.#path = outerPath
  }

  bytes(field: string): Uint8Array {
    this.#expect(`${this.#path}.${field}`, WireType.LengthDelimited)
    return this.#guard(`${this.#path}.${field}`, () => this.#reader.bytes())
  }

  string(field: string): string {
    this.#expect(`${this.#path}.${field}`, WireType.LengthDelimited)
    return this.#guard(`${this.#path}.${field}`, () => this.#reader.string(true))
  }

  float(field: string): number {
    this.#expect(`${this.#path}.${field}`, WireType.Bit32)
    return this.#guard(`${this.#path}.${field}`, () => this.#reader.float())
  }

  varint(field: string): number {
    this.#expect(`${this.#path}.${field}`, WireType.Varint)
    return this.#guard(`${this.#path}.${field}`, () => this.#reader.int32())
  }

  bool(field: string): boolean {
    this.#expect(`${this.#path}.${field}`, WireType.Varint)
    return this.#guard(`${this.#path}.${field}`, () => this.#reader.bool())
  }

  #expect(where: string, wireType: WireType): void {
    if (this.#wireType !== wireType) {
      throw this.error(
        where,
        `a ${WIRE_TYPES[wireType]} value was expected, not a ${WIRE_TYPES[this.#wireType]} one`,
      )
    }
  }

  /** Turns the protobuf library's errors (a varint too long, the end of the file) into ours. */
  #guard<T>(where: string, read: () => T): T {
    const start = this.#reader.pos // a failed read may leave the reader far behind the end of the file
    try {
      return read()
    } catch (cause) {
      const reason =
        cause instanceof RangeError
          ? 'the file ends too early'
          : cause instanceof TypeError
            ? 'the string is not valid UTF-8'
            : (cause as Error).message
      throw this.error(where, reason, start, cause)
    }
  }
}

/** Gathers pieces into flat tables that grow by doubling. */
class PieceTableBuilder {
  count = 0
  readonly #bytes: Uint8Array
  #length = 0
  #offsets = new Uint32Array(1024)
  #scores = new Float32Array(1024)
  #types = new Uint8Array(1024)

  /** `capacity`: the pieces' text is shorter than the file that holds it. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  add(text: Uint8Array, score: number, type: number): void {
    if (this.count + 1 >= this.#offsets.length) this.#grow()
    this.#bytes.set(text, this.#length)
    this.#length += text.length
    this.#scores[this.count] = score
    this.#types[this.count] = type
    this.count++
    this.#offsets[this.count] = this.#length
  }

  finish(): TokenizerSpec['pieces'] {
    return {
      bytes: this.#bytes.slice(0, this.#length),
      offsets: this.#offsets.slice(0, this.count + 1),
      scores: this.#scores.slice(0, this.count),
      types: this.#types.slice(0, this.count),
    }
  }

  #grow(): void {
    const size = this.#offsets.length * 2
    const offsets = new Uint32Array(size)
    offsets.set(this.#offsets)
    this.#offsets = offsets
    const scores = new Float32Array(size)
    scores.set(this.#scores)
    this.#scores = scores
    const types = new Uint8Array(size)
    types.set(this.#types)
    this.#types = types
  }
}
