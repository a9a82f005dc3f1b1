import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ModelNotFoundError, UnsupportedTokenizerError } from '../errors.js'
import type { Fields } from './tokenizer-json/fields.js'

const NAMES = ['tekken.json', 'tokenizer.model', 'tiktoken.model', 'spm.model']
/** Endings of files that have other names, as `qwen.tiktoken` or `spiece.model`. */
const ENDINGS = ['.tiktoken', '.model']
/** The version of transformers whose folders these are. */
const TRANSFORMERS = [5, 23, 0]

/**
 * The tokenizer's file in a folder. `tokenizer.json` wins, or the newest version of it that `fast_tokenizer_files`
 * lists for transformers 5.23; then tekken.json, then the names of SentencePiece models and rank files. For the class
 * `ChatGLMTokenizer`, which is Python code over `tokenizer.model`, that file wins.
 *
 * @throws ModelNotFoundError when there is none
 * @throws UnsupportedTokenizerError when there are several, none of which has a name that is known
 */
export async function tokenizerFile(folder: string, config: Fields | undefined): Promise<string> {
  const names = [fastTokenizerFile(config), ...NAMES]
  if (config?.get('tokenizer_class') === 'ChatGLMTokenizer') names.unshift('tokenizer.model')
  for (const name of names) {
    const file = path.join(folder, name)
    if (await stat(file).catch(() => undefined)) return file
  }
  const files = await readdir(folder)
  for (const ending of ENDINGS) {
    const [first, ...others] = files.filter((name) => name.endsWith(ending)).sort()
    if (first === undefined) continue
    if (others.length === 0) return path.join(folder, first)
    throw new UnsupportedTokenizerError(
      folder,
      `${others.length + 1} tokenizers`,
      `give the path of one: ${[first, ...others].slice(0, 5).join(', ')}`,
    )
  }
  const hint = files.includes('vocab.json')
    ? '; vocab.json and merges.txt become a tokenizer.json with save_pretrained of transformers'
    : ''
  throw new ModelNotFoundError(folder, `${folder}: the folder has none of ${names.join(', ')}${hint}`)
}

/** Versions are compared in the order in which their texts sort, until one is too new. */
function fastTokenizerFile(config: Fields | undefined): string {
  const listed = config?.get('fast_tokenizer_files')
  let newest = 'tokenizer.json'
  if (!Array.isArray(listed)) return newest
  const versions = listed.flatMap((name) =>
    typeof name === 'string' && /^tokenizer\.\d+(\.\d+)*\.json$/.test(name) ? [name.slice(10, -5)] : [],
  )
  for (const version of versions.sort()) {
    if (isNewer(version.split('.').map(Number), TRANSFORMERS)) break
    newest = `tokenizer.${version}.json`
  }
  return newest
}

function isNewer(version: readonly number[], than: readonly number[]): boolean {
  const length = Math.max(version.length, than.length)
  for (let i = 0; i < length; i++) {
    const difference = (version[i] ?? 0) - (than[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
