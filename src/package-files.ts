import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the small model that comes with the package. */
export function defaultModelPath(): string {
  return path.join(packageRoot(), 'models', 'mini-chatglm3')
}

/** The version of this package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')).version
}

/** Walks up from this file, which lies in `src` in the repository and in `dist` when built. */
function packageRoot(): string {
  const start = path.dirname(fileURLToPath(import.meta.url))
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (packageName(folder) === 'safetokens') return folder
    if (folder === path.dirname(folder)) throw new Error(`${start} is not inside the safetokens package`)
  }
}

function packageName(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name
  } catch {
    return undefined // no package.json here, or not a readable one: not our root
  }
}
