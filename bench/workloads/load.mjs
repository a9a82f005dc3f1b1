// Loading, and memory.
import { megabytes } from '../measure.mjs'
import { bytesOf } from '../texts.mjs'
import { encodeAll } from './encode.mjs'

/** From nothing to the first ids, the package's modules included. The child has timed it; memory is in MB. */
export const load = {
  title: 'load',
  alone: true,
  async run({ loaded }) {
    return { ms: loaded.ms, memory: loaded.memory }
  },
}

/** Resident memory after 1 GB of text that does not repeat. */
export const memory = {
  title: 'memory after 1 GB',
  alone: true,
  rounds: 1,
  oursOnly: true,
  async run({ engine, texts, quick, loaded }) {
    const most = quick ? 2e7 : 1e9
    let seen = 0
    const marks = []
    for (let turn = 0; seen < most; turn++) {
      const documents = texts.documents.map((text) => varied(text, turn))
      await encodeAll(engine, documents)
      seen += bytesOf(documents)
      if (seen >= (marks.length + 1) * (most / 10)) {
        globalThis.gc?.()
        marks.push(Math.round(megabytes(process.memoryUsage.rss())))
      }
    }
    return { ms: 0, memory: loaded.memory, marks }
  },
}

/** The same text with other words: letters are moved on in the alphabet. */
function varied(text, turn) {
  if (turn === 0) return text
  return text.replace(/[a-z]{3,}/g, (word) =>
    String.fromCharCode(
      ...Array.from(word, (letter, i) => 97 + ((letter.charCodeAt(0) - 97 + turn * (i + 1)) % 26)),
    ),
  )
}
