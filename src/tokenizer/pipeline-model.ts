import type binding from '../../binding.cjs'
import { hasLateMerges } from '../load/late-merges.js'
import type { ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { addedColumns, contentsAmong } from '../load/token-columns.js'
import { TokenKind, type TokenTable } from '../load/token-table.js'
import addon from '../native.js'

/** Whether the words that the model encodes are bytes, and so its tokens. */
export function seesBytes(model: ModelSpec): boolean {
  return model.type === 'bpe' && model.alphabet === 'bytes'
}

/** The model as the addon takes it. `isStored`: it has native tables, and its merges may be left out. */
export function nativeModel(model: ModelSpec, isStored = false): binding.NativeModel {
  if (model.type !== 'bpe') return model
  const mergesLeftOut = isStored && hasLateMerges(model)
  return {
    type: model.type,
    bytes: seesBytes(model),
    mergesLeftOut,
    byRank: !mergesLeftOut && model.merges === 'ranks',
    merges: mergesLeftOut || model.merges === 'ranks' ? new Uint32Array() : model.merges,
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
  // Tokens of the model differ, so there are no more when each byte has one: they mostly stand first.
  for (let id = 0, left = BYTES.length; id < kinds.length && left > 0; id++) {
    if (offsets[id + 1] !== (offsets[id] as number) + 1 || kinds[id] !== TokenKind.MODEL) continue
    ids.add(id)
    left--
  }
  return ids
}

/** The id of unk, when some text can only be written with it: it cannot be reserved then. */
export function neededUnk(spec: PipelineSpec): number | undefined {
  if (spec.model.unkId === undefined) return undefined
  let needs = needUnk.get(spec)
  if (needs === undefined) {
    needs = needsUnk(spec)
    needUnk.set(spec, needs)
  }
  return needs ? spec.model.unkId : undefined
}

/** It is asked for several times, and may take a look at all tokens. */
const needUnk = new WeakMap<PipelineSpec, boolean>()

/** Whether some text can only be written with unk. WordPiece and WordLevel write every unknown word with it. */
function needsUnk(spec: PipelineSpec): boolean {
  const { model, tokens } = spec
  if (model.type === 'wordpiece' || model.type === 'wordlevel') return true
  if (model.type === 'unigram' || model.alphabet === 'characters') {
    return !model.byteFallback || missing(tokens, byteTokens()).some((byte) => !isCharacter(byte, spec))
  }
  const { continuingSubwordPrefix: prefix, endOfWordSuffix: suffix } = model
  const forms = (byte: string): string[] => [byte, prefix + byte, byte + suffix, prefix + byte + suffix]
  return missing(tokens, BYTES.flatMap(forms)).length > 0
}

/** Bytes as characters, and the tokens of byte fallback. */
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
const byteTokens = (): string[] =>
  BYTES.map((_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)

/** With longer affixes nothing is looked up. */
const MOST_SPELLED = 1024

/** Those of these spellings, a character for each byte, that are no token of the model. */
function missing({ bytes, offsets, kinds }: TokenTable, spellings: readonly string[]): readonly string[] {
  if (spellings.some(({ length }) => length > MOST_SPELLED)) return spellings
  const found = addon.spelledTokens(bytes, offsets, kinds, spellings)
  return spellings.filter((_, i) => found[i] === 0)
}

/**
 * Whether a byte without a token of byte fallback is an ASCII character with a token of its own, as Gemma's tab. One that
 * is an added token may be reserved.
 */
function isCharacter(byteToken: string, spec: PipelineSpec): boolean {
  const byte = Number(byteToken.slice(1, -1))
  const character = String.fromCharCode(byte)
  if (byte >= 0x80 || contentsAmong(addedColumns(spec), [character]).size > 0) return false
  return missing(spec.tokens, [character]).length === 0
}
