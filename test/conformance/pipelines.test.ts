// Small tokenizers with random steps, against `tokenizers` itself.
import { expect, it } from 'vitest'
import { UnsupportedTokenizerError } from '../../src/errors.js'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteFallbackJson, byteLevelJson, jsonBytes, type TokenizerJson } from '../fixtures/tokenizer-json.js'
import { mulberry32, randomTexts, trickyTexts } from './random-texts.js'
import { huggingFace, type Reference } from './tokenizers.js'

const SEED = 20261130
/** For a longer run: SAFETOKENS_PIPELINES=20000 npx vitest run test/conformance/pipelines.test.ts */
const COUNT = Number(process.env.SAFETOKENS_PIPELINES ?? 300)

const NORMALIZERS: readonly object[] = [
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents'].map((type) => ({ type })),
  { type: 'Strip', strip_left: true, strip_right: false },
  { type: 'Strip', strip_left: true, strip_right: true },
  { type: 'Prepend', prepend: '▁' },
  { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
  { type: 'Replace', pattern: { String: 'e' }, content: '' },
]
const BEHAVIOURS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']
const PATTERNS = [
  { String: ' ' },
  { String: 'l' },
  { Regex: '\\s+' },
  { Regex: '\\p{L}+|\\p{N}{1,3}' },
  { Regex: "(?i:'s|'t)| ?\\w+|\\s+(?!\\S)|\\s+" },
]

const SPLITTERS: readonly object[] = [
  { type: 'Whitespace' },
  { type: 'WhitespaceSplit' },
  { type: 'Digits', individual_digits: true },
  { type: 'Digits', individual_digits: false },
  ...BEHAVIOURS.map((behavior) => ({ type: 'Punctuation', behavior })),
  ...['always', 'first', 'never'].flatMap((prepend_scheme) =>
    [true, false].map((split) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme, split })),
  ),
]

function randomJson(random: () => number): TokenizerJson {
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const flag = () => below(2) === 0
  const some = <T>(most: number, one: () => T): T[] => Array.from({ length: below(most + 1) }, one)
  const byteLevel = flag()
  const split = () =>
    flag()
      ? pick(SPLITTERS)
      : { type: 'Split', pattern: pick(PATTERNS), behavior: pick(BEHAVIOURS), invert: flag() }
  const pretokenizers: object[] = some(2, split)
  if (byteLevel) {
    pretokenizers.push({ type: 'ByteLevel', add_prefix_space: flag(), trim_offsets: true, use_regex: flag() })
  }
  const added = ['<X>', 'ab', '  ', '\n\n', 'hel'].filter(flag)
  const json = (byteLevel ? byteLevelJson : byteFallbackJson)({
    normalizer: { type: 'Sequence', normalizers: some(3, () => pick(NORMALIZERS)) },
    preTokenizer: pretokenizers.length === 0 ? null : { type: 'Sequence', pretokenizers },
    added: added.map((content) => ({ content, special: content === '<X>' })),
    model: { ignore_merges: flag() },
  })
  json.model.merges.sort(() => random() - 0.5)
  if (!byteLevel) json.model.fuse_unk = flag()
  return json
}

it(`${COUNT} pipelines have the reference's ids and texts`, { timeout: 600_000 }, async () => {
  const random = mulberry32(SEED)
  const fragments = ['<X>', 'ab', 'hello', ' world', 'HELLO', 'user', '<|', '|>', 'éß', '\n\n', '  ']
  const wrong: object[] = []
  let compared = 0
  for (let i = 0; i < COUNT && wrong.length < 5; i++) {
    const json = randomJson(random)
    let tokenizer: Tokenizer
    let reference: Reference
    try {
      tokenizer = Tokenizer.from(jsonBytes(json))
      reference = huggingFace(json)
    } catch (error) {
      if (!(error instanceof UnsupportedTokenizerError))
        wrong.push({ json: steps(json), error: String(error) })
      continue
    }
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const texts = [...trickyTexts(SEED + i, 40, fragments), ...randomTexts(SEED + i, 10)]
    const expected = await reference.encode(texts)
    const decoded = await reference.decode(expected, false)
    texts.forEach((text, k) => {
      const ids = [...tokenizer.encode(trusted(text))]
      const data = [...tokenizer.encode(text)]
      const harmless = !expected[k]?.some((id) => reserved.has(id))
      if (data.some((id) => reserved.has(id)) || (harmless && String(data) !== String(expected[k]))) {
        wrong.push({ json: steps(json), text, data, expected: expected[k] })
      }
      const back = tokenizer.decode(expected[k] as number[])
      compared++
      if (String(ids) === String(expected[k]) && back === decoded[k]) return
      wrong.push({ json: steps(json), text, ids, expected: expected[k], back, decoded: decoded[k] })
    })
  }
  expect(wrong.slice(0, 3)).toEqual([])
  expect(compared).toBeGreaterThan(COUNT * 40)
})

/** What a message needs of a file. */
function steps({ normalizer, pre_tokenizer, added_tokens, model }: TokenizerJson): string {
  const { ignore_merges, byte_fallback, fuse_unk, merges } = model
  const added = added_tokens.map(({ content }) => content)
  return JSON.stringify({ normalizer, pre_tokenizer, added, ignore_merges, byte_fallback, fuse_unk, merges })
}
