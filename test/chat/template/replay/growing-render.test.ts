// Conversations that grow are rendered as from scratch, whatever the template looks at: 800 random templates, and all of
// ../shared.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../../budget/conversations.js'
import { sharedFile } from '../../../conformance/shared-files.js'
import { readGolden } from '../golden-file.js'
import { compiled, growAndCompare, messages, type Outcome, pick, randomTemplate } from './growing.js'

const TOOLS = [
  {
    type: 'function',
    function: { name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: {} } },
  },
  {
    type: 'function',
    function: { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } },
  },
]

const noOutcome = (): Outcome => ({ compared: 0, replayed: 0, lost: 0, different: [] })

describe('a growing conversation', () => {
  it('is rendered by random templates as from scratch', { timeout: 120_000 }, () => {
    const outcome = noOutcome()
    for (let seed = 0; seed < 800; seed++) {
      const random = randomNumbers(seed)
      const source = randomTemplate(random)
      let seconds = 0
      const now = (): Date => new Date(2026, 10, 30, 0, 0, seconds)
      const context = { tools: random() < 0.5 ? TOOLS : null, add_generation_prompt: random() < 0.7 }
      const options = { now, specialTokens: { bos_token: '<s>' } }
      const conversation = messages(random, 4)
      growAndCompare(source, conversation, context, options, random, outcome, () => {
        seconds += 20_000
      })
    }
    console.log(
      `growing: ${outcome.compared} renders compared, ${outcome.replayed} replayed, ${outcome.lost} lost`,
    )
    expect(outcome.different.slice(0, 1).join()).toBe('')
    expect(outcome.replayed).toBeGreaterThan(1000)
  })
})

interface Golden {
  readonly templates: readonly { readonly names: readonly string[] }[]
}

const { templates } = readGolden<Golden>('templates.json.gz')

describe.skipIf(sharedFile('data', 'templates') === undefined)('templates of ../shared', () => {
  const total = noOutcome()
  it.each(templates.map(({ names }) => names[0] as string))('%s', (name) => {
    const source = readFileSync(sharedFile('data', 'templates', name) as string, 'utf8')
    const template = compiled(source)
    if (template === undefined) return
    const outcome = noOutcome()
    for (let seed = 0; seed < 8; seed++) {
      const random = randomNumbers(seed)
      const context = {
        tools: random() < 0.5 ? TOOLS : null,
        documents: null,
        add_generation_prompt: random() < 0.8,
        ...(random() < 0.3 ? { enable_thinking: random() < 0.5 } : {}),
      }
      const onDataDependence = pick(random, ['report', 'report', 'refuse'] as const)
      const specialTokens = { bos_token: '<s>', eos_token: '</s>', unk_token: '<unk>', pad_token: '<pad>' }
      const options = { now: () => new Date(0), specialTokens, onDataDependence }
      growAndCompare(template, messages(random, 5), context, options, random, outcome)
    }
    expect(outcome.different.slice(0, 1).join()).toBe('')
    expect(outcome.lost).toBe(0)
    total.compared += outcome.compared
    total.replayed += outcome.replayed
  })

  it('are mostly replayed', () => {
    console.log(`templates: ${total.replayed} of ${total.compared} renders took over something`)
    expect(total.replayed).toBeGreaterThan(total.compared / 2)
  })
})
