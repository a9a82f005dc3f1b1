// Compares a case with the reference: ids of trusted text, of data and of both mixed, and decoded text.
import { expect, it } from 'vitest'
import { trusted } from '../../../src/prompt/parts.js'
import { Tokenizer } from '../../../src/tokenizer/tokenizer.js'
import { offsetDifference } from '../reference-offsets.js'
import { mulberry32, randomTexts, wellFormed } from '../shared.js'
import { ADDED, type Case } from './case.js'
import { fileOf, Reference, type ReferenceEncoding, type ReferenceTokenizer, SEED } from './case-files.js'

/** For each case. `npm run conformance` takes 2,000. */
export const COUNT: number = Number(process.env.SAFETOKENS_COMPONENT_STRINGS ?? 200)
/** Milliseconds for one test, on a busy machine. */
export const TIMEOUT: number = 120_000 + 300 * COUNT
const MOST_REPORTED = 4
/** Texts for the post-processor, which does not look at them. */
const PROCESSED = 20

/** Lists of ids, some of them of random ids. */
type Ids = readonly number[]

class Comparison {
  readonly found: string[] = []
  readonly #random = mulberry32(SEED)
  readonly #theirs: ReferenceTokenizer
  readonly #ours: Tokenizer
  readonly #hasOffsets: boolean
  readonly #reserved: ReadonlySet<number>
  /** The reference without the reserved tokens: what data shall become that spell them. */
  readonly #masked: ReferenceTokenizer | undefined

  constructor(c: Case) {
    const file = fileOf(c)
    const json = JSON.stringify(file)
    this.#theirs = Reference.fromString(json)
    this.#ours = Tokenizer.from(new TextEncoder().encode(json))
    this.#hasOffsets = !c.overrun
    this.#reserved = new Set(this.#ours.reserved.map(({ id }) => id))
    if (c.addedInVocabulary) this.#masked = Reference.fromString(JSON.stringify(masked(file, this.#reserved)))
  }

  #report(what: string, input: unknown, got: unknown, expected: unknown): void {
    if (this.found.length >= MOST_REPORTED) return
    const [i, g, e] = [input, got, expected].map((part) => JSON.stringify(part))
    this.found.push(`${what} ${i}: ${g} not ${e}`)
  }

  #hasReserved(ids: Ids): boolean {
    return ids.some((id) => this.#reserved.has(id))
  }

  /** Gives the reference's ids. */
  async compareIds(texts: readonly string[]): Promise<Ids[]> {
    const encode = (tokenizer: ReferenceTokenizer) =>
      tokenizer.encodeBatch([...texts], { addSpecialTokens: false })
    const encodings = await encode(this.#theirs)
    const theirs = encodings.map((encoding) => encoding.getIds())
    const withoutReserved = this.#masked && (await encode(this.#masked))
    texts.forEach((text, i) => {
      const expected = theirs[i] as number[]
      const found = this.#hasReserved(expected)
      // The model itself never gives a reserved token, in trusted text neither: only its spelling does.
      if (!found || this.#masked === undefined) this.#compareTrusted(text, encodings[i] as ReferenceEncoding)
      const data = [...this.#ours.encode(text)]
      const wanted = found ? withoutReserved?.[i]?.getIds() : expected
      if (this.#hasReserved(data)) this.#report('reserved', text, data, '')
      else if (wanted && String(data) !== String(wanted)) this.#report('data', text, data, wanted)
    })
    texts.forEach((text, i) => {
      const characters = Array.from(text)
      const middle = Math.floor(this.#random() * (characters.length + 1))
      const [left, right] = [characters.slice(0, middle).join(''), characters.slice(middle).join('')]
      const parts = this.#random() < 0.5 ? [trusted(left), right] : [left, trusted(right)]
      const ids = [...this.#ours.encode(parts)]
      const expected = theirs[i] as number[]
      if (this.#hasReserved([...ids, ...expected]) || String(ids) === String(expected)) return
      this.#report('mixed', [left, right], ids, expected)
    })
    return theirs
  }

  #compareTrusted(text: string, encoding: ReferenceEncoding): void {
    const expected = encoding.getIds()
    const ids = [...this.#ours.encode(trusted(text))]
    if (String(ids) !== String(expected)) this.#report('trusted', text, ids, expected)
    const ours = this.#ours.encode(trusted(text), { offsets: true })
    if (String(ours.ids) !== String(expected)) this.#report('with offsets', text, ours.ids, expected)
    const difference = this.#hasOffsets ? offsetDifference(ours, text, encoding.getOffsets()) : undefined
    if (difference === undefined) return
    this.#report(
      'offsets',
      text,
      ids.map((id) => this.#ours.idToToken(id)),
      difference,
    )
  }

  async compareTexts(encoded: readonly Ids[], count: number): Promise<void> {
    const random = Array.from({ length: count }, () =>
      Array.from({ length: Math.floor(this.#random() * 24) }, () =>
        Math.floor(this.#random() * this.#ours.vocabSize),
      ),
    )
    const lists = [...encoded, ...random].filter((ids) => ids.length > 0)
    for (const skip of [false, true]) {
      const decoded = await this.#theirs.decodeBatch(lists as number[][], skip)
      lists.forEach((ids, i) => {
        const text = this.#ours.decode(ids, { skipSpecialTokens: skip })
        const name = (id: number) => this.#ours.idToToken(id)
        if (text !== decoded[i]) this.#report(`decode ${skip}`, ids.map(name), text, decoded[i])
        const stream = this.#ours.decodeStream({ skipSpecialTokens: skip })
        const streamed = ids.map((id) => stream.push(id)).join('') + stream.end()
        if (streamed !== text) this.#report(`stream ${skip}`, ids.map(name), streamed, text)
      })
    }
  }

  /** What the post-processor adds, to harmless texts. */
  async comparePostProcessor(texts: readonly string[], encoded: readonly Ids[]): Promise<void> {
    const harmless = texts.filter((_, i) => !this.#hasReserved(encoded[i] as Ids)).slice(0, PROCESSED)
    for (const [i, text] of ['', ...harmless].entries()) {
      for (const pair of [undefined, harmless[i] ?? '']) {
        const expected = (await this.#theirs.encode(text, pair ?? null)).getIds()
        const ids = [...this.#ours.encode(text, { addSpecialTokens: true, pair })]
        if (String(ids) !== String(expected)) this.#report('processed', [text, pair], ids, expected)
      }
    }
  }
}

/** The file without reserved tokens; other tokens keep their ids. */
function masked(json: object, reserved: ReadonlySet<number>): object {
  const file = json as {
    readonly added_tokens: readonly { id: number }[]
    readonly model: { readonly vocab: Readonly<Record<string, number>> }
  }
  const vocab = Object.entries(file.model.vocab).map(([token, id]) => [
    reserved.has(id) ? `\u{10ffff}${id}` : token,
    id,
  ])
  return {
    ...file,
    added_tokens: file.added_tokens.filter(({ id }) => !reserved.has(id)),
    model: { ...file.model, vocab: Object.fromEntries(vocab) },
  }
}

/** The first differences between the case's two tokenizers. */
export async function differences(c: Case, count: number = COUNT): Promise<string[]> {
  const comparison = new Comparison(c)
  const spellings = (c.added ?? ADDED).flatMap(({ content }) => [content, ` ${content}  `, `a${content}b`])
  const fragments = [...spellings, '<unk>', 'ÀB', ' a', 'İ']
  const texts = randomTexts(SEED, count, { fragments }).map(wellFormed)
  const encoded = await comparison.compareIds(texts)
  await comparison.compareTexts(encoded, count)
  if (c.postProcessor) await comparison.comparePostProcessor(texts, encoded)
  return comparison.found
}

export function compare(cases: Readonly<Record<string, Case>>): void {
  it.each(Object.entries(cases))('%s', { timeout: TIMEOUT }, async (_, c) => {
    expect(await differences(c)).toEqual([])
  })
}
