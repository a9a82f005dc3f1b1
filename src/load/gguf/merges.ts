import { quoted } from '../quoted.js'
import { TokenIndex } from '../tokenizer-json/token-index.js'
import type { StringTable } from './container.js'
import type { Metadata } from './metadata.js'

const KEY = 'tokenizer.ggml.merges'
const SPACE = 32

/** Reads `tokenizer.ggml.merges`, each of which is `"left right"`, into triples of ids: left, right, result. */
export function readMerges(metadata: Metadata, index: TokenIndex): Uint32Array {
  const merges = metadata.strings(KEY)
  const triples = new Uint32Array(3 * merges.count)
  let pair = new Uint8Array(256)
  for (let i = 0; i < merges.count; i++) {
    const start = merges.offsets[i] as number
    const end = merges.offsets[i + 1] as number
    const fail = (message: string) => metadata.error(KEY, `number ${i}: ${message}`)
    // A token may begin with a space, but has none inside.
    const space = merges.bytes.subarray(start, end).indexOf(SPACE, 1) + start
    if (space <= start || space + 1 >= end) throw fail('two tokens with a space between them were expected')
    if (end - start > pair.length) pair = new Uint8Array(2 * (end - start))
    let length = 0
    for (let at = start; at < end; at++) if (at !== space) pair[length++] = merges.bytes[at] as number
    const middle = space - start
    const id = (from: number, to: number): number => {
      const found = index.find(pair, from, to)
      if (found >= 0) return found
      const token = new TextDecoder().decode(pair.subarray(from, to))
      throw fail(`${quoted(token)} is not a token`)
    }
    triples.set([id(0, middle), id(middle, length), id(0, length)], 3 * i)
  }
  return triples
}

/** The ids of tokens by text. */
export function indexTokens(metadata: Metadata, { count, bytes, offsets }: StringTable): TokenIndex {
  const index = new TokenIndex()
  for (let id = 0; id < count; id++) {
    const start = offsets[id] as number
    const end = offsets[id + 1] as number
    if (start < end && !index.add(bytes, start, end, id)) {
      const first = index.find(bytes, start, end)
      throw metadata.error('tokenizer.ggml.tokens', `number ${id}: it is the same token as number ${first}`)
    }
  }
  return index
}
