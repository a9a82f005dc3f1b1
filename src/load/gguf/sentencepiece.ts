import { TokenIndex } from '../tokenizer-json/token-index.js'
import { PieceType, type TokenizerSpec } from '../tokenizer-spec.js'
import type { Metadata } from './metadata.js'
import { readTemplate } from './template.js'
import type { TokenRole, Vocabulary } from './vocabulary.js'

const TYPES: Readonly<Record<TokenRole, number>> = {
  text: PieceType.NORMAL,
  control: PieceType.CONTROL,
  unknown: PieceType.CONTROL, // there is one unknown piece; others of its type are names without a use
  added: PieceType.USER_DEFINED,
  byte: PieceType.BYTE,
  unused: PieceType.UNUSED,
  padding: PieceType.UNUSED,
}

export interface SentencePiece {
  readonly spec: TokenizerSpec
  readonly roles: readonly TokenRole[]
}

/** What the two tokenizers differ in; `addEos` and the like hold where the file does not say. */
const KINDS = {
  llama: { model: 'bpe', emits: mergesOf, addDummyPrefix: true, addBos: true, addEos: false },
  t5: { model: 'unigram', emits: trainedOf, addDummyPrefix: false, addBos: false, addEos: true },
} as const

/**
 * Reads the tokenizers `llama` and `t5`: SentencePiece BPE and Unigram, with the pieces, scores and types of a `.model`
 * file, to which added tokens of a tokenizer_config.json were appended.
 */
export function readSentencePiece(
  metadata: Metadata,
  vocabulary: Vocabulary,
  kind: 'llama' | 't5',
): SentencePiece {
  const { model, emits, addDummyPrefix, addBos, addEos } = KINDS[kind]
  const scores = metadata.numbers('tokenizer.ggml.scores', vocabulary.size)
  const roles = vocabulary.roles(emits(vocabulary, scores)).map((role, id) => {
    if (isUntypedByte(vocabulary, id, role)) return 'byte'
    return role === 'text' && model === 'unigram' && scores[id] === 0 ? 'added' : role
  })
  const types = Uint8Array.from(roles, (role) => TYPES[role])
  const unknown = unknownId(vocabulary)
  if (unknown === undefined) {
    throw metadata.error(
      'tokenizer.ggml.unknown_token_id',
      'it is missing, and no token has the type unknown',
    )
  }
  types[unknown] = PieceType.UNKNOWN
  const spec: TokenizerSpec = {
    source: metadata.source,
    model,
    semantics: 'sentencepiece',
    pieces: { ...pieceTexts(vocabulary, types), scores: Float32Array.from(scores), types },
    normalizer: {
      charsmap: readCharsmap(metadata),
      addDummyPrefix: metadata.boolean('tokenizer.ggml.add_space_prefix', addDummyPrefix),
      removeExtraWhitespaces: metadata.boolean('tokenizer.ggml.remove_extra_whitespaces', false),
      escapeWhitespaces: true,
      treatWhitespaceAsSuffix: false,
    },
    byteFallback: types.includes(PieceType.BYTE),
    unkSurface: ' \u2047 ',
    postProcessor: readTemplate(metadata, vocabulary, { addBos, addEos }),
  }
  return { spec, roles }
}

/** Converters write its bytes with or without a sign. */
function readCharsmap(metadata: Metadata): Uint8Array {
  const key = 'tokenizer.ggml.precompiled_charsmap'
  const numbers = metadata.optionalNumbers(key) ?? new Float64Array()
  const wrong = numbers.findIndex((byte) => !Number.isInteger(byte) || byte < -128 || byte > 255)
  if (wrong >= 0) throw metadata.error(key, `number ${wrong}: a byte was expected, not ${numbers[wrong]}`)
  return Uint8Array.from(numbers)
}

/** Old files have no types. */
function isUntypedByte(vocabulary: Vocabulary, id: number, role: TokenRole): boolean {
  const isNormal = role === 'added' && vocabulary.type(id) === PieceType.NORMAL
  return isNormal && /^<0x[0-9A-F]{2}>$/.test(vocabulary.text(id))
}

/**
 * Whether a piece may come of merges: it is one character, or two other pieces in a row. Pieces that a `.model` file calls
 * user-defined come with the type of normal ones; a mark that no merge gives is told apart by this.
 */
function mergesOf(vocabulary: Vocabulary): (id: number) => boolean {
  const { bytes, offsets } = vocabulary.tokens
  let index: TokenIndex | undefined
  return (id) => {
    index ??= textPieces(vocabulary)
    const start = offsets[id] as number
    const end = offsets[id + 1] as number
    let characters = 1
    for (let i = start + 1; i < end; i++) {
      if (((bytes[i] as number) & 0xc0) === 0x80) continue // inside a character
      characters++
      if (index.find(bytes, start, i) >= 0 && index.find(bytes, i, end) >= 0) return true
    }
    return characters === 1
  }
}

/**
 * Whether a piece of a Unigram model was found by training: scores are logarithms of probabilities then, and 0 for all
 * other pieces. So user-defined ones are known that come with the type of normal ones.
 */
function trainedOf(vocabulary: Vocabulary, scores: Float64Array): (id: number) => boolean {
  return (id) => vocabulary.type(id) === PieceType.NORMAL && scores[id] !== 0
}

function textPieces(vocabulary: Vocabulary): TokenIndex {
  const { bytes, offsets } = vocabulary.tokens
  const index = new TokenIndex()
  for (let id = 0; id < vocabulary.size; id++) {
    const type = vocabulary.type(id)
    if (type === PieceType.CONTROL || type === PieceType.UNKNOWN || type === PieceType.BYTE) continue
    index.add(bytes, offsets[id] as number, offsets[id + 1] as number, id)
  }
  return index
}

/** Flags lie: Phi-3's `<unk>` is typed as control, and its padding as unknown. */
export function unknownId(vocabulary: Vocabulary): number | undefined {
  const named = vocabulary.specials.get('unk_token')
  if (named !== undefined) return named
  for (let id = 0; id < vocabulary.size; id++) if (vocabulary.type(id) === PieceType.UNKNOWN) return id
  return undefined
}

/**
 * Texts as a `.model` file has them: converters write spaces into added tokens, where SentencePiece sees U+2581. An empty
 * token, which it does not know, gets the name that llama.cpp gives it.
 */
export function pieceTexts(
  vocabulary: Vocabulary,
  types: Uint8Array,
): { readonly bytes: Uint8Array; readonly offsets: Uint32Array } {
  const replaced = new Map<number, Uint8Array>()
  for (let id = 0; id < vocabulary.size; id++) {
    const text = types[id] === PieceType.USER_DEFINED ? vocabulary.text(id) : undefined
    if (text?.includes(' ')) replaced.set(id, utf8.encode(text.replaceAll(' ', '\u2581')))
    else if (vocabulary.tokens.offsets[id] === vocabulary.tokens.offsets[id + 1]) {
      types[id] = PieceType.UNUSED
      replaced.set(id, utf8.encode(`[EMPTY_${id}]`))
    }
  }
  return replaced.size === 0 ? vocabulary.tokens : withTexts(vocabulary, replaced)
}

function withTexts({ tokens }: Vocabulary, replaced: ReadonlyMap<number, Uint8Array>) {
  const offsets = new Uint32Array(tokens.count + 1)
  const text = (id: number): Uint8Array =>
    replaced.get(id) ?? tokens.bytes.subarray(tokens.offsets[id], tokens.offsets[id + 1])
  for (let id = 0; id < tokens.count; id++) offsets[id + 1] = (offsets[id] as number) + text(id).length
  const bytes = new Uint8Array(offsets[tokens.count] as number)
  for (let id = 0; id < tokens.count; id++) bytes.set(text(id), offsets[id])
  return { bytes, offsets }
}

const utf8 = new TextEncoder()
