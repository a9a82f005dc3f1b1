// All linters: biome (format and rules), tsc (types), clang-format (C++), where it is installed.
//   npm run lint [-- --fix]
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const fix = process.argv.includes('--fix')
const bin = (name) => path.join(root, 'node_modules', '.bin', name)
const run = (command, args) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0

const results = [
  run(bin('biome'), ['check', '--error-on-warnings', ...(fix ? ['--write'] : [])]),
  run(bin('tsc'), []),
  clangFormat(),
]
process.exitCode = results.every(Boolean) ? 0 : 1

function clangFormat() {
  // Other versions format differently.
  const command = 'clang-format-19'
  if (spawnSync(command, ['--version'], { stdio: 'ignore' }).status !== 0) {
    console.log(`C++ format not checked: ${command} is not installed`)
    return true
  }
  const files = readdirSync(path.join(root, 'native'), { recursive: true })
    .filter((file) => /\.[ch]pp$/.test(file))
    .map((file) => path.join('native', file))
  return run(command, [...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...files])
}
