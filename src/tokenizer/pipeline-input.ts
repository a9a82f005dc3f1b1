import type { PipelineSpec } from '../load/pipeline-spec.js'
import { addedColumns, someHave, TokenFlag } from '../load/token-columns.js'
import { type CompileInput, NO_TEMPLATE, nativeControls } from './compile-input.js'
import { nativeModel, seesBytes } from './pipeline-model.js'
import { reservedTokens } from './pipeline-reserve.js'
import { nativeDecoder, nativeNormalizers, nativePreTokenizers } from './pipeline-steps.js'
import type { ReservedTokens, ReservePolicy } from './reserve-policy.js'

/**
 * What a pipeline compiles to.
 *
 * @param literals what a chat template or format writes
 *
 * @throws UnsupportedTokenizerError for a pattern that the native pipeline cannot reproduce
 */
export function pipelineInput(
  spec: PipelineSpec,
  policy: ReservePolicy,
  literals: readonly string[] = [],
): CompileInput {
  const reserved = reservedTokens(spec, policy, literals)
  const { model, tokens } = spec
  const bytes = seesBytes(model)
  // Steps behind ByteLevel work on the characters that it makes of bytes, as added tokens do behind its normalizer.
  const spelled = bytes && spec.preTokenizers.slice(0, -1).some(({ type }) => type === 'ByteLevel')
  return {
    source: spec.source,
    file: spec.file,
    model: model.type,
    semantics: spec.semantics,
    reserved,
    vocabSize: tokens.kinds.length,
    controlNames: namesOf(reserved),
    modelWithMerges: () => nativeModel(model),
    template: spec.postProcessor ?? NO_TEMPLATE,
    foundInNormalized: foundInNormalized(spec, reserved.ids),
    native: {
      tokenBytes: tokens.bytes,
      offsets: tokens.offsets,
      kinds: tokens.kinds,
      model: nativeModel(model, spec.stored !== undefined),
      printableTokens: bytes && spec.semantics === 'huggingface',
      addedTokens: addedColumns(spec),
      reserved: reserved.ids,
      namedByContent: reserved.areAdded,
      ...nativeControls(
        reserved.areAdded ? [] : reserved.list.map(({ id, name }) => ({ id, name, inText: true })),
      ),
      normalizers: spec.normalizers.flatMap((step) => nativeNormalizers(spec, step)),
      preTokenizers: [
        ...spec.preTokenizers.flatMap((step) => nativePreTokenizers(spec, step, !bytes || spelled)),
        ...(spelled || (bytes && spec.normalizers.some(({ type }) => type === 'ByteLevel'))
          ? [{ rawBytes: true as const }]
          : []),
      ],
      trimOffsets: (spec.postProcessor?.trimOffsets ?? []).map(({ addPrefixSpace }) => addPrefixSpace),
      ...nativeDecoder(spec),
      stored: spec.stored,
      mapping: spec.mapping,
      memory: spec.memory,
    },
  }
}

/** In a scope of its own, so that it keeps nothing else alive. */
function namesOf(reserved: ReservedTokens): () => readonly string[] {
  return () => reserved.list.map(({ name }) => name)
}

/** Where nothing is normalized and nothing stripped, such tokens part the text as all others do. */
function foundInNormalized(spec: PipelineSpec, reserved: Uint32Array): readonly number[] {
  const columns = addedColumns(spec)
  if (!someHave(columns, TokenFlag.NORMALIZED)) return []
  if (spec.normalizers.length === 0 && !someHave(columns, TokenFlag.LSTRIP | TokenFlag.RSTRIP)) return []
  const { ids, flags } = columns
  const isReserved = new Set(reserved)
  const found = Array.from(ids.keys()).filter((i) => isReserved.has(ids[i] as number))
  const has = (i: number, flag: number): boolean => ((flags[i] as number) & flag) !== 0
  const strips = found.some((i) => has(i, TokenFlag.LSTRIP | TokenFlag.RSTRIP))
  if (spec.normalizers.length === 0 && !strips) return []
  return found.filter((i) => has(i, TokenFlag.NORMALIZED)).map((i) => ids[i] as number)
}
