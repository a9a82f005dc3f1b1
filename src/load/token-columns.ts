import type { AddedTokenSpec, PipelineSpec } from './pipeline-spec.js'
import type { FolderTokens } from './special-tokens.js'

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

/** The bits of `flags`. native/binding/read_pipeline.cpp has the same. */
export const TokenFlag = { SINGLE_WORD: 1, LSTRIP: 2, RSTRIP: 4, NORMALIZED: 8, SPECIAL: 16 } as const

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

/** Whether the tables have one length, and `lengths` is of `contents`. */
export function areColumns({ contents, lengths, ids, flags }: TokenColumns): boolean {
  if (ids.length !== lengths.length || flags.length !== lengths.length) return false
  let units = 0
  for (let i = 0; i < lengths.length; i++) units += lengths[i] as number
  return units === contents.length
}

/** The tokens again. */
export function tokensOfColumns({ contents, lengths, ids, flags }: TokenColumns): AddedTokenSpec[] {
  let at = 0
  return Array.from(ids, (id, i) => {
    const content = contents.slice(at, at + (lengths[i] as number))
    at += content.length
    const has = (flag: number): boolean => ((flags[i] as number) & flag) !== 0
    return {
      id,
      content,
      singleWord: has(TokenFlag.SINGLE_WORD),
      lstrip: has(TokenFlag.LSTRIP),
      rstrip: has(TokenFlag.RSTRIP),
      normalized: has(TokenFlag.NORMALIZED),
      special: has(TokenFlag.SPECIAL),
    }
  })
}

/** Which of these texts are tokens. */
export function contentsAmong({ contents, lengths }: TokenColumns, texts: readonly string[]): Set<string> {
  const wanted = new Set(texts)
  const found = new Set<string>()
  const longest = texts.reduce((longest, { length }) => Math.max(longest, length), 0)
  const isLength = new Uint8Array(longest + 1)
  for (const { length } of texts) isLength[length] = 1
  let at = 0
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] as number
    if (length <= longest && isLength[length] === 1) {
      const content = contents.slice(at, at + length)
      if (wanted.has(content)) found.add(content)
    }
    at += length
  }
  return found
}

const known = new WeakMap<object, TokenColumns>()

/** Lets `name` be a list of tokens, which is made of its columns when it is asked for: loading needs none. */
export function listLater<T extends object>(holder: T, name: keyof T, columns: TokenColumns): T {
  known.set(holder, columns)
  let list: readonly AddedTokenSpec[] | undefined
  const get = (): readonly AddedTokenSpec[] => {
    list ??= tokensOfColumns(columns)
    return list
  }
  return Object.defineProperty(holder, name, { get, enumerable: true, configurable: true })
}

/** The columns of `addedTokens`. */
export function addedColumns(spec: Pick<PipelineSpec, 'addedTokens'>): TokenColumns {
  return columnsOf(spec, () => spec.addedTokens)
}

/** The columns of `listed`. */
export function listedColumns(tokens: FolderTokens): TokenColumns {
  return columnsOf(tokens, () => tokens.listed as readonly AddedTokenSpec[])
}

function columnsOf(holder: object, list: () => readonly AddedTokenSpec[]): TokenColumns {
  const columns = known.get(holder) ?? tokenColumns(list())
  known.set(holder, columns)
  return columns
}
