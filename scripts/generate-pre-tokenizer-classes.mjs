// Writes native/core/pre_tokenizer_classes.inc: the characters that the pre-tokenizers Punctuation and Digits look for,
// read off the reference itself, Hugging Face `tokenizers` (one table is of Unicode 8, the other of Unicode 17).
//   node scripts/generate-pre-tokenizer-classes.mjs [--check]   --check writes nothing, and fails when the file differs
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const output = path.join(root, 'native', 'core', 'pre_tokenizer_classes.inc')
const require = createRequire(path.join(root, 'test', 'conformance', 'package.json'))
const reference = require('tokenizers')
const { version } = JSON.parse(
  readFileSync(path.join(path.dirname(require.resolve('tokenizers')), 'package.json'), 'utf8'),
)

/** Runs of the characters that the pre-tokenizer parts from their neighbours. */
function rangesOf(preTokenizer) {
  const ranges = []
  for (let c = 0; c < 0x110000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue
    if (preTokenizer.preTokenizeString(`a${String.fromCodePoint(c)}a`).length !== 3) continue
    const last = ranges.at(-1)
    if (last?.[1] === c - 1) last[1] = c
    else ranges.push([c, c])
  }
  return ranges
}

function table(name, ranges) {
  const hex = (c) => `0x${c.toString(16).toUpperCase()}`
  let lines = ''
  let line = ' '
  for (const [first, last] of ranges) {
    const item = ` {${hex(first)}, ${hex(last)}},`
    if (line.length + item.length > 110) {
      lines += `${line}\n`
      line = ' '
    }
    line += item
  }
  return `constexpr CodePointRange ${name}[] = {\n${lines}${line}\n};\n`
}

const text = `// Made by scripts/generate-pre-tokenizer-classes.mjs from tokenizers ${version}: do not edit.
// clang-format off
${table('kPunctuation', rangesOf(reference.punctuationPreTokenizer()))}
${table('kNumeric', rangesOf(reference.digitsPreTokenizer(true)))}// clang-format on
`
if (process.argv.includes('--check')) {
  if (readFileSync(output, 'utf8') !== text) throw new Error(`${output} is not what the reference gives`)
} else {
  writeFileSync(output, text)
}
