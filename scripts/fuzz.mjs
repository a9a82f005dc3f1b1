// Fuzzes the native core with libFuzzer under ASan and UBSan. Exit code 1 when something is found.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

/** Longest input of each target, in bytes. Longer ones are slower and find no more. */
const TARGETS = { encode: 1024, parts: 2048, load: 4096 }
const COMPILERS = [21, 20, 19, 18, 17, 16].map((version) => `clang++-${version}`).concat('clang++')
const HELP = `npm run fuzz -- [--seconds N] [--target NAME]... [--jobs N]

  --seconds N     how long each target runs (60)
  --target NAME   ${Object.keys(TARGETS).join(', ')}; may be repeated (all, one after the other)
  --jobs N        processes that fuzz a target side by side (1)

Needs clang with libFuzzer. The corpus is kept in build/fuzz/corpus, inputs that fail in build/fuzz/findings.`

const root = path.resolve(import.meta.dirname, '..')
const build = path.join(root, 'build', 'fuzz')
const { values } = parse()
const seconds = positive('seconds')
const jobs = positive('jobs')
const targets = values.target ?? Object.keys(TARGETS)
for (const target of targets) {
  if (!Object.hasOwn(TARGETS, target))
    fail(`there is no target ${target} (${Object.keys(TARGETS).join(', ')})`)
}

const compiler = findCompiler()
compile()
let findings = 0
for (const target of targets) findings += await fuzz(target)
process.exitCode = findings > 0 ? 1 : 0

function parse() {
  try {
    const parsed = parseArgs({
      options: {
        seconds: { type: 'string', default: '60' },
        target: { type: 'string', multiple: true },
        jobs: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (!parsed.values.help) return parsed
  } catch (error) {
    fail(`${error.message}\n\n${HELP}`)
  }
  console.log(HELP)
  process.exit(0)
}

function positive(name) {
  const value = Number(values[name])
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name}: a whole number above 0 was expected`)
}

/** The first clang that links a fuzz target: libFuzzer is a package of its own on some systems. */
function findCompiler() {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-fuzz-'))
  try {
    const source = `#include <fuzzer/FuzzedDataProvider.h>
      extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }`
    const flags = ['-std=c++20', '-fsanitize=fuzzer,address,undefined', '-x', 'c++', '-', '-o']
    const found = COMPILERS.find((name) => {
      return spawnSync(name, [...flags, path.join(folder, 'probe')], { input: source }).status === 0
    })
    if (found) return found
  } finally {
    rmSync(folder, { recursive: true })
  }
  return fail(
    'no clang with libFuzzer was found.\n' +
      '  Debian, Ubuntu: sudo apt-get install clang-19 libclang-rt-19-dev\n' +
      '  Fedora:         sudo dnf install clang compiler-rt\n' +
      "  macOS:          brew install llvm, and put its bin folder into PATH (Apple's clang has no libFuzzer)",
  )
}

function compile() {
  const options = [
    `-DCMAKE_CXX_COMPILER=${compiler}`,
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
    '-DSAFETOKENS_FUZZ=ON',
    '-DSAFETOKENS_ADDON=OFF',
    '-DSAFETOKENS_SANITIZE=address,undefined',
  ]
  const parallel = String(Math.min(2, availableParallelism()))
  run('cmake', ['-S', root, '-B', build, '--log-level=WARNING', ...options])
  run('cmake', ['--build', build, '--parallel', parallel])
}

function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error?.code === 'ENOENT') fail(`${command} is not installed`)
  if (status !== 0) fail(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`)
}

/** Runs one target and reports; gives the number of findings. */
async function fuzz(target) {
  const corpus = path.join(build, 'corpus', target)
  const found = path.join(build, 'findings', target)
  for (const folder of [corpus, found]) mkdirSync(folder, { recursive: true })
  const args = [
    corpus,
    `-dict=${path.join(root, 'native', 'fuzz', 'tokens.dict')}`,
    `-artifact_prefix=${found}${path.sep}`,
    `-max_total_time=${seconds}`,
    `-max_len=${TARGETS[target]}`,
    '-timeout=10',
    '-rss_limit_mb=2048',
    '-reload=1',
    '-print_final_stats=1',
  ]
  const before = new Set(readdirSync(found))
  const binary = path.join(build, `${target}_fuzz`)
  const results = await Promise.all(Array.from({ length: jobs }, () => start(binary, args)))
  // A run that only wrote a slow input down is no finding, but its file is shown.
  const files = readdirSync(found).filter((file) => !before.has(file))
  const failed = results.filter(({ status }) => status !== 0)

  const runs = sum(results.map(({ log }) => last(log, /^stat::number_of_executed_units:\s*(\d+)/gm)))
  const elapsed = Math.max(...results.map((result) => result.elapsed))
  const highest = (pattern) => Math.max(...results.map(({ log }) => last(log, pattern)))
  console.log(
    `${target.padEnd(6)}  ${runs} runs in ${elapsed.toFixed(0)} s, ${Math.round(runs / elapsed)} runs/s, ` +
      `cov ${highest(/ cov: (\d+)/g)}, ft ${highest(/ ft: (\d+)/g)}, ` +
      `corpus ${readdirSync(corpus).length}, findings ${failed.length}`,
  )
  for (const { log, status } of failed) {
    const report = log.slice(Math.max(0, log.search(/^.*(?:ERROR: |runtime error: )/m)))
    console.log(
      `\n${report.split('\n').slice(0, 60).join('\n')}\n${path.basename(binary)}: exit code ${status}`,
    )
  }
  for (const file of files) {
    const relative = (name) => path.relative(process.cwd(), name) || name
    console.log(`  found: ${path.join(found, file)}`)
    console.log(`  again: ${relative(binary)} ${relative(path.join(found, file))}`)
  }
  return failed.length
}

function start(binary, args) {
  const begin = performance.now()
  return new Promise((resolve) => {
    const child = spawn(binary, args, { cwd: build, stdio: ['ignore', 'ignore', 'pipe'], env: environment() })
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
    child.on('error', (error) => resolve({ status: -1, log: error.message, elapsed: 0 }))
    child.on('close', (code, signal) => {
      resolve({ status: code ?? signal, log, elapsed: (performance.now() - begin) / 1000 })
    })
  })
}

/** A versioned clang brings a versioned symbolizer, which the sanitizers do not find by themselves. */
function environment() {
  const name = compiler.replace('clang++', 'llvm-symbolizer')
  const symbolizer = process.env.PATH?.split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
  return {
    ...process.env,
    UBSAN_OPTIONS: 'print_stacktrace=1',
    ...(symbolizer && { ASAN_SYMBOLIZER_PATH: symbolizer, UBSAN_SYMBOLIZER_PATH: symbolizer }),
  }
}

function last(text, pattern) {
  return Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0)
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}

function fail(message) {
  console.error(`fuzz: ${message}`)
  process.exit(1)
}
