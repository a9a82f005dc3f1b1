// Makes a fresh clone ready, and does nothing when it already is: `npm start` and `npm test` run it first.
//   node scripts/setup.mjs [--with-tests] [--with-bench] [--with-browser]
//   also fetches the packages of some tests, of bench, of test/browser
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const at = (file) => path.join(root, file)

const newest = (files) => Math.max(0, ...files.map((file) => newestIn(at(file))))
function newestIn(file) {
  const { mtimeMs } = statSync(file)
  if (!statSync(file).isDirectory()) return mtimeMs
  return Math.max(
    0,
    ...readdirSync(file, { recursive: true }).map((name) => statSync(path.join(file, name)).mtimeMs),
  )
}
const mtime = (file) => (existsSync(at(file)) ? statSync(at(file)).mtimeMs : -1)

function run(what, command, args, cwd = root) {
  console.error(`safetokens: ${what}`)
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`safetokens: ${what} failed: ${error?.message ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

// npm writes node_modules/.package-lock.json at the end of an install.
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const more = {
  '--with-tests': ['test/conformance', 'test/adapters'],
  '--with-bench': ['bench'],
  '--with-browser': ['test/browser'],
}
const asked = Object.keys(more).filter((option) => process.argv.includes(option))
for (const folder of ['.', ...asked.flatMap((option) => more[option])]) {
  // Through a link npm would empty the packages of somebody else.
  if (lstatSync(at(`${folder}/node_modules`), { throwIfNoEntry: false })?.isSymbolicLink()) continue
  if (mtime(`${folder}/node_modules/.package-lock.json`) < mtime(`${folder}/package-lock.json`)) {
    run(`installing packages${folder === '.' ? '' : ` of ${folder}`}`, 'npm', ['ci', ...quiet], at(folder))
  }
}
const nativeInputs = [
  'native/core',
  'native/platform',
  'native/binding',
  'native/sources.txt',
  'CMakeLists.txt',
  'binding.gyp',
]
if (mtime('build/Release/safetokens.node') < newest(nativeInputs)) {
  run('building the native addon', process.execPath, ['scripts/build-native.cjs', '--quiet'])
}
if (
  mtime('dist/index.mjs') < newest(['src', 'package.json', 'tsdown.config.ts', 'scripts/lazy-chunks.mjs'])
) {
  run('building the TypeScript', 'npm', ['run', '--silent', 'build:ts'])
}
