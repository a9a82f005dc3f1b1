import { createHash } from 'node:crypto'
import type binding from '../../binding.cjs'
import { InvalidArgumentError, TokenizerFileError, UnknownControlTokenError } from '../errors.js'
import type { EncodingName, RankEncoding } from '../load/encodings.js'
import { readModelFiles, readTokenizer } from '../load/model-files.js'
import type { PipelineSpec, TemplateItem } from '../load/pipeline-spec.js'
import type { TokenizerSpec } from '../load/tokenizer-spec.js'
import addon from '../native.js'
import { type EncodeInput, packParts } from '../prompt/parts.js'
import { type PromptValue, promptParts } from '../prompt/tagged-template.js'
import { type CommandSet, commandsFor } from './commands.js'
import type { CompileInput } from './compile-input.js'
import { type DecodeSource, DecodeStream, decodeSource } from './decode-stream.js'
import { idArray, native, type TokenIds, typedError } from './native-call.js'
import { pipelineInput } from './pipeline-input.js'
import type { ReservedToken, ReservePolicy } from './reserve-policy.js'
import { type SentencePieceVersion, sentencePieceInput } from './sentencepiece-input.js'

export type { TokenIds } from './native-call.js'

export interface TokenizerOptions {
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
  /**
   * Control tokens that stand behind the text vocabulary, as in the ChatGLM family, whose `.model` files do not
   * hold them. Default: told by the folder's `tokenizer_config.json`, else none.
   */
  commands?: CommandSet | undefined
  /**
   * For a tiktoken rank file, which holds neither its pattern nor its special tokens: the name of a built-in encoding,
   * or both. Known files are recognised.
   */
  encoding?: EncodingName | RankEncoding | undefined
  /**
   * For a Unigram `.model`: which SentencePiece decides between ways to part a text that are nearly as good, such as
   * `-` `--` and `--` `-`. It changed with 0.2.2. Default `0.2.1`, which stands for all versions before.
   */
  sentencePieceVersion?: SentencePieceVersion | undefined
}

export interface EncodeOptions {
  /** Add what the file's post-processor adds, such as bos. Default false. */
  addSpecialTokens?: boolean | undefined
  /** A second text, placed by the post-processor. */
  pair?: EncodeInput | undefined
}

export interface DecodeOptions {
  /** Leave reserved ids out. Default false: commands appear by name, control pieces as nothing. */
  skipSpecialTokens?: boolean | undefined
  /**
   * Whose rules. `sentencepiece` (default): each run between commands is decoded for itself, an id outside the
   * vocabulary is an error. `transformers`: all tokens are one run, in which commands are plain strings and
   * control, unknown and outside ids are nothing (what `ChatGLMTokenizer.decode` does).
   */
  rules?: 'sentencepiece' | 'transformers' | undefined
}

/** A run of text, or one reserved id. */
export type DecodedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'control'; readonly id: number; readonly name: string }

/**
 * A tokenizer whose control tokens are reserved ids that no text can produce.
 *
 * Plain strings are data: whatever they spell, `encode` gives ordinary ids. Control tokens come from
 * {@link control} and from {@link trusted} text alone. The compiled tables are certified when a model is
 * loaded: the ids that they can emit do not meet the reserved ones.
 *
 * @example
 * const tokenizer = await Tokenizer.load('models/mini-chatglm3')
 * tokenizer.encode('<|system|> is just text')  // Uint32Array, no reserved id
 * tokenizer.getCommand('<|system|>')           // 8005
 */
export class Tokenizer {
  /** Every id that no text can produce, with the reason; in order of id. */
  readonly reserved: readonly ReservedToken[]
  /** How many ids there are: pieces and commands. */
  readonly vocabSize: number
  /** The algorithm. */
  readonly model: CompileInput['model']
  /** Whose behaviour is reproduced: a model has other ids as `.model` than as `tokenizer.json`. */
  readonly semantics: CompileInput['semantics']
  readonly #native: binding.NativeTokenizer
  readonly #controlNames: readonly string[]

  readonly #template: CompileInput['template']

  private constructor(input: CompileInput) {
    this.reserved = Object.freeze(input.reserved)
    this.vocabSize = input.vocabSize
    this.model = input.model
    this.semantics = input.semantics
    this.#template = input.template
    this.#controlNames = input.controls.map(({ name }) => name)
    this.#native = compile(input)
  }

  /**
   * Loads a tokenizer from a folder or a file: `tokenizer.json`, SentencePiece `.model`, tiktoken rank file, or Mistral's `tekken.json`.
   *
   * @throws ModelNotFoundError when nothing is there; a path that looks like a hub id is explained
   * @throws TokenizerFileError when the file is malformed, saying what is wrong and where
   * @throws UnsupportedTokenizerError when it holds something that cannot be reproduced exactly
   */
  static async load(modelPath: string, options: TokenizerOptions = {}): Promise<Tokenizer> {
    if (typeof modelPath !== 'string') {
      throw new InvalidArgumentError(`Tokenizer.load: a path was expected, not ${typeof modelPath}`)
    }
    const { spec, config } = await readModelFiles(modelPath, options.encoding)
    return Tokenizer.fromSpec(spec, { ...options, commands: options.commands ?? commandsFor(config) })
  }

  /**
   * Makes a tokenizer from the bytes of its file, whose kind is told by its first bytes.
   *
   * @throws TokenizerFileError, UnsupportedTokenizerError as {@link Tokenizer.load}
   */
  static from(bytes: Uint8Array, options: TokenizerOptions = {}): Tokenizer {
    if (!(bytes instanceof Uint8Array)) {
      throw new InvalidArgumentError('Tokenizer.from: the bytes of a model file were expected (a Uint8Array)')
    }
    return Tokenizer.fromSpec(readTokenizer(bytes, '<bytes>', options.encoding), options)
  }

  /** @internal Compiles what a reader gave. */
  static fromSpec(spec: TokenizerSpec | PipelineSpec, options: TokenizerOptions): Tokenizer {
    const { reserve = 'structural', commands = { names: [] }, sentencePieceVersion } = options
    if ('pieces' in spec) {
      return new Tokenizer(sentencePieceInput(spec, commands, reserve, sentencePieceVersion))
    }
    if (commands.names.length > 0) {
      throw new InvalidArgumentError(`${spec.source}: commands stand behind a SentencePiece vocabulary only`)
    }
    return new Tokenizer(pipelineInput(spec, reserve))
  }

  /**
   * Encodes text or parts. Plain strings are data and never give a reserved id. A lone surrogate becomes U+FFFD.
   * With `addSpecialTokens` the file's post-processor puts its special tokens around the text.
   *
   * @throws UnknownControlTokenError for a `control()` that this tokenizer does not have
   * @throws InvalidArgumentError for a value that is no part
   * @example tokenizer.encode([control('<|user|>'), '\n', question])
   */
  encode(input: EncodeInput, options: EncodeOptions = {}): Uint32Array {
    const { addSpecialTokens = false, pair } = options
    if (!addSpecialTokens && pair === undefined) return this.#encode(input)
    const a = this.#encode(input)
    const b = pair === undefined ? new Uint32Array() : this.#encode(pair)
    const template = this.#template[pair === undefined ? 'single' : 'pair']
    return fillTemplate(addSpecialTokens ? template : template.filter((item) => 'text' in item), a, b)
  }

  #encode(input: EncodeInput): Uint32Array {
    if (typeof input === 'string') return native(() => this.#native.encode(input))
    const { parts, text } = packParts(input, (name) => this.getCommand(name))
    return native(() => this.#native.buildChatInput(parts, text))
  }

  /**
   * As {@link encode}, on another thread: for long texts, which would keep the event loop waiting. Short ones are
   * faster without it.
   */
  async encodeAsync(input: EncodeInput): Promise<Uint32Array> {
    const { parts, text } = packParts(input, (name) => this.getCommand(name))
    try {
      return await this.#native.buildChatInputAsync(parts, text)
    } catch (error) {
      throw typedError(error)
    }
  }

  /**
   * A prompt as a tagged template: what you wrote is trusted and may name control tokens, each `${value}` is data.
   * `trusted()` and `control()` values keep their meaning. Numbers, bigints and booleans are written out.
   *
   * Where a model has a chat format, {@link Chat} places the turns as its reference does; this is for everything
   * else.
   *
   * @throws InvalidArgumentError when it is called as a function, or for a value of another type
   * @example tokenizer.prompt`<|user|>\n${question}<|assistant|>`
   */
  prompt(literals: TemplateStringsArray, ...values: readonly PromptValue[]): Uint32Array {
    return this.encode(promptParts(literals, values))
  }

  /** How many tokens `encode` would give. */
  count(input: EncodeInput): number {
    const { parts, text } = packParts(input, (name) => this.getCommand(name))
    return native(() => this.#native.count(parts, text))
  }

  /**
   * Turns ids back into text. The result is for reading: encoding it again would take control tokens' names for
   * text, which is safe, but not the same prompt. {@link decodeParts} keeps them apart.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary, unless `rules` is `transformers`
   */
  decode(ids: TokenIds, options: DecodeOptions = {}): string {
    return native(() => this.#native.decode(idArray(ids), ...nativeDecodeOptions(options)))
  }

  /**
   * Ids as runs of text and reserved ids, in order. What the text spells can never be mistaken for a control.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary
   */
  decodeParts(ids: TokenIds): DecodedPart[] {
    return native(() => this.#native.decodeParts(idArray(ids)))
  }

  /**
   * Decodes ids as they come, never giving half a character: all texts together are what `decode` gives for all ids
   * together. With a source of ids, an async iterable of texts; without, an object to push ids into.
   *
   * @throws InvalidTokenIdError as {@link decode}
   * @example for await (const text of tokenizer.decodeStream(ids)) process.stdout.write(text)
   * @example const stream = tokenizer.decodeStream(); stream.push(id); stream.end()
   */
  decodeStream(options?: DecodeOptions): DecodeStream
  decodeStream(source: DecodeSource, options?: DecodeOptions): AsyncGenerator<string, void, undefined>
  decodeStream(
    first: DecodeSource | DecodeOptions = {},
    second: DecodeOptions = {},
  ): DecodeStream | AsyncGenerator<string, void, undefined> {
    const source =
      Symbol.iterator in first || Symbol.asyncIterator in first ? (first as DecodeSource) : undefined
    const options = nativeDecodeOptions(source ? second : (first as DecodeOptions))
    const stream = new DecodeStream(native(() => this.#native.decodeStream(...options)))
    return source ? decodeSource(stream, source) : stream
  }

  /**
   * The id of a control token by name.
   *
   * @throws UnknownControlTokenError when there is none of that name
   */
  getCommand(name: string): number {
    const id = typeof name === 'string' ? native(() => this.#native.getCommand(name)) : undefined
    if (id === undefined) throw new UnknownControlTokenError(String(name), this.#controlNames)
    return id
  }

  /** The token of an id as its file spells it (`▁hello`, `Ġhello`, `<0x0A>`), or undefined where there is none. */
  idToToken(id: number): string | undefined {
    return Number.isInteger(id) && id >= 0 ? native(() => this.#native.idToToken(id)) : undefined
  }

  /** The id of a token as its file spells it, or undefined. For control tokens use {@link getCommand}. */
  tokenToId(token: string): number | undefined {
    return typeof token === 'string' ? native(() => this.#native.tokenToId(token)) : undefined
  }

  /**
   * Lets go of the model at once, rather than when the garbage collector comes by. Other tokenizers of the same
   * model, encodings under way and open streams keep it. Using this one afterwards is a DisposedError.
   */
  dispose(): void {
    this.#native.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

function nativeDecodeOptions(
  options: DecodeOptions,
): [separateRuns: boolean, lenient: boolean, skip: boolean] {
  const transformers = options.rules === 'transformers'
  return [!transformers, transformers, options.skipSpecialTokens ?? false]
}

function fillTemplate(template: readonly TemplateItem[], a: Uint32Array, b: Uint32Array): Uint32Array {
  const pieces = template.map((item) => ('id' in item ? Uint32Array.of(item.id) : item.text === 'A' ? a : b))
  const ids = new Uint32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    ids.set(piece, at)
    at += piece.length
  }
  return ids
}

function compile(input: CompileInput): binding.NativeTokenizer {
  try {
    return new addon.NativeTokenizer({ key: modelKey(input), ...input.native })
  } catch (error) {
    if ((error as { code?: string }).code === 'INVALID_MODEL') {
      const [where = '', ...reason] = (error as Error).message.split(': ')
      throw new TokenizerFileError(input.source, where, reason.join(': '), { cause: error })
    }
    throw typedError(error)
  }
}

/** Equal for models that compile to the same tables, in whatever thread and from whatever file. */
function modelKey(input: CompileInput): string {
  const hash = createHash('sha256')
  // Long tables are hashed as they are; everything else as JSON, in which each table leaves its length.
  const rest = JSON.stringify(input.native, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    return value.byteLength
  })
  return hash.update(rest).digest('base64')
}
