import { UnsupportedTokenizerError } from '../errors.js'
import type { FolderFiles } from './folder-file.js'
import type { LoadWarning } from './load-warning.js'
import type { PipelineSpec, PreTokenizerStep } from './pipeline-spec.js'
import { TokenKind } from './token-table.js'
import type { Fields } from './tokenizer-json/fields.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

/** The pattern of Mistral's tekken.json, which some of its tokenizer.json files do not have. */
const PATTERN = [
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`,
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s+(?!\S)`,
  String.raw`\s+`,
].join('|')
const MODEL_TYPES = ['mistral', 'mistral3', 'voxtral', 'ministral', 'pixtral']
/** Smaller vocabularies are no tekken ones. */
const MIN_TOKENS = 100_001

/**
 * Gives a Mistral tokenizer.json the pattern of Mistral's own tokenizer, where the folder asks for it with
 * `fix_mistral_regex`; where it does not, a warning says so.
 *
 * Source of behaviour: `TokenizersBackend._patch_mistral_regex` of transformers 5.23.0.
 *
 * @throws UnsupportedTokenizerError when the first of its pre-tokenizers is not the pattern
 */
export function withMistralPattern(
  spec: TokenizerSpec | PipelineSpec,
  files: FolderFiles,
): { spec: TokenizerSpec | PipelineSpec; warnings: readonly LoadWarning[] } {
  if (!('preTokenizers' in spec) || !isOldMistral(files.modelConfig) || !isLarge(spec)) {
    return { spec, warnings: [] }
  }
  const [first, ...rest] = spec.preTokenizers
  const hasPattern = first?.type === 'Split' && 'regex' in first.pattern && first.pattern.regex === PATTERN
  if (first === undefined || hasPattern) return { spec, warnings: [] }
  if (files.tokenizerConfig?.get('fix_mistral_regex') !== true) {
    const message =
      'its pattern is not that of the model\'s own tekken.json; "fix_mistral_regex": true in tokenizer_config.json takes that'
    return { spec, warnings: [{ code: 'MISTRAL_PATTERN', message: `${spec.source}: ${message}` }] }
  }
  if (first.type !== 'Split' || rest.length === 0) {
    throw new UnsupportedTokenizerError(
      spec.source,
      'fix_mistral_regex',
      'a Split before other steps was expected',
    )
  }
  const split: PreTokenizerStep = {
    type: 'Split',
    pattern: { regex: PATTERN },
    behavior: 'isolated',
    invert: false,
  }
  return { spec: { ...spec, preTokenizers: [split, ...rest] }, warnings: [] }
}

/** Whether `config.json` is of a Mistral model, or of none that it names, from before transformers 5. */
function isOldMistral(config: Fields | undefined): boolean {
  if (config === undefined) return false
  const version = config.get('transformers_version') ?? null
  const isOld = typeof version !== 'string' || /^[0-4]\b|^5\.0\.0\.?(dev|a|b|rc)/.test(version)
  const type = config.get('model_type') ?? null
  return isOld && (type === null || MODEL_TYPES.includes(String(type)))
}

function isLarge({ tokens, semantics }: PipelineSpec): boolean {
  if (semantics !== 'huggingface') return false
  return tokens.kinds.reduce((count, kind) => count + (kind === TokenKind.NONE ? 0 : 1), 0) >= MIN_TOKENS
}
