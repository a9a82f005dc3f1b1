import { describe, expect, it } from 'vitest'
import { compileSplitPattern } from '../../src/load/split-pattern/compile.js'
import { knownProgram } from '../../src/load/split-pattern/known-programs.js'
import { literalProgram } from '../../src/load/split-pattern/program.js'
import { SCANNED } from '../../src/load/split-pattern/scanned.js'

const KNOWN = [...SCANNED.keys(), '\\s']

describe('programs of patterns that are known', () => {
  it('are what the compiler makes of them', async () => {
    const lines = KNOWN.map((source) => `  '${compileSplitPattern(source, 'oniguruma').join()}',\n`)
    // After a change of the compiler: npx vitest run test/load/known-programs.test.ts -u
    await expect(`// Written by test/load/known-programs.test.ts.

/** In the order of \`SCANNED\`, and of \`\\s\`: the words of a program. */
export const PROGRAMS: readonly string[] = [
${lines.join('')}]
`).toMatchFileSnapshot('../../src/load/split-pattern/programs.ts')
  })

  it.each(KNOWN)('%s is the same in both flavours', (source) => {
    for (const flavour of ['oniguruma', 'tiktoken'] as const) {
      expect(knownProgram(source)).toEqual(compileSplitPattern(source, flavour))
    }
  })

  it('are no others', () => {
    expect(knownProgram('\\S')).toBeUndefined()
    expect(knownProgram('')).toBeUndefined()
  })
})

describe('literalProgram', () => {
  it.each(['a', ' ', '▁', '##', '😀!', '\n', 'ſk', 'x'.repeat(256)])('%j', (text) => {
    expect(literalProgram(text)).toEqual(compileSplitPattern(text, 'oniguruma'))
    expect(literalProgram(text)).toEqual(compileSplitPattern(text, 'tiktoken'))
  })

  it.each(['', 'x'.repeat(257), '\ud800', 'a\udc00b'])('leaves %j to the compiler', (text) => {
    expect(literalProgram(text)).toBeUndefined()
  })
})
