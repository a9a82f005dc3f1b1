import type { AddedTokenSpec } from './pipeline-spec.js'

/**
 * Added tokens, of which some models have thousands, as a few flat tables: what native code and compiled models take.
 * Token `i` is `ids[i]`, the next `lengths[i]` UTF-16 units of `contents`, and `flags[i]`, a bit for each flag.
 */
export interface TokenColumns {
  readonly contents: string
  readonly lengths: Uint32Array
  readonly ids: Uint32Array
  readonly flags: Uint8Array
}

/** native/binding/read_pipeline.cpp has the same bits. */
function flagsOf({ singleWord, lstrip, rstrip, normalized, special }: AddedTokenSpec): number {
  return +singleWord | (+lstrip << 1) | (+rstrip << 2) | (+normalized << 3) | (+special << 4)
}

export function tokenColumns(tokens: readonly AddedTokenSpec[]): TokenColumns {
  return {
    contents: tokens.map(({ content }) => content).join(''),
    lengths: Uint32Array.from(tokens, ({ content }) => content.length),
    ids: Uint32Array.from(tokens, ({ id }) => id),
    flags: Uint8Array.from(tokens, flagsOf),
  }
}

/** The tokens again; undefined where the tables are of different lengths, or not those of `contents`. */
export function tokensOfColumns({
  contents,
  lengths,
  ids,
  flags,
}: TokenColumns): AddedTokenSpec[] | undefined {
  if (ids.length !== lengths.length || flags.length !== lengths.length) return undefined
  const tokens: AddedTokenSpec[] = []
  let at = 0
  for (let i = 0; i < lengths.length; i++) {
    const end = at + (lengths[i] as number)
    if (end > contents.length) return undefined
    const bits = flags[i] as number
    tokens.push({
      id: ids[i] as number,
      content: contents.slice(at, end),
      singleWord: (bits & 1) !== 0,
      lstrip: (bits & 2) !== 0,
      rstrip: (bits & 4) !== 0,
      normalized: (bits & 8) !== 0,
      special: (bits & 16) !== 0,
    })
    at = end
  }
  return at === contents.length ? tokens : undefined
}
