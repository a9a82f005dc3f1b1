// Writes native/core/normalization/grapheme_classes.inc: how characters take part in grapheme clusters, read off the
// reference itself, Hugging Face `tokenizers`, whose normalizer Precompiled tells clusters of less than six bytes from
// longer ones. Each test is a text with one rule of a charsmap; what becomes of the text tells whether two characters
// stand in one cluster.
//   node scripts/generate-grapheme-classes.mjs [--check]   --check writes nothing, and fails when the file differs
import { CODE_POINTS, reference, runsOf, table, writeTables } from './code-point-tables.mjs'
import { precompiledCharsmap } from './precompiled-charsmap.mjs'

const MARK = '\u0300' // two bytes, and joins what is before it
const JOINER = '\u200d'
const VIRAMA = '\u094d'

/** The text when each of the characters becomes X, and a short cluster that begins with one is X alone. */
function normalizerOf(characters) {
  const rules = Array.from(characters, (character) => [character, 'X'])
  const normalizer = reference.precompiled([...precompiledCharsmap(rules)])
  return (text) => normalizer.normalizeString(text)
}

/** Whether `right`, which is one of a few characters, joins what is before it: then the mark behind it stays. */
const joins = (() => {
  const normalizers = new Map()
  return (left, right) => {
    if (!normalizers.has(right)) normalizers.set(right, normalizerOf(right))
    return normalizers.get(right)(`${left}${right}${MARK}`).endsWith(MARK)
  }
})()
const joinsBefore = normalizerOf('a')
const marks = normalizerOf(MARK)

/** Whether the mark behind the character begins a cluster, which takes in another mark. */
const isControl = (character) => !marks(`${character}${MARK}\u0301`).endsWith('\u0301')
const isPrepend = (character) => joins(character, 'ก')

const isSyllable = (c) => c >= 0xac00 && c < 0xac00 + 11172

function classOf(c) {
  const character = String.fromCodePoint(c)
  if (character === '\r') return 'kCr'
  if (character === '\n') return 'kLf'
  if (isSyllable(c)) return undefined // told by arithmetic
  if (joinsBefore(`a${character}`) === 'X') {
    if (character === JOINER) return 'kZwj'
    if (!joins(`©${character}${JOINER}`, '©')) return 'kSpacingMark'
    if (joins(`क${character}`, 'क')) return 'kLinker'
    return joins(`क${VIRAMA}${character}`, 'क') ? 'kConjunctExtend' : 'kExtend'
  }
  if (isControl(character)) return 'kControl'
  if (isPrepend(character)) return 'kPrepend'
  if (joins(character, '\u1100')) return 'kL'
  if (joins(character, '\u1161')) return 'kV'
  if (joins(character, '\u11a8')) return 'kT'
  if (joins(`${character}${JOINER}`, '©')) return 'kPictographic'
  return joins(`${character}${VIRAMA}`, 'क') ? 'kConsonant' : undefined
}

const classes = new Map(CODE_POINTS.map((c) => [c, classOf(c)]))
writeTables('generate-grapheme-classes.mjs', 'normalization/grapheme_classes.inc', [
  table(
    'GraphemeRange',
    'kGraphemeRanges',
    runsOf((c) => classes.get(c)),
  ),
])
