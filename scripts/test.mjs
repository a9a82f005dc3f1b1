// All tests: vitest, then the C++ tests under ctest where CMake and GoogleTest are installed.
//   npm test [-- arguments for vitest]   With arguments, only vitest runs.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const argv = process.argv.slice(2)
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
let failed = run(process.execPath, [vitest, 'run', ...argv]) !== 0
if (argv.length === 0) failed = !nativeTests() || failed
process.exitCode = failed ? 1 : 0

function nativeTests() {
  const build = path.join(root, 'build', 'native-tests')
  if (run('cmake', ['--version'], 'ignore') !== 0) return skipped('cmake is not installed')
  const options = [
    '-DSAFETOKENS_NATIVE_TESTS=ON',
    '-DSAFETOKENS_ADDON=OFF',
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
  ]
  if (run('cmake', ['-S', root, '-B', build, '--log-level=ERROR', ...options]) !== 0) return false
  if (/^GTest_DIR:PATH=.*-NOTFOUND$/m.test(readFileSync(path.join(build, 'CMakeCache.txt'), 'utf8'))) {
    return skipped('GoogleTest is not installed')
  }
  if (run('cmake', ['--build', build, '--parallel', '2']) !== 0) return false
  return run('ctest', ['--test-dir', build, '--output-on-failure', '--parallel', '2']) === 0
}

function skipped(reason) {
  console.log(`C++ tests skipped: ${reason}`)
  return true
}

function run(command, args, stdio = 'inherit') {
  return spawnSync(command, args, { cwd: root, stdio }).status ?? 1
}
