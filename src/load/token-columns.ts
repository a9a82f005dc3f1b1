import type binding from '../../binding.cjs'
import addon from '../native.js'
import type { AddedTokenSpec, PipelineSpec } from './pipeline-spec.js'
import type { FolderTokens } from './special-tokens.js'

/**
 * Added tokens, of which some models have thousands, as a few flat tables: what native code and compiled models take.
 * Token `i` is `ids[i]`, the next `lengths[i]` of `units` (UTF-16), and `flags[i]`, a bit for each flag.
 */
export interface TokenColumns {
  readonly units: Uint16Array
  readonly lengths: Uint32Array
  readonly ids: Uint32Array
  readonly flags: Uint8Array
}

/** The bits of `flags`. native/binding has the same. */
export const TokenFlag = { SINGLE_WORD: 1, LSTRIP: 2, RSTRIP: 4, NORMALIZED: 8, SPECIAL: 16 } as const

function flagsOf({ singleWord, lstrip, rstrip, normalized, special }: AddedTokenSpec): number {
  return +singleWord | (+lstrip << 1) | (+rstrip << 2) | (+normalized << 3) | (+special << 4)
}

export function tokenColumns(tokens: readonly AddedTokenSpec[]): TokenColumns {
  return {
    units: addon.unitsOf(tokens.map(({ content }) => content).join('')),
    lengths: Uint32Array.from(tokens, ({ content }) => content.length),
    ids: Uint32Array.from(tokens, ({ id }) => id),
    flags: Uint8Array.from(tokens, flagsOf),
  }
}

const facts = new WeakMap<TokenColumns, binding.NativeColumnFacts>()

/** Where tokens begin and what they have in common; undefined when the tables do not fit together. */
export function columnFacts(columns: TokenColumns): binding.NativeColumnFacts | undefined {
  const { units, lengths, ids, flags } = columns
  const found = facts.get(columns) ?? addon.columnFacts(units, lengths, ids, flags)
  if (found !== undefined) facts.set(columns, found)
  return found
}

/** Of tables that fit together. */
function soundFacts(columns: TokenColumns): binding.NativeColumnFacts {
  return columnFacts(columns) as binding.NativeColumnFacts
}

/** Whether some token has one of these flags. */
export function someHave(columns: TokenColumns, flags: number): boolean {
  return (soundFacts(columns).someFlags & flags) !== 0
}

/** Whether no two tokens have one id, as they are in order. */
export function areAscending(columns: TokenColumns): boolean {
  return soundFacts(columns).ascending
}

/** So many units are made a string at once. */
const MOST_UNITS = 4096

export function contentOf(columns: TokenColumns, i: number): string {
  const start = soundFacts(columns).starts[i] as number
  const end = start + (columns.lengths[i] as number)
  let content = ''
  for (let at = start; at < end; at += MOST_UNITS) {
    content += String.fromCharCode(...columns.units.subarray(at, Math.min(end, at + MOST_UNITS)))
  }
  return content
}

/** The tokens again. */
export function tokensOfColumns(columns: TokenColumns): AddedTokenSpec[] {
  return Array.from(columns.ids, (id, i) => {
    const has = (flag: number): boolean => ((columns.flags[i] as number) & flag) !== 0
    return {
      id,
      content: contentOf(columns, i),
      singleWord: has(TokenFlag.SINGLE_WORD),
      lstrip: has(TokenFlag.LSTRIP),
      rstrip: has(TokenFlag.RSTRIP),
      normalized: has(TokenFlag.NORMALIZED),
      special: has(TokenFlag.SPECIAL),
    }
  })
}

const NO_NAME = 2 ** 32 - 1

/** Those of these texts that are tokens, and the place of the first such token. */
export function placesAmong(
  { units, lengths }: TokenColumns,
  texts: readonly string[],
): ReadonlyMap<string, number> {
  const places = texts.length > 0 ? addon.findNames(units, lengths, texts) : []
  const found = texts.map((text, i) => [text, places[i] as number] as const)
  return new Map(found.filter(([, place]) => place !== NO_NAME))
}

/** Which of these texts are tokens. */
export function contentsAmong(columns: TokenColumns, texts: readonly string[]): Set<string> {
  return new Set(placesAmong(columns, texts).keys())
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
