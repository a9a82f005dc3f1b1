// All tests: the C++ tests under ctest, where CMake and GoogleTest are installed, then vitest.
//   npm test [-- arguments for vitest]   With arguments, only vitest runs.
// What failed is told at the end, where it is read first, and where a log that is cut off still has it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const argv = process.argv.slice(2)
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const native = argv.length > 0 || nativeTests()
const others = run(process.execPath, [vitest, 'run', ...argv]) === 0
if (!native) console.error('C++ tests failed; what they said stands above those of vitest.')
process.exitCode = native && others ? 0 : 1

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
  const tests = ['--test-dir', build, '--output-on-failure', '--parallel', '2']
  const { status, stdout, stderr } = spawnSync('ctest', tests, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  // Where all pass, their sum is enough.
  console.log(status === 0 ? stdout.match(/^.* tests passed.*$/m)?.[0] : `${stdout}${stderr}`)
  return status === 0
}

function skipped(reason) {
  console.log(`C++ tests skipped: ${reason}`)
  return true
}

function run(command, args, stdio = 'inherit') {
  return spawnSync(command, args, { cwd: root, stdio }).status ?? 1
}
