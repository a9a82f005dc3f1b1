// Writes native/core/normalization/unicode_tables.inc: what the normalizers know of Unicode, read off the reference
// itself, Hugging Face `tokenizers` (its NF* tables are of another Unicode version than its lowercase mapping, and
// than Node's). Every code point is put to it; the same reference gives the same bytes.
//   node scripts/generate-normalization-tables.mjs [--check]   --check writes nothing, and fails when the file differs
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const output = path.join(root, 'native', 'core', 'normalization', 'unicode_tables.inc')
const require = createRequire(path.join(root, 'test', 'conformance', 'package.json'))
const reference = require('tokenizers')
const { version } = JSON.parse(
  readFileSync(path.join(path.dirname(require.resolve('tokenizers')), 'package.json'), 'utf8'),
)

const by = (normalizer) => (text) => normalizer.normalizeString(text)
const nfd = by(reference.nfdNormalizer())
const nfkd = by(reference.nfkdNormalizer())
const nfc = by(reference.nfcNormalizer())
const lowercase = by(reference.lowercase())
const stripAccents = by(reference.stripAccentsNormalizer())

/** One character of each canonical combining class; `combiningClasses` checks that they stand in this order. */
const REPRESENTATIVES = new Map(
  (
    '1:0334 7:093c 8:3099 9:094d 10:05b0 11:05b1 12:05b2 13:05b3 14:05b4 15:05b5 16:05b6 17:05b7 18:05b8 ' +
    '19:05b9 20:05bb 21:05bc 22:05bd 23:05bf 24:05c1 25:05c2 26:fb1e 27:064b 28:064c 29:064d 30:064e ' +
    '31:064f 32:0650 33:0651 34:0652 35:0670 36:0711 84:0c55 91:0c56 103:0e38 107:0e48 118:0eb8 122:0ec8 ' +
    '129:0f71 130:0f72 132:0f74 202:0321 214:1dce 216:031b 218:302a 220:0316 222:059a 224:302e 226:1d16d ' +
    '228:05ae 230:0301 232:0315 233:035c 234:035d 240:0345'
  )
    .split(' ')
    .map((pair) => pair.split(':'))
    .map(([value, character]) => [Number(value), Number.parseInt(character, 16)]),
)

const all = []
for (let c = 0; c < 0x110000; c++) if (c < 0xd800 || c > 0xdfff) all.push(c)
const points = (text) => Array.from(text, (character) => character.codePointAt(0))
const text = (codePoints) => String.fromCodePoint(...codePoints)
const isHangul = (c) => c >= 0xac00 && c < 0xac00 + 11172

function assert(condition, what) {
  if (!condition) throw new Error(`the reference does not behave as this script supposes: ${what}`)
}

/** Whole decompositions: `canonical`, `compatibility` and whether the canonical one is put together again. */
function decompositions() {
  const result = []
  for (const c of all) {
    const self = String.fromCodePoint(c)
    const canonical = nfd(self)
    const compatibility = nfkd(self)
    if (isHangul(c)) {
      const t = (c - 0xac00) % 28
      const l = 0x1100 + Math.floor((c - 0xac00) / 588)
      const v = 0x1161 + Math.floor(((c - 0xac00) % 588) / 28)
      const jamo = text(t === 0 ? [l, v] : [l, v, 0x11a7 + t])
      assert(canonical === jamo && compatibility === jamo && nfc(jamo) === self, `Hangul ${c.toString(16)}`)
      continue
    }
    const composes = nfc(canonical) === self && canonical !== self
    assert(!composes || points(canonical).length >= 2, `${c.toString(16)} is no singleton`)
    if (canonical !== self && canonical === compatibility) {
      result.push({ c, kind: 3 + (composes ? 4 : 0), to: points(canonical) })
    } else {
      if (canonical !== self) result.push({ c, kind: 1 + (composes ? 4 : 0), to: points(canonical) })
      if (compatibility !== self) result.push({ c, kind: 2, to: points(compatibility) })
    }
  }
  return result
}

/** Which of `characters` change places with `mark`, when they stand before it (or after it) in that order. */
function swapped(characters, mark, before) {
  const result = new Set()
  for (let i = 0; i < characters.length; i += 20_000) {
    const chunk = characters.slice(i, i + 20_000)
    const ordered = points(nfd(chunk.map((c) => `a${text(before ? [c, mark] : [mark, c])}`).join('')))
    assert(ordered.length === chunk.length * 3, 'one of these characters decomposes')
    chunk.forEach((c, k) => {
      if (c !== mark && ordered[3 * k + (before ? 2 : 1)] === c) result.add(c)
    })
  }
  return result
}

/** Canonical combining classes other than 0, found by where a character sorts among the representatives. */
function combiningClasses(decomposing) {
  const candidates = all.filter((c) => !isHangul(c) && !decomposing.has(c))
  const above1 = swapped(candidates, REPRESENTATIVES.get(1), true)
  const below230 = swapped(candidates, REPRESENTATIVES.get(230), false)
  const marks = candidates.filter((c) => above1.has(c) || below230.has(c))
  const classes = new Map()
  for (const [value, representative] of REPRESENTATIVES) {
    const above = swapped(marks, representative, true)
    const below = swapped(marks, representative, false)
    for (const c of marks) if (!above.has(c) && !below.has(c)) classes.set(c, value)
  }
  for (const [value, representative] of REPRESENTATIVES) {
    assert(classes.get(representative) === value, `class ${value}`)
  }
  return marks.map((c) => {
    assert(classes.has(c), `the class of ${c.toString(16)} has no representative`)
    return [c, classes.get(c)]
  })
}

/** Runs of consecutive keys that `same` joins, as `[first, count, value]`. */
function runs(entries, same) {
  const result = []
  for (const [c, value] of entries) {
    const last = result.at(-1)
    if (last && same(last, c, value)) last[1]++
    else result.push([c, 1, value])
  }
  return result
}

/** Every second character is upper case in some scripts, so a run has a stride. */
function lowercaseRuns() {
  const result = []
  for (const c of all) {
    const lower = points(lowercase(String.fromCodePoint(c)))
    if (c === 0x130) {
      assert(lower.join() === '105,775', 'U+0130 becomes i and a dot above')
      continue
    }
    assert(lower.length === 1, `${c.toString(16)} has one lower case character`)
    const shift = lower[0] - c
    if (shift === 0) continue
    const last = result.at(-1)
    const gap = last ? c - (last.first + (last.count - 1) * last.stride) : 0
    if (last && last.shift === shift && (last.count === 1 ? gap <= 2 : gap === last.stride)) {
      last.stride = gap
      last.count++
    } else {
      result.push({ first: c, count: 1, stride: 1, shift })
    }
  }
  return result
}

function array(name, comment, type, numbers) {
  const lines = []
  let line = ''
  for (const number of numbers) {
    if (line.length + String(number).length + 2 > 110) {
      lines.push(line)
      line = ''
    }
    line += `${number},`
  }
  lines.push(line)
  return `// ${comment}\nconstexpr ${type} ${name}[] = {\n${lines.join('\n')}\n};\n`
}

function gaps() {
  let last = 0
  return (c) => {
    const gap = c - last
    last = c
    return gap
  }
}

const decomposed = decompositions()
const canonical = new Set(decomposed.filter(({ kind }) => kind & 1).map(({ c }) => c))
const classRuns = runs(
  combiningClasses(canonical),
  ([first, count, value], c, v) => c === first + count && v === value,
)
const markRuns = runs(
  all.filter((c) => stripAccents(String.fromCodePoint(c)) === '').map((c) => [c, 0]),
  ([first, count], c) => c === first + count,
)
const [decompositionGap, classGap, markGap, lowercaseGap] = [gaps(), gaps(), gaps(), gaps()]
const file = [
  `// Generated by scripts/generate-normalization-tables.mjs from npm tokenizers ${version}. Do not edit.\n`,
  array(
    'kDecompositions',
    'Each: gap * 256 + kind * 32 + length, then the characters. Kind: 1 canonical, 2 compatibility, 4 composes.',
    'std::uint32_t',
    decomposed.flatMap(({ c, kind, to }) => [decompositionGap(c) * 256 + kind * 32 + to.length, ...to]),
  ),
  array(
    'kCombiningClasses',
    'Each: gap from where the last run begins, count, canonical combining class.',
    'std::uint32_t',
    classRuns.flatMap(([first, count, value]) => [classGap(first), count, value]),
  ),
  array(
    'kMarks',
    'What StripAccents removes. Each: gap from where the last run begins, count.',
    'std::uint32_t',
    markRuns.flatMap(([first, count]) => [markGap(first), count]),
  ),
  array(
    'kLowercase',
    'Without U+0130, which becomes two characters. Each: gap from where the last run begins, count, stride, what to add.',
    'std::int32_t',
    lowercaseRuns().flatMap(({ first, count, stride, shift }) => [lowercaseGap(first), count, stride, shift]),
  ),
].join('\n')

console.log(
  `${decomposed.length} decompositions, ${classRuns.length} runs of classes, ${markRuns.length} runs of marks, ` +
    `${file.length} bytes`,
)
if (!process.argv.includes('--check')) writeFileSync(output, file)
else assert(readFileSync(output, 'utf8') === file, `${output} is not what this script writes`)
