import { stat } from 'node:fs/promises'
import path from 'node:path'
import { InvalidArgumentError, ModelNotFoundError, UnsupportedTokenizerError } from '../errors.js'
import { readCompiled } from './compiled/compiled-model.js'
import { isCompiled } from './compiled/container.js'
import { mapCompiled } from './compiled/mapped-model.js'
import type { EncodingName, RankEncoding } from './encodings.js'
import { isGguf, isRankFile, isTekken } from './file-kinds.js'
import { readFolderFiles, readJsonObject, readModelFile, readOptional } from './folder-file.js'
import { ggufFolder } from './gguf/folder.js'
import { readGguf } from './gguf/gguf.js'
import type { LoadWarning } from './load-warning.js'
import { withMistralPattern } from './mistral-pattern.js'
import {
  type ModelFolder,
  readModelFolder,
  readTokenizerConfig,
  type TokenizerConfig,
} from './model-folder.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { quoted } from './quoted.js'
import { readSentencePieceModel } from './sentencepiece-model.js'
import type { FolderTokens } from './special-tokens.js'
import { readTekken } from './tekken.js'
import { readRankFile } from './tiktoken.js'
import { tokenizerFile } from './tokenizer-file.js'
import type { Fields } from './tokenizer-json/fields.js'
import { readTokenizerJson } from './tokenizer-json.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

export type { TokenizerConfig } from './model-folder.js'

/** Real ones have up to 50 MB. */
const MAX_TOKENIZER = 2 ** 30

/** A tokenizer as it lies on disk. */
export interface ModelFiles {
  readonly spec: TokenizerSpec | PipelineSpec
  /** The `tokenizer_config.json` of the folder, or beside the file. */
  readonly config: TokenizerConfig | undefined
  /** What the other files of the folder say, or a GGUF file; undefined for another single file, which stands for itself. */
  readonly folder: ModelFolder | undefined
  readonly warnings: readonly LoadWarning[]
}

/**
 * Reads a tokenizer from a folder or a file, which may be a compiled model. In a folder, the files beside the tokenizer count too, as
 * docs/model-folders.md tells; of those beside a file, only the kind of tokenizer in `tokenizer_config.json`.
 *
 * @param map a compiled model is mapped, not read
 * @throws ModelNotFoundError when nothing is there; for what looks like a hub id it says how to fetch the files
 * @throws TokenizerFileError, UnsupportedTokenizerError as the reader of the file
 */
export async function readModelFiles(
  modelPath: string,
  encoding?: EncodingName | RankEncoding,
  map?: boolean,
): Promise<ModelFiles> {
  const found = await stat(modelPath).catch((cause: NodeJS.ErrnoException) => {
    throw notFound(modelPath, cause)
  })
  if (map === true) {
    if (encoding !== undefined) throw compiledEncoding(modelPath)
    if (found.isFile()) return mapCompiled(modelPath)
    throw new InvalidArgumentError(`map: ${modelPath} is no compiled model, and only they are mapped`)
  }
  return found.isDirectory() ? readFolder(modelPath, encoding) : readSingle(modelPath, found.size, encoding)
}

async function readFolder(modelPath: string, encoding?: EncodingName | RankEncoding): Promise<ModelFiles> {
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

async function readSingle(
  file: string,
  size: number,
  encoding?: EncodingName | RankEncoding,
): Promise<ModelFiles> {
  const read = await readModelFile(file, size, MAX_TOKENIZER)
  if (read === undefined) throw noSuchFile(file)
  if (read === 'gguf') {
    const gguf = readGguf(file)
    return { spec: gguf.spec, config: undefined, folder: ggufFolder(gguf), warnings: [] }
  }
  const { bytes, memory, last } = read
  if (isCompiled(bytes)) {
    if (encoding === undefined) return readCompiled(bytes, file, { memory }, last)
    throw compiledEncoding(file)
  }
  const config = readTokenizerConfig(await readJsonObject(path.dirname(file), 'tokenizer_config.json'))
  const spec = readTokenizer(bytes, file, encoding)
  return { spec, config, folder: undefined, warnings: [] }
}

function compiledEncoding(file: string): Error {
  return new InvalidArgumentError(`encoding: ${file} is a compiled model, which has its encoding`)
}

async function readWhole(file: string): Promise<Uint8Array> {
  const bytes = await readOptional(file, MAX_TOKENIZER)
  if (bytes !== undefined) return bytes
  throw noSuchFile(file)
}

function noSuchFile(file: string): Error {
  return new ModelNotFoundError(file, `${file}: there is no such file`)
}

/** As {@link readModelFiles}, for what only works with a SentencePiece model. */
export async function readSentencePieceFiles(
  modelPath: string,
): Promise<{ spec: TokenizerSpec; config: TokenizerConfig | undefined }> {
  const { spec, config } = await readModelFiles(modelPath)
  if ('pieces' in spec) return { spec, config }
  throw new UnsupportedTokenizerError(spec.source, spec.semantics, 'a SentencePiece .model file was expected')
}

/**
 * Reads a tokenizer from the bytes of its file, whose kind is told by its name and first bytes.
 *
 * @param encoding of a rank file that is not known by its hash
 * @param added tokens that the configs of its folder add to a `tokenizer.json`
 */
export function readTokenizer(
  bytes: Uint8Array,
  source: string,
  encoding?: EncodingName | RankEncoding,
  added?: FolderTokens,
): TokenizerSpec | PipelineSpec {
  const extension = path.extname(source)
  if (extension === '.json' || startsWith(bytes, '{')) {
    return isTekken(bytes) ? readTekken(bytes, source) : readTokenizerJson(bytes, source, added)
  }
  if (extension === '.gguf' || isGguf(bytes)) return readGguf(bytes, source).spec
  if (extension === '.tiktoken' || isRankFile(bytes)) return readRankFile(bytes, source, encoding)
  return readSentencePieceModel(bytes, source)
}

function notFound(modelPath: string, cause: NodeJS.ErrnoException): ModelNotFoundError {
  if (cause.code !== 'ENOENT')
    return new ModelNotFoundError(modelPath, `${modelPath}: ${cause.message}`, { cause })
  const hint = /^[\w-][\w.-]*\/[\w.-]+$/.test(modelPath)
    ? ' It looks like the id of a model on a hub, but safetokens only reads local files. Fetch them first, for example with' +
      ` "hf download ${modelPath} tokenizer.model tokenizer_config.json --local-dir models/${path.posix.basename(modelPath)}",` +
      ' then give that folder.'
    : ''
  return new ModelNotFoundError(modelPath, `${modelPath}: there is no such file or folder.${hint}`, { cause })
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  return bytes.length >= ascii.length && [...ascii].every((c, i) => bytes[i] === c.charCodeAt(0))
}
