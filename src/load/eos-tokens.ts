import type { FolderFiles } from './folder-file.js'
import type { Fields } from './tokenizer-json/fields.js'

/** An id at which generation must stop, and who says so. */
export interface EosToken {
  readonly id: number
  readonly source: 'format' | 'generation_config.json' | 'config.json' | 'tokenizer_config.json' | 'gguf'
}

/** Parts of a model that generate text, whose fields count where the model itself has none. */
const TEXT_MODELS = ['decoder', 'generator', 'text_config']

/**
 * The eos ids that a folder's configs for generation have: `eos_token_id` of `generation_config.json`, else, where
 * there is no such file, of `config.json`.
 *
 * Source of behaviour: transformers 5.23.0, `GenerationConfig.from_model_config`.
 *
 * @throws TokenizerFileError for what is neither an id nor a list of ids
 */
export function readGenerationEos({ generationConfig, modelConfig }: FolderFiles): readonly EosToken[] {
  if (generationConfig !== undefined) return readIds(generationConfig, 'generation_config.json')
  if (modelConfig === undefined) return []
  const ids = readIds(modelConfig, 'config.json')
  const text = ids.length > 0 ? undefined : textModel(modelConfig)
  return text === undefined ? ids : readIds(text, 'config.json')
}

/** The part of `config.json` about the text model, in models of several parts. */
export function textModel(modelConfig: Fields): Fields | undefined {
  const name = TEXT_MODELS.find((name) => modelConfig.get(name) instanceof Map)
  return name === undefined ? undefined : modelConfig.object(name)
}

/**
 * Where generation must stop: the ids of the chat format joined with those of the folder's configs for generation; the
 * tokenizer's own `eos_token` only where both have none. In order, each once, with the first that names it.
 *
 * @param format ids of the chat format
 * @param generation what {@link readGenerationEos} gave
 * @param tokenizer the id of `eos_token` in `tokenizer_config.json`
 */
export function eosTokens(
  format: readonly number[],
  generation: readonly EosToken[],
  tokenizer: number | undefined,
): readonly EosToken[] {
  const all = new Map<number, EosToken>()
  for (const id of format) if (!all.has(id)) all.set(id, { id, source: 'format' })
  for (const token of generation) if (!all.has(token.id)) all.set(token.id, token)
  if (all.size === 0 && tokenizer !== undefined) {
    all.set(tokenizer, { id: tokenizer, source: 'tokenizer_config.json' })
  }
  return [...all.values()]
}

/** Negative ids stand for none in some configs. */
function readIds(fields: Fields, source: EosToken['source']): EosToken[] {
  const value = fields.get('eos_token_id') ?? null
  if (value === null) return []
  return (Array.isArray(value) ? value : [value]).flatMap((id): EosToken[] => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id >= 2 ** 32) {
      throw fields.wrongType('eos_token_id', 'a token id or a list of ids', id)
    }
    return id < 0 ? [] : [{ id, source }]
  })
}
