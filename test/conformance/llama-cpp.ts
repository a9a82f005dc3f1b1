// llama.cpp itself, in node-llama-cpp: too large for every `npm test`. `npm run conformance -- --only llama.cpp` fetches
// it; SAFETOKENS_LLAMA_CPP names a folder that has it in its node_modules.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageFile } from './tokenizers.js'

const FILE = 'dist/index.js'

/** Where node-llama-cpp lies, if it is there. */
export function llamaCppFile(): string | undefined {
  const folder = process.env.SAFETOKENS_LLAMA_CPP
  if (folder === undefined) return packageFile('node-llama-cpp', FILE)
  const file = path.resolve(folder, 'node_modules/node-llama-cpp', FILE)
  if (!existsSync(file)) throw new Error(`SAFETOKENS_LLAMA_CPP: there is no ${file}`)
  return file
}

export interface LlamaModel {
  /**
   * Without bos. The names of user-defined tokens are tokens; those of control tokens are text, unless `special` says
   * that they are found as well, as llama.cpp's server does it for prompts.
   */
  tokenize(text: string, special?: boolean): number[]
  dispose(): Promise<void>
}

interface LlamaCpp {
  loadModel(options: { modelPath: string; vocabOnly: true }): Promise<{
    tokenize(text: string, specialTokens: boolean): readonly number[]
    dispose(): Promise<void>
  }>
}

/** Gives what loads the vocabulary of a GGUF file. */
export async function llamaCpp(file: string): Promise<(modelPath: string) => Promise<LlamaModel>> {
  const { getLlama } = (await import(pathToFileURL(file).href)) as {
    getLlama(options: object): Promise<LlamaCpp>
  }
  // A file without tensors is tried in full first, which is logged as an error.
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'disabled' })
  return async (modelPath) => {
    const model = await llama.loadModel({ modelPath, vocabOnly: true })
    return {
      tokenize: (text, special = false) => [...model.tokenize(text, special)],
      dispose: () => model.dispose(),
    }
  }
}
