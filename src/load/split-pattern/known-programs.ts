import { PROGRAMS } from './programs.js'
import { SCANNED } from './scanned.js'

/** `\s` parts words for BERT. */
const SOURCES: readonly string[] = [...SCANNED.keys(), '\\s']

/** The program of a pattern that many models have: what compiling it gives, for both engines. */
export function knownProgram(source: string): Uint32Array | undefined {
  const words = PROGRAMS[SOURCES.indexOf(source)]
  return words === undefined ? undefined : Uint32Array.from(words.split(','), Number)
}
