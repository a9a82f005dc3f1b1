// The templates of ../shared, as transformers renders them; see scripts/golden-templates.py.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileTemplate } from '../../../src/chat/template/template.js'
import { TemplateError } from '../../../src/errors.js'
import { sharedFile } from '../../conformance/shared-files.js'
import { readGolden } from './golden-file.js'
import { contextOf, type Rendered, renderCompiled } from './rendered.js'

interface Golden {
  readonly now: string
  /** Variables, each as JSON. */
  readonly conversations: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly templates: readonly {
    /** Files with this source. */
    readonly names: readonly string[]
    readonly sha256: string
    /** In the order of the conversations. */
    readonly results: readonly Rendered[]
  }[]
}

const { now, conversations, templates } = readGolden<Golden>('templates.json.gz')
const contexts = Object.entries(conversations).map(([name, variables]) => ({
  name,
  context: contextOf(variables),
}))

describe.skipIf(sharedFile('data', 'templates') === undefined)('templates of ../shared', () => {
  it('are 161 different ones, rendered with 50 conversations', () => {
    expect(templates).toHaveLength(161)
    expect(contexts).toHaveLength(50)
  })

  it.each(templates.map((template) => [template.names[0] as string, template] as const))(
    '%s',
    (name, { sha256, results }) => {
      const bytes = readFileSync(sharedFile('data', 'templates', name) as string)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
      const source = bytes.toString()
      if (results.every((result) => isSyntaxError(result))) {
        expect(() => compileTemplate(source)).toThrow(TemplateError)
        return
      }
      const template = compileTemplate(source)
      contexts.forEach(({ name: conversation, context }, i) => {
        const ours = renderCompiled(template, context, now)
        expect([conversation, ours]).toEqual([conversation, results[i]])
      })
    },
  )
})

function isSyntaxError(result: Rendered): boolean {
  return typeof result === 'object' && 'error' in result && result.error.kind === 'syntax'
}
