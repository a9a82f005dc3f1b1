import type { PipelineSpec } from '../load/pipeline-spec.js'
import { tokenColumns } from '../load/token-columns.js'
import { type CompileInput, NO_TEMPLATE, nativeControls } from './compile-input.js'
import { nativeModel, seesBytes } from './pipeline-model.js'
import { reservedTokens } from './pipeline-reserve.js'
import { nativeDecoder, nativeNormalizers, nativePreTokenizers } from './pipeline-steps.js'
import type { ReservePolicy } from './reserve-policy.js'

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
  const controls = reserved.map(({ id, name }) => ({ id, name, inText: true }))
  const { model, tokens } = spec
  const bytes = seesBytes(model)
  // Steps behind ByteLevel work on the characters that it makes of bytes, as added tokens do behind its normalizer.
  const spelled = bytes && spec.preTokenizers.slice(0, -1).some(({ type }) => type === 'ByteLevel')
  return {
    source: spec.source,
    model: model.type,
    semantics: spec.semantics,
    reserved,
    vocabSize: tokens.kinds.length,
    controls,
    template: spec.postProcessor ?? NO_TEMPLATE,
    foundInNormalized: foundInNormalized(spec, new Set(reserved.map(({ id }) => id))),
    native: {
      tokenBytes: tokens.bytes,
      offsets: tokens.offsets,
      kinds: tokens.kinds,
      model: nativeModel(model),
      printableTokens: bytes && spec.semantics === 'huggingface',
      addedTokens: tokenColumns(spec.addedTokens),
      reserved: Uint32Array.from(reserved, ({ id }) => id),
      ...nativeControls(controls),
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
    },
  }
}

/** Where nothing is normalized and nothing stripped, such tokens part the text as all others do. */
function foundInNormalized(
  { addedTokens, normalizers }: PipelineSpec,
  reserved: ReadonlySet<number>,
): readonly number[] {
  const controls = addedTokens.filter(({ id }) => reserved.has(id))
  if (normalizers.length === 0 && !controls.some(({ lstrip, rstrip }) => lstrip || rstrip)) return []
  return controls.filter(({ normalized }) => normalized).map(({ id }) => id)
}
