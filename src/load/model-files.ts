import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import { readSentencePieceModel } from './sentencepiece-model.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

/** The fields of `tokenizer_config.json` that this version reads. */
export interface TokenizerConfig {
  readonly tokenizer_class?: string
  readonly name_or_path?: string
  readonly added_tokens_decoder?: Readonly<Record<string, { readonly content?: string }>>
}

/** A tokenizer as it lies on disk. */
export interface ModelFiles {
  readonly spec: TokenizerSpec
  /** The folder's `tokenizer_config.json`, when there is one. */
  readonly config: TokenizerConfig | undefined
}

/**
 * Reads a tokenizer from a folder or a file. A folder holds `tokenizer.model` and may hold
 * `tokenizer_config.json`; a file is read as a SentencePiece `.model`, with the config beside it.
 *
 * @throws ModelNotFoundError when nothing is there; for what looks like a hub id it says how to fetch the files
 * @throws TokenizerFileError, UnsupportedTokenizerError as the reader of the file
 */
export async function readModelFiles(modelPath: string): Promise<ModelFiles> {
  const found = await stat(modelPath).catch((cause: NodeJS.ErrnoException) => {
    throw notFound(modelPath, cause)
  })
  const file = found.isDirectory() ? path.join(modelPath, 'tokenizer.model') : modelPath
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ModelNotFoundError(
      modelPath,
      `${modelPath}: ${cause.code === 'ENOENT' ? 'the folder has no tokenizer.model' : cause.message}`,
      { cause },
    )
  })
  return { spec: readTokenizer(bytes, file), config: await readConfig(path.dirname(file)) }
}

/** Reads a tokenizer from the bytes of its file, whose kind is told by its name and first bytes. */
export function readTokenizer(bytes: Uint8Array, source: string): TokenizerSpec {
  const extension = path.extname(source)
  if (extension === '.json') throw unsupported(source, 'tokenizer.json')
  if (extension === '.gguf' || startsWith(bytes, 'GGUF')) throw unsupported(source, 'GGUF')
  if (extension === '.tiktoken' || isRankFile(bytes)) throw unsupported(source, 'tiktoken rank file')
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

function unsupported(source: string, kind: string): UnsupportedTokenizerError {
  return new UnsupportedTokenizerError(source, kind, 'this version reads SentencePiece .model files only')
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  return bytes.length >= ascii.length && [...ascii].every((c, i) => bytes[i] === c.charCodeAt(0))
}

/** A tiktoken rank file is lines of `<base64> <rank>`; GLM-4 names such a file tokenizer.model. */
function isRankFile(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 100))
  return /^[A-Za-z0-9+/]+=* \d+\r?\n/.test(head)
}
