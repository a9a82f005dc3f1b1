import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import type { EncodingName, RankEncoding } from './encodings.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { readSentencePieceModel } from './sentencepiece-model.js'
import { isTekken, readTekken } from './tekken.js'
import { readRankFile } from './tiktoken.js'
import { readTokenizerJson } from './tokenizer-json.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

/** The fields of `tokenizer_config.json` that this version reads. */
export interface TokenizerConfig {
  readonly tokenizer_class?: string
  readonly name_or_path?: string
  readonly added_tokens_decoder?: Readonly<Record<string, { readonly content?: string }>>
}

/** A tokenizer as it lies on disk. */
export interface ModelFiles {
  readonly spec: TokenizerSpec | PipelineSpec
  /** The folder's `tokenizer_config.json`, when there is one. */
  readonly config: TokenizerConfig | undefined
}

/**
 * Reads a tokenizer from a folder or a file. A folder holds `tokenizer.json` or `tokenizer.model` and may hold
 * `tokenizer_config.json`; beside a file the config is read too.
 *
 * @throws ModelNotFoundError when nothing is there; for what looks like a hub id it says how to fetch the files
 * @throws TokenizerFileError, UnsupportedTokenizerError as the reader of the file
 */
export async function readModelFiles(
  modelPath: string,
  encoding?: EncodingName | RankEncoding,
): Promise<ModelFiles> {
  const found = await stat(modelPath).catch((cause: NodeJS.ErrnoException) => {
    throw notFound(modelPath, cause)
  })
  const folder = found.isDirectory() ? modelPath : path.dirname(modelPath)
  const config = await readConfig(folder)
  const file = found.isDirectory() ? await tokenizerFile(folder, config) : modelPath
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ModelNotFoundError(modelPath, `${modelPath}: ${cause.message}`, { cause })
  })
  return { spec: readTokenizer(bytes, file, encoding), config }
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
 * The file that decides in a folder with several: transformers takes `tokenizer.json` where there is one, except for
 * classes that only exist as Python over `tokenizer.model`.
 */
async function tokenizerFile(folder: string, config: TokenizerConfig | undefined): Promise<string> {
  const names = ['tokenizer.json', 'tekken.json', 'tokenizer.model']
  if (config?.tokenizer_class === 'ChatGLMTokenizer') names.reverse()
  for (const name of names) {
    const file = path.join(folder, name)
    if (await stat(file).catch(() => undefined)) return file
  }
  throw new ModelNotFoundError(folder, `${folder}: the folder has none of ${names.join(', ')}`)
}

/**
 * Reads a tokenizer from the bytes of its file, whose kind is told by its name and first bytes.
 *
 * @param encoding of a rank file that is not known by its hash
 */
export function readTokenizer(
  bytes: Uint8Array,
  source: string,
  encoding?: EncodingName | RankEncoding,
): TokenizerSpec | PipelineSpec {
  const extension = path.extname(source)
  if (extension === '.json' || startsWith(bytes, '{')) {
    return isTekken(bytes) ? readTekken(bytes, source) : readTokenizerJson(bytes, source)
  }
  if (extension === '.gguf' || startsWith(bytes, 'GGUF')) {
    throw new UnsupportedTokenizerError(source, 'GGUF', 'this version does not read GGUF files')
  }
  if (extension === '.tiktoken' || isRankFile(bytes)) return readRankFile(bytes, source, encoding)
  return readSentencePieceModel(bytes, source)
}

async function readConfig(folder: string): Promise<TokenizerConfig | undefined> {
  const file = path.join(folder, 'tokenizer_config.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ModelNotFoundError(file, `${file}: ${(cause as Error).message}`, { cause })
  }
  try {
    const config: unknown = JSON.parse(text)
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config
  } catch (cause) {
    throw new TokenizerFileError(file, 'the whole file', `it is not JSON: ${(cause as Error).message}`, {
      cause,
    })
  }
  throw new TokenizerFileError(file, '$', 'an object was expected')
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

/** A tiktoken rank file is lines of `<base64> <rank>`; GLM-4 names such a file tokenizer.model. */
function isRankFile(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 100))
  return /^[A-Za-z0-9+/]+=* \d+\r?\n/.test(head)
}
