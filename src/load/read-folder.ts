import type { EncodingName, RankEncoding } from './encodings.js'
import { readFolderFiles } from './folder-file.js'
import type { LoadWarning } from './load-warning.js'
import { withMistralPattern } from './mistral-pattern.js'
import { MAX_TOKENIZER, noSuchFile, readOptional } from './model-file.js'
import type { ModelFiles } from './model-files.js'
import { readModelFolder, readTokenizerConfig } from './model-folder.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { quoted } from './quoted.js'
import { readTokenizer } from './read-tokenizer.js'
import { tokenizerFile } from './tokenizer-file.js'
import type { Fields } from './tokenizer-json/fields.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

/** A tokenizer of a folder, in which the files beside it count: docs/model-folders.md. */
export async function readFolder(
  modelPath: string,
  encoding?: EncodingName | RankEncoding,
): Promise<ModelFiles> {
  const files = await readFolderFiles(modelPath)
  const { folder, warnings } = await readModelFolder(modelPath, files)
  const config = readTokenizerConfig(files.tokenizerConfig)
  const file = await tokenizerFile(modelPath, files.tokenizerConfig)
  const read = readTokenizer(await readWhole(file), file, encoding, folder.tokens)
  const { spec, warnings: more } = withMistralPattern(read, files)
  const all = [...warnings, ...more, ...customCode(spec, files.tokenizerConfig)]
  return { spec, config, folder, warnings: all }
}

/** A rank file comes with its pattern, so that nothing is left to the code. */
function customCode(spec: TokenizerSpec | PipelineSpec, config: Fields | undefined): LoadWarning[] {
  if (config === undefined || config.get('tokenizer_class') === 'ChatGLMTokenizer') return []
  if (spec.semantics === 'tiktoken' || !(config.get('auto_map') instanceof Map)) return []
  const classes = config.object('auto_map').get('AutoTokenizer') ?? null
  const name = (Array.isArray(classes) ? classes : [classes]).find((name) => typeof name === 'string')
  if (typeof name !== 'string') return []
  const message = `${config.source}: the tokenizer is the Python class ${quoted(name)}, and what its code does to text is not known here`
  return [{ code: 'CUSTOM_CODE', name, message }]
}

async function readWhole(file: string): Promise<Uint8Array> {
  const bytes = await readOptional(file, MAX_TOKENIZER)
  if (bytes !== undefined) return bytes
  throw noSuchFile(file)
}
