import type { PostProcessorSpec, TemplateItem } from '../pipeline-spec.js'
import type { Metadata } from './metadata.js'
import type { Vocabulary } from './vocabulary.js'

const A: TemplateItem = { text: 'A' }
const B: TemplateItem = { text: 'B' }

/** What holds where the file does not say. */
export interface TemplateDefaults {
  readonly addBos?: boolean
  readonly addEos?: boolean
  /** What begins the second of two texts, if one text has it. */
  readonly secondBegin?: 'bos_token' | 'eos_token' | 'nothing'
}

/** What stands around a text: bos and eos, as `tokenizer.ggml.add_bos_token` and `add_eos_token` say. */
export function readTemplate(
  metadata: Metadata,
  { specials }: Vocabulary,
  { addBos = false, addEos = false, secondBegin = 'bos_token' }: TemplateDefaults,
): PostProcessorSpec | undefined {
  const item = (role: string, key: string, fallback: boolean): TemplateItem[] => {
    const id = specials.get(role)
    return metadata.boolean(`tokenizer.ggml.${key}`, fallback) && id !== undefined ? [{ id }] : []
  }
  const bos = item('bos_token', 'add_bos_token', addBos)
  const eos = item('eos_token', 'add_eos_token', addEos)
  if (bos.length + eos.length === 0) return undefined
  const second = { bos_token: bos, eos_token: eos, nothing: [] }[secondBegin]
  return {
    single: [...bos, A, ...eos],
    pair: [...bos, A, ...eos, ...second, B, ...eos],
    trimOffsets: [],
  }
}
