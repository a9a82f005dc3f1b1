// Where ids come from, for the models and steps that are not BPE's, against `tokenizers` itself.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonBytes } from '../fixtures/tokenizer-json.js'
import { mulberry32, randomTexts, TRICKY, trickyTexts } from './random-texts.js'
import { offsetDifference } from './reference-offsets.js'
import { huggingFace, type ReferenceEncoding } from './tokenizers.js'

const SEED = 20261203
const UNK = '[UNK]'
const step = (type: string, fields: object = {}): object => ({ type, ...fields })
const sequence = (field: string, ...steps: object[]): object => ({ type: 'Sequence', [field]: steps })

/** Most characters of the texts, and pairs and triples of them. */
const TOKENS: readonly string[] = (() => {
  const random = mulberry32(SEED)
  const characters = [...new Set(TRICKY.join('').toWellFormed())].filter(() => random() < 0.7)
  const pick = () => characters[Math.floor(random() * characters.length)] as string
  const longer = Array.from({ length: 400 }, () => pick() + pick() + (random() < 0.5 ? pick() : ''))
  return [...new Set([...characters, ...'the them ing 中国 你好 ▁the ▁a'.split(' '), ...longer])]
})()
const BYTES = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
)

function tokensOf(model: object): string[] {
  const { vocab } = model as { vocab: Record<string, number> | [string, number][] }
  return Array.isArray(vocab) ? vocab.map(([token]) => token) : Object.keys(vocab)
}

const idsOf = (tokens: readonly string[]) => Object.fromEntries(tokens.map((token, id) => [token, id]))
const wordPiece = step('WordPiece', {
  unk_token: UNK,
  continuing_subword_prefix: '##',
  max_input_chars_per_word: 12,
  vocab: idsOf([UNK, ...TOKENS, ...TOKENS.map((token) => `##${token}`)]),
})
const wordLevel = step('WordLevel', { unk_token: UNK, vocab: idsOf([UNK, ...TOKENS]) })
const unigram = (byte_fallback: boolean): object => {
  const random = mulberry32(SEED)
  const tokens = [UNK, '</s>', '<s>', ...(byte_fallback ? BYTES : []), ...TOKENS]
  const vocab = tokens.map((token) => [token, -1 - random() * 2 - 2 / token.length])
  return step('Unigram', { unk_id: 0, byte_fallback, vocab })
}

const charsmap = (
  JSON.parse(
    gunzipSync(readFileSync(new URL('./golden/sentencepiece-models.json.gz', import.meta.url))).toString(),
  ) as { charsmaps: Record<string, string> }
).charsmaps.nmt_nfkc as string

const bert = (fields: object = {}): object =>
  step('BertNormalizer', {
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
    ...fields,
  })
const metaspace = step('Metaspace', { replacement: '▁', prepend_scheme: 'always', split: true })
const roberta = (add_prefix_space: boolean): object =>
  step('RobertaProcessing', { sep: ['</s>', 1], cls: ['<s>', 2], trim_offsets: true, add_prefix_space })

interface Pipeline {
  readonly model: object
  readonly normalizer?: object
  readonly pre_tokenizer?: object
  readonly post_processor?: object
}

const pipelines: Readonly<Record<string, Pipeline>> = {
  'BERT, lower case': { model: wordPiece, normalizer: bert(), pre_tokenizer: step('BertPreTokenizer') },
  'BERT, cased': {
    model: wordPiece,
    normalizer: bert({ lowercase: false, strip_accents: true, clean_text: false }),
    pre_tokenizer: step('BertPreTokenizer'),
  },
  WordLevel: { model: wordLevel, pre_tokenizer: step('Whitespace') },
  'WordLevel, scripts': {
    model: wordLevel,
    pre_tokenizer: sequence('pretokenizers', step('UnicodeScripts'), step('FixedLength', { length: 2 })),
  },
  'WordPiece, delimiter': {
    model: wordPiece,
    normalizer: step('Nmt'),
    pre_tokenizer: step('CharDelimiterSplit', { delimiter: ' ' }),
  },
  'Unigram, charsmap': {
    model: unigram(false),
    normalizer: sequence(
      'normalizers',
      step('Precompiled', { precompiled_charsmap: charsmap }),
      step('Replace', { pattern: { Regex: ' {2,}' }, content: ' ' }),
    ),
    pre_tokenizer: metaspace,
  },
  'Unigram, no words': { model: unigram(false), normalizer: step('NFKD') },
  'Unigram, bytes': { model: unigram(true), pre_tokenizer: metaspace },
  'RoBERTa, trimmed': { model: unigram(false), post_processor: roberta(false) },
  'RoBERTa, with a prefix': { model: unigram(false), post_processor: roberta(true) },
}

describe.each(Object.entries(pipelines))('%s', (_, pipeline) => {
  const added = [
    { content: '<s>' },
    { content: ' m', normalized: true },
    { content: '中', lstrip: true, rstrip: true },
  ]
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }

  it('has the offsets of the reference', async () => {
    const tokens = tokensOf(pipeline.model)
    let next = tokens.length
    const json = {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: added.map((token) => {
        const id = tokens.indexOf(token.content)
        return { id: id < 0 ? next++ : id, ...flags, ...token }
      }),
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: null,
      ...pipeline,
    }
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const texts = [
      ...trickyTexts(SEED, 800, ['<s>', ' m', '  中  ', 'the', ' them ', 'İ', 'Ǆé']),
      ...randomTexts(SEED, 400),
    ].filter((text) => !text.includes('<0x')) // which no text of ours becomes a byte by
    const theirs = await huggingFace(json).encodings(texts)
    const wrong = texts.flatMap((text, i) => {
      const { ids, offsets } = theirs[i] as ReferenceEncoding
      const ours = tokenizer.encode(trusted(text), { offsets: true })
      const difference = String([...ours.ids]) === String(ids) ? offsetDifference(ours, text, offsets) : 'ids'
      return difference === undefined ? [] : [`${JSON.stringify(text)}: ${difference}`]
    })
    wrong.sort((a, b) => a.length - b.length)
    expect(wrong.slice(0, 3)).toEqual([])
  })
})
