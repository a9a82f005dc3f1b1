// Broken tokenizer.json files: each gives a typed error that says where, or a working, certified tokenizer.
// golden/tokenizer-json-mutations.json, golden/unigram-json-mutations.json and golden/word-json-mutations.json list the
// outcomes; `npx vitest run -u` on this file writes them anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_JSONS, type JsonMutation, jsonMutations, UNIGRAM_JSONS } from '../fixtures/json-mutations.js'
import { expectSound, ModelGuard } from '../fixtures/model-guard.js'
import { TEXTS, UNLISTED } from '../fixtures/mutation-runs.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'
import { WORD_JSON_MUTATORS, WORD_JSONS } from '../fixtures/word-json-mutations.js'

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('json-mutations')
})
afterAll(() => guard.stop())

/** Its outcome as a line. */
async function soundOutcome({ description, bytes }: JsonMutation): Promise<string> {
  const outcome = await guard.run(bytes, { texts: TEXTS })
  const { kind, message } = outcome
  const file = JSON.stringify(new TextDecoder().decode(bytes)).slice(0, 200)
  expectSound(outcome, `${description}: ${file}`)
  // What does not begin with a brace is taken for another kind of file.
  if (kind === 'TokenizerFileError' && bytes[0] === 0x7b) {
    expect(message, description).toMatch(/^<bytes>: (\$|line \d+, column \d+|byte \d+)/)
  }
  return JSON.stringify({ description, kind, message: message.slice(0, 300) })
}

describe('a mutated tokenizer.json', () => {
  it('has sound base files', async () => {
    for (const { name, text } of [...BASE_JSONS, ...UNIGRAM_JSONS, ...WORD_JSONS]) {
      const outcome = await guard.run(new TextEncoder().encode(text), { texts: TEXTS })
      expect(outcome, name).toMatchObject({ kind: 'loads' })
    }
  })

  it('has a short message when its names are long', async () => {
    const json = byteLevelJson()
    json.model.merges[0] = ['a'.repeat(10_000), 'b']
    const { kind, message } = await guard.run(jsonBytes(json), { texts: [] })
    expect(kind).toBe('TokenizerFileError')
    expect(message.length).toBeLessThan(600)
  })

  it('has the listed outcome', async () => {
    const lines: string[] = []
    for (const mutation of jsonMutations(100, 2026)) lines.push(await soundOutcome(mutation))
    expect(lines).toHaveLength(200)
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('golden/tokenizer-json-mutations.json')
  }, 120_000)

  it('has the listed outcome with a Unigram model', async () => {
    const lines: string[] = []
    for (const mutation of jsonMutations(100, 2027, UNIGRAM_JSONS)) lines.push(await soundOutcome(mutation))
    expect(lines).toHaveLength(200)
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('golden/unigram-json-mutations.json')
  }, 120_000)

  it('has the listed outcome with a model of words', async () => {
    const lines: string[] = []
    for (const mutation of jsonMutations(200, 2028, WORD_JSONS, WORD_JSON_MUTATORS)) {
      lines.push(await soundOutcome(mutation))
    }
    expect(lines).toHaveLength(400)
    await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('golden/word-json-mutations.json')
  }, 120_000)

  it(`has a sound outcome in ${UNLISTED} more cases of each file`, async () => {
    for (const bases of [BASE_JSONS, UNIGRAM_JSONS]) {
      for (const mutation of jsonMutations(UNLISTED, 7, bases)) await soundOutcome(mutation)
    }
    for (const mutation of jsonMutations(UNLISTED, 7, WORD_JSONS, WORD_JSON_MUTATORS)) {
      await soundOutcome(mutation)
    }
  }, 3_600_000)
})
