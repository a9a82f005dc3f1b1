// Writes the model folders of test/conformance/chat-pairs.ts, one for each pair whose data are here, each with its
// conversations.json and pair.json. scripts/golden-chats.py runs it.
//   node scripts/chat-pair-folders.mjs FOLDER [PAIR...]
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { runnerImport } from 'vite'

const root = path.resolve(import.meta.dirname, '..')
const load = async (file) =>
  (
    await runnerImport(path.join(root, 'test/conformance', file), {
      root,
      configFile: false,
      logLevel: 'warn',
    })
  ).module
const { CHAT_PAIRS } = await load('chat-pairs.ts')
const { MissingData, conversationsOf, readPair, writePair } = await load('chat-pair-files.ts')

const [target, ...names] = process.argv.slice(2)
if (target === undefined) {
  console.error('usage: node scripts/chat-pair-folders.mjs FOLDER [PAIR...]')
  process.exit(2)
}
const sha256 = (data) => createHash('sha256').update(data).digest('hex')
for (const pair of CHAT_PAIRS) {
  if (names.length > 0 && !names.includes(pair.name)) continue
  const files = readPair(pair)
  if (files instanceof MissingData) {
    console.log(`skip    ${pair.name}: there is no ${files.what}`)
    continue
  }
  const folder = path.join(target, pair.name)
  writePair(files, folder)
  const write = (name, value) => writeFileSync(path.join(folder, name), JSON.stringify(value))
  const [tokenizer] = Object.values(files.files)
  write('conversations.json', conversationsOf(pair))
  write('pair.json', {
    tokenizer: { source: files.sources.tokenizer, sha256: sha256(tokenizer) },
    template: { source: files.sources.template, sha256: sha256(files.template) },
  })
}
