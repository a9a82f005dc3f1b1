import type { AddedTokenSpec, PipelineSpec } from '../pipeline-spec.js'
import { TokenKind } from '../token-table.js'
import { TokenTableBuilder } from '../token-table-builder.js'
import { PieceType } from '../tokenizer-spec.js'
import { indexTokens, readMerges } from './merges.js'
import type { Metadata } from './metadata.js'
import { pieceTexts, unknownId } from './sentencepiece.js'
import { readTemplate } from './template.js'
import type { TokenRole, Vocabulary } from './vocabulary.js'

export interface ByteFallback {
  readonly spec: PipelineSpec
  readonly roles: readonly TokenRole[]
}

/**
 * Reads the tokenizer `gemma4`: merges over characters, with U+2581 for spaces and `<0x..>` for characters that have no
 * token, as the tokenizer.json of Gemma has them.
 */
export function readByteFallback(metadata: Metadata, vocabulary: Vocabulary): ByteFallback {
  const isAdded = Uint8Array.from({ length: vocabulary.size }, (_, id) =>
    vocabulary.type(id) === PieceType.USER_DEFINED ? PieceType.USER_DEFINED : PieceType.NORMAL,
  )
  const texts = { count: vocabulary.size, ...pieceTexts(vocabulary, isAdded) }
  const merges = readMerges(metadata, indexTokens(metadata, texts))
  const inMerges = new Uint8Array(vocabulary.size)
  for (const id of merges) inMerges[id] = 1
  const emits = (id: number) => inMerges[id] === 1 || [...vocabulary.text(id)].length === 1
  const roles = vocabulary.roles(emits)

  const builder = new TokenTableBuilder()
  const addedTokens: AddedTokenSpec[] = []
  roles.forEach((role, id) => {
    const bytes = texts.bytes.subarray(texts.offsets[id], texts.offsets[id + 1])
    const inModel = role === 'text' || role === 'byte' || emits(id)
    if (role === 'padding') return
    if (role === 'unused') builder.add(id, TokenKind.UNREACHABLE, bytes)
    else builder.add(id, inModel ? TokenKind.MODEL : TokenKind.ADDED, bytes)
    if (role === 'control' || role === 'unknown' || role === 'added') {
      const content = new TextDecoder().decode(bytes)
      const flags = { singleWord: false, lstrip: false, rstrip: false, normalized: false }
      addedTokens.push({ id, content, ...flags, special: role !== 'added' })
    }
  })
  const spec: PipelineSpec = {
    source: metadata.source,
    semantics: 'huggingface',
    tokens: builder.finish((_, message) => metadata.error('tokenizer.ggml.tokens', message)),
    model: {
      type: 'bpe',
      alphabet: 'characters',
      merges,
      ignoreMerges: false,
      byteFallback: true,
      fuseUnk: true,
      unkId: unknownId(vocabulary),
      continuingSubwordPrefix: '',
      endOfWordSuffix: '',
    },
    addedTokens,
    normalizers: [{ type: 'Replace', pattern: { literal: ' ' }, content: '\u2581' }],
    preTokenizers: [],
    decoders: [
      { type: 'Replace', pattern: { literal: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
    ],
    postProcessor: readTemplate(metadata, vocabulary, { addBos: true }),
  }
  return { spec, roles }
}
