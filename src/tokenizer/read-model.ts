import type { EncodingName, RankEncoding } from '../load/encodings.js'
import { type ModelFiles, readModelFiles } from '../load/model-files.js'
import { readCached } from './cached-model.js'

/** The environment variable that names a folder for compiled models where no option does. */
export const CACHE_VARIABLE = 'SAFETOKENS_CACHE'

/**
 * As `readModelFiles`, by way of a folder of compiled models where there is one: see {@link readCached}.
 *
 * @param map the path is that of a compiled model, which is mapped
 * @param cacheFolder whoever can write there decides about the models; by default what SAFETOKENS_CACHE names, else none
 */
export async function readModel(
  modelPath: string,
  encoding: EncodingName | RankEncoding | undefined,
  cacheFolder: string | undefined = process.env[CACHE_VARIABLE],
  map = false,
): Promise<ModelFiles> {
  return map || !cacheFolder
    ? readModelFiles(modelPath, encoding, map)
    : readCached(modelPath, encoding, cacheFolder)
}
