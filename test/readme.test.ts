// Runs the JavaScript of README.md and some pages of docs as a reader would, and compares what stands behind `// =>`.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const DOCUMENTS = ['README.md', 'docs/formats.md', 'docs/budgets.md', 'docs/replies.md']
const blocks = DOCUMENTS.flatMap((name) =>
  [...readFileSync(path.join(root, name), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
    ([, code = ''], i) => [`${path.basename(name, '.md')}-${i + 1}`, code] as const,
  ),
)

it('has examples', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(3)
})

it.each(blocks)('example %s', async (name, code) => {
  let claims = 0
  const program = code.replace(/^(\S.*?);? \/\/ => (.*)$/gm, (_, expression, value) => {
    claims++
    return `deepStrictEqual(${expression}, ${value})`
  })
  expect(claims).toBeGreaterThan(0)
  // Inside the package, 'safetokens' means the package itself, as built.
  const folder = path.join(root, 'build', 'readme')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${name}.mjs`)
  writeFileSync(file, `import { deepStrictEqual } from 'node:assert'\n${program}`)
  await promisify(execFile)(process.execPath, [file], { cwd: root })
})
