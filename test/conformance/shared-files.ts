import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder beside the project that holds the large test data. It need not exist. */
export const SHARED: string = fileURLToPath(new URL('../../../shared', import.meta.url))

/** A file of `../shared`; undefined where it is absent. */
export function sharedFile(...segments: string[]): string | undefined {
  const file = path.join(SHARED, ...segments)
  return existsSync(file) ? file : undefined
}
