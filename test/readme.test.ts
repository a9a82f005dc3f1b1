// Runs the JavaScript of README.md as a reader would, and compares what stands behind `// =>`.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const blocks = [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
  ([, code = '']) => code,
)

it('has examples', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(3)
})

it.each(blocks.map((code, i) => [i + 1, code] as const))('README example %i', async (number, code) => {
  let claims = 0
  const program = code.replace(/^(\S.*?);? \/\/ => (.*)$/gm, (_, expression, value) => {
    claims++
    return `deepStrictEqual(${expression}, ${value})`
  })
  expect(claims).toBeGreaterThan(0)
  // Inside the package, 'safetokens' means the package itself, as built.
  const folder = path.join(root, 'build', 'readme')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `example-${number}.mjs`)
  writeFileSync(file, `import { deepStrictEqual } from 'node:assert'\n${program}`)
  await promisify(execFile)(process.execPath, [file], { cwd: root })
})
