import type { CompiledModel } from '../load/compiled/compiled-model.js'
import { writeCompiled } from '../load/compiled/compiled-model.js'
import type { EncodingName, RankEncoding } from '../load/encodings.js'
import { readModelFiles } from '../load/model-files.js'
import { VERSION } from '../version.js'
import { Tokenizer } from './tokenizer.js'

export interface CompileOptions {
  /** As for `Tokenizer.load`. */
  readonly encoding?: EncodingName | RankEncoding | undefined
}

/**
 * Compiles a model: one file that holds what its tokenizer and the files beside it say, and is read in milliseconds.
 * `Tokenizer.load` and `Chat.load` take it as they take the model itself, with the same options, and give the same.
 *
 * @param modelPath as for `Tokenizer.load`
 * @returns the bytes of the file, which is called `*.stk` by custom
 * @throws ModelNotFoundError, TokenizerFileError, UnsupportedTokenizerError as `Tokenizer.load`
 * @example await writeFile('qwen3.stk', await compileModel('models/qwen3'))
 */
export async function compileModel(
  modelPath: string,
  { encoding }: CompileOptions = {},
): Promise<Uint8Array> {
  return compileFiles(await readModelFiles(modelPath, encoding))
}

/** @internal Compiles what was read. The model is loaded on the way, so that no file is written that could not be. */
export function compileFiles({ spec, ...loadedWith }: CompiledModel): Uint8Array {
  const programs = new Map<string, Uint32Array>()
  const recorded = 'pieces' in spec ? spec : { ...spec, programs }
  Tokenizer.fromSpec(recorded, {}, loadedWith).dispose()
  return writeCompiled({ spec, ...loadedWith }, programs, VERSION)
}
