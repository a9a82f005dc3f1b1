import { CASE_FOLD, DIGITS, NUMERIC_LETTERS, TITLE_CASE, UNASSIGNED } from './python-unicode-tables.js'

/**
 * What CPython 3.11 knows of characters. It has Unicode 14, JavaScript a later one, so characters that came later
 * count as unassigned, and case mappings from or to them do not exist. All functions take one code point as text.
 */

/** White space for `str.strip`, `str.split` and `\s`: `str.isspace`. */
export const SPACES = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

/** What ends a line for `str.splitlines`, beside `\\r\\n`. */
export const LINE_ENDS = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029'

const SPACE = new RegExp(`^[${SPACES}]$`)
const ALPHA = /^\p{L}$/u
const DECIMAL = /^\p{Nd}$/u
const NUMERIC = /^\p{N}$/u
const LOWER = /^\p{Lowercase}$/u
const UPPER = /^\p{Uppercase}$/u
const TITLE = /^\p{Lt}$/u
const CASE_IGNORABLE = /^\p{Case_Ignorable}$/u
const UNPRINTABLE = /^[\p{C}\p{Z}]$/u
const ID_START = /^[\p{XID_Start}_]$/u
const ID_CONTINUE = /^\p{XID_Continue}$/u

/**
 * Old characters whose properties changed after Unicode 14. U+0295 was lower case then, U+1171E ignorable beside
 * cased ones.
 */
const LATER_LOWER = '\u10fc\ua7f2\ua7f3\ua7f4\uab69'
const LATER_ID_CONTINUE = '\u200c\u200d\u30fb\uff65'

let unassigned: RangeSet | undefined
let digits: RangeSet | undefined
let numericLetters: RangeSet | undefined
let titleCases: ReadonlyMap<string, string> | undefined
let caseFolds: ReadonlyMap<string, string> | undefined

export function isAssigned(character: string): boolean {
  if (character <= '\x7f') return true
  unassigned ??= new RangeSet(UNASSIGNED)
  return !unassigned.has(codeOf(character))
}

/** White space by UTF-16 unit: all of it is in the basic plane. */
export function isSpaceUnit(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 9 && unit <= 13) || (unit >= 0x1c && unit <= 0x1f)
  return SPACE.test(String.fromCharCode(unit))
}

export const isSpace: (character: string) => boolean = (character: string): boolean => SPACE.test(character)
export const isAlpha: (character: string) => boolean = property(ALPHA)
export const isDecimal: (character: string) => boolean = property(DECIMAL)
export const isLower: (character: string) => boolean = (character) =>
  character === '\u0295' ||
  (LOWER.test(character) && isAssigned(character) && !LATER_LOWER.includes(character))
export const isUpper: (character: string) => boolean = property(UPPER)
export const isTitle: (character: string) => boolean = property(TITLE)
export const isCased: (character: string) => boolean = (character) =>
  isLower(character) || isUpper(character) || isTitle(character)
export const isCaseIgnorable: (character: string) => boolean = (character) =>
  character === '\u{1171e}' || (CASE_IGNORABLE.test(character) && isAssigned(character))
export const isIdentifierStart: (character: string) => boolean = property(ID_START)
export const isIdentifierPart: (character: string) => boolean = (character) =>
  ID_CONTINUE.test(character) && isAssigned(character) && !LATER_ID_CONTINUE.includes(character)

export function isDigit(character: string): boolean {
  if (isDecimal(character)) return true
  digits ??= new RangeSet(DIGITS)
  return digits.has(codeOf(character))
}

export function isNumeric(character: string): boolean {
  if (NUMERIC.test(character)) return isAssigned(character)
  numericLetters ??= new RangeSet(NUMERIC_LETTERS)
  return numericLetters.has(codeOf(character))
}

export function isAlnum(character: string): boolean {
  return isAlpha(character) || isNumeric(character)
}

/** What `repr` leaves as it is. */
export function isPrintable(character: string): boolean {
  return character === ' ' || (!UNPRINTABLE.test(character) && isAssigned(character))
}

export function upperCase(character: string): string {
  return existing(character, character.toUpperCase())
}

/** Without regard to its neighbours: see `lower` in text-case.ts for the final sigma. */
export function lowerCase(character: string): string {
  return existing(character, character.toLowerCase())
}

export function titleCase(character: string): string {
  titleCases ??= readMapping(TITLE_CASE)
  return titleCases.get(character) ?? upperCase(character)
}

export function foldCase(character: string): string {
  caseFolds ??= readMapping(CASE_FOLD)
  return caseFolds.get(character) ?? lowerCase(character)
}

/** A mapping between characters that Unicode 14 has; others stay as they are. */
function existing(character: string, mapped: string): string {
  if (mapped === character) return character
  for (const part of character + mapped) if (!isAssigned(part)) return character
  return mapped
}

function property(pattern: RegExp): (character: string) => boolean {
  return (character) => pattern.test(character) && isAssigned(character)
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

/** Runs of code points, as scripts/generate-python-unicode.py writes them. */
class RangeSet {
  readonly #firsts: number[] = []
  readonly #lasts: number[] = []

  constructor(runs: string) {
    let end = 0
    for (const run of runs.trim().split(/ +/)) {
      const [gap = '', more = '0'] = run.split(',')
      const first = end + Number.parseInt(gap, 36)
      const last = first + Number.parseInt(more, 36)
      this.#firsts.push(first)
      this.#lasts.push(last)
      end = last + 1
    }
  }

  has(code: number): boolean {
    let [low, high] = [0, this.#firsts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lasts[middle] as number) < code) low = middle + 1
      else high = middle
    }
    return low < this.#firsts.length && (this.#firsts[low] as number) <= code
  }
}

function readMapping(words: string): ReadonlyMap<string, string> {
  const spelled = (codes: string): string =>
    String.fromCodePoint(...codes.split('+').map((code) => Number.parseInt(code, 16)))
  return new Map(
    words
      .trim()
      .split(/ +/)
      .map((word) => word.split('=').map(spelled) as [string, string]),
  )
}
