import type binding from '../../binding.cjs'
import type { AddedTokenSpec, ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
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
  for (const { id } of spec.addedTokens) {
    if (kinds[id] === TokenKind.MODEL && offsets[id + 1] === (offsets[id] as number) + 1) ids.add(id)
  }
  return ids
}

/** The id of unk, when some text can only be written with it: it cannot be reserved then. */
export function neededUnk(spec: PipelineSpec): number | undefined {
  return needsUnk(spec.model, spec.tokens, spec.addedTokens) ? spec.model.unkId : undefined
}

/** Whether some text can only be written with unk. WordPiece and WordLevel write every unknown word with it. */
function needsUnk(model: ModelSpec, tokens: TokenTable, added: readonly AddedTokenSpec[]): boolean {
  if (model.type === 'unigram') return !model.byteFallback || lacksByte(tokens, added, false)
  if (model.type !== 'bpe') return true
  if (model.continuingSubwordPrefix !== '' || model.endOfWordSuffix !== '') return true
  if (model.alphabet === 'bytes') return lacksByte(tokens, added, true)
  return !model.byteFallback || lacksByte(tokens, added, false)
}

/** Whether a byte has no token: `raw`, or `<0x..>`. */
function lacksByte(tokens: TokenTable, added: readonly AddedTokenSpec[], raw: boolean): boolean {
  const latin1 = new TextDecoder('latin1')
  const wanted = new Set<string>()
  const singles = new Set<string>() // of ASCII
  for (let byte = 0; byte < 256; byte++) {
    wanted.add(
      raw ? latin1.decode(Uint8Array.of(byte)) : `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    )
  }
  for (let id = 0; id < tokens.kinds.length && wanted.size > 0; id++) {
    const start = tokens.offsets[id] as number
    const end = tokens.offsets[id + 1] as number
    if (tokens.kinds[id] !== TokenKind.MODEL || end - start > 6) continue
    const text = latin1.decode(tokens.bytes.subarray(start, end))
    wanted.delete(text)
    if (text < '\x80' && text.length === 1) singles.add(text)
  }
  // Gemma has a token for the tab itself, and none for its byte. One that is an added token may be reserved.
  for (const { content } of added) singles.delete(content)
  const isCharacter = (name: string) => singles.has(String.fromCharCode(Number(name.slice(1, -1))))
  return [...wanted].some((name) => raw || !isCharacter(name))
}
