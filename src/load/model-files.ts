import { type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { InvalidArgumentError, ModelNotFoundError, UnsupportedTokenizerError } from '../errors.js'
import { readCompiled } from './compiled/compiled-model.js'
import { isCompiled } from './compiled/header.js'
import { mapCompiled } from './compiled/mapped-model.js'
import type { EncodingName, RankEncoding } from './encodings.js'
import { readJsonObject } from './folder-file.js'
import { ggufFolder } from './gguf/folder.js'
import { readGguf } from './gguf/gguf.js'
import type { LoadWarning } from './load-warning.js'
import { compiledHead, MAX_TOKENIZER, noSuchFile, readModelFile } from './model-file.js'
import { type ModelFolder, readTokenizerConfig, type TokenizerConfig } from './model-folder.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { readFolder } from './read-folder.js'
import { readTokenizer } from './read-tokenizer.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

export type { TokenizerConfig } from './model-folder.js'

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
  // Asked first, as Node takes longer to tell what is there than native code to tell that it is a compiled model.
  const compiled = map === true ? undefined : compiledHead(modelPath)
  if (compiled !== undefined) return readSingle(modelPath, compiled.size, encoding, compiled.head)
  const found = statOf(modelPath)
  if (map === true) {
    if (encoding !== undefined) throw compiledEncoding(modelPath)
    if (found.isFile()) return mapCompiled(modelPath)
    throw new InvalidArgumentError(`map: ${modelPath} is no compiled model, and only they are mapped`)
  }
  return found.isDirectory() ? readFolder(modelPath, encoding) : readSingle(modelPath, found.size, encoding)
}

function statOf(modelPath: string): Stats {
  try {
    return statSync(modelPath)
  } catch (cause) {
    throw notFound(modelPath, cause as NodeJS.ErrnoException)
  }
}

async function readSingle(
  file: string,
  size: number,
  encoding?: EncodingName | RankEncoding,
  head?: Uint8Array,
): Promise<ModelFiles> {
  const read = await readModelFile(file, size, MAX_TOKENIZER, head)
  if (read === undefined) throw noSuchFile(file)
  if (read === 'gguf') {
    const gguf = readGguf(file)
    return { spec: gguf.spec, config: undefined, folder: ggufFolder(gguf), warnings: [] }
  }
  const { bytes } = read
  if (isCompiled(bytes)) {
    if (encoding === undefined) return readCompiled(bytes, file, read.read)
    throw compiledEncoding(file)
  }
  const config = readTokenizerConfig(await readJsonObject(path.dirname(file), 'tokenizer_config.json'))
  const spec = readTokenizer(bytes, file, encoding)
  return { spec, config, folder: undefined, warnings: [] }
}

function compiledEncoding(file: string): Error {
  return new InvalidArgumentError(`encoding: ${file} is a compiled model, which has its encoding`)
}

/** As {@link readModelFiles}, for what only works with a SentencePiece model. */
export async function readSentencePieceFiles(
  modelPath: string,
): Promise<{ spec: TokenizerSpec; config: TokenizerConfig | undefined }> {
  const { spec, config } = await readModelFiles(modelPath)
  if ('pieces' in spec) return { spec, config }
  throw new UnsupportedTokenizerError(spec.source, spec.semantics, 'a SentencePiece .model file was expected')
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
