import { ofContent } from './dependence.js'
import { type Method, method } from './methods.js'
import {
  isAlnum,
  isAlpha,
  isCased,
  isDecimal,
  isDigit,
  isIdentifierPart,
  isIdentifierStart,
  isLower,
  isNumeric,
  isPrintable,
  isSpace,
  isTitle,
  isUpper,
} from './python-unicode.js'
import { bool, type Str } from './value.js'

/** The questions that Python's `str` answers about all its characters. */

/** Not empty, and all characters are so. */
function every(test: (character: string) => boolean): (text: string) => boolean {
  return (text) => {
    for (const character of text) if (!test(character)) return false
    return text !== ''
  }
}

/** At least one character is so, and none is of the other case. */
function cased(wanted: (character: string) => boolean, other: (character: string) => boolean) {
  return (text: string): boolean => {
    let found = false
    for (const character of text) {
      if (other(character) || isTitle(character)) return false
      found ||= wanted(character)
    }
    return found
  }
}

export const isLowerText: (text: string) => boolean = cased(isLower, isUpper)
export const isUpperText: (text: string) => boolean = cased(isUpper, isLower)

function isTitleText(text: string): boolean {
  let found = false
  let inWord = false
  for (const character of text) {
    const starts = isUpper(character) || isTitle(character)
    if (starts ? inWord : isLower(character) && !inWord) return false
    inWord = starts || isCased(character)
    found ||= inWord
  }
  return found
}

function isIdentifierText(text: string): boolean {
  const [first = '', ...rest] = text
  return isIdentifierStart(first) && rest.every(isIdentifierPart)
}

const PREDICATES: Readonly<Record<string, (text: string) => boolean>> = {
  isalnum: every(isAlnum),
  isalpha: every(isAlpha),
  isascii: (text) => /^[\0-\x7f]*$/.test(text),
  isdecimal: every(isDecimal),
  isdigit: every(isDigit),
  isidentifier: isIdentifierText,
  islower: isLowerText,
  isnumeric: every(isNumeric),
  isprintable: (text) => text === '' || every(isPrintable)(text),
  isspace: every(isSpace),
  istitle: isTitleText,
  isupper: isUpperText,
}

export const STRING_PREDICATES: readonly [string, Method<Str>][] = Object.entries(PREDICATES).map(
  ([name, holds]) =>
    method(name, '', (rendering, self) => {
      rendering.spell(self.text)
      return bool(holds(self.text.text), ofContent(self))
    }),
)
