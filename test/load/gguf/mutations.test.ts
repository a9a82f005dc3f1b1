// Broken GGUF files: each gives a typed error that says where, or a working, certified tokenizer.
// ../golden/gguf-mutations.json lists the outcomes; `npx vitest run -u` on this file writes it anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GGUF_KINDS } from '../../fixtures/gguf-files.js'
import { type GgufMutation, ggufMutations } from '../../fixtures/gguf-mutations.js'
import { ggufBytes } from '../../fixtures/gguf-writer.js'
import { expectSound, ModelGuard } from '../../fixtures/model-guard.js'
import { TEXTS, UNLISTED } from '../../fixtures/mutation-runs.js'

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('gguf-mutations')
})
afterAll(() => guard.stop())

/** Keys with bytes; tables by number, which the compiler names; what is wrong with a tokenizer.json inside. */
const PLACE =
  /^<bytes>: (.*, byte \d+|byte \d+|[\w.]+|pieces\[\d+\]|tokens\[\d+\]|tokenizer\.huggingface\.json: .*): /

/** Its outcome as a line. */
async function soundOutcome({ description, bytes }: GgufMutation): Promise<string> {
  const outcome = await guard.run(bytes, { texts: TEXTS })
  const { kind, message } = outcome
  expectSound(outcome, description)
  expect(message.length, description).toBeLessThan(600)
  const isGguf = Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'GGUF'
  if (kind === 'TokenizerFileError' && isGguf) expect(message, description).toMatch(PLACE)
  return JSON.stringify({ description, kind, message: message.slice(0, 300) })
}

describe('a mutated GGUF file', () => {
  it.each(GGUF_KINDS)('has a sound base file of the kind %s', async (_, make) => {
    expect(await guard.run(ggufBytes(make()), { texts: TEXTS })).toMatchObject({ kind: 'loads' })
  })

  it('has the listed outcome', async () => {
    const lines: string[] = []
    for (const mutation of ggufMutations(200 / GGUF_KINDS.length, 2026))
      lines.push(await soundOutcome(mutation))
    expect(lines.length).toBeGreaterThanOrEqual(200)
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('../golden/gguf-mutations.json')
  }, 120_000)

  it(`has a sound outcome in ${UNLISTED} more cases of each kind`, async () => {
    for (const mutation of ggufMutations(UNLISTED, 7)) await soundOutcome(mutation)
  }, 3_600_000)
})
