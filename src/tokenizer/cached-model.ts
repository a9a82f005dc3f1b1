import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { SafetokensError } from '../errors.js'
import { readCompiled } from '../load/compiled/compiled-model.js'
import { FORMAT_VERSION, isCompiled } from '../load/compiled/header.js'
import type { EncodingName, RankEncoding } from '../load/encodings.js'
import { isGgufFile } from '../load/gguf/folder.js'
import { readModelFile } from '../load/model-file.js'
import { type ModelFiles, readModelFiles } from '../load/model-files.js'
import { VERSION } from '../version.js'
import { compileFiles } from './compile-files.js'

/** Files of a model's folder that may say something about its tokenizer, which weights do not. */
const READ = /\.(json|jinja|model|tiktoken)$/
const TEMPLATES = 'additional_chat_templates'
/** A folder with more is no model's. */
const MOST_FILES = 1000

/**
 * As `readModelFiles`, by way of a folder of compiled models: the second time, a model is read in milliseconds. Its name
 * there tells all that it depends on: the content of its files, the options that reading takes, and the versions of
 * this library and of the format. A file there that is damaged is made anew, and where none can be written there is
 * none. GGUF files, whose headers are quick to read, are not kept, nor are compiled models.
 *
 * @param cacheFolder whoever can write there decides about the models
 */
export async function readCached(
  modelPath: string,
  encoding: EncodingName | RankEncoding | undefined,
  cacheFolder: string,
): Promise<ModelFiles> {
  const key = await contentKey(modelPath, encoding)
  if (key === undefined) return readModelFiles(modelPath, encoding)
  const file = path.join(cacheFolder, `${key}.stk`)
  const kept = await readKept(file, modelPath)
  if (kept !== undefined) return kept
  const files = await readModelFiles(modelPath, encoding)
  await keep(file, compileFiles(files))
  return files
}

async function readKept(file: string, modelPath: string): Promise<ModelFiles | undefined> {
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  )
  if (size === undefined) return undefined
  try {
    const read = await readModelFile(file, size, size)
    if (read === undefined || read === 'gguf') return undefined
    return readCompiled(read.bytes, modelPath, read.read)
  } catch (error) {
    if (error instanceof SafetokensError) return undefined
    throw error
  }
}

/** Others may read the file meanwhile, or write it too: it appears whole. */
async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(unfinished, bytes)
    await rename(unfinished, file)
  } catch {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}

/** Undefined for what is not kept, and for what cannot be read: that it is missing is told by its reader. */
async function contentKey(
  modelPath: string,
  encoding: EncodingName | RankEncoding | undefined,
): Promise<string | undefined> {
  try {
    const isFolder = (await stat(modelPath)).isDirectory()
    if (!isFolder && (await isGgufFile(modelPath))) return undefined
    const names = isFolder
      ? await folderFiles(modelPath)
      : [path.basename(modelPath), 'tokenizer_config.json']
    const folder = isFolder ? modelPath : path.dirname(modelPath)
    if (names.length > MOST_FILES) return undefined
    const hash = createHash('sha256').update(
      JSON.stringify([VERSION, FORMAT_VERSION, isFolder, encoding ?? null]),
    )
    for (const name of names) {
      const bytes = await readFile(path.join(folder, name)).catch(ifMissing)
      if (bytes !== undefined && isCompiled(bytes)) return undefined
      hash.update(JSON.stringify([name, bytes?.length ?? null])).update(bytes ?? '')
    }
    return hash.digest('hex')
  } catch {
    return undefined
  }
}

async function folderFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  const templates = await readdir(path.join(folder, TEMPLATES)).catch(() => [])
  return [...names, ...templates.map((name) => path.join(TEMPLATES, name))]
    .filter((name) => READ.test(name))
    .sort()
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
