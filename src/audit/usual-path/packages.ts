// The packages that most JavaScript stacks build prompts with. Nothing of ours needs them: they are what is compared with.
import { createRequire } from 'node:module'
import path from 'node:path'
import { SafetokensError } from '../../errors.js'

/** What is used of a tokenizer of `@huggingface/tokenizers`, whose own types do not resolve under NodeNext. */
export interface HuggingFaceTokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] }
}

/** What is used of `@huggingface/tokenizers`. */
export interface TokenizersPackage {
  readonly Tokenizer: new (tokenizerJson: object, config: object) => HuggingFaceTokenizer
}

/** What is used of `@huggingface/jinja`. */
export interface JinjaPackage {
  readonly Template: new (source: string) => { render(context: Record<string, unknown>): string }
}

// Variables, so that no bundler copies the packages into ours.
const TOKENIZERS: string = '@huggingface/tokenizers'
const JINJA: string = '@huggingface/jinja'

/** @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/tokenizers` is not installed */
export function importTokenizers(): Promise<TokenizersPackage> {
  return importPeer(TOKENIZERS)
}

/** @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/jinja` is not installed */
export function importJinja(): Promise<JinjaPackage> {
  return importPeer(JINJA)
}

/** Name and version of each, for reports. */
export function usualPackages(): Record<string, string> {
  const require = createRequire(import.meta.url)
  return Object.fromEntries([JINJA, TOKENIZERS].map((name) => [name, installedVersion(name, require)]))
}

async function importPeer<T>(name: string): Promise<T> {
  try {
    return (await import(/* @vite-ignore */ name)) as T
  } catch (cause) {
    const message =
      `the usual path runs on ${name}, which cannot be loaded here; ` +
      `run "npm install ${name}" and try again`
    throw new SafetokensError('MISSING_PACKAGE', message, { cause })
  }
}

/** Their `exports` hide package.json, so it is looked for above the file that is imported. */
function installedVersion(name: string, require: NodeJS.Require): string {
  let folder: string
  try {
    folder = path.dirname(require.resolve(name))
  } catch {
    return 'not installed'
  }
  for (; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    try {
      const manifest = require(path.join(folder, 'package.json')) as { name?: string; version?: string }
      if (manifest.name === name) return manifest.version ?? 'unknown'
    } catch {
      // No package.json here: it lies further up.
    }
  }
  return 'unknown'
}
