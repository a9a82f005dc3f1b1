// Each peer at its fastest documented setting, all behind one interface.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rankFile } from './models.mjs'
import { nativeSentencePiece, nativeVersion } from './native-sentencepiece.mjs'
import { root } from './places.mjs'

const require = createRequire(path.join(root, 'bench/package.json'))
const packageVersion = (name) =>
  JSON.parse(readFileSync(path.join(root, 'bench/node_modules', name, 'package.json'), 'utf8')).version

/**
 * @typedef {object} Engine
 * @property {boolean} [waits] its methods give promises
 * @property {(text: string) => ArrayLike<number>} encode without special tokens
 * @property {(texts: readonly string[]) => Promise<number>} [encodeAll] milliseconds, where it takes its own time
 * @property {(text: string) => number} [count] where there is a faster way than to encode
 * @property {(ids: ArrayLike<number>) => string} [decode]
 * @property {() => { push(id: number): string, end(): string }} [stream] decoding id by id
 * @property {(texts: readonly string[]) => Promise<ArrayLike<number>[]>} [batch] on several threads
 * @property {() => Promise<Engine>} [withoutMemo] ours, where it remembers no whole texts
 */

const TIKTOKEN = { gpt4o: 'o200k_base', cl100k: 'cl100k_base' }
const HYPERTOK = { gpt4o: 'o200k', cl100k: 'cl100k', llama3: 'llama3' }
const RANKS = ['gpt4o', 'cl100k', 'llama3', 'qwen3']
const isJson = (model) => model.folder !== undefined
const among = (names) => (model) => names.includes(model.name)

/**
 * @typedef {object} Peer
 * @property {string} [package]
 * @property {() => string | undefined} [version] of what is no package; undefined where the machine lacks it
 * @property {string[]} [workloads] the only ones that can be measured
 * @property {(model) => boolean} takes
 * @property {(model) => Promise<Engine>} load
 */

/** @type {Record<string, Peer>} */
export const PEERS = {
  safetokens: {
    takes: () => true,
    async load(model) {
      return ourEngine(model.folder ?? model.file)
    },
  },
  'safetokens compiled': {
    takes: (model) => model.compiled !== undefined,
    async load(model) {
      return ourEngine(model.compiled)
    },
  },
  tokenizers: {
    package: 'tokenizers',
    takes: isJson,
    async load(model) {
      const { Tokenizer } = require('tokenizers')
      const tokenizer = Tokenizer.fromFile(model.file)
      const options = { addSpecialTokens: false }
      return {
        waits: true,
        encode: async (text) => (await tokenizer.encode(text, null, options)).getIds(),
        decode: (ids) => tokenizer.decode(Array.from(ids), false),
        batch: async (texts) => (await tokenizer.encodeBatch(texts, options)).map((one) => one.getIds()),
      }
    },
  },
  hypertok: {
    package: 'hypertok',
    takes: among(Object.keys(HYPERTOK)),
    async load(model) {
      const { fromBytes } = await import(pathToFileURL(require.resolve('hypertok')).href)
      const folder = path.join(root, 'bench/node_modules/@hypertok', `vocab-${HYPERTOK[model.name]}`)
      const tokenizer = await fromBytes(readFileSync(path.join(folder, 'vocab.htk')), { tier: 'single' })
      return { encode: (text) => tokenizer.encodeSync(text), decode: (ids) => tokenizer.decode(ids) }
    },
  },
  tiktoken: {
    package: 'tiktoken',
    takes: among(RANKS),
    async load(model) {
      const utf8 = new TextDecoder()
      const tokenizer = TIKTOKEN[model.name]
        ? require('tiktoken').get_encoding(TIKTOKEN[model.name])
        : fromRanks(JSON.parse(readFileSync(rankFile(model), 'utf8')))
      return {
        encode: (text) => tokenizer.encode_ordinary(text),
        decode: (ids) => utf8.decode(tokenizer.decode(ids)),
        stream: () => byteStream((id) => tokenizer.decode_single_token_bytes(id)),
      }
    },
  },
  'gpt-tokenizer': {
    package: 'gpt-tokenizer',
    takes: among(Object.keys(TIKTOKEN)),
    async load(model) {
      const tokenizer = require(`gpt-tokenizer/encoding/${TIKTOKEN[model.name]}`)
      const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
      return {
        encode: (text) => tokenizer.encode(text, options),
        count: (text) => tokenizer.countTokens(text, options),
        decode: (ids) => tokenizer.decode(ids),
        streamAll: (ids) => Array.from(tokenizer.decodeGenerator(ids)).join(''),
      }
    },
  },
  'ai-tokenizer': {
    package: 'ai-tokenizer',
    takes: among(Object.keys(TIKTOKEN)),
    async load(model) {
      const { Tokenizer } = require('ai-tokenizer')
      const tokenizer = new Tokenizer(require(`ai-tokenizer/encoding/${TIKTOKEN[model.name]}`))
      return {
        encode: (text) => tokenizer.encode(text),
        count: (text) => tokenizer.count(text),
        decode: (ids) => tokenizer.decode(ids),
      }
    },
  },
  kitoken: {
    package: 'kitoken',
    takes: () => true,
    async load(model) {
      const { Kitoken } = require('kitoken/node')
      const bytes = readFileSync(model.file)
      const tokenizer = isJson(model) ? Kitoken.from_tokenizers(bytes) : Kitoken.from_sentencepiece(bytes)
      const utf8 = new TextDecoder()
      return {
        encode: (text) => tokenizer.encode(text, false),
        decode: (ids) => utf8.decode(tokenizer.decode(ids, true)),
        // Of a byte-level model the bytes of all ids are those of each.
        ...(model.kind.startsWith('byte-level') && {
          stream: () => byteStream((id) => tokenizer.decode([id], true)),
        }),
      }
    },
  },
  '@huggingface/tokenizers': {
    package: '@huggingface/tokenizers',
    takes: isJson,
    async load(model) {
      const { Tokenizer } = require('@huggingface/tokenizers')
      const read = (name) => JSON.parse(readFileSync(path.join(model.folder, name), 'utf8'))
      const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
      return {
        encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
        decode: (ids) => tokenizer.decode(ids),
      }
    },
  },
  'sentencepiece-js': {
    package: '@agnai/sentencepiece-js',
    takes: (model) => !isJson(model),
    async load(model) {
      const { SentencePieceProcessor } = require('@agnai/sentencepiece-js')
      const tokenizer = new SentencePieceProcessor()
      await tokenizer.load(model.file)
      return { encode: (text) => tokenizer.encodeIds(text), decode: (ids) => tokenizer.decodeIds(ids) }
    },
  },
  'native SentencePiece': {
    version: nativeVersion,
    workloads: ['fresh', 'replay'],
    takes: (model) => !isJson(model),
    load: async (model) => nativeSentencePiece(model.file),
  },
  'llama-tokenizer-js': {
    package: 'llama-tokenizer-js',
    takes: among(['llama2_model']),
    async load() {
      const { default: tokenizer } = await import(pathToFileURL(require.resolve('llama-tokenizer-js')).href)
      return {
        encode: (text) => tokenizer.encode(text, false, true),
        decode: (ids) => tokenizer.decode(ids, false, true),
      }
    },
  },
}

/** Chats: `chat(messages, tools)` gives the ids of a prompt that the assistant is to answer. */
export const CHAT_PEERS = {
  safetokens: {
    async load(model) {
      const { Chat } = await import('../dist/index.mjs')
      const chat = await Chat.load(model.folder)
      return {
        chat: (messages, tools) => chat.encode(messages, { tools }).ids,
        session: (tools) => chat.session({ tools }),
      }
    },
  },
  'transformers.js': {
    package: '@huggingface/transformers',
    async load(model) {
      const { PreTrainedTokenizer } = await import(
        pathToFileURL(require.resolve('@huggingface/transformers')).href
      )
      const read = (name) => JSON.parse(readFileSync(path.join(model.folder, name), 'utf8'))
      const tokenizer = new PreTrainedTokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
      const options = {
        add_generation_prompt: true,
        tokenize: true,
        return_tensor: false,
        return_dict: false,
      }
      return { chat: (messages, tools) => tokenizer.apply_chat_template(messages, { ...options, tools }) }
    },
  },
}

export function versionOf(name) {
  const { package: packageName, version } = PEERS[name] ?? CHAT_PEERS[name]
  if (version) return version()
  if (packageName) return packageVersion(packageName)
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version
}

async function ourEngine(file, options = {}) {
  const { Tokenizer } = await import('../dist/index.mjs')
  const tokenizer = await Tokenizer.load(file, options)
  return {
    tokenizer,
    withoutMemo: () => ourEngine(file, { memoBytes: 0 }),
    encode: (text) => tokenizer.encode(text),
    count: (text) => tokenizer.count(text),
    decode: (ids) => tokenizer.decode(ids),
    stream: () => tokenizer.decodeStream(),
    batch: async (texts) => (await tokenizer.encodeBatchAsync(texts)).ids,
    spells: (text) => tokenizer.findReserved(text).length > 0,
  }
}

/** The bytes of one id after the other as text, as the platform does it. */
function byteStream(bytesOf) {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    push: (id) => utf8.decode(bytesOf(id), { stream: true }),
    end: () => utf8.decode(),
  }
}

function fromRanks({ bpe_ranks, special_tokens, pat_str }) {
  const { Tiktoken } = require('tiktoken/lite')
  return new Tiktoken(bpe_ranks, special_tokens, pat_str)
}
