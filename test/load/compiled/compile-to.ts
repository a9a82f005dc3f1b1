import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compileModel } from '../../../src/tokenizer/compile-model.js'

/** Compiles a model to a file, in a folder that is made where there is none. Gives the path of the file. */
export async function compileTo(file: string, model: string): Promise<string> {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, await compileModel(model))
  return file
}
