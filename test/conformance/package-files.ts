import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
/** The second holds what only `npm run conformance` fetches. */
const FOLDERS = ['test/conformance', 'build/conformance'].map((folder) => path.join(root, folder))

/** A file of an installed package. */
export function packageFile(name: string, file: string): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, 'node_modules', name, file)).find(existsSync)
}

/** The bytes of a file of an installed package. */
export function readPackage(name: string, file: string): Uint8Array | undefined {
  const found = packageFile(name, file)
  return found === undefined ? undefined : readFileSync(found)
}
