import type binding from '../../binding.cjs'
import type { ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { TokenKind, type TokenTable } from '../load/token-table.js'

/** Whether the words that the model encodes are bytes, and so its tokens. */
export function seesBytes(model: ModelSpec): boolean {
  return model.type === 'bpe' && model.alphabet === 'bytes'
}

/** The model as the addon takes it. */
export function nativeModel(model: ModelSpec): binding.NativeModel {
  if (model.type !== 'bpe') return model
  return {
    type: model.type,
    bytes: seesBytes(model),
    byRank: model.merges === 'ranks',
    merges: model.merges === 'ranks' ? new Uint32Array() : model.merges,
    ignoreMerges: model.ignoreMerges,
    byteFallback: model.byteFallback,
    fuseUnk: model.fuseUnk,
    unkId: model.unkId,
    continuingSubwordPrefix: model.continuingSubwordPrefix,
    endOfWordSuffix: model.endOfWordSuffix,
  }
}

/** Ids without which some text cannot be written: unk, where it is needed, and the tokens of single bytes. */
export function neededIds(spec: PipelineSpec): Set<number> {
  const { kinds, offsets } = spec.tokens
  const unk = neededUnk(spec)
  const ids = new Set(unk === undefined ? [] : [unk])
  if (!seesBytes(spec.model)) return ids
  for (let id = 0; id < kinds.length; id++) {
    if (kinds[id] === TokenKind.MODEL && offsets[id + 1] === (offsets[id] as number) + 1) ids.add(id)
  }
  return ids
}

/** The id of unk, when some text can only be written with it: it cannot be reserved then. */
export function neededUnk(spec: PipelineSpec): number | undefined {
  return needsUnk(spec.model, spec.tokens) ? spec.model.unkId : undefined
}

/** Whether some text can only be written with unk. WordPiece and WordLevel write every unknown word with it. */
function needsUnk(model: ModelSpec, tokens: TokenTable): boolean {
  if (model.type === 'wordpiece' || model.type === 'wordlevel') return true
  if (model.type === 'unigram' || model.alphabet === 'characters') {
    return !model.byteFallback || lacksOne(tokens, BYTE_TOKENS)
  }
  const { continuingSubwordPrefix: prefix, endOfWordSuffix: suffix } = model
  const forms = (byte: string): string[] => [byte, prefix + byte, byte + suffix, prefix + byte + suffix]
  return lacksOne(tokens, BYTES.flatMap(forms))
}

/** Bytes as characters, and the tokens of byte fallback. */
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
const BYTE_TOKENS = BYTES.map((_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)

/** With longer affixes nothing is looked up. */
const MOST_SPELLED = 1024

/** Whether one of these, a character for each byte, is no token of the model. */
function lacksOne(tokens: TokenTable, spellings: readonly string[]): boolean {
  const wanted = new Set(spellings)
  const longest = Math.max(...spellings.map(({ length }) => length))
  if (longest > MOST_SPELLED) return true
  for (let id = 0; id < tokens.kinds.length && wanted.size > 0; id++) {
    const start = tokens.offsets[id] as number
    const end = tokens.offsets[id + 1] as number
    if (tokens.kinds[id] !== TokenKind.MODEL || end - start > longest) continue
    wanted.delete(String.fromCharCode(...tokens.bytes.subarray(start, end)))
  }
  return wanted.size > 0
}
