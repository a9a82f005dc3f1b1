// A compiled model is the model: for every real tokenizer the same ids, texts, reserved tokens and warnings.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readTokenizer } from '../../src/load/read-tokenizer.js'
import { readRankFile } from '../../src/load/tiktoken.js'
import { trusted } from '../../src/prompt/parts.js'
import { compileFiles } from '../../src/tokenizer/compile-files.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { sharedFile } from './shared-files.js'
import { TOKENIZERS } from './tokenizers.js'

function texts(): string[] {
  const file = sharedFile('data', 'corpus', 'corpus.json')
  const corpus = file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as { text: string }[])
  return [...ATTACKS, '', ' ', 'x'.repeat(3000), ...corpus.map(({ text }) => text)]
}

describe.each(TOKENIZERS)(
  'compiled $name ($semantics)',
  { timeout: 60_000 },
  ({ name, semantics, read, load }) => {
    const bytes = read()
    it.skipIf(bytes === undefined)('is the model', () => {
      const original = load(bytes as Uint8Array)
      const spec =
        semantics === 'tiktoken'
          ? readRankFile(bytes as Uint8Array, name, name as 'o200k_base')
          : readTokenizer(bytes as Uint8Array, name)
      const file = compileFiles({ spec, config: undefined, folder: undefined, warnings: [] })
      // Files are read to any place in memory.
      const moved = new Uint8Array(file.length + 1).subarray(1)
      moved.set(file)
      for (const compiled of [Tokenizer.from(file), Tokenizer.from(moved)]) {
        expect({ ...compiled }).toEqual({ ...original })
        expect(compiled.reserved).toEqual(original.reserved)
        expect(compiled.warnings).toEqual(original.warnings)
      }
      const compiled = Tokenizer.from(file, { reserve: 'all-added' })
      expect(compiled.reserved).toEqual(Tokenizer.fromSpec(spec, { reserve: 'all-added' }).reserved)
      const tokenizer = Tokenizer.from(file)
      for (const text of texts()) {
        const ids = tokenizer.encode(text)
        expect(ids).toEqual(original.encode(text))
        expect(tokenizer.encode(trusted(text), { addSpecialTokens: true })).toEqual(
          original.encode(trusted(text), { addSpecialTokens: true }),
        )
        expect(tokenizer.decode(ids)).toBe(original.decode(ids))
      }
    })
  },
)
