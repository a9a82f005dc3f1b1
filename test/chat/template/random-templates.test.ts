// Random templates with random contexts, as Jinja2 3.1.6 renders them; see scripts/golden-random-templates.py. For
// fresh ones: npm run conformance
import { describe, expect, it } from 'vitest'
import { readGolden } from './golden-file.js'
import { contextOf, type Rendered, render } from './rendered.js'

interface Group {
  /** Each as JSON. */
  readonly variables: Readonly<Record<string, string>>
  readonly cases: readonly (readonly [source: string, result: Rendered])[]
}

const groups = readGolden<Group[]>('random-templates.json.gz')
const NOW = '2026-11-30T12:34:56'

describe('4,000 random templates', () => {
  it('are there, and most of them mean something', () => {
    const results = groups.flatMap(({ cases }) => cases.map(([, result]) => result))
    expect(results).toHaveLength(4000)
    const outputs = results.filter((result) => typeof result === 'string' || 'output' in result)
    expect(outputs.length).toBeGreaterThan(2000)
  })

  it('give what Jinja2 gives', { timeout: 60_000 }, () => {
    const different = groups.flatMap(({ variables, cases }) => {
      const context = contextOf(variables)
      return cases
        .map(([source, theirs]) => ({ source, variables, theirs, ours: render(source, context, NOW) }))
        .filter(({ theirs, ours }) => JSON.stringify(theirs) !== JSON.stringify(ours))
    })
    expect(different).toEqual([])
  })
})
