import { isBracketedMark } from '../bracketed-mark.js'
import type { AddedTokenSpec, PipelineSpec } from '../pipeline-spec.js'
import { TokenKind } from '../token-table.js'
import { TokenTableBuilder } from '../token-table-builder.js'
import { PieceType } from '../tokenizer-spec.js'
import type { Metadata } from './metadata.js'
import type { TokenRole, Vocabulary } from './vocabulary.js'

/** What BERT's tokenizer.json files have. */
const PREFIX = '##'
const MAX_CHARACTERS = 100
const WORD_START = '\u2581'

export interface WordPiece {
  readonly spec: PipelineSpec
  readonly roles: readonly TokenRole[]
}

/**
 * Reads the tokenizer `bert`: WordPiece. The file marks tokens that begin a word with U+2581, where the original marks the
 * others with `##`.
 */
export function readWordPiece(metadata: Metadata, vocabulary: Vocabulary): WordPiece {
  // Old files have `[unused0]` as it is, newer ones with U+2581: a word of the vocabulary like others.
  const roles = vocabulary
    .roles((id) => vocabulary.text(id).startsWith(WORD_START))
    .map((role, id) => (role === 'added' && vocabulary.type(id) === PieceType.NORMAL ? 'text' : role))
  const unkId = idOf(vocabulary, 'unk_token', '[UNK]')
  if (unkId === undefined) {
    throw metadata.error('tokenizer.ggml.unknown_token_id', 'it is missing, and there is no token [UNK]')
  }
  const builder = new TokenTableBuilder()
  const addedTokens: AddedTokenSpec[] = []
  roles.forEach((role, id) => {
    const text = vocabulary.text(id)
    if (role === 'padding' || (text === '' && role !== 'text')) return
    const original = role === 'text' ? originalText(text) : text
    const isReachable = role !== 'unused' && original !== ''
    builder.add(id, isReachable ? TokenKind.MODEL : TokenKind.UNREACHABLE, utf8.encode(original))
    // As in the original, special tokens are part of the vocabulary.
    if (role !== 'text' && role !== 'unused') addedTokens.push(addedToken(id, text, role !== 'added'))
  })
  const lowercase = metadata.boolean('tokenizer.ggml.normalizer.lowercase', !hasCapitals(vocabulary, roles))
  const stripAccents = metadata.boolean('tokenizer.ggml.normalizer.strip_accents', lowercase)
  const spec: PipelineSpec = {
    source: metadata.source,
    semantics: 'huggingface',
    tokens: builder.finish((_, message) => metadata.error('tokenizer.ggml.tokens', message)),
    model: { type: 'wordpiece', unkId, continuingSubwordPrefix: PREFIX, maxCharacters: MAX_CHARACTERS },
    addedTokens,
    normalizers: [
      { type: 'BertNormalizer', cleanText: true, handleChineseChars: true, stripAccents, lowercase },
    ],
    preTokenizers: [{ type: 'BertPreTokenizer' }],
    decoders: [{ type: 'WordPiece', prefix: PREFIX, cleanup: true }],
    postProcessor: readPostProcessor(vocabulary),
  }
  return { spec, roles }
}

function originalText(text: string): string {
  if (text.startsWith(WORD_START)) return text.slice(WORD_START.length)
  return isBracketedMark(text) ? text : PREFIX + text
}

/** `[CLS] A [SEP]`, and behind it `B [SEP]`. */
function readPostProcessor(vocabulary: Vocabulary): PipelineSpec['postProcessor'] {
  const cls = idOf(vocabulary, 'cls_token', '[CLS]') ?? vocabulary.specials.get('bos_token')
  const sep = idOf(vocabulary, 'sep_token', '[SEP]')
  if (cls === undefined || sep === undefined) return undefined
  const single = [{ id: cls }, { text: 'A' as const }, { id: sep }]
  return { single, pair: [...single, { text: 'B' }, { id: sep }], trimOffsets: [] }
}

/** The token with a role, or the one that always has it. */
function idOf(vocabulary: Vocabulary, role: string, name: string): number | undefined {
  const id = vocabulary.specials.get(role)
  if (id !== undefined) return id
  for (let i = 0; i < vocabulary.size; i++) {
    if (vocabulary.type(i) === PieceType.CONTROL && vocabulary.text(i) === name) return i
  }
  return undefined
}

/** Older files do not say whether text is lower-cased. In the vocabulary of a model that does so, nothing is upper case. */
function hasCapitals(vocabulary: Vocabulary, roles: readonly TokenRole[]): boolean {
  return roles.some((role, id) => role === 'text' && /[A-Z]/.test(vocabulary.text(id)))
}

function addedToken(id: number, content: string, special: boolean): AddedTokenSpec {
  return { id, content, singleWord: false, lstrip: false, rstrip: false, normalized: false, special }
}

const utf8 = new TextEncoder()
