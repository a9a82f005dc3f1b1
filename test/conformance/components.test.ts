// Each component of a tokenizer.json, also those that no real model uses, against Hugging Face `tokenizers` itself.
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { offsetDifference } from './reference-offsets.js'
import { mulberry32, randomTexts, wellFormed } from './shared.js'

/** What we use of `tokenizers`. */
interface ReferenceTokenizer {
  getNormalizer(): { normalizeString(text: string): string } | null
  getPreTokenizer(): { preTokenizeString(text: string): [string, [number, number]][] } | null
  encodeBatch(
    texts: string[],
    options: { addSpecialTokens: boolean },
  ): Promise<{ getIds(): number[]; getOffsets(): [number, number][] }[]>
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>
}
const { Tokenizer: Reference } = createRequire(import.meta.url)('tokenizers') as {
  Tokenizer: { fromString(json: string): ReferenceTokenizer }
}

type Component = { readonly type: string; readonly [field: string]: unknown }

interface AddedToken {
  readonly content: string
  readonly single_word?: boolean
  readonly lstrip?: boolean
  readonly rstrip?: boolean
  readonly normalized?: boolean
  readonly special?: boolean
}

interface Case {
  readonly normalizer?: Component
  readonly preTokenizer?: Component
  readonly decoder?: Component
  /** Fields of the model. */
  readonly model?: { readonly [field: string]: unknown }
  /** Tokens of byte fallback that the vocabulary has. */
  readonly bytes?: 'all' | 'some' | 'none'
  readonly added?: readonly AddedToken[]
  /** The reference counts bytes of affixes, so that its offsets run past the word and mean nothing there. */
  readonly overrun?: boolean
}

const SEED = 20261201
const COUNT = 2000
const MERGES = 300

const ADDED: readonly AddedToken[] = [
  { content: '<s>', special: true },
  { content: '</s>', special: true },
  { content: '<|user|>', special: true },
  { content: '[plain]', normalized: true },
  { content: 'tokenizer', normalized: false },
]

const sequence = (field: string, ...steps: Component[]): Component => ({ type: 'Sequence', [field]: steps })
const normalizers = (...steps: Component[]) => sequence('normalizers', ...steps)
const preTokenizers = (...steps: Component[]) => sequence('pretokenizers', ...steps)
const decoders = (...steps: Component[]) => sequence('decoders', ...steps)
const step = (type: string, fields: object = {}): Component => ({ type, ...fields })
const metaspace = (prepend_scheme: string, split = true, replacement = '▁') =>
  step('Metaspace', { replacement, prepend_scheme, split })
const byteLevel = (add_prefix_space: boolean, use_regex: boolean) =>
  step('ByteLevel', { add_prefix_space, trim_offsets: true, use_regex })
const split = (pattern: object, behavior = 'Isolated', invert = false) =>
  step('Split', { pattern, behavior, invert })
const replace = (pattern: object | string, content: string) =>
  step('Replace', { pattern: typeof pattern === 'string' ? { String: pattern } : pattern, content })
const strip = (content: string, start: number, stop: number) => step('Strip', { content, start, stop })
const bpeDecoder = (suffix: string) => step('BPEDecoder', { suffix })
const punctuation = (behavior = 'Isolated') => step('Punctuation', { behavior })
const digits = (individual_digits: boolean) => step('Digits', { individual_digits })

/** GPT-2's characters for bytes, in order. */
const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
    return String.fromCodePoint(printable ? byte : next++)
  })
})()

/** Trains a small byte-pair encoding on words; characters that are rare there stay unknown. */
function train(
  words: readonly string[],
  prefix: string,
  suffix: string,
  alphabet: readonly string[],
  avoid: ReadonlySet<string>,
) {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const list = [...counts].map(([word, count]) => {
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
        if (avoid.has(pair[0] + pair[1].slice(prefix.length))) continue
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

/** The file of a case. */
function fileOf(c: Case): object {
  const shell = (model: object, added: object[]) => ({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: c.normalizer ?? null,
    pre_tokenizer: c.preTokenizer ?? null,
    post_processor: null,
    decoder: c.decoder ?? null,
    model,
  })
  const untrained = Reference.fromString(
    JSON.stringify(shell({ type: 'BPE', vocab: { '<unk>': 0 }, merges: [], unk_token: '<unk>' }, [])),
  )
  const { continuing_subword_prefix: prefix = '', end_of_word_suffix: suffix = '' } = c.model ?? {}
  const words = randomTexts(SEED + 1, 600).flatMap((text) => {
    const normalized = untrained.getNormalizer()?.normalizeString(wellFormed(text)) ?? wellFormed(text)
    const pieces = untrained.getPreTokenizer()?.preTokenizeString(normalized)
    return pieces ? pieces.map(([piece]) => piece) : (normalized.match(/ ?[^ ]{1,8}/gu) ?? [])
  })
  const spelled = JSON.stringify([c.normalizer, c.preTokenizer]).includes('"ByteLevel"')
  // No merge of text makes an added token: ours are masked then.
  const avoid = new Set((c.added ?? ADDED).map(({ content }) => content))
  const trained = train(words, prefix as string, suffix as string, spelled ? BYTE_CHARACTERS : [], avoid)
  const all = Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`)
  const bytes = c.bytes === 'all' ? all : c.bytes === 'some' ? all.filter((_, b) => b % 7 !== 3) : []
  const names = [...new Set(['<unk>', ...bytes, ...trained.tokens])]
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
  const model = {
    type: 'BPE',
    dropout: null,
    unk_token: '<unk>',
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: false,
    vocab,
    merges: trained.merges,
    ...c.model,
  }
  return shell(model, added)
}

async function differences(c: Case, count = COUNT): Promise<string[]> {
  const json = JSON.stringify(fileOf(c))
  const theirs = Reference.fromString(json)
  const ours = Tokenizer.from(new TextEncoder().encode(json))
  const reserved = new Set(ours.reserved.map(({ id }) => id))
  const spellings = (c.added ?? ADDED).flatMap(({ content }) => [content, ` ${content}  `, `a${content}b`])
  const texts = randomTexts(SEED, count, { fragments: [...spellings, '<unk>', 'ÀB', ' a', 'İ'] }).map(
    wellFormed,
  )
  const found: string[] = []
  const report = (what: string, input: unknown, got: unknown, expected: unknown) => {
    const [i, g, e] = [input, got, expected].map((part) => JSON.stringify(part))
    if (found.length < 4) found.push(`${what} ${i}: ${g} not ${e}`)
  }

  const batch = await theirs.encodeBatch(texts, { addSpecialTokens: false })
  const encodings = batch.map((encoding) => encoding.getIds())
  texts.forEach((text, i) => {
    const expected = encodings[i] as number[]
    const fromTrusted = [...ours.encode(trusted(text))]
    if (fromTrusted.join() !== expected.join()) report('trusted', text, fromTrusted, expected)
    const encoding = ours.encode(trusted(text), { offsets: true })
    if (encoding.ids.join() !== expected.join()) report('with offsets', text, encoding.ids, expected)
    const difference = offsetDifference(encoding, text, batch[i]?.getOffsets() ?? [])
    if (difference !== undefined && !c.overrun)
      report(
        'offsets',
        text,
        fromTrusted.map((id) => ours.idToToken(id)),
        difference,
      )
    const fromData = [...ours.encode(text)]
    if (fromData.some((id) => reserved.has(id))) report('reserved', text, fromData, '')
    else if (!expected.some((id) => reserved.has(id)) && fromData.join() !== expected.join()) {
      report('data', text, fromData, expected)
    }
  })

  const random = mulberry32(SEED)
  texts.forEach((text, i) => {
    const characters = Array.from(text)
    const middle = Math.floor(random() * (characters.length + 1))
    const [left, right] = [characters.slice(0, middle).join(''), characters.slice(middle).join('')]
    const ids = [...ours.encode(random() < 0.5 ? [trusted(left), right] : [left, trusted(right)])]
    const expected = encodings[i] as number[]
    if ([...ids, ...expected].some((id) => reserved.has(id))) return
    if (ids.join() !== expected.join()) report('mixed', [left, right], ids, expected)
  })

  const unspelled = Array.from({ length: count }, () =>
    Array.from({ length: Math.floor(random() * 24) }, () => Math.floor(random() * ours.vocabSize)),
  )
  const lists = [...encodings, ...unspelled].filter((ids) => ids.length > 0)
  for (const skip of [false, true]) {
    const decoded = await theirs.decodeBatch(lists, skip)
    lists.forEach((ids, i) => {
      const text = ours.decode(ids, { skipSpecialTokens: skip })
      const name = (id: number) => ours.idToToken(id)
      if (text !== decoded[i]) report(`decode ${skip}`, ids.map(name), text, decoded[i])
      const stream = ours.decodeStream({ skipSpecialTokens: skip })
      const streamed = ids.map((id) => stream.push(id)).join('') + stream.end()
      if (streamed !== text) report(`stream ${skip}`, ids.map(name), streamed, text)
    })
  }
  return found
}

function compare(cases: Readonly<Record<string, Case>>): void {
  it.each(Object.entries(cases))('%s', { timeout: 60_000 }, async (_, c) => {
    expect(await differences(c)).toEqual([])
  })
}

const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']
const SCHEMES = ['always', 'first', 'never']
const named = <T>(list: readonly T[], name: (item: T) => string, make: (item: T) => Case) =>
  Object.fromEntries(list.map((item) => [name(item), make(item)]))

describe('pre-tokenizers', () => {
  const metaspaces = SCHEMES.flatMap((scheme) => [metaspace(scheme, true), metaspace(scheme, false)])
  compare({
    none: {},
    ...named(
      metaspaces,
      (s) => `Metaspace ${s.prepend_scheme} ${s.split}`,
      (s) => ({
        preTokenizer: s,
        decoder: s,
      }),
    ),
    'Metaspace with another replacement': {
      preTokenizer: metaspace('first', true, 'e'),
      decoder: metaspace('first', true, 'e'),
    },
    Whitespace: { preTokenizer: step('Whitespace') },
    WhitespaceSplit: { preTokenizer: step('WhitespaceSplit') },
    ...named(
      BEHAVIORS,
      (b) => `Punctuation ${b}`,
      (b) => ({ preTokenizer: punctuation(b) }),
    ),
    'Digits, one by one': { preTokenizer: digits(true) },
    'Digits together': { preTokenizer: digits(false) },
    ...named(
      [byteLevel(false, false), byteLevel(true, false), byteLevel(false, true), byteLevel(true, true)],
      (s) => `ByteLevel ${s.add_prefix_space} ${s.use_regex}`,
      (s) => ({ preTokenizer: s, decoder: s }),
    ),
    ...named(
      BEHAVIORS,
      (b) => `Split by a string, ${b}`,
      (b) => ({ preTokenizer: split({ String: 'e' }, b) }),
    ),
    ...named(
      BEHAVIORS,
      (b) => `Split by the inverse of a pattern, ${b}`,
      (b) => ({
        preTokenizer: split({ Regex: '\\p{L}+| ' }, b, true),
      }),
    ),
  })
})

describe('sequences of pre-tokenizers', () => {
  compare({
    'words, then Metaspace': { preTokenizer: preTokenizers(step('WhitespaceSplit'), metaspace('first')) },
    'Metaspace, then Punctuation': { preTokenizer: preTokenizers(metaspace('first'), punctuation()) },
    'two Metaspaces': {
      preTokenizer: preTokenizers(metaspace('always', true, '_'), metaspace('first')),
    },
    'two first Metaspaces': {
      preTokenizer: preTokenizers(metaspace('first', true, '_'), metaspace('first', false)),
    },
    'Punctuation, Digits, Whitespace': {
      preTokenizer: preTokenizers(punctuation('MergedWithNext'), digits(true), step('Whitespace')),
    },
    'Split, Punctuation, ByteLevel': {
      preTokenizer: preTokenizers(
        split({ Regex: '\\s+(?!\\S)|\\s' }, 'MergedWithNext'),
        punctuation('Contiguous'),
        byteLevel(true, false),
      ),
      decoder: byteLevel(true, true),
    },
    'Digits, ByteLevel': {
      preTokenizer: preTokenizers(digits(false), byteLevel(true, true)),
      decoder: byteLevel(true, true),
    },
    "Falcon's: Digits and Split see the characters that ByteLevel makes of bytes": {
      preTokenizer: preTokenizers(
        punctuation('Contiguous'),
        byteLevel(false, true),
        digits(false),
        split({ Regex: '[0-9][0-9][0-9]' }, 'Isolated'),
      ),
      decoder: byteLevel(true, true),
    },
    'words and punctuation of the alphabet of bytes': {
      preTokenizer: preTokenizers(
        byteLevel(true, false),
        punctuation('MergedWithPrevious'),
        step('Whitespace'),
      ),
      decoder: byteLevel(true, true),
    },
    'a Sequence in a Sequence': {
      preTokenizer: preTokenizers(preTokenizers(digits(true), preTokenizers()), metaspace('first')),
    },
  })
})

/** The model sees the alphabet of bytes as characters then. */
describe('ByteLevel before others', () => {
  compare({
    'Metaspace behind ByteLevel': {
      preTokenizer: preTokenizers(byteLevel(true, true), metaspace('first')),
      decoder: byteLevel(true, true),
    },
    'Punctuation behind ByteLevel': {
      preTokenizer: preTokenizers(byteLevel(true, false), punctuation()),
      decoder: decoders(byteLevel(true, true), step('Fuse')),
    },
    'ByteLevel twice': {
      preTokenizer: preTokenizers(byteLevel(true, false), byteLevel(true, true)),
      decoder: byteLevel(true, true),
    },
    'ByteLevel twice, then Metaspace': {
      preTokenizer: preTokenizers(byteLevel(true, false), byteLevel(true, true), metaspace('first')),
    },
    'ByteLevel as a normalizer, then Metaspace': {
      normalizer: step('ByteLevel'),
      preTokenizer: metaspace('first'),
    },
    'ByteLevel as a normalizer, then as a pre-tokenizer': {
      normalizer: step('ByteLevel'),
      preTokenizer: byteLevel(true, true),
    },
    'Replace and Lowercase behind ByteLevel': {
      normalizer: normalizers(step('ByteLevel'), replace('Ġ', ' '), step('Lowercase')),
      preTokenizer: step('WhitespaceSplit'),
      model: { byte_fallback: true },
      bytes: 'all',
    },
  })
})

describe('normalizers', () => {
  const steps = ['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents'].map((type) => step(type))
  const stripEnds = (strip_left: boolean, strip_right: boolean) => step('Strip', { strip_left, strip_right })
  const patterns: [string, string][] = [
    ['\\s+', ' '],
    [' {2,}|\\n', '▁'],
    ['(?i:h)ello', ''],
    ['\\p{M}', 'x'],
    ['x*', '-'],
    ['(?<=a)b|(\\w)\\1', 'é'],
    ['^\\s*|\\s*$', ''],
    ['\\G[a-z]', '*'],
  ]
  compare({
    ...named(
      steps,
      (s) => s.type,
      (s) => ({ normalizer: s, preTokenizer: metaspace('first') }),
    ),
    'Strip both': { normalizer: stripEnds(true, true), preTokenizer: metaspace('first') },
    'Strip left': { normalizer: stripEnds(true, false), preTokenizer: metaspace('first', false) },
    'Strip right': { normalizer: stripEnds(false, true), preTokenizer: metaspace('always') },
    Prepend: { normalizer: step('Prepend', { prepend: '▁▁' }), preTokenizer: metaspace('first') },
    'Replace a string': { normalizer: replace('a', 'bb'), preTokenizer: metaspace('first') },
    'Replace nothing': { normalizer: replace('', '-') },
    'Replace by nothing': { normalizer: replace(' ', ''), preTokenizer: metaspace('first') },
    ...named(
      patterns,
      ([p, c]) => `Replace ${p} by ${c}`,
      ([p, c]) => ({
        normalizer: replace({ Regex: p }, c),
        preTokenizer: metaspace('first'),
      }),
    ),
    ByteLevel: { normalizer: step('ByteLevel'), decoder: byteLevel(true, true) },
    'Prepend, Replace, ByteLevel': {
      normalizer: normalizers(
        step('Prepend', { prepend: ' ' }),
        replace({ Regex: '\\d' }, '#'),
        step('ByteLevel'),
      ),
      decoder: decoders(byteLevel(true, true), strip(' ', 1, 0)),
    },
    'Sequence of many': {
      normalizer: normalizers(
        step('NFKD'),
        step('StripAccents'),
        step('Lowercase'),
        stripEnds(true, true),
        replace({ Regex: '\\s+' }, ' '),
      ),
      preTokenizer: metaspace('first'),
    },
  })
})

describe('models', () => {
  const affixes = { continuing_subword_prefix: '##', end_of_word_suffix: '</w>' }
  const words = { preTokenizer: step('WhitespaceSplit') }
  compare({
    'no unk': { model: { unk_token: null } },
    'fused unk': { model: { fuse_unk: true } },
    'fused unk, words': { ...words, model: { fuse_unk: true } },
    continuing_subword_prefix: { ...words, model: { continuing_subword_prefix: '##' } },
    end_of_word_suffix: { ...words, model: { end_of_word_suffix: '</w>' }, decoder: bpeDecoder('</w>') },
    'both affixes': { ...words, model: affixes, decoder: bpeDecoder('</w>') },
    'both affixes, fused unk': {
      ...words,
      model: { ...affixes, fuse_unk: true },
      decoder: bpeDecoder('</w>'),
    },
    'both affixes, no unk': { ...words, model: { ...affixes, unk_token: null }, decoder: bpeDecoder('</w>') },
    'both affixes, byte fallback': {
      ...words,
      model: { ...affixes, byte_fallback: true },
      bytes: 'all',
      overrun: true,
    },
    'both affixes, some bytes': {
      ...words,
      model: { ...affixes, byte_fallback: true, fuse_unk: true },
      bytes: 'some',
      overrun: true,
    },
    'both affixes, ignore_merges': { ...words, model: { ...affixes, ignore_merges: true } },
    'affixes on bytes': {
      preTokenizer: byteLevel(false, true),
      model: affixes,
      decoder: decoders(byteLevel(false, true), replace('</w>', ' ')),
    },
    'end_of_word_suffix on bytes': {
      preTokenizer: byteLevel(false, true),
      model: { end_of_word_suffix: '</w>' },
      decoder: byteLevel(false, true),
    },
    'byte fallback': { model: { byte_fallback: true }, bytes: 'all' },
    'byte fallback, fused unk': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'all' },
    'some bytes': { model: { byte_fallback: true }, bytes: 'some' },
    'some bytes, fused unk': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'some' },
    'some bytes, no unk': { model: { byte_fallback: true, unk_token: null }, bytes: 'some' },
    'no bytes': { model: { byte_fallback: true, fuse_unk: true }, bytes: 'none' },
    ignore_merges: { ...words, model: { ignore_merges: true } },
    'ignore_merges on bytes': {
      preTokenizer: byteLevel(false, true),
      model: { ignore_merges: true },
      decoder: byteLevel(false, true),
    },
    'ignore_merges, byte fallback': {
      ...words,
      model: { ignore_merges: true, byte_fallback: true },
      bytes: 'all',
    },
    'no dropout': { model: { dropout: 0 } },
  })
})

describe('decoders', () => {
  const fuse = step('Fuse')
  const fallback = step('ByteFallback')
  const on = (decoder: Component): Case => ({
    preTokenizer: metaspace('first'),
    model: { byte_fallback: true },
    bytes: 'all',
    decoder,
  })
  const steps: Component[] = [
    byteLevel(true, true),
    fallback,
    fuse,
    ...SCHEMES.map((scheme) => metaspace(scheme)),
    bpeDecoder('</w>'),
    bpeDecoder('e'),
    bpeDecoder(''),
    strip(' ', 1, 0),
    strip('▁', 2, 0),
    replace('▁', ' '),
    replace('', '_'),
    replace({ Regex: '[aeiou]+' }, '<$0>'),
    replace({ Regex: '^.' }, ''),
    replace({ Regex: '\\s+$|(?<=.)x*' }, '|'),
  ]
  const nameOf = (s: Component) => {
    const { type, ...fields } = s
    return `${type} ${Object.values(fields)
      .map((v) => JSON.stringify(v))
      .join(' ')}`
  }
  compare(named(steps, nameOf, on))
  compare({
    Llama: on(decoders(replace('▁', ' '), fallback, fuse, strip(' ', 1, 0))),
    'Llama, three spaces': on(decoders(replace('▁', ' '), fallback, fuse, strip(' ', 3, 0))),
    Gemma: on(decoders(replace('▁', ' '), fallback, fuse)),
    'ByteFallback, Metaspace': on(decoders(fallback, metaspace('always'))),
    'Metaspace, Fuse, Strip': on(decoders(metaspace('never'), fuse, strip(' ', 2, 0))),
    'on bytes: none': { preTokenizer: byteLevel(false, true) },
    'on bytes: Llama': {
      preTokenizer: byteLevel(false, true),
      decoder: decoders(replace('▁', ' '), fallback, fuse, strip(' ', 1, 0)),
    },
    'on bytes: Fuse': { preTokenizer: byteLevel(false, true), decoder: fuse },
    'on bytes: Replace, ByteLevel': {
      preTokenizer: byteLevel(false, true),
      decoder: decoders(replace('Ġ', '▁'), byteLevel(false, true), replace({ Regex: '\\s' }, '')),
    },
    // Without special tokens: the reference crashes when there is nothing to strip.
    'Strip at the end': {
      ...on(decoders(fuse, replace({ Regex: '$' }, '!~~~'), strip('~', 0, 2))),
      added: [],
    },
  })

  it('random sequences', { timeout: 120_000 }, async () => {
    const random = mulberry32(SEED)
    for (let round = 0; round < 100; round++) {
      const chain = Array.from(
        { length: 2 + Math.floor(random() * 4) },
        () => steps[Math.floor(random() * steps.length)] as Component,
      )
      const c =
        random() < 0.3
          ? { preTokenizer: byteLevel(false, true), decoder: decoders(...chain) }
          : on(decoders(...chain))
      expect(await differences(c, 100), chain.map(nameOf).join(', ')).toEqual([])
    }
  })
})

describe('added tokens', () => {
  /** Two for each combination of the five flags: one of words, one that is a mark. */
  const flagged = Array.from({ length: 32 }, (_, bits): AddedToken[] => {
    const flags = {
      single_word: (bits & 1) !== 0,
      lstrip: (bits & 2) !== 0,
      rstrip: (bits & 4) !== 0,
      normalized: (bits & 8) !== 0,
      special: (bits & 16) !== 0,
    }
    return [
      { content: `<T${bits}>`, ...flags },
      { content: `w${bits}q`, ...flags },
    ]
  }).flat()
  const spaces: AddedToken[] = [
    { content: '  ' },
    { content: '\n', normalized: true },
    { content: '\t', lstrip: true },
    { content: '▁▁▁', rstrip: true },
  ]
  const nested: AddedToken[] = [
    { content: '<T', special: false },
    { content: '<T>', special: true },
    { content: '<T>x', special: false },
    { content: '<T>xy', special: true },
    { content: 'T>', special: true, lstrip: true },
  ]
  const normalizersOf: Readonly<Record<string, Component>> = {
    Lowercase: step('Lowercase'),
    Strip: step('Strip', { strip_left: true, strip_right: true }),
    'Prepend, Replace': normalizers(step('Prepend', { prepend: '▁' }), replace(' ', '▁')),
    NFKD: step('NFKD'),
  }
  compare({
    'all flags': { added: flagged },
    'all flags, Metaspace': { added: flagged, preTokenizer: metaspace('first'), decoder: metaspace('first') },
    'all flags, ByteLevel': {
      added: flagged,
      preTokenizer: byteLevel(true, true),
      decoder: byteLevel(true, true),
    },
    ...named(
      Object.entries(normalizersOf),
      ([name]) => `all flags, ${name}`,
      ([, normalizer]) => ({
        added: flagged,
        normalizer,
        preTokenizer: metaspace('first'),
      }),
    ),
    'white space': { added: [...ADDED, ...spaces] },
    'white space and all flags': { added: [...flagged, ...spaces], preTokenizer: metaspace('first') },
    'one in the other': { added: nested },
  })
})
