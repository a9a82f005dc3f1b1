import type { EncodingName, RankEncoding } from '../load/encodings.js'
import { readModelFiles } from '../load/model-files.js'
import { compileFiles } from './compile-files.js'
import { Tokenizer } from './tokenizer.js'

export interface CompileOptions {
  /** As for `Tokenizer.load`. */
  readonly encoding?: EncodingName | RankEncoding | undefined
}

/**
 * Compiles a model: one file that holds what its tokenizer and the files beside it say, and is read in milliseconds.
 * `Tokenizer.load` and `Chat.load` take it as they take the model itself, with the same options, and give the same.
 * The model is loaded once, so that no file comes of one that cannot be.
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
  const files = await readModelFiles(modelPath, encoding)
  const { spec, ...loadedWith } = files
  Tokenizer.fromSpec(spec, { memoBytes: 0 }, loadedWith).dispose()
  return compileFiles(files)
}
