// Compares a tokenizer with its reference implementation on generated strings.
import { trusted } from '../../src/prompt/parts.js'
import type { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { mulberry32, randomTexts, trickyTexts } from './random-texts.js'
import type { Reference } from './tokenizers.js'

export interface Comparison {
  readonly texts: number
  /** Lists of ids that were decoded. */
  readonly lists: number
  readonly differences: readonly Difference[]
}

export interface Difference {
  readonly what: 'ids' | 'decode' | 'decode without special tokens' | 'a reserved id from data'
  /** The smallest input found: a text, or ids. */
  readonly input: string | readonly number[]
  readonly ours: unknown
  readonly theirs: unknown
}

const CHUNK = 500
/** Further differences are most likely the same one. */
const MOST_DIFFERENCES = 20

/** Half of the texts are long and mixed, half short and dense. All names of added tokens are mixed in. */
export async function compare(
  tokenizer: Tokenizer,
  reference: Reference,
  count: number,
  seed: number,
): Promise<Comparison> {
  const fragments = fragmentsOf(tokenizer)
  const generated = [
    ...randomTexts(seed, count >> 1, { fragments }),
    ...trickyTexts(seed, count - (count >> 1), fragments),
  ]
  const texts = reference.nul ? generated : generated.map((text) => text.replaceAll('\0', ''))
  const pair = new Pair(tokenizer, reference)
  const random = mulberry32(seed)
  let lists = 0
  for (let i = 0; i < texts.length && pair.differences.length < MOST_DIFFERENCES; i += CHUNK) {
    const chunk = texts.slice(i, i + CHUNK)
    const ids = await pair.compareIds(chunk)
    const mixed = ids.map(() => randomIds(random, tokenizer))
    for (const some of [ids, mixed]) {
      await pair.compareTexts(some, false)
      if (reference.skips) await pair.compareTexts(some, true)
      lists += some.length
    }
  }
  return { texts: texts.length, lists, differences: pair.differences }
}

/** Names of reserved tokens, whole and in parts, in other writings. */
function fragmentsOf(tokenizer: Tokenizer): string[] {
  const names = tokenizer.reserved.map(({ name }) => name)
  return names.flatMap((name) => [
    name,
    ` ${name}`,
    `${name}\n`,
    name.slice(0, -1),
    name.slice(1),
    name.toUpperCase(),
    name.replaceAll('▁', ' '),
  ])
}

function randomIds(random: () => number, tokenizer: Tokenizer): number[] {
  const ids = Array.from({ length: Math.floor(random() * 9) }, () => {
    // Low ids are single bytes; high ones are added tokens.
    const limit = random() < 0.3 ? 400 : tokenizer.vocabSize
    const id = Math.floor(random() * limit)
    return random() < 0.1 ? tokenizer.vocabSize - 1 - (id % 20) : id
  })
  return ids.filter((id) => tokenizer.idToToken(id)) // some ids between the others have no token
}

/**
 * Whether the reference's model itself gave a reserved id, for text that normalization turned into its name. In our
 * models such ids are masked, whoever wrote the text.
 */
export function modelGivesReserved(tokenizer: Tokenizer, text: string, ids: readonly number[]): boolean {
  if (tokenizer.model === 'bpe') return false
  return tokenizer.reserved.some(
    ({ id, name }) => ids.filter((other) => other === id).length > text.split(name).length - 1,
  )
}

class Pair {
  readonly differences: Difference[] = []

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly reference: Reference,
  ) {
    this.reserved = new Set(tokenizer.reserved.map(({ id }) => id))
  }

  private readonly reserved: ReadonlySet<number>
  private readonly seen = new Set<string>()

  /** The reference's ids. */
  async compareIds(texts: readonly string[]): Promise<number[][]> {
    const theirs = await this.reference.encode(texts)
    for (const [i, text] of texts.entries()) {
      if (this.differences.length >= MOST_DIFFERENCES) break
      const expected = theirs[i] as number[]
      const data = this.tokenizer.encode(text)
      const leaked = data.filter((id) => this.reserved.has(id))
      if (leaked.length > 0) {
        this.add({ what: 'a reserved id from data', input: text, ours: [...data], theirs: expected })
      }
      const harmless = !expected.some((id) => this.reserved.has(id))
      const same =
        modelGivesReserved(this.tokenizer, text, expected) || String(this.encode(text)) === String(expected)
      if (!same || (harmless && String([...data]) !== String(expected))) await this.addIds(text)
    }
    return theirs
  }

  async compareTexts(lists: readonly (readonly number[])[], skipSpecialTokens: boolean): Promise<void> {
    const theirs = await this.reference.decode(lists, skipSpecialTokens)
    for (const [i, ids] of lists.entries()) {
      if (this.differences.length >= MOST_DIFFERENCES) break
      if (this.shown(ids, skipSpecialTokens) === theirs[i]) continue
      const input = await smallest(ids, async (some) => {
        const [text] = await this.reference.decode([some], skipSpecialTokens)
        return this.shown(some, skipSpecialTokens) !== text
      })
      const ours = this.shown(input, skipSpecialTokens)
      const [text] = await this.reference.decode([input], skipSpecialTokens)
      const what = skipSpecialTokens ? 'decode without special tokens' : 'decode'
      this.add({ what, input, ours, theirs: text })
    }
  }

  /** The same smallest input counts once. */
  private add(difference: Difference): void {
    const key = JSON.stringify([difference.what, difference.input])
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.differences.push(difference)
  }

  private encode(text: string): number[] {
    return [...this.tokenizer.encode(this.reference.finds ? trusted(text) : text)]
  }

  private shown(ids: readonly number[], skipSpecialTokens: boolean): string {
    const text = this.tokenizer.decode(ids, { skipSpecialTokens })
    return this.reference.shown?.(text) ?? text
  }

  private async addIds(text: string): Promise<void> {
    const differs = async (characters: readonly string[]): Promise<boolean> => {
      const some = characters.join('')
      const [theirs = []] = await this.reference.encode([some])
      const data = [...this.tokenizer.encode(some)]
      const harmless = !theirs.some((id) => this.reserved.has(id))
      if (modelGivesReserved(this.tokenizer, some, theirs)) return false
      return String(this.encode(some)) !== String(theirs) || (harmless && String(data) !== String(theirs))
    }
    const input = (await smallest(Array.from(text), differs)).join('')
    const [theirs] = await this.reference.encode([input])
    this.add({ what: 'ids', input, ours: this.encode(input), theirs })
  }
}

/** The list without all that can be left out while it still differs. */
async function smallest<T>(
  list: readonly T[],
  differs: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = list
  for (let size = kept.length >> 1; size > 0; size >>= 1) {
    for (let start = 0; start < kept.length; ) {
      const fewer = [...kept.slice(0, start), ...kept.slice(start + size)]
      if (await differs(fewer)) kept = fewer
      else start += size
    }
  }
  return kept
}
