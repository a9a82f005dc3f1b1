// The program of a child process that compares random templates with Jinja2 and says how:
//   node templates-child.mjs COUNT SEED
import { compareCharacters, compareTemplates, type TemplateComparison } from './compare-templates.js'
import { findJinja, JinjaOracle } from './jinja-oracle.js'

export type TemplateReport =
  | { readonly missing: string }
  | (TemplateComparison & { readonly seconds: number })

const [count = '', seed = ''] = process.argv.slice(2)
const { found, message } = findJinja()
if (found) {
  const oracle = new JinjaOracle()
  const started = performance.now()
  const comparison = await compareTemplates(oracle, Number(count), Number(seed))
  const differences = [...comparison.differences, ...(await compareCharacters(oracle))]
  oracle.close()
  report({ ...comparison, differences, seconds: (performance.now() - started) / 1000 })
} else {
  report({ missing: message })
}

function report(made: TemplateReport): void {
  process.send?.(made)
}
