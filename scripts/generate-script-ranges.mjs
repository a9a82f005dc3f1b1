// Writes native/core/script_ranges.inc: which characters the pre-tokenizer UnicodeScripts takes to be of one script,
// read off the reference itself, Hugging Face `tokenizers`. The numbers say only which are alike; a character without a
// number is of none.
//   node scripts/generate-script-ranges.mjs [--check]   --check writes nothing, and fails when the file differs
import { CODE_POINTS, reference, runsOf, table, writeTables } from './code-point-tables.mjs'

const preTokenizer = reference.Tokenizer.fromString(
  JSON.stringify({
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null },
    ...{ pre_tokenizer: { type: 'UnicodeScripts' }, post_processor: null, decoder: null },
    model: { type: 'WordLevel', vocab: { a: 0 }, unk_token: 'a' },
  }),
).getPreTokenizer()
const isOnePiece = (text) => preTokenizer.preTokenizeString(text).length === 1

/** A character of each script, at the number of its script. */
const examples = [undefined]

function scriptOf(c) {
  const character = String.fromCodePoint(c)
  if (preTokenizer.preTokenizeString(character).length === 0) return undefined
  const last = scripts.at(-1) // mostly the same
  if (last !== undefined && isOnePiece(examples[last] + character)) return last
  const found = examples.findIndex((example) => example !== undefined && isOnePiece(example + character))
  return found > 0 ? found : examples.push(character) - 1
}

const scripts = []
for (const c of CODE_POINTS) scripts.push(scriptOf(c))
const byCodePoint = new Map(CODE_POINTS.map((c, i) => [c, scripts[i]]))
if (examples.length > 256) throw new Error('there are more scripts than a byte can tell')
writeTables('generate-script-ranges.mjs', 'script_ranges.inc', [
  table(
    'ScriptRange',
    'kScriptRanges',
    runsOf((c) => byCodePoint.get(c)),
  ),
])
console.log(`${examples.length - 1} scripts`)
