// Truncation and padding of texts and pairs, against Hugging Face `tokenizers` itself.
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { type EncodeBatchOptions, Tokenizer, type Truncation, trusted } from '../../src/index.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'
import { mulberry32, randomTexts } from './shared.js'
import { realTokenizer } from './tokenizers.js'

interface Encoding {
  getIds(): number[]
  getAttentionMask(): number[]
}
interface Reference {
  setTruncation(maxLength: number, options: { strategy: string; direction: string }): void
  disableTruncation(): void
  setPadding(options: object): void
  disablePadding(): void
  /** It takes no pairs. */
  encodeBatch(texts: readonly string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>
  postProcess(encoding: Encoding, pair: Encoding, addSpecialTokens: boolean): Encoding
}
const { Tokenizer: Reference } = createRequire(new URL('package.json', import.meta.url))('tokenizers') as {
  Tokenizer: { fromString(json: string): Reference }
}

const STRATEGIES = {
  longest_first: 'LongestFirst',
  only_first: 'OnlyFirst',
  only_second: 'OnlySecond',
} as const
const SIDES = ['left', 'right'] as const
const BATCHES = 300

/** A template with three special tokens around a pair. */
function synthetic(): Uint8Array {
  const json = byteLevelJson({ added: ['<s>', '</s>'] })
  const special = (name: string) => ({ SpecialToken: { id: name, type_id: 0 } })
  const text = (name: string) => ({ Sequence: { id: name, type_id: 0 } })
  const ids = json.added_tokens.map(({ id, content }) => [
    content,
    { id: content, ids: [id], tokens: [content] },
  ])
  json.post_processor = {
    type: 'TemplateProcessing',
    single: [special('<s>'), text('A'), special('</s>')],
    pair: [special('<s>'), text('A'), special('</s>'), text('B'), special('</s>')],
    special_tokens: Object.fromEntries(ids),
  }
  return jsonBytes(json)
}

interface Batch {
  readonly inputs: readonly string[]
  readonly pairs: readonly string[] | undefined
  readonly options: EncodeBatchOptions & { addSpecialTokens: boolean; truncation: Truncation }
}

function* batches(): Generator<Batch> {
  const random = mulberry32(20261130)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const texts = ['', 'a', ...randomTexts(7, 200).map((text) => text.toWellFormed().slice(0, 40))]
  for (let i = 0; i < BATCHES; i++) {
    const inputs = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(texts))
    const pairs = random() < 0.5 ? undefined : inputs.map(() => pick(texts))
    const truncation = {
      maxLength: 3 + Math.floor(random() * 20),
      side: pick(SIDES),
      strategy: pick(['longest_first', 'only_first', 'only_second'] as const),
    }
    const padding = {
      padId: 3,
      side: pick(SIDES),
      padToMultipleOf: random() < 0.5 ? pick([1, 2, 8]) : undefined,
      // Pairs are put together one by one, so that the reference does not know which is the longest.
      length: pairs !== undefined || random() < 0.5 ? 23 : undefined,
    }
    const addSpecialTokens = random() < 0.5
    const options = { addSpecialTokens, truncation, padding: random() < 0.7 ? padding : undefined }
    yield { inputs, pairs, options }
  }
}

/**
 * What the reference gives; undefined for an error. From 0.23 on it stops encoding each text of a pair when that alone
 * is too long, and then shares the room by what it has until then. Here it knows the whole texts.
 */
async function expected(
  reference: Reference,
  { inputs, pairs, options }: Batch,
): Promise<Encoding[] | undefined> {
  const { addSpecialTokens, truncation, padding } = options
  const prepare = () => {
    const strategy = STRATEGIES[truncation.strategy ?? 'longest_first']
    reference.setTruncation(truncation.maxLength, { strategy, direction: truncation.side ?? 'right' })
    if (padding === undefined) return
    const { side: direction, length: maxLength, ...others } = padding
    // It takes no undefined.
    reference.setPadding(JSON.parse(JSON.stringify({ direction, maxLength, ...others })))
  }
  reference.disableTruncation()
  reference.disablePadding()
  try {
    if (pairs === undefined) {
      prepare()
      return await reference.encodeBatch(inputs, { addSpecialTokens })
    }
    const firsts = await reference.encodeBatch(inputs, { addSpecialTokens: false })
    const seconds = await reference.encodeBatch(pairs, { addSpecialTokens: false })
    prepare()
    return firsts.map((first, i) => reference.postProcess(first, seconds[i] as Encoding, addSpecialTokens))
  } catch {
    return undefined
  }
}

describe.each([
  ['a template of both ends', synthetic()],
  ['llama3_1', realTokenizer('llama3_1').read()],
])('%s', { timeout: 60_000 }, (_, bytes) => {
  it.skipIf(bytes === undefined)(`${BATCHES} batches`, async () => {
    const tokenizer = Tokenizer.from(bytes as Uint8Array)
    const reference = Reference.fromString(new TextDecoder().decode(bytes))
    let errors = 0
    for (const batch of batches()) {
      const theirs = await expected(reference, batch)
      const run = () =>
        tokenizer.encodeBatch(batch.inputs.map(trusted), {
          ...batch.options,
          pairs: batch.pairs?.map(trusted),
        })
      if (theirs === undefined) {
        expect(run, JSON.stringify(batch)).toThrow(/truncation/)
        errors++
      } else {
        expect(run(), JSON.stringify(batch)).toEqual({
          ids: theirs.map((encoding) => Uint32Array.from(encoding.getIds())),
          attentionMask: theirs.map((encoding) => Uint8Array.from(encoding.getAttentionMask())),
        })
      }
    }
    expect(errors).toBeGreaterThan(20) // where the text that may be cut is too short
  })
})
