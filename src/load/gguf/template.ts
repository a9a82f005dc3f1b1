import type { PostProcessorSpec, TemplateItem } from '../pipeline-spec.js'
import type { Metadata } from './metadata.js'
import type { Vocabulary } from './vocabulary.js'

const A: TemplateItem = { text: 'A' }
const B: TemplateItem = { text: 'B' }

/**
 * What stands around a text: bos and eos, as `tokenizer.ggml.add_bos_token` and `add_eos_token` say.
 *
 * @param addBos what holds where the file does not say
 * @param roberta eos stands twice between two texts
 */
export function readTemplate(
  metadata: Metadata,
  { specials }: Vocabulary,
  addBos: boolean,
  addEos = false,
  roberta = false,
): PostProcessorSpec | undefined {
  const item = (role: string, key: string, fallback: boolean): TemplateItem[] => {
    const id = specials.get(role)
    return id !== undefined && metadata.boolean(`tokenizer.ggml.${key}`, fallback) ? [{ id }] : []
  }
  const bos = item('bos_token', 'add_bos_token', addBos)
  const eos = item('eos_token', 'add_eos_token', addEos)
  if (bos.length + eos.length === 0) return undefined
  const between = roberta ? eos : bos
  return {
    single: [...bos, A, ...eos],
    pair: [...bos, A, ...eos, ...between, B, ...eos],
    trimOffsets: [],
  }
}
