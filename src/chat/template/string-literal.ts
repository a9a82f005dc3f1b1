/** Escapes of one letter in Python. */
export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/**
 * Reads the escapes of a string literal as Jinja2 does: `text.encode('ascii', 'backslashreplace')
 * .decode('unicode-escape')`. A backslash before a character that is not ASCII therefore leaves the backslash and
 * spells the character's own escape: `\é` is the four characters `\xe9` after it.
 *
 * @param text between the quotes, where each backslash has a character after it
 * @param fail called with the reason where Python cannot decode the text
 */
export function readEscapes(text: string, fail: (reason: string) => never): string {
  let read = ''
  let end = 0
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', end)) {
    read += text.slice(end, at)
    const letter = String.fromCodePoint(text.codePointAt(at + 1) as number)
    end = at + 1 + letter.length
    const simple = SHORT_ESCAPES[letter]
    const hexLength = HEX_LENGTHS[letter]
    if (simple !== undefined) {
      read += simple
    } else if (hexLength !== undefined) {
      const digits = text.slice(end, end + hexLength)
      end += hexLength
      read += fromHex(letter, digits, hexLength, fail)
    } else if (letter >= '0' && letter <= '7') {
      const digits = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0] as string
      end = at + 1 + digits.length
      read += String.fromCharCode(Number.parseInt(digits, 8))
    } else if (letter === 'N') {
      fail(
        'expected a character or an escape with digits but found \\N{...}: names of characters are not known here',
      )
    } else {
      read += letter > '\x7f' ? `\\${escapeOf(letter)}` : `\\${letter}`
    }
  }
  return read + text.slice(end)
}

function fromHex(letter: string, digits: string, length: number, fail: (reason: string) => never): string {
  if (digits.length < length || !/^[\da-f]*$/i.test(digits)) {
    return fail(`expected ${length} hexadecimal digits after \\${letter} but found ${JSON.stringify(digits)}`)
  }
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff) return fail(`expected a Unicode character but found \\U${digits}`)
  return String.fromCodePoint(code)
}

/** What Python's `backslashreplace` writes after the backslash. */
function escapeOf(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = code.toString(16)
  if (code <= 0xff) return `x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `u${hex.padStart(4, '0')}` : `U${hex.padStart(8, '0')}`
}
