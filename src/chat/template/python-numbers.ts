import { valueError } from './python-error.js'
import { isDecimal, SPACES } from './python-unicode.js'

/** What Python's `int()` and `float()` read from text. */

const AROUND = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, 'g')
const FLOAT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i
const SPECIAL = /^(?<sign>[+-]?)(?:(?<nan>nan)|inf|infinity)$/i
const INT = /^(?<sign>[+-]?)(?<digits>[0-9a-z]+(?:_[0-9a-z]+)*)$/i
const PREFIXES: Readonly<Record<string, number>> = { x: 16, o: 8, b: 2 }

/**
 * `float(text)`; undefined where that raises ValueError.
 *
 * @see CPython 3.11 `Objects/floatobject.c`
 */
export function parseFloatText(text: string): number | undefined {
  const plain = asciiDigits(text).replace(AROUND, '')
  if (FLOAT.test(plain)) return Number(plain.replaceAll('_', ''))
  const special = SPECIAL.exec(plain)?.groups
  if (special === undefined) return undefined
  if (special.nan !== undefined) return Number.NaN
  return special.sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/**
 * `int(text, base)`; undefined where that raises ValueError for the text.
 *
 * @throws PythonError for a base that is none
 * @see CPython 3.11 `Objects/longobject.c`
 */
export function parseIntText(text: string, base: number): bigint | undefined {
  if (base !== 0 && (base < 2 || base > 36)) return undefined
  const { sign, digits } =
    INT.exec(
      asciiDigits(text)
        .replace(AROUND, '')
        .replace(/^([+-]?0[xob])_/i, '$1'),
    )?.groups ?? {}
  if (digits === undefined) return undefined
  const prefix = /^0([xob])/i.exec(digits)?.[1]?.toLowerCase() ?? ''
  const prefixed = prefix !== '' && (base === 0 || base === PREFIXES[prefix])
  const radix = base !== 0 ? base : prefixed ? (PREFIXES[prefix] as number) : 10
  const plain = (prefixed ? digits.slice(2) : digits).replaceAll('_', '').toLowerCase()
  // In base 0 a zero in front is only allowed where all digits are zeros.
  if (plain === '' || (base === 0 && !prefixed && /^0+[1-9]/.test(plain))) return undefined
  const value = bigIntOf(plain, radix)
  return value !== undefined && sign === '-' ? -value : value
}

/** Python reads at most so many digits, unless the base is a power of two. */
const MAX_DIGITS = 4300

function bigIntOf(digits: string, radix: number): bigint | undefined {
  if ((radix & (radix - 1)) !== 0 && digits.length > MAX_DIGITS) return undefined
  const valid = [...digits].every((digit) => Number.parseInt(digit, 36) < radix)
  if (!valid) return undefined
  if (radix === 10) return BigInt(digits)
  const prefix = { 16: '0x', 8: '0o', 2: '0b' }[radix]
  if (prefix !== undefined) return BigInt(prefix + digits)
  if (digits.length > MAX_DIGITS) throw valueError(`expected at most ${MAX_DIGITS} digits in base ${radix}`)
  let value = 0n
  for (const digit of digits) value = value * BigInt(radix) + BigInt(Number.parseInt(digit, 36))
  return value
}

/** Decimal digits of other scripts count as ASCII ones. */
function asciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    if (!isDecimal(character)) return character
    const code = character.codePointAt(0) as number
    // Mathematical digits are the only ones whose runs of ten touch.
    if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10)
    let zero = code
    while (code - zero < 9 && isDecimal(String.fromCodePoint(zero - 1))) zero--
    return String(code - zero)
  })
}
