// All tests under AddressSanitizer (with leaks) and UndefinedBehaviorSanitizer: the C++ tests, then vitest with
// a sanitized addon in an ordinary Node. Linux with g++, its libasan and libubsan, CMake and GoogleTest.
//   npm run test:asan [-- arguments for vitest]   With arguments, the C++ tests are left out.
//
// Programs that tests start run under the sanitizers too, when they are Node: the environment is inherited.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const build = path.join(root, 'build', 'asan')
const logs = path.join(build, 'reports')
const argv = process.argv.slice(2)
/** These load models in child processes and limit their time and memory, which the sanitizers multiply. */
const EXCLUDED = ['test/load/hostile-models.test.ts', 'test/load/hostile-word-models.test.ts']

if (process.platform !== 'linux')
  fail('the sanitizers are preloaded into Node, which this script does on Linux only')
const runtimes = ['libasan.so', 'libubsan.so'].map(findRuntime)
configureAndBuild()
const passed = (argv.length > 0 || nativeTests()) && vitest()
console.log(passed ? 'sanitizers: no findings' : 'sanitizers: FAILED')
process.exitCode = passed ? 0 : 1

function findRuntime(name) {
  const { error, stdout } = spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' })
  if (error) fail('g++ is not installed')
  const file = stdout.trim()
  return existsSync(file) && path.isAbsolute(file)
    ? file
    : fail(`g++ has no ${name}: install libasan and libubsan`)
}

function configureAndBuild() {
  const options = [
    '-DCMAKE_CXX_COMPILER=g++',
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
    '-DSAFETOKENS_NATIVE_TESTS=ON',
    '-DSAFETOKENS_SANITIZE=address,undefined',
  ]
  if (run('cmake', ['-S', root, '-B', build, '--log-level=WARNING', ...options]) !== 0) fail('cmake failed')
  if (run('cmake', ['--build', build, '--parallel', '2']) !== 0) fail('the build failed')
}

function nativeTests() {
  const binary = path.join(build, 'native_tests')
  if (!existsSync(binary)) fail('GoogleTest is not installed')
  return run(binary, ['--gtest_brief=1'], { UBSAN_OPTIONS: 'print_stacktrace=1' }) === 0
}

/**
 * Node and V8 leak at exit. LeakSanitizer's own suppressions match any frame of a stack, and Node's are below all
 * of ours, so they would hide our leaks too. Instead leaks do not change the exit code, all reports go to files,
 * and those that we allocated fail the run. Everything else aborts at once.
 */
function vitest() {
  rmSync(logs, { recursive: true, force: true })
  mkdirSync(logs, { recursive: true })
  const report = `log_path=${path.join(logs, 'report')}`
  const args = [
    'run',
    '--pool=threads',
    '--maxWorkers=2',
    '--testTimeout=120000',
    '--hookTimeout=120000',
    ...EXCLUDED.map((file) => `--exclude=${file}`),
  ]
  const status = run(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...argv],
    {
      LD_PRELOAD: runtimes.join(' '),
      ASAN_OPTIONS: `detect_leaks=1:abort_on_error=1:exitcode=0:${report}`,
      UBSAN_OPTIONS: 'print_stacktrace=1:abort_on_error=1',
      SAFETOKENS_BINARY: path.join(build, 'safetokens.node'),
    },
  )
  const reports = readdirSync(logs).map((file) => readFileSync(path.join(logs, file), 'utf8'))
  const errors = reports.filter((text) => /ERROR: AddressSanitizer|fatal error/.test(text))
  const leaks = reports.flatMap(
    (text) => text.match(/^(?:Direct|Indirect) leak[^\n]*\n(?: +#[^\n]*\n)+/gm) ?? [],
  )
  const ours = leaks.filter(isOurs)
  for (const text of [...errors, ...ours]) console.error(text)
  console.log(
    `leaks: ${ours.length} of ours, ${leaks.length - ours.length} of Node and its libraries (ignored)`,
  )
  return status === 0 && errors.length === 0 && ours.length === 0
}

/** Ours is what our code asked for, not what Node made for itself while we called it: who is nearer to malloc? */
function isOurs(leak) {
  const ours = [path.join(root, 'native') + path.sep, 'safetokens::', 'safetokens.node', 'node-addon-api']
  const frames = leak.split('\n').slice(1)
  const nearest = (marks) => frames.findIndex((frame) => marks.some((mark) => frame.includes(mark)))
  const [we, node] = [nearest(ours), nearest([`(${process.execPath}+`])]
  return we >= 0 && (node < 0 || we < node)
}

function run(command, args, env = {}) {
  const { status, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (signal) console.error(`${path.basename(command)}: ended by ${signal}`)
  return status ?? 1
}

function fail(message) {
  console.error(`test-asan: ${message}`)
  process.exit(1)
}
