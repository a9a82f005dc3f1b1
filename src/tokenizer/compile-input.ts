import type binding from '../../binding.cjs'
import type { CompiledFile, ModelSpec, TemplateItem } from '../load/pipeline-spec.js'
import type { TokenizerSpec } from '../load/tokenizer-spec.js'
import type { ReservedTokens } from './reserve-policy.js'

/** What a `Tokenizer` is made of, whatever file it came from. */
export interface CompileInput {
  readonly source: string
  readonly file?: CompiledFile | undefined
  readonly model: ModelSpec['type'] | TokenizerSpec['model']
  readonly semantics: 'sentencepiece' | 'huggingface' | 'tiktoken'
  readonly reserved: ReservedTokens
  readonly vocabSize: number
  /** The names under which control tokens are known. */
  readonly controlNames: () => readonly string[]
  readonly native: Omit<binding.NativeSpec, 'key'> | Omit<binding.NativePipelineSpec, 'key'>
  /** Of a pipeline: the model with the merges that were left out of `native`. */
  readonly modelWithMerges?: () => binding.NativeModel
  /** Reserved ids that are found in text that was normalized together with what stands around them. */
  readonly foundInNormalized?: readonly number[] | undefined
  /** What `addSpecialTokens` puts around a text, and around a pair. */
  readonly template: { readonly single: readonly TemplateItem[]; readonly pair: readonly TemplateItem[] }
}

/** A name under which a control token is known. */
export interface Control {
  readonly name: string
  readonly id: number
  /** Whether trusted text may spell it. */
  readonly inText: boolean
}

/** Without special tokens: the text, and the pair behind it. */
export const NO_TEMPLATE: CompileInput['template'] = {
  single: [{ text: 'A' }],
  pair: [{ text: 'A' }, { text: 'B' }],
}

/** Controls as the addon takes them. */
export function nativeControls(
  controls: readonly Control[],
): Pick<binding.NativeSpec, 'controlNames' | 'controlIds' | 'controlInText'> {
  return {
    controlNames: controls.map(({ name }) => name),
    controlIds: Uint32Array.from(controls, ({ id }) => id),
    controlInText: Uint8Array.from(controls, ({ inText }) => (inText ? 1 : 0)),
  }
}
