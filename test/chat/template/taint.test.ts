// No byte of a request becomes trusted text, whatever a template does with it: a marked payload in every string and in
// keys of every conversation, through all templates of ../shared. SAFETOKENS_TAINT=all, as npm run conformance sets
// it, runs all of them and has Jinja2 render the same; npm test takes a sample.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { OriginText } from '../../../src/chat/template/origin-text.js'
import { type ChatTemplate, compileTemplate } from '../../../src/chat/template/template.js'
import { TemplateError } from '../../../src/errors.js'
import { findJinja, JinjaOracle } from '../../conformance/jinja-oracle.js'
import { sharedFile } from '../../conformance/shared-files.js'
import { readGolden } from './golden-file.js'
import { MARK, type Poison, type PoisonedRequest, poisonRequest, SIGNS } from './poisoned-request.js'

interface Golden {
  readonly now: string
  readonly conversations: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly templates: readonly { readonly names: readonly string[] }[]
}

const all = process.env.SAFETOKENS_TAINT === 'all'
/** In a sample, every so many renders one is made. */
const STRIDE = all ? 1 : 7
const POISONS: readonly Poison[] = ['values', 'types', 'keys']

const { now, conversations, templates } = readGolden<Golden>('templates.json.gz')
const requests = Object.values(conversations).flatMap((variables) =>
  POISONS.map((poison) => poisonRequest(variables, poison)),
)
const oracle = all && findJinja().found ? new JinjaOracle() : undefined
const counts = { renders: 0, refused: 0, placed: 0, found: 0, altered: 0, trusted: 0, compared: 0 }

describe.skipIf(sharedFile('data', 'templates') === undefined)('a payload in every string and key', () => {
  afterAll(() => {
    oracle?.close()
    console.log(
      `taint: ${counts.placed} placements in ${counts.renders} renders (${counts.refused} more were refused by the ` +
        `template); found whole ${counts.found}, changed by the template ${counts.altered}, trusted ${counts.trusted}; ` +
        `${counts.compared} outputs compared with Jinja2`,
    )
  })

  it.each(templates.map(({ names }, index) => [names[0] as string, index] as const))(
    '%s',
    async (name, index) => {
      const source = readFileSync(sharedFile('data', 'templates', name) as string, 'utf8')
      const template = compiled(source)
      if (template === undefined) return
      for (const [i, request] of requests.entries()) {
        if ((i + index) % STRIDE === 0) await check(source, template, request)
      }
    },
    all ? 600_000 : 20_000,
  )

  it('is never trusted', () => {
    expect(counts.renders).toBeGreaterThan(500)
    expect(counts.trusted).toBe(0)
  })

  it.runIf(all)('was put into more than 100,000 places', () => {
    expect(counts.placed).toBeGreaterThan(100_000)
  })
})

describe('a payload in random templates', () => {
  it('is never trusted', () => {
    const groups =
      readGolden<readonly { variables: Record<string, string>; cases: readonly [string][] }[]>(
        'random-templates.json.gz',
      )
    let signs = 0
    for (const { variables, cases } of groups) {
      const requests = POISONS.map((poison) => poisonRequest(variables, poison))
      for (const [source] of cases) {
        const template = compiled(source)
        if (template === undefined) continue
        for (const { context } of requests) {
          const text = rendered(template, context)
          for (const { index } of text?.text.matchAll(SIGNS) ?? []) {
            signs++
            if (text?.originAt(index) === null) expect([source, context]).toBeUndefined()
          }
        }
      }
    }
    expect(signs).toBeGreaterThan(10_000)
  })
})

function rendered(template: ChatTemplate, context: Readonly<Record<string, unknown>>) {
  try {
    return template.render(context).text
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
    return undefined
  }
}

function compiled(source: string): ChatTemplate | undefined {
  try {
    return compileTemplate(source)
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
    return undefined
  }
}

async function check(source: string, template: ChatTemplate, request: PoisonedRequest): Promise<void> {
  const { context, specialTokens, paths } = request
  let text: OriginText | undefined
  try {
    ;({ text } = template.render(context, { specialTokens, now: () => new Date(now) }))
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
    // Python, too, gives up where a macro calls itself without end.
    expect(['runtime', 'raised', 'limit']).toContain((error as TemplateError).kind)
  }
  if (oracle !== undefined) {
    // Whatever became of a payload is what the template makes of it: the reference does the same.
    const answer = await oracle.ask<{ output?: string }>({
      op: 'render',
      source,
      context: { ...specialTokens, ...context },
      now,
    })
    expect(text?.text).toBe(answer.output)
    counts.compared++
  }
  if (text === undefined) counts.refused++
  else {
    counts.renders++
    counts.placed += paths.length
    inspect(text, paths)
  }
}

/** Every sign of a mark is data, and a whole mark is data of the path where it was put. */
function inspect(text: OriginText, paths: readonly string[]): void {
  const { runs } = text
  let run = 0
  const runAt = (offset: number) => {
    while ((runs[run]?.end ?? Number.POSITIVE_INFINITY) <= offset) run++
    return runs[run]
  }
  let signs = 0
  for (const { index } of text.text.matchAll(SIGNS)) {
    signs++
    if (runAt(index)?.origin === null) counts.trusted++
  }
  run = 0
  for (const { index, 0: mark, 1: number } of text.text.matchAll(MARK)) {
    const found = runAt(index)
    counts.found++
    signs -= 2
    expect(found?.end).toBeGreaterThanOrEqual(index + mark.length)
    expect(found?.origin?.path).toBe(paths[Number(number)])
  }
  counts.altered += signs
}
