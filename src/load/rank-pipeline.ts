import type { AddedTokenSpec, NormalizerStep, PipelineSpec, TextPattern } from './pipeline-spec.js'
import type { TokenTable } from './token-table.js'

/** The pipeline that every tokenizer with ranks has: split by a pattern, then merge bytes. */
export function rankPipeline(
  source: string,
  tokens: TokenTable,
  pattern: TextPattern,
  specialTokens: readonly (readonly [string, number])[],
  normalizers: readonly NormalizerStep[] = [],
): PipelineSpec {
  return {
    source,
    semantics: 'tiktoken',
    tokens,
    model: {
      type: 'bpe',
      alphabet: 'bytes',
      merges: 'ranks',
      ignoreMerges: true,
      byteFallback: false,
      fuseUnk: false,
      unkId: undefined,
      continuingSubwordPrefix: '',
      endOfWordSuffix: '',
    },
    addedTokens: specialTokens.map(
      ([content, id]): AddedTokenSpec => ({
        id,
        content,
        singleWord: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      }),
    ),
    normalizers,
    preTokenizers: [{ type: 'Split', pattern, behavior: 'removed', invert: true }],
    decoders: [{ type: 'ByteLevel' }],
    postProcessor: undefined,
  }
}
