import { existsSync } from 'node:fs'
import { describe } from 'vitest'
import { SHARED } from './shared-files.js'

export * from './random-texts.js'
export { sharedFile } from './shared-files.js'

/** `describe`, skipped under a name that says so where `../shared` is absent. */
export function describeShared(name: string, tests: () => void): void {
  if (existsSync(SHARED)) describe(name, tests)
  else describe.skip(`${name} (skipped: ../shared is absent)`, tests)
}
