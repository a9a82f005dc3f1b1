// The texts that are measured.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { corpusFolder, root } from './places.mjs'

/** Documents, texts to warm engines with, and messages. `quick`: little of each, of this repository if need be. */
export function readTexts(quick) {
  const built = existsSync(path.join(corpusFolder, 'documents.json'))
  const read = (name) => JSON.parse(readFileSync(path.join(corpusFolder, `${name}.json`), 'utf8'))
  const all = built
    ? { documents: read('documents'), warm: read('warm'), messages: read('messages') }
    : repositoryTexts()
  if (!quick) return all
  const { documents, warm, messages } = all
  return { documents: documents.slice(0, 60), warm: warm.slice(0, 60), messages: messages.slice(0, 500) }
}

/** For a machine without the corpus: enough to see that all runs. */
function repositoryTexts() {
  const texts = ['docs', 'src', 'native/core', 'scripts'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .filter((name) => /\.(md|ts|cpp|hpp|mjs)$/.test(name))
      .sort()
      .map((name) =>
        readFileSync(path.join(root, folder, name), 'utf8').replace(/<[|/\w｜]+>?|\[[A-Z]+\]/g, ''),
      ),
  )
  const halves = [0, 1].map((rest) => texts.filter((_, i) => i % 2 === rest))
  const [documents, warm] = halves
  const messages = documents.flatMap((text) => text.match(/[\s\S]{1,600}/g) ?? [])
  return { documents, warm, messages: messages.slice(0, 10_000) }
}

export const bytesOf = (texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Text that attackers send: of about so many bytes. */
export const HOSTILE = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  spaces: (bytes) => ' '.repeat(bytes),
  newlines: (bytes) => '\n'.repeat(bytes),
  'one ideograph': (bytes) => '好'.repeat(bytes / 3),
  ideographs: (bytes) => noise(Math.floor(bytes / 3), (random) => 0x4e00 + random(0x5000)),
  base64: (bytes) =>
    Buffer.from(
      noise(Math.floor((bytes * 3) / 4), (random) => random(256)),
      'latin1',
    ).toString('base64'),
  'random bytes': (bytes) => noise(Math.floor(bytes / 1.5), (random) => random(256)),
  'emoji joined': (bytes) => '👩\u200d👩\u200d👧\u200d👦'.repeat(bytes / 25),
  'combining marks': (bytes) => noise(Math.floor(bytes / 2), (random) => 0x300 + random(0x60)),
}

function noise(count, codePoint) {
  let seed = 12345
  const random = (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return (seed >> 8) % below
  }
  const units = new Uint16Array(count)
  for (let i = 0; i < count; i++) units[i] = codePoint(random)
  return new TextDecoder('utf-16le').decode(units)
}
