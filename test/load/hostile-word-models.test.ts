// tokenizer.json files with models of words, and the steps around them, made to be slow or big.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { precompiledCharsmap } from '../../scripts/precompiled-charsmap.mjs'
import { hostileOutcome } from '../fixtures/hostile-outcome.js'
import { ModelGuard } from '../fixtures/model-guard.js'
import { jsonBytes } from '../fixtures/tokenizer-json.js'
import { wordLevelJson, wordPieceJson } from '../fixtures/word-models.js'

const A_MILLION = 'a'.repeat(1_000_000)
const NO_LIMIT = { max_input_chars_per_word: 2 ** 53 }
const PLAIN = { added: [], normalizer: null, preTokenizer: null, decoder: null }
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
const sequence = (children: string, steps: object[]): object => ({ type: 'Sequence', [children]: steps })

let guard: ModelGuard
beforeAll(async () => {
  guard = await ModelGuard.start('hostile-words')
})
afterAll(() => guard.stop())

describe('files load, and texts are encoded in reasonable time', () => {
  it.each<[name: string, json: () => object, texts: readonly string[]]>([
    [
      'WordPiece: a long token that fails at its end, for a word without limit',
      () => {
        const long = `${A_MILLION.slice(1)}b`
        return wordPieceJson({ ...PLAIN, vocab: ['a', '##a', long, `##${long}`], model: NO_LIMIT })
      },
      [A_MILLION, A_MILLION + A_MILLION, `${A_MILLION}c`],
    ],
    [
      'WordPiece: 2,000 prefixes of one another',
      () => {
        const vocab = numbers(2000).flatMap((i) => ['a'.repeat(i + 1), `##${'a'.repeat(i + 1)}`])
        return wordPieceJson({ ...PLAIN, vocab, model: NO_LIMIT })
      },
      [A_MILLION, `${'a'.repeat(1999)}b`.repeat(400)],
    ],
    [
      'WordPiece: reserved tokens wherever a word can begin',
      () => {
        const vocab = ['a', '##a', 'aa', '##aa', 'aaaaaaaaab', '##aaaaaaaaab']
        return wordPieceJson({ ...PLAIN, vocab, added: ['aa', '##aa'], model: NO_LIMIT })
      },
      [A_MILLION],
    ],
    [
      'WordPiece: 200,000 tokens',
      () => {
        const vocab = numbers(200_000).map((i) => (i % 2 ? '##' : '') + (i * 7919).toString(36))
        return wordPieceJson({ ...PLAIN, vocab, preTokenizer: { type: 'BertPreTokenizer' } })
      },
      [A_MILLION, numbers(50_000).join(' ')],
    ],
    [
      'WordLevel: a million words of one character',
      () => wordLevelJson({ preTokenizer: { type: 'FixedLength', length: 1 } }),
      [A_MILLION, '\u{20000}'.repeat(300_000)],
    ],
    [
      'UnicodeScripts, CharDelimiterSplit and BertPreTokenizer, 60 times',
      () =>
        wordLevelJson({
          preTokenizer: sequence(
            'pretokenizers',
            numbers(20).flatMap(() => [
              { type: 'UnicodeScripts' },
              { type: 'CharDelimiterSplit', delimiter: 'a' },
              { type: 'BertPreTokenizer' },
            ]),
          ),
        }),
      ['bЖ'.repeat(50_000), 'ab'.repeat(50_000)],
    ],
    [
      'BertNormalizer, 60 times',
      () =>
        wordPieceJson({
          normalizer: sequence(
            'normalizers',
            numbers(20).flatMap(() => [
              { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: false, lowercase: true },
              { type: 'Nmt' },
              { type: 'StripAccents' },
            ]),
          ),
        }),
      ['É\u0301\u0316'.repeat(50_000), '\u0344'.repeat(50_000), '\u0001'.repeat(200_000)],
    ],
    [
      'Precompiled: endless clusters, long replacements',
      () =>
        wordPieceJson({
          normalizer: {
            type: 'Precompiled',
            precompiled_charsmap: Buffer.from(
              precompiledCharsmap([
                ['a', 'b'.repeat(256)],
                ['\u0301', ''],
                ['\u1100', 'x'],
              ]),
            ).toString('base64'),
          },
        }),
      [
        'a'.repeat(20_000),
        `a${'\u0301'.repeat(300_000)}`,
        '\u1100'.repeat(200_000),
        '\u0600'.repeat(200_000),
        '\u00a9\u200d'.repeat(100_000),
      ],
    ],
  ])('%s', { timeout: 120_000 }, async (name, json, texts) => {
    const outcome = await hostileOutcome(guard, name, jsonBytes(json()), texts)
    expect(outcome.kind, outcome.message).toBe('loads')
  })

  it('a normalizer that makes ever more text ends with an error', async () => {
    const step = { type: 'Replace', pattern: { String: 'a' }, content: 'a'.repeat(1000) }
    const json = wordPieceJson({ normalizer: sequence('normalizers', Array(10).fill(step)) })
    const outcome = await hostileOutcome(guard, 'replacements', jsonBytes(json), ['a'])
    expect(outcome.kind).toBe('SafetokensError')
    expect(outcome.message).toContain('normalization makes the text longer than 16777216 bytes')
  })

  it('a template of many ids is refused', async () => {
    const item = { SpecialToken: { id: 'x', type_id: 0 } }
    const json = wordLevelJson({
      postProcessor: {
        type: 'TemplateProcessing',
        single: [...Array(20_000).fill(item), { Sequence: { id: 'A', type_id: 0 } }],
        pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 0 } }],
        special_tokens: { x: { id: 'x', ids: Array(100_000).fill(1), tokens: [] } },
      },
    })
    const outcome = await hostileOutcome(guard, 'template', jsonBytes(json), [])
    expect(outcome.kind).toBe('UnsupportedTokenizerError')
    expect(outcome.message).toContain('at most 4096 ids')
  })
})
