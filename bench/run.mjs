// npm run bench [-- options]: safetokens beside what else there is for Node. docs/performance.md tells how to read it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildCorpus } from './corpus/build.mjs'
import { buildLimit, limit, machine } from './machine.mjs'
import { measureModel } from './measure-model.mjs'
import { findModel, MODEL_NAMES } from './models.mjs'
import { CHAT_PEERS, PEERS, versionOf } from './peers.mjs'
import { buildFolder, root } from './places.mjs'
import { markdown } from './report.mjs'
import { bytesOf, readTexts } from './texts.mjs'
import { WORKLOADS } from './workloads/index.mjs'

const HELP = `npm run bench -- [options]
  --quick              little text, one round, and the small model alone unless --models says more
  --models a,b         of ${MODEL_NAMES.join(', ')}
  --peers a,b          of ${[...Object.keys(PEERS), 'transformers.js'].join(', ')}; safetokens is always there
  --only a,b           workloads whose name begins with one of these: ${Object.keys(WORKLOADS).join(', ')}
  --rounds n           how often each is measured (5)
  --json FILE          all figures
  --markdown FILE      the tables that are printed`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    models: { type: 'string' },
    peers: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
    markdown: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit()
}
const log = (line) => console.error(line)
const chosen = (list, all) => list?.split(',').filter((name) => name !== '') ?? all
const { quick } = options
const rounds = Number(options.rounds ?? (quick ? 1 : 5))
const names = chosen(options.models, quick ? ['mini'] : MODEL_NAMES.filter((name) => name !== 'mini'))
const wanted = chosen(options.only, Object.keys(WORKLOADS))
const workloads = Object.keys(WORKLOADS).filter((name) => wanted.some((start) => name.startsWith(start)))
const all = [...new Set([...Object.keys(PEERS), ...Object.keys(CHAT_PEERS)])]
const asked = [...new Set(['safetokens', ...chosen(options.peers, all)])]
const unknown = asked.find((name) => !all.includes(name))
if (unknown !== undefined) throw new Error(`there is no peer ${unknown}; there is ${all.join(', ')}`)

const peers = asked.filter((name) => {
  const there = versionOf(name) !== undefined
  if (!there) log(`${name}: left out, as this machine has none`)
  return there
})

if (!quick && !buildCorpus(log)) log('without the corpus, texts of this repository are measured')
const hasLimit = buildLimit(log)
const texts = readTexts(quick)
const results = {
  ...machine(),
  rounds,
  versions: Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
  commit: spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim(),
  texts: {
    documents: texts.documents.length,
    bytes: bytesOf(texts.documents),
    messages: texts.messages.length,
    messageBytes: bytesOf(texts.messages),
  },
  limit: hasLimit ? limit(texts.documents, Math.max(rounds, 5)) : undefined,
  models: [],
}
for (const name of names) {
  const model = findModel(name, log)
  if (model === undefined) continue
  results.models.push(await measureModel(compiled(model), { peers, workloads, rounds, quick, hasLimit, log }))
}
const report = markdown(results)
console.log(report)
if (options.markdown) write(options.markdown, report)
if (options.json) write(options.json, `${JSON.stringify(results, null, 2)}\n`)

/** The model with the path of its compiled form, which the peer "safetokens, compiled" loads. */
function compiled(model) {
  const file = path.join(buildFolder, 'compiled', `${model.name}.stk`)
  mkdirSync(path.dirname(file), { recursive: true })
  const cli = path.join(root, 'dist/cli.mjs')
  const { status, stderr } = spawnSync(
    process.execPath,
    [cli, 'compile', model.folder ?? model.file, '-o', file],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) {
    log(`${model.name} cannot be compiled: ${stderr.trim()}`)
    return model
  }
  return { ...model, compiled: file }
}

function write(file, text) {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  if (existsSync(file)) log(`${file} is written anew`)
  writeFileSync(file, text)
}
