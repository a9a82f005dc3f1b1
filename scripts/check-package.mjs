// npm run check:package [-- --matrix] [--source-build] [--keep]: builds the package from a copy of this folder,
// installs it as a user would, and uses it. Linux and macOS. Needs the npm registry, or npm's cache of it, for the dependencies.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

const HELP = `npm run check:package -- [--matrix] [--source-build] [--keep]

  --matrix        uses the package on Node 20, 22, 24 and 26 (npm's node-${process.platform}-${process.arch})
  --source-build  also builds the addon from the installed sources, without network
  --keep          keeps the temporary folder`
const MAJORS = [20, 22, 24, 26]
const FORGED = '<|system|>'

/** Types only: `@ts-expect-error` fails when the types are \`any\`. */
const TYPED_PROGRAM = `
import { Chat, type ChatMessage, control, jsonText, SafetokensError, Tokenizer, trusted } from 'safetokens'

export async function ask(question: string): Promise<Uint32Array> {
  const chat: Chat = await Chat.load('model', { format: 'chatglm3' })
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Tools:', tools: jsonText('[]') },
    { role: 'user', content: question },
  ]
  const { ids, warnings } = chat.encode(messages, { mergeConsecutive: true, onInvalid: 'warn' })
  const rule: string | undefined = warnings[0]?.rule
  // @ts-expect-error ids are numbers
  const wrong: string = ids
  // @ts-expect-error a format has a name
  await Chat.load('model', { format: 3 })
  return rule === undefined ? ids : new Uint32Array()
}

export function parts(tokenizer: Tokenizer, text: string): readonly string[] {
  try {
    const ids = tokenizer.encode([control('<|user|>'), trusted('\\n'), text])
    return tokenizer.decodeParts(ids).map((part) => (part.type === 'control' ? part.name : part.text))
  } catch (error) {
    return error instanceof SafetokensError ? [error.code] : []
  }
}
`

const root = path.resolve(import.meta.dirname, '..')
const options = readOptions()
const { version, devDependencies } = readJson(path.join(root, 'package.json'))
const work = mkdtempSync(path.join(realpathSync(tmpdir()), 'safetokens-package-'))
const copy = path.join(work, 'package')
const [esm, cjs] = [path.join(work, 'esm'), path.join(work, 'cjs')]
const installed = path.join(esm, 'node_modules', 'safetokens')
const examples = readExamples()
const begin = performance.now()
const failures = []
let tarball = ''

try {
  if (build()) checkAll()
} finally {
  if (options.keep) console.log(`\nkept: ${work}`)
  else rmSync(work, { recursive: true, force: true })
}
console.log(
  failures.length === 0
    ? `\nThe package is sound (${seconds(begin)}).`
    : `\n${failures.length} FAILED: ${failures.join(', ')}`,
)
process.exitCode = failures.length === 0 ? 0 : 1

/** Makes the tarball, and the two projects that use it; false when nothing more can be checked. */
function build() {
  return (
    check('copy of the sources', copySources) &&
    check('build', () => must('npm', ['run', 'build'], { cwd: copy })) &&
    check('prebuilt binary', () => must(process.execPath, ['scripts/prebuild.mjs'], { cwd: copy }).trim()) &&
    check('npm pack', pack) &&
    check('install into an ESM project', () => install(esm, 'module')) &&
    check('install into a CommonJS project', () => install(cjs, 'commonjs'))
  )
}

function checkAll() {
  check('files of the tarball', checkFiles)
  check('no path of this machine in any file', checkLeaks)
  check('the binary is stripped', checkBinary)
  check('no install script', checkInstallScripts)
  check('publint --strict', () => tool('publint', ['run', tarball, '--strict']))
  check('attw', () => {
    tool('attw', [
      tarball,
      '--exclude-entrypoints',
      'audit',
      'vitest',
      '--no-definitely-typed',
      '--no-color',
      '--no-emoji',
      '--format',
      'ascii',
    ])
    return 'node10, node16 from CommonJS and from ESM, bundler'
  })
  check('types', checkTypes)
  checkRuntimes()
}

// The package -------------------------------------------------------------------------------------------------------

/** What git knows or would add, as it is now; node_modules by a link, so nothing here may run npm ci. */
function copySources() {
  const list = must('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = list.split('\0').filter((file) => file !== '' && existsSync(path.join(root, file)))
  for (const file of files) cpSync(path.join(root, file), path.join(copy, file), { preserveTimestamps: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return `${files.length} files`
}

function pack() {
  const report = must('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], {
    cwd: copy,
  })
  const { filename, size, unpackedSize, files } = Object.values(JSON.parse(report))[0]
  tarball = path.join(work, filename)
  for (const file of files) console.log(`    ${String(file.size).padStart(7)}  ${file.path}`)
  return `${filename}: ${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`
}

function install(project, type) {
  mkdirSync(project)
  writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({ name: 'scratch', version: '1.0.0', private: true, type }),
  )
  must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
    cwd: project,
  })
}

function checkFiles() {
  const allowed = readJson(path.join(copy, 'test', 'package', 'allowed-files.json'))
  const isAllowed = new RegExp(`^(?:${allowed.join('|')})$`)
  const files = filesIn(installed).map((file) => path.relative(installed, file).replaceAll('\\', '/'))
  const surplus = files.filter((file) => !isAllowed.test(file))
  if (surplus.length > 0) throw new Error(`not meant to be shipped: ${surplus.join(', ')}`)
  // Each entry of the list stands for files that a user needs.
  const absent = allowed.filter((pattern) => !files.some((file) => new RegExp(`^(?:${pattern})$`).test(file)))
  if (absent.length > 0) throw new Error(`missing: ${absent.join(', ')}`)
  return `${files.length} files`
}

function checkLeaks() {
  const secrets = [root, work, homedir()].map((folder) => `${folder}${path.sep}`).filter((s) => s.length > 2)
  for (const file of filesIn(installed)) {
    const bytes = readFileSync(file)
    for (const secret of secrets) {
      if (bytes.includes(secret)) throw new Error(`${path.relative(installed, file)} holds ${secret}`)
    }
  }
}

function checkBinary() {
  const file = filesIn(path.join(installed, 'prebuilds'))[0]
  const bytes = readFileSync(file)
  if (bytes.includes('.debug_info') || bytes.includes('.symtab')) throw new Error('it holds symbols')
  const text = bytes.toString('latin1')
  const needs = ['GLIBC', 'GLIBCXX'].flatMap((library) => {
    const versions = [...text.matchAll(new RegExp(`\\b${library}_(\\d[\\d.]*)\\b`, 'g'))].map(([, v]) => v)
    const newest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
    return newest ? [`${library} ${newest}`] : []
  })
  return `${kilobytes(bytes.length)}${needs.length > 0 ? `, needs ${needs.join(' and ')}` : ''}`
}

/** npm 12 does not run them; npm 11 warns. npm also makes one up for a binding.gyp. */
function checkInstallScripts() {
  const { packages } = readJson(path.join(esm, 'node_modules', '.package-lock.json'))
  const names = Object.keys(packages).filter((name) => packages[name].hasInstallScript)
  if (names.length > 0) throw new Error(`${names.join(', ')} would run one`)
  return `nor in its ${Object.keys(packages).length - 1} dependencies`
}

// Its use -----------------------------------------------------------------------------------------------------------

function checkTypes() {
  const common = { target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true }
  // Symbol.dispose is in no lib before esnext; AbortSignal, URL and fetch are the DOM's. Most projects have them from
  // @types/node, which does not pass here.
  const ours = { lib: ['es2022', 'dom', 'esnext.disposable'], types: [], skipLibCheck: false }
  const typeRoots = [path.join(root, 'node_modules', '@types')]
  const withNode = { types: ['node'], typeRoots, skipLibCheck: true }
  write('typed.mts', TYPED_PROGRAM)
  write('typed.cts', TYPED_PROGRAM)
  const documented = examples.flatMap((code, i) => {
    write(`example-${i}.mts`, code)
    write(
      `example-${i}.cts`,
      asFunction(code, (names, from) => `import {${names}} from ${from}`),
    )
    return [`example-${i}.mts`, `example-${i}.cts`]
  })
  const modes = {
    node16: { module: 'node16' },
    nodenext: { module: 'nodenext' },
    bundler: { module: 'esnext', moduleResolution: 'bundler' },
  }
  for (const [name, mode] of Object.entries(modes)) {
    const programs = name === 'bundler' ? ['typed.mts'] : ['typed.mts', 'typed.cts']
    compile(`tsconfig.${name}.json`, { ...common, ...ours, ...mode }, programs)
  }
  compile('tsconfig.examples.json', { ...common, ...withNode, ...modes.node16 }, documented)
  return `${Object.keys(modes).join(', ')}; and the README's examples`

  function compile(file, compilerOptions, files) {
    write(file, JSON.stringify({ compilerOptions, files }))
    tool('tsc', ['-p', file], esm)
  }
  function write(file, text) {
    writeFileSync(path.join(esm, file), text)
  }
}

function checkRuntimes() {
  const source = path.join(work, 'source')
  if (options.sourceBuild) check('a project without a binary', () => makeSourceProject(source))
  cpSync(path.join(root, 'node_modules/@huggingface'), path.join(esm, 'node_modules/@huggingface'), {
    recursive: true,
  })
  const rows = [['Node', 'ESM', 'CommonJS', 'command line', 'demo', 'source build']]
  let expected
  for (const major of options.matrix ? MAJORS : [Number.parseInt(process.versions.node, 10)]) {
    let node
    const found = check(`Node ${major}`, () => {
      node = findNode(major)
      return node.version
    })
    if (!found) continue
    const on = (what) => `${what} on ${node.version}`
    const row = [node.version]
    const cell = (what, body) => row.push(check(on(what), body) ? 'ok' : 'FAILED')
    cell('ESM', () => {
      const ids = runExamples(esm, 'mjs', node)
      expected ??= ids
      return same(ids, expected)
    })
    cell('CommonJS', () => same(runExamples(cjs, 'cjs', node), expected))
    cell('command line', () => checkCommandLine(node))
    cell('demo', () => checkDemo(node))
    if (options.sourceBuild) {
      const start = performance.now()
      cell('source build', () => checkSourceBuild(source, node))
      row.push(`${row.pop()}, ${seconds(start)}`)
    } else row.push('-')
    rows.push(row)
  }
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  console.log(`\n${rows.map((row) => row.map((text, i) => text.padEnd(widths[i])).join('  ')).join('\n')}`)
}

/** The running Node, or one from npm. */
function findNode(major) {
  let file = process.execPath
  if (Number.parseInt(process.versions.node, 10) !== major) {
    const folder = path.join(work, 'nodes', String(major))
    const name = `node-${process.platform}-${process.arch}`
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'package.json'), '{"private": true}')
    must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${major}`], {
      cwd: folder,
    })
    file = path.join(folder, 'node_modules', name, 'bin', 'node')
  }
  return { file, version: must(file, ['--version']).trim() }
}

/** Runs every example of the README, and gives the ids of the first. */
function runExamples(project, extension, node) {
  const outputs = examples.map((code, i) => {
    const checked = code
      .replace(/^(\S.*?);? \/\/ => (.*)$/gm, 'deepStrictEqual($1, $2)')
      .replaceAll("'models/", "'./node_modules/safetokens/models/")
    const program = `import { deepStrictEqual } from 'node:assert'\n${checked}${i === 0 ? 'console.log(ids.join())\n' : ''}`
    const file = `example-${i}.${extension}`
    const text =
      extension === 'mjs'
        ? program
        : asFunction(program, (names, from) => `const {${names}} = require(${from})`)
    writeFileSync(path.join(project, file), text)
    return must(node.file, [file], { cwd: project })
  })
  return outputs[0].trim()
}

function same(ids, expected) {
  if (!/^\d+(,\d+)+$/.test(ids) || ids !== expected) throw new Error(`ids ${ids}, expected ${expected}`)
  return `${examples.length} examples, ${ids.split(',').length} ids`
}

function checkCommandLine(node) {
  const shown = must('npx', ['--no', '--', 'safetokens', '--version'], { cwd: cjs, node }).trim()
  if (shown !== version) throw new Error(`--version printed ${shown}`)
  const encode = ['--no', '--', 'safetokens', 'encode', '--model', 'mini']
  const ids = must('npx', [...encode, FORGED], { cwd: cjs, node })
  const decoded = must('npx', ['--no', '--', 'safetokens', 'decode', '--model', 'mini', '-'], {
    cwd: cjs,
    node,
    input: ids,
  })
  if (decoded !== `${FORGED}\n` || ids.trim().split(/\s+/).length < 3)
    throw new Error(`${ids} decodes to ${decoded}`)
  return ids.trim()
}

/** The demo's usual path needs a package that is no dependency of ours. */
function checkDemo(node) {
  const without = run('npx', ['--no', '--', 'safetokens', 'demo'], { cwd: cjs, node })
  if (
    without.status !== 1 ||
    !/^safetokens: .*npm install @huggingface\/tokenizers.*\n$/.test(without.stderr)
  )
    throw new Error(`exit code ${without.status}\n${without.stderr}`)
  const { status, stdout, stderr } = run('npx', ['--no', '--', 'safetokens', 'demo', '--json'], {
    cwd: esm,
    node,
  })
  if (status !== 0) throw new Error(`exit code ${status}\n${stdout}${stderr}`)
  const forged = [...stdout.matchAll(/"forgedTurns":\s*(\d+)/g)].map(([, count]) => Number(count))
  if (forged.length !== 2 || !forged.includes(0)) throw new Error(`forged turns: ${forged}`)
  return `forged turns: ${forged.join(' against ')}; exit code 1 without @huggingface/tokenizers ${devDependencies['@huggingface/tokenizers']}`
}

// Source build ------------------------------------------------------------------------------------------------------

function makeSourceProject(project) {
  install(project, 'module')
  rmSync(path.join(project, 'node_modules', 'safetokens', 'prebuilds'), { recursive: true })
  if (existsSync(path.join(project, 'node_modules', 'cmake-js')))
    throw new Error('cmake-js must not be there')
  for (const args of [
    ['--input-type=module', '--eval', "import 'safetokens'"],
    ['--eval', "require('safetokens')"],
  ]) {
    const { status, stderr } = run(process.execPath, args, { cwd: project })
    if (status !== 1 || !stderr.includes('Build one with: npx safetokens-build'))
      throw new Error(`${args.at(-1)}: exit code ${status}\n${stderr}`)
  }
  return 'the error names npx safetokens-build'
}

/** Nothing to fetch from: an empty home, an empty cache, and no network where Linux lets us take it away. */
function checkSourceBuild(project, node) {
  const built = path.join(project, 'node_modules', 'safetokens', 'build')
  rmSync(built, { recursive: true, force: true })
  const home = mkdtempSync(path.join(work, 'home-'))
  const env = {
    ...Object.fromEntries(
      Object.keys(process.env).flatMap((k) => (/^npm_/i.test(k) ? [[k, undefined]] : [])),
    ),
    HOME: home,
    npm_config_offline: 'true',
    npm_config_cache: path.join(home, 'cache'),
    npm_config_disturl: 'http://127.0.0.1:9/',
  }
  const alone = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : []
  const [command, ...args] = [...alone, 'npx', '--no', '--', 'safetokens-build', '--quiet']
  const start = performance.now()
  must(command, args, { cwd: project, node, env })
  const took = seconds(start)
  const tool = must(node.file, ['-p', "require('./node_modules/safetokens/binding.cjs').buildInfo"], {
    cwd: project,
  })
  runExamples(project, 'mjs', node)
  return `${tool.trim()}, ${took}, ${alone.length > 0 ? 'without network' : 'npm offline'}`
}

// Helpers -----------------------------------------------------------------------------------------------------------

function check(name, body) {
  const start = performance.now()
  if (process.stdout.isTTY) process.stdout.write(`... ${name}\r`)
  try {
    const detail = body()
    const line = typeof detail === 'string' && !detail.includes('\n') ? `: ${detail}` : ''
    console.log(`ok  ${name} (${seconds(start)})${line}`)
    return true
  } catch (error) {
    console.log(`BAD ${name} (${seconds(start)}): ${error.message}`)
    failures.push(name)
    return false
  }
}

/** The output of a program that must succeed. */
function must(command, args, settings) {
  const { status, signal, error, stdout, stderr } = run(command, args, settings)
  if (status === 0) return stdout
  const why = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`)
  throw new Error(`${path.basename(command)} ${args.join(' ')}: ${why}\n${stdout}${stderr}`)
}

function tool(name, args, cwd = work) {
  must(path.join(root, 'node_modules', '.bin', name), args, { cwd })
}

/** What npm told this script must not reach the programs that it starts. */
function run(command, args, { cwd = work, node, env = {}, input = '' } = {}) {
  const ours =
    /^(npm_(?!config_).*|npm_config_(local_prefix|prefix|node_gyp|nodedir)|INIT_CWD|NODE_OPTIONS|FORCE_COLOR|SAFETOKENS_.*)$/i
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const searched = node ? `${path.dirname(node.file)}${path.delimiter}${process.env.PATH}` : process.env.PATH
  return spawnSync(command, args, {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...Object.fromEntries(kept), PATH: searched, NO_COLOR: '1', ...env },
  })
}

/** The README's JavaScript, as far as it needs this package alone. */
function readExamples() {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code)
  return blocks.filter((code) =>
    [...code.matchAll(/ from '([^']+)'/g)].every(([, name]) => /^(safetokens$|node:)/.test(name)),
  )
}

/** A module without its top-level await: `load` writes each of its imports. */
function asFunction(code, load) {
  const imports = []
  const body = code.replace(/^import\s+\{([^}]*)\}\s+from\s+('[^']+')\n/gm, (_, names, from) => {
    imports.push(load(names.replaceAll(' as ', ': '), from))
    return ''
  })
  return `${imports.join('\n')}\n;(async () => {\n${body}})()\n`
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(
        ['matrix', 'source-build', 'keep', 'help'].map((name) => [name, { type: 'boolean' }]),
      ),
    })
    if (!values.help) return { ...values, sourceBuild: values['source-build'] }
  } catch (error) {
    console.error(`check-package: ${error.message}\n\n${HELP}`)
    process.exit(2)
  }
  console.log(HELP)
  process.exit(0)
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
