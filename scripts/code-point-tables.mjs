// What the scripts share that read tables of code points off the reference itself, Hugging Face `tokenizers`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const require = createRequire(path.join(root, 'test', 'conformance', 'package.json'))
export const reference = require('tokenizers')
const { version } = JSON.parse(
  readFileSync(path.join(path.dirname(require.resolve('tokenizers')), 'package.json'), 'utf8'),
)

/** All code points that texts can have. */
export const CODE_POINTS = []
for (let c = 0; c < 0x110000; c++) if (c < 0xd800 || c > 0xdfff) CODE_POINTS.push(c)

/** Runs of neighbours for which `classOf` gives the same, as `[first, last, value]`; undefined is left out. */
export function runsOf(classOf) {
  const runs = []
  for (const c of CODE_POINTS) {
    const value = classOf(c)
    if (value === undefined) continue
    const last = runs.at(-1)
    if (last?.[1] === c - 1 && last[2] === value) last[1] = c
    else runs.push([c, c, value])
  }
  return runs
}

/** Runs of the code points for which `has` holds. */
export function rangesOf(has) {
  return runsOf((c) => (has(c, String.fromCodePoint(c)) ? true : undefined)).map(([first, last]) => [
    first,
    last,
  ])
}

const hex = (c) => `0x${c.toString(16).toUpperCase()}`

/** A C++ array. Numbers are written in base 16, strings as they are. */
export function table(type, name, rows) {
  let lines = ''
  let line = ' '
  for (const row of rows) {
    const item = ` {${row.map((cell) => (typeof cell === 'number' ? hex(cell) : cell)).join(', ')}},`
    if (line.length + item.length > 110) {
      lines += `${line}\n`
      line = ' '
    }
    line += item
  }
  return `constexpr ${type} ${name}[] = {\n${lines}${line}\n};\n`
}

/**
 * Writes the tables to a file of native/core. With `--check` it writes nothing, and fails when the file differs.
 *
 * @param script its name, for the file's first line
 */
export function writeTables(script, file, tables) {
  const output = path.join(root, 'native', 'core', file)
  const text = `// Made by scripts/${script} from tokenizers ${version}: do not edit.
// clang-format off
${tables.join('\n')}// clang-format on
`
  if (!process.argv.includes('--check')) writeFileSync(output, text)
  else if (readFileSync(output, 'utf8') !== text) throw new Error(`${output} is not what the reference gives`)
}
