// Broken rank files and tekken.json files: each gives a typed error that says where, or a working, certified tokenizer.
// golden/rank-mutations.json lists the outcomes; `npx vitest run -u` on this file writes it anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, ModelGuard, SOUND_KINDS } from '../fixtures/model-guard.js'
import { TEXTS, UNLISTED } from '../fixtures/mutation-runs.js'
import {
  ENCODING,
  RANKS,
  type RankMutation,
  rankMutations,
  TEKKEN,
  tekkenMutations,
} from '../fixtures/rank-mutations.js'

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('rank-mutations')
})
afterAll(() => guard.stop())

/** An id of the file may be one of those that the caller gives to special tokens. */
const KINDS = [...SOUND_KINDS, 'InvalidArgumentError']

/** The place that an error names, by what the file is taken for. */
function placePattern(bytes: Uint8Array): RegExp {
  if (bytes[0] === 0x7b) return /^<bytes>: (\$|line \d+, column \d+|byte \d+)/
  const isRanks = /^[A-Za-z0-9+/]+=* \d+\r?\n/.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'))
  return isRanks ? /^<bytes>: (line \d+|tokens): / : /^<bytes>: /
}

/** Its outcome as a line. */
async function soundOutcome({ description, bytes }: RankMutation): Promise<string> {
  const outcome = await guard.run(bytes, { texts: TEXTS, encoding: ENCODING })
  const { kind, message } = outcome
  expectSound(outcome, description, KINDS)
  expect(message.length, description).toBeLessThan(600)
  if (kind === 'TokenizerFileError') expect(message, description).toMatch(placePattern(bytes))
  return JSON.stringify({ description, kind, message: message.slice(0, 300) })
}

describe('a mutated rank file or tekken.json', () => {
  it('has sound base files', async () => {
    for (const text of [RANKS, TEKKEN]) {
      const outcome = await guard.run(new TextEncoder().encode(text), { texts: TEXTS, encoding: ENCODING })
      expect(outcome).toMatchObject({ kind: 'loads' })
    }
  })

  it('has the listed outcome', async () => {
    const lines: string[] = []
    for (const mutation of rankMutations(100, 2026)) lines.push(await soundOutcome(mutation))
    for (const mutation of tekkenMutations(100, 2026)) lines.push(await soundOutcome(mutation))
    expect(lines).toHaveLength(200)
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('golden/rank-mutations.json')
  }, 120_000)

  it(`has a sound outcome in ${UNLISTED} more cases of each file`, async () => {
    for (const mutation of rankMutations(UNLISTED, 7)) await soundOutcome(mutation)
    for (const mutation of tekkenMutations(UNLISTED, 7)) await soundOutcome(mutation)
  }, 3_600_000)
})
