// The named sets of characters in Oniguruma and in Rust's regex crates, as expressions over Unicode 16.
import {
  binary,
  type ClassExpression,
  categories,
  characters,
  negate,
  range,
  script,
  union,
} from './program.js'
import { BINARY_PROPERTIES, CATEGORIES, CATEGORY_NAMES, SCRIPTS } from './unicode-names.js'

/** Names match whatever their case, spaces, hyphens and underscores are. */
const slug = (name: string) => name.replace(/[- _]/g, '').toLowerCase()

const maskOf = (...names: string[]) =>
  CATEGORIES.reduce((mask, name, i) => (names.some((n) => name.startsWith(n)) ? mask | (1 << i) : mask), 0)
const cat = (...names: string[]) => categories(maskOf(...names))
const property = (name: string) => binary(BINARY_PROPERTIES.indexOf(name))

const any = range(0, 0x10ffff)
const space = property('White_Space')
const alphabetic = property('Alphabetic')
const word = union([alphabetic, cat('M', 'Nd', 'Pc')])
const hex = union([range(0x30, 0x39), range(0x41, 0x46), range(0x61, 0x66)])
const graph = negate(union([space, cat('Cc', 'Cn', 'Cs')]))

/** Sets that both engines name by an escape. */
export const SETS: {
  readonly any: ClassExpression
  readonly newline: ClassExpression
  readonly lineBreaks: ClassExpression
  readonly digit: ClassExpression
  readonly hex: ClassExpression
  readonly space: ClassExpression
  readonly word: ClassExpression
  readonly wordInBrackets: ClassExpression
  readonly rustWord: ClassExpression
} = {
  any,
  newline: characters(0x0a),
  lineBreaks: union([range(0x0a, 0x0d), characters(0x85, 0x2028, 0x2029)]),
  digit: cat('Nd'),
  hex,
  space,
  // Oniguruma looks up Latin-1 in an older table, where ² ³ ¹ ¼ ½ ¾ are of words; not so in brackets.
  word: union([word, characters(0xb2, 0xb3, 0xb9), range(0xbc, 0xbe)]),
  wordInBrackets: word,
  rustWord: union([word, property('Join_Control')]),
}

/** `[[:name:]]` and `\p{name}` of Oniguruma, over all of Unicode. */
const POSIX = new Map<string, ClassExpression>([
  ['alnum', union([alphabetic, cat('Nd')])],
  ['alpha', alphabetic],
  ['ascii', range(0, 0x7f)],
  ['blank', union([cat('Zs'), characters(9)])],
  ['cntrl', cat('Cc')],
  ['digit', cat('Nd')],
  ['graph', graph],
  ['lower', property('Lowercase')],
  ['print', union([graph, cat('Zs')])],
  ['punct', cat('P', 'S')],
  ['space', space],
  ['upper', property('Uppercase')],
  ['word', word],
  ['xdigit', hex],
])

const PROPERTIES = new Map<string, ClassExpression>([
  ['any', any],
  ['assigned', negate(cat('Cn'))],
  ...CATEGORIES.map((name) => [slug(name), cat(name)] as const),
  ...CATEGORY_NAMES.map((name, i) => [slug(name), categories(1 << i)] as const),
  ...SCRIPTS.map((name, i) => [slug(name), script(i + 1)] as const),
  ...BINARY_PROPERTIES.map((name, i) => [slug(name), binary(i)] as const),
  ...(
    [
      ['L', 'Letter'],
      ['M', 'Mark', 'Combining_Mark'],
      ['N', 'Number'],
      ['P', 'Punctuation', 'Punct'],
      ['S', 'Symbol'],
      ['Z', 'Separator'],
      ['C', 'Other'],
    ] as const
  ).flatMap(([letter, ...names]) => [letter, ...names].map((name) => [slug(name), cat(letter)] as const)),
  ...['LC', 'Cased_Letter'].map((name) => [slug(name), cat('Lu', 'Ll', 'Lt')] as const),
])

export function posixSet(name: string): ClassExpression | undefined {
  return POSIX.get(slug(name))
}

export function propertySet(name: string): ClassExpression | undefined {
  return PROPERTIES.get(slug(name))
}

/** Whether a named set holds no letter, so that case folding cannot matter to it. */
export function isCaseless(name: string): boolean {
  return /^(?:space|digit|newline|hex|blank|cntrl|whitespace|[nzm]|n[dlo]|p[cdsefio]?|s[mcko]?|z[slp]|m[nce])$/.test(
    slug(name),
  )
}
