import { isDecimal } from './python-unicode.js'

/** A number literal: Python's int as bigint, its float as number. */
export interface NumberLiteral {
  readonly value: bigint | number
  /** Behind it. */
  readonly end: number
}

/** Python's `sys.int_info.default_max_str_digits`. */
const MAX_DIGITS = 4300

const BASES: Readonly<
  Record<string, { readonly prefix: string; readonly digit: (character: string) => boolean }>
> = {
  b: { prefix: '0b', digit: (character) => character === '0' || character === '1' },
  o: { prefix: '0o', digit: (character) => character >= '0' && character <= '7' },
  x: { prefix: '0x', digit: (character) => /^[a-f]$/i.test(character) || isDigit(character) },
}

/**
 * Reads the number that begins at an offset, as Jinja2's lexer finds it: `1_000`, `0xff`, `1.5e3`, but not `.5` or
 * `1.`. Decimal digits of all scripts count in whole numbers.
 *
 * @param fail called with the reason where Python cannot convert what Jinja2 found
 * @returns undefined where no number begins
 */
export function readNumber(
  text: string,
  start: number,
  fail: (reason: string) => never,
): NumberLiteral | undefined {
  if (!isDigit(characterAt(text, start))) return undefined
  return readFloat(text, start, fail) ?? readInteger(text, start, fail)
}

function readFloat(text: string, start: number, fail: (reason: string) => never): NumberLiteral | undefined {
  if (text[start - 1] === '.') return undefined
  const whole = runEnd(text, start, isDigit, false)
  let end = whole
  if (text[end] === '.') end = digitsEnd(text, end + 1) ?? end
  if (text[end] === 'e' || text[end] === 'E') {
    const signed = text[end + 1] === '+' || text[end + 1] === '-'
    end = digitsEnd(text, end + (signed ? 2 : 1)) ?? end
  }
  if (end === whole) return undefined
  const literal = text.slice(start, end).replaceAll('_', '')
  if (!/^[\d.e+-]+$/i.test(literal)) fail(`expected a float with ASCII digits but found ${literal}`)
  return { value: Number(literal), end }
}

function readInteger(
  text: string,
  start: number,
  fail: (reason: string) => never,
): NumberLiteral | undefined {
  const first = text[start] as string
  const base = first === '0' ? BASES[(text[start + 1] ?? '').toLowerCase()] : undefined
  if (base !== undefined) {
    const end = runEnd(text, start + 2, base.digit, true)
    if (end > start + 2) return { value: BigInt(base.prefix + plainDigits(text.slice(start + 2, end))), end }
  }
  if (first === '0')
    return { value: 0n, end: runEnd(text, start + 1, (character) => character === '0', true) }
  if (first < '1' || first > '9') return undefined
  const end = runEnd(text, start + 1, isDigit, true)
  const digits = plainDigits(text.slice(start, end))
  if (digits.length > MAX_DIGITS) {
    fail(`expected an int of at most ${MAX_DIGITS} digits but found ${digits.length}`)
  }
  return { value: BigInt(digits), end }
}

/** The end of `(\d+_)*\d+`. */
function digitsEnd(text: string, start: number): number | undefined {
  return isDigit(characterAt(text, start)) ? runEnd(text, start, isDigit, false) : undefined
}

/** The end of a run of digits, each with or without one underscore before it; the first only where told. */
function runEnd(
  text: string,
  start: number,
  digit: (character: string) => boolean,
  underscoreFirst: boolean,
): number {
  let end = start
  while (true) {
    const skip = text[end] === '_' && (end > start || underscoreFirst) ? 1 : 0
    const character = characterAt(text, end + skip)
    if (!digit(character)) return end
    end += skip + character.length
  }
}

function isDigit(character: string): boolean {
  if (character <= '\x7f') return character >= '0' && character <= '9'
  return isDecimal(character)
}

/** Empty at the end of the text. */
function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** ASCII digits for the decimal digits of other scripts, which stand in runs from 0 to 9. */
function plainDigits(digits: string): string {
  return digits.replaceAll('_', '').replace(/[^\0-\x7f]/gu, (digit) => {
    const code = digit.codePointAt(0) as number
    let value = 0
    while (isDecimal(String.fromCodePoint(code - value - 1))) value++
    return String(value % 10)
  })
}
