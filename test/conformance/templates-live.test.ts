// Fresh random templates, parsed and rendered by us and by Jinja2 in a Python process. For longer runs:
// npm run conformance -- --only templates
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareTemplates } from './compare-templates.js'
import { findJinja, JinjaOracle } from './jinja-oracle.js'
import { sharedFile } from './shared-files.js'

const SEED = 20261130
const { found, message } = findJinja()

describe.skipIf(!found)(
  `templates and live Jinja2${found ? '' : ` (${message})`}`,
  { timeout: 120_000 },
  () => {
    let oracle: JinjaOracle
    beforeAll(() => {
      oracle = new JinjaOracle()
    })
    afterAll(() => oracle.close())

    it('500 sources, 500 templates and 50 changed real ones', async () => {
      const { differences, outputs, ...counts } = await compareTemplates(oracle, 500, SEED)
      expect(differences).toEqual([])
      const mutants = sharedFile('data', 'templates') === undefined ? 0 : 50
      expect(counts).toEqual({ sources: 500, templates: 500, mutants })
      expect(outputs).toBeGreaterThan(200)
    })
  },
)
