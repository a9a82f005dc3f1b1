import { type ChatTemplates, readChatTemplates } from './chat-templates.js'
import { type EosToken, readGenerationEos, textModel } from './eos-tokens.js'
import { type FolderFiles, readFolderFiles } from './folder-file.js'
import type { LoadWarning } from './load-warning.js'
import { quoted } from './quoted.js'
import { type FolderTokens, readFolderTokens } from './special-tokens.js'
import type { Fields } from './tokenizer-json/fields.js'

/**
 * What the files beside the tokenizer say about a model: docs/model-folders.md tells which file wins.
 */
export interface ModelFolder {
  readonly tokens: FolderTokens
  readonly chatTemplates: ChatTemplates
  /** Ids at which generation must stop, of `generation_config.json` or `config.json`: see `eosTokens`. */
  readonly generationEos: readonly EosToken[]
  readonly limits: ModelLimits
  readonly cleanUp: CleanUp
  /** `model_type` of `config.json`, for example `qwen3`. */
  readonly modelType: string | undefined
}

/** How many tokens a model takes, as far as its files say. */
export interface ModelLimits {
  /** `model_max_length` of `tokenizer_config.json`; undefined where it stands for "no limit", as 1e30 does. */
  readonly modelMaxLength: number | undefined
  /** `max_position_embeddings` of `config.json`, or what older models call it. */
  readonly maxPositionEmbeddings: number | undefined
}

/** Whether decoding removes spaces before punctuation. */
export interface CleanUp {
  /** `clean_up_tokenization_spaces`, which BPE models ignore. */
  readonly spaces: boolean
  /** `clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output` */
  readonly bpeToo: boolean
}

/** The fields of `tokenizer_config.json` that tell what kind of tokenizer it is. */
export interface TokenizerConfig {
  readonly tokenizer_class?: string | undefined
  readonly name_or_path?: string | undefined
  /** Of ChatGLM's tokenizers alone. */
  readonly added_tokens_decoder?: Readonly<Record<string, { readonly content?: string }>> | undefined
}

/** Larger ones mean that there is no limit: transformers' LARGE_INTEGER. */
const NO_LIMIT = 1e20
/** Names of the same thing in configs of GPT-2, ChatGLM, MPT and others. */
const POSITIONS = [
  'max_position_embeddings',
  'n_positions',
  'seq_length',
  'max_sequence_length',
  'max_seq_len',
  'n_ctx',
]

/** @param files of {@link readFolderFiles} */
export async function readModelFolder(
  folder: string,
  files: FolderFiles,
): Promise<{ folder: ModelFolder; warnings: readonly LoadWarning[] }> {
  const { tokenizerConfig, modelConfig } = files
  const { templates, warnings } = await readChatTemplates(folder, files)
  return {
    folder: {
      tokens: readFolderTokens(files),
      chatTemplates: templates,
      generationEos: readGenerationEos(files),
      limits: {
        modelMaxLength: limit(
          tokenizerConfig,
          tokenizerConfig?.get('model_max_length') === undefined ? 'max_len' : 'model_max_length',
        ),
        maxPositionEmbeddings: modelConfig && (positions(modelConfig) ?? positions(textModel(modelConfig))),
      },
      cleanUp: {
        spaces: tokenizerConfig?.get('clean_up_tokenization_spaces') === true,
        bpeToo:
          tokenizerConfig?.get('clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output') ===
          true,
      },
      modelType: text(modelConfig, 'model_type'),
    },
    warnings: [...warnings, ...specialTokenDifferences(files)],
  }
}

/** The kind of tokenizer, told by `tokenizer_config.json`; undefined without that file. */
export function readTokenizerConfig(config: Fields | undefined): TokenizerConfig | undefined {
  if (config === undefined) return undefined
  const tokenizerClass = text(config, 'tokenizer_class')
  const hasDecoder =
    tokenizerClass === 'ChatGLMTokenizer' && config.get('added_tokens_decoder') instanceof Map
  const decoder = hasDecoder ? config.object('added_tokens_decoder') : undefined
  const contents = decoder?.names.map((id): [string, { content?: string }] => {
    const content = decoder.get(id) instanceof Map ? text(decoder.object(id), 'content') : undefined
    return [id, content === undefined ? {} : { content }]
  })
  return {
    tokenizer_class: tokenizerClass,
    name_or_path: text(config, 'name_or_path'),
    added_tokens_decoder: contents && Object.fromEntries(contents),
  }
}

/**
 * Names that `special_tokens_map.json` and `tokenizer_config.json` give to different tokens. The first wins where the
 * second has no `added_tokens_decoder`.
 */
function specialTokenDifferences({ tokenizerConfig, specialTokensMap }: FolderFiles): LoadWarning[] {
  if (tokenizerConfig === undefined || specialTokensMap === undefined) return []
  const [used, unused] =
    tokenizerConfig.get('added_tokens_decoder') === undefined
      ? [specialTokensMap, tokenizerConfig]
      : [tokenizerConfig, specialTokensMap]
  return specialTokensMap.names.flatMap((name): LoadWarning[] => {
    const [winner, loser] = [tokenText(used, name), tokenText(unused, name)]
    if (!name.endsWith('_token') || winner === undefined || loser === undefined || winner === loser) return []
    const message = `${name} is ${quoted(winner)} in ${used.source}, which counts, but ${quoted(loser)} in ${unused.source}`
    return [{ code: 'SPECIAL_TOKENS_DIFFER', name, used: winner, unused: loser, message }]
  })
}

function tokenText(fields: Fields, name: string): string | undefined {
  return fields.get(name) instanceof Map ? text(fields.object(name), 'content') : text(fields, name)
}

function text(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.get(name)
  return typeof value === 'string' ? value : undefined
}

function limit(fields: Fields | undefined, name: string): number | undefined {
  const value = fields?.get(name)
  return typeof value === 'number' && value >= 1 && value <= NO_LIMIT ? Math.floor(value) : undefined
}

function positions(config: Fields | undefined): number | undefined {
  for (const name of POSITIONS) {
    const value = limit(config, name)
    if (value !== undefined) return value
  }
  return undefined
}
