import type { PipelineSpec } from '../load/pipeline-spec.js'
import { type CompileInput, NO_TEMPLATE, nativeControls } from './compile-input.js'
import { nativeModel, seesBytes } from './pipeline-model.js'
import { reservedTokens } from './pipeline-reserve.js'
import { nativeDecoder, nativeNormalizer, nativePreTokenizers } from './pipeline-steps.js'
import type { ReservePolicy } from './reserve-policy.js'

/**
 * What a pipeline compiles to.
 *
 * @throws UnsupportedTokenizerError for a pattern that the native pipeline cannot reproduce
 */
export function pipelineInput(spec: PipelineSpec, policy: ReservePolicy): CompileInput {
  const reserved = reservedTokens(spec, policy)
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
    native: {
      tokenBytes: tokens.bytes,
      offsets: tokens.offsets,
      kinds: tokens.kinds,
      model: nativeModel(model),
      printableTokens: bytes && spec.semantics === 'huggingface',
      addedTokens: spec.addedTokens,
      reserved: Uint32Array.from(reserved, ({ id }) => id),
      ...nativeControls(controls),
      normalizers: spec.normalizers.map((step) => nativeNormalizer(spec, step)),
      preTokenizers: [
        ...spec.preTokenizers.flatMap((step) => nativePreTokenizers(spec, step, !bytes || spelled)),
        ...(spelled || (bytes && spec.normalizers.some(({ type }) => type === 'ByteLevel'))
          ? [{ rawBytes: true as const }]
          : []),
      ],
      trimOffsets: (spec.postProcessor?.trimOffsets ?? []).map(({ addPrefixSpace }) => addPrefixSpace),
      ...nativeDecoder(spec),
    },
  }
}
