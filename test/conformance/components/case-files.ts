// The file of a case, with a vocabulary that is learned from words as its normalizer and pre-tokenizer leave them.
import { createRequire } from 'node:module'
import { isPipedMark } from '../../../src/load/bracketed-mark.js'
import { randomTexts, wellFormed } from '../shared.js'
import { ADDED, type Case } from './case.js'

/** What we use of `tokenizers`. */
export interface ReferenceEncoding {
  getIds(): number[]
  getOffsets(): [number, number][]
}
export interface ReferenceTokenizer {
  getNormalizer(): { normalizeString(text: string): string } | null
  getPreTokenizer(): { preTokenizeString(text: string): [string, [number, number]][] } | null
  encode(text: string, pair: string | null): Promise<ReferenceEncoding>
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<ReferenceEncoding[]>
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>
}
export const Reference: { fromString(json: string): ReferenceTokenizer } = createRequire(import.meta.url)(
  'tokenizers',
).Tokenizer

export const SEED = 20261201
const MERGES = 300
/** Of a vocabulary of words. */
const WORDS = 400

/** GPT-2's characters for bytes, in order. */
const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
    return String.fromCodePoint(printable ? byte : next++)
  })
})()

interface Trained {
  readonly tokens: readonly string[]
  readonly merges: readonly (readonly [string, string])[]
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Trains a small byte-pair encoding on words; characters that are rare there stay unknown. */
function train(
  words: readonly string[],
  prefix: string,
  suffix: string,
  alphabet: readonly string[],
  avoid: (token: string) => boolean,
): Trained {
  const list = [...countsOf(words)].map(([word, count]) => {
    const characters = Array.from(word)
    const symbols = characters.map(
      (c, i) => (i > 0 ? prefix : '') + c + (i === characters.length - 1 ? suffix : ''),
    )
    return { symbols, count }
  })
  const seen = new Map<string, number>()
  for (const { symbols, count } of list) for (const s of symbols) seen.set(s, (seen.get(s) ?? 0) + count)
  const tokens = [...alphabet]
  for (const [symbol, count] of seen) if (count > 2 && !alphabet.includes(symbol)) tokens.push(symbol)
  const known = new Set(tokens)
  const merges: [string, string][] = []
  while (merges.length < MERGES) {
    const pairs = new Map<string, { pair: [string, string]; count: number }>()
    for (const { symbols, count } of list) {
      for (let i = 1; i < symbols.length; i++) {
        const pair: [string, string] = [symbols[i - 1] as string, symbols[i] as string]
        if (!known.has(pair[0]) || !known.has(pair[1])) continue
        if (avoid(pair[0] + pair[1].slice(prefix.length))) continue
        const key = pair.join('\0\0')
        const entry = pairs.get(key)
        if (entry) entry.count += count
        else pairs.set(key, { pair, count })
      }
    }
    let best: { pair: [string, string]; count: number } | undefined
    for (const entry of pairs.values()) if (!best || entry.count > best.count) best = entry
    if (!best || best.count < 2) break
    const [left, right] = best.pair
    const joined = left + right.slice(prefix.length)
    merges.push(best.pair)
    if (!known.has(joined)) tokens.push(joined)
    known.add(joined)
    for (const entry of list) {
      const { symbols } = entry
      for (let i = 1; i < symbols.length; i++) {
        if (symbols[i - 1] === left && symbols[i] === right) symbols.splice(i - 1, 2, joined)
      }
    }
  }
  return { tokens, merges }
}

/** The words that come most often. */
function frequent(words: readonly string[], avoid: (token: string) => boolean): Trained {
  const counts = [...countsOf(words)].filter(([word]) => !avoid(word)).sort((a, b) => b[1] - a[1])
  return { tokens: counts.slice(0, WORDS).map(([word]) => word), merges: [] }
}

function shell(c: Case, model: object, added: readonly object[]): object {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: c.normalizer ?? null,
    pre_tokenizer: c.preTokenizer ?? null,
    post_processor: c.postProcessor ?? null,
    decoder: c.decoder ?? null,
    model,
  }
}

const trained = new Map<string, Trained>()

/** What the model knows; learned once for cases that see the same words. */
function vocabularyOf(c: Case): Trained {
  const { type = 'BPE', continuing_subword_prefix: given, end_of_word_suffix: suffix } = c.model ?? {}
  const prefix = given ?? (type === 'WordPiece' ? '##' : '')
  const added = (c.added ?? ADDED).map(({ content }) => content)
  // Text must not make them: ours are masked then.
  const avoid = (token: string) => added.includes(token) || (type !== 'BPE' && isPipedMark(token))
  const key = JSON.stringify([c.normalizer, c.preTokenizer, type, prefix, suffix, added])
  let found = trained.get(key)
  if (found === undefined) {
    const bpe = { type: 'BPE', vocab: { '<unk>': 0 }, merges: [], unk_token: '<unk>' }
    const { normalizer, preTokenizer } = c
    const steps = { ...(normalizer && { normalizer }), ...(preTokenizer && { preTokenizer }) }
    const untrained = Reference.fromString(JSON.stringify(shell(steps, bpe, [])))
    const words = randomTexts(SEED + 1, 600).flatMap((text) => {
      const normalized = untrained.getNormalizer()?.normalizeString(wellFormed(text)) ?? wellFormed(text)
      const pieces = untrained.getPreTokenizer()?.preTokenizeString(normalized)
      return pieces ? pieces.map(([piece]) => piece) : (normalized.match(/ ?[^ ]{1,8}/gu) ?? [])
    })
    const spelled = JSON.stringify([c.normalizer, c.preTokenizer]).includes('"ByteLevel"')
    found =
      type === 'WordLevel'
        ? frequent(words, avoid)
        : train(words, prefix as string, (suffix ?? '') as string, spelled ? BYTE_CHARACTERS : [], avoid)
    trained.set(key, found)
  }
  return found
}

function modelOf({ model = {} }: Case, vocab: object, { merges }: Trained): { [field: string]: unknown } {
  const shared = { unk_token: '<unk>', vocab }
  if (model.type === 'WordLevel') return { ...shared, ...model }
  if (model.type === 'WordPiece') {
    return { ...shared, continuing_subword_prefix: '##', max_input_chars_per_word: 100, ...model }
  }
  return {
    ...{ type: 'BPE', dropout: null, continuing_subword_prefix: null, end_of_word_suffix: null },
    ...{ fuse_unk: false, byte_fallback: false, ignore_merges: false, merges },
    ...shared,
    ...model,
  }
}

/** The file of a case. */
export function fileOf(c: Case): object {
  const learned = vocabularyOf(c)
  const all = Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`)
  const bytes = c.bytes === 'all' ? all : c.bytes === 'some' ? all.filter((_, b) => b % 7 !== 3) : []
  const known = c.addedInVocabulary ? (c.added ?? ADDED).map(({ content }) => content) : []
  const names = [...new Set(['<unk>', ...bytes, ...known, ...learned.tokens])]
  const vocab = Object.fromEntries(names.map((token, id) => [token, id]))
  let next = names.length
  const added = (c.added ?? ADDED).map((token) => ({
    id: vocab[token.content] ?? next++,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: false,
    ...token,
  }))
  const { type, ...untyped } = modelOf(c, vocab, learned)
  return shell(c, c.untyped ? untyped : { type, ...untyped }, added)
}
