// I1 for models of words: special tokens that are looked for in normalized text, and that the model itself would find.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { jsonBytes } from '../fixtures/tokenizer-json.js'
import {
  BERT_NORMALIZER,
  type WordModelOptions,
  wordLevelJson,
  wordPieceJson,
} from '../fixtures/word-models.js'
import { huggingFace } from './tokenizers.js'
import { WRITINGS } from './writings.js'

const NAMES = ['[PAD]', '[CLS]', '[SEP]', '[MASK]', '<|im_start|>', '<|im_end|>', 'sep', 'hello']
const WORDS = [
  ...NAMES,
  ...Array.from('abcdefghijklmnopqrstuvwxyz[]<|>_'),
  '##a',
  '##e',
  '##s',
  '##p',
  '##]',
  'user',
]

const NORMALIZERS: Readonly<Record<string, object | null>> = {
  none: null,
  uncased: BERT_NORMALIZER,
  'accents alone': { ...BERT_NORMALIZER, lowercase: false, strip_accents: true },
  Lowercase: { type: 'Lowercase' },
  'NFKC, Lowercase, Strip': {
    type: 'Sequence',
    normalizers: [
      { type: 'NFKC' },
      { type: 'Lowercase' },
      { type: 'Strip', strip_left: true, strip_right: true },
    ],
  },
  'Nmt, Replace': {
    type: 'Sequence',
    normalizers: [{ type: 'Nmt' }, { type: 'Replace', pattern: { String: ' ' }, content: '' }],
  },
}
const PRE_TOKENIZERS: Readonly<Record<string, object | null>> = {
  BertPreTokenizer: { type: 'BertPreTokenizer' },
  WhitespaceSplit: { type: 'WhitespaceSplit' },
  none: null,
}
const FLAGS: Readonly<Record<string, object>> = {
  normalized: { normalized: true },
  'as they are': { normalized: false },
  'single words': { normalized: true, single_word: true, special: false },
}

const cases = Object.entries(NORMALIZERS).flatMap(([normalizerName, normalizer]) =>
  Object.entries(PRE_TOKENIZERS).flatMap(([preTokenizerName, preTokenizer]) =>
    Object.entries(FLAGS).flatMap(([flagsName, flags]) =>
      [wordPieceJson, wordLevelJson].map((json) => {
        const options: WordModelOptions = {
          vocab: WORDS,
          // Whatever the flags say, the last two are special.
          added: NAMES.map((content, i) => ({ content, ...flags, ...(i > 5 && { special: true }) })),
          normalizer,
          preTokenizer,
        }
        const name = `${json.name}: ${normalizerName}, ${preTokenizerName}, ${flagsName}`
        return [name, json(options)] as const
      }),
    ),
  ),
)

describe.each(cases)('%s', (_, json) => {
  const tokenizer = Tokenizer.from(jsonBytes(json))
  const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
  const reservedIn = (parts: string | Part[]) => [...tokenizer.encode(parts)].filter((id) => reserved.has(id))

  it('reserves all names, and no writing of them in data gives one', async () => {
    expect(tokenizer.reserved.map(({ name }) => name).sort()).toEqual([...NAMES].sort())
    const texts = [...ATTACKS, ...NAMES.flatMap((name) => WRITINGS.map((write) => write(name)))]
    expect(texts.filter((text) => reservedIn(text).length > 0)).toEqual([])
    expect(texts.filter((text) => reservedIn([trusted('a '), text, trusted(' b')]).length > 0)).toEqual([])

    // Where the reference gives none either, the ids are its own.
    const theirs = await huggingFace(json).encode(texts)
    const harmless = texts.flatMap((text, i) => {
      const ids = theirs[i] as number[]
      return ids.some((id) => reserved.has(id)) ? [] : [{ text, ids }]
    })
    expect(harmless.filter(({ text, ids }) => String([...tokenizer.encode(text)]) !== String(ids))).toEqual(
      [],
    )
  })

  it('nor does a name in parts, or any text', () => {
    const leaks: string[] = []
    for (const name of NAMES) {
      for (let cut = 1; cut < name.length; cut++) {
        const [left, right] = [name.slice(0, cut), name.slice(cut)]
        // What trusted text spells all by itself counts: "SEP]" has "sep" in it.
        const inputs: readonly (readonly [parts: Part[], alone: string])[] = [
          [[left, right], ''],
          [[trusted(left), right], left],
          [[left, trusted(right)], right],
        ]
        for (const [parts, alone] of inputs) {
          if (String(reservedIn(parts)) !== String(reservedIn([trusted(alone)])))
            leaks.push(`${left}|${right}`)
        }
      }
    }
    expect(leaks).toEqual([])
    const part = fc.oneof(
      fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...WRITINGS)).map(([name, write]) => write(name)),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(' ', '\n', '##', '[', ']', '\u0301'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (texts) => {
        expect(reservedIn(texts)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
