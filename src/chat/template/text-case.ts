import { unitsAt } from './code-points.js'
import { type OriginText, TextBuilder } from './origin-text.js'
import {
  foldCase,
  isCased,
  isCaseIgnorable,
  isLower,
  isUpper,
  lowerCase,
  titleCase,
  upperCase,
} from './python-unicode.js'

/**
 * The case mappings of Python's `str`: full mappings, which may change the length. What a character becomes has
 * the origin of the character.
 */

/** Text in which JavaScript's own mappings are Python's, and no character looks at its neighbours. */
const SIMPLE = /^[\0-\u018f]*$/

export function isSimple(text: string): boolean {
  return SIMPLE.test(text)
}

export function upper(text: OriginText): OriginText {
  if (SIMPLE.test(text.text)) return text.mapRuns((run) => run.toUpperCase())
  return mapCharacters(text, upperCase)
}

export function lower(text: OriginText): OriginText {
  if (SIMPLE.test(text.text)) return text.mapRuns((run) => run.toLowerCase())
  return mapCharacters(text, (character, offset) => lowerAt(text.text, character, offset))
}

export function capitalize(text: OriginText): OriginText {
  return mapCharacters(text, (character, offset) =>
    offset === 0 ? titleCase(character) : lowerAt(text.text, character, offset),
  )
}

export function title(text: OriginText): OriginText {
  let inWord = false
  return mapCharacters(text, (character, offset) => {
    const mapped = inWord ? lowerAt(text.text, character, offset) : titleCase(character)
    inWord = isCased(character)
    return mapped
  })
}

export function swapCase(text: OriginText): OriginText {
  return mapCharacters(text, (character, offset) => {
    if (isUpper(character)) return lowerAt(text.text, character, offset)
    return isLower(character) ? upperCase(character) : character
  })
}

export function caseFold(text: OriginText): OriginText {
  return mapCharacters(text, foldCase)
}

/** The lower case of a plain string, as `lower` maps it. */
export function lowerText(text: string): string {
  if (SIMPLE.test(text)) return text.toLowerCase()
  let mapped = ''
  let offset = 0
  for (const character of text) {
    mapped += lowerAt(text, character, offset)
    offset += character.length
  }
  return mapped
}

function mapCharacters(text: OriginText, map: (character: string, offset: number) => string): OriginText {
  const builder = new TextBuilder()
  text.forEachRun((start, end, origin) => {
    let mapped = ''
    let offset = start
    for (const character of text.text.slice(start, end)) {
      mapped += map(character, offset)
      offset += character.length
    }
    builder.append(mapped, origin)
  })
  return builder.build()
}

/** A capital sigma at the end of a word becomes a final one. */
function lowerAt(text: string, character: string, offset: number): string {
  if (character !== 'Σ') return lowerCase(character)
  return endsWord(text, offset) ? 'ς' : 'σ'
}

/** Behind a cased letter and before none, leaving out what case ignores. */
function endsWord(text: string, offset: number): boolean {
  let before = ''
  for (let i = offset; i > 0; i -= before.length) {
    const wide = i > 1 && unitsAt(text, i - 2) === 2
    before = text.slice(wide ? i - 2 : i - 1, i)
    if (!isCaseIgnorable(before)) break
  }
  if (before === '' || isCaseIgnorable(before) || !isCased(before)) return false
  for (let i = offset + 1; i < text.length; ) {
    const after = text.slice(i, i + unitsAt(text, i))
    if (!isCaseIgnorable(after)) return !isCased(after)
    i += after.length
  }
  return true
}
