import path from 'node:path'
import { TokenizerFileError } from '../errors.js'
import { readOptional } from './model-file.js'
import { Fields } from './tokenizer-json/fields.js'
import { JsonReader } from './tokenizer-json/json-reader.js'
import { invalidUtf8At } from './tokenizer-json/text-position.js'

/** The JSON files of a model folder, where there are any. */
export interface FolderFiles {
  readonly tokenizerConfig: Fields | undefined
  readonly specialTokensMap: Fields | undefined
  readonly addedTokens: Fields | undefined
  readonly generationConfig: Fields | undefined
  readonly modelConfig: Fields | undefined
  /** Of processors of images: `chat_template.json`. */
  readonly chatTemplate: Fields | undefined
}

export async function readFolderFiles(folder: string): Promise<FolderFiles> {
  const [tokenizerConfig, specialTokensMap, addedTokens, generationConfig, modelConfig, chatTemplate] =
    await Promise.all(
      [
        'tokenizer_config',
        'special_tokens_map',
        'added_tokens',
        'generation_config',
        'config',
        'chat_template',
      ].map((name) => readJsonObject(folder, `${name}.json`)),
    )
  return { tokenizerConfig, specialTokensMap, addedTokens, generationConfig, modelConfig, chatTemplate }
}

/** Configs of real models have up to 2 MB, in which 6,000 added tokens are listed. */
const MAX_JSON = 2 ** 26
/** Templates of real models have up to 30 kB. */
const MAX_TEXT = 2 ** 22

/**
 * The object in a JSON file of a model folder; undefined where there is no such file.
 *
 * @throws TokenizerFileError for what is not JSON, with line and column, or is no object. `NaN` and `Infinity` are
 *   read, which Python writes into `config.json`
 */
export async function readJsonObject(folder: string, name: string): Promise<Fields | undefined> {
  const file = path.join(folder, name)
  const bytes = await readOptional(file, MAX_JSON)
  if (bytes === undefined) return undefined
  const reader = new JsonReader(bytes, file, true)
  const value = reader.value()
  reader.end()
  return new Fields(file, '$', value)
}

/** A text file of a model folder, its line ends as Python reads them: all are `\n`. */
export async function readTextFile(file: string): Promise<string | undefined> {
  const bytes = await readOptional(file, MAX_TEXT)
  if (bytes === undefined) return undefined
  const invalid = invalidUtf8At(bytes)
  if (invalid >= 0) throw new TokenizerFileError(file, `byte ${invalid}`, 'it is not valid UTF-8')
  return utf8.decode(bytes).replace(/\r\n?/g, '\n')
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
