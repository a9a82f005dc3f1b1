import { createHash } from 'node:crypto'
import type binding from '../../binding.cjs'
import { InvalidArgumentError, TokenizerFileError, UnknownControlTokenError } from '../errors.js'
import { readModelFiles, readTokenizer } from '../load/model-files.js'
import { PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import addon from '../native.js'
import { type EncodeInput, packParts } from '../prompt/parts.js'
import { type PromptValue, promptParts } from '../prompt/tagged-template.js'
import { type CommandSet, commandsFor } from './commands.js'
import { type DecodeSource, DecodeStream, decodeSource } from './decode-stream.js'
import { idArray, native, type TokenIds, typedError } from './native-call.js'
import { type ReservedToken, type ReservePolicy, reservedTokens } from './reserve-policy.js'

export type { TokenIds } from './native-call.js'

export interface TokenizerOptions {
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
  /**
   * Control tokens that stand behind the text vocabulary, as in the ChatGLM family, whose `.model` files do not
   * hold them. Default: told by the folder's `tokenizer_config.json`, else none.
   */
  commands?: CommandSet | undefined
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
  readonly model: TokenizerSpec['model']
  /** Whose behaviour is reproduced: a model has other ids as `.model` than as `tokenizer.json`. */
  readonly semantics: TokenizerSpec['semantics']
  readonly #native: binding.NativeTokenizer
  readonly #controlNames: readonly string[]

  private constructor(spec: TokenizerSpec, options: TokenizerOptions) {
    const commands = options.commands ?? { names: [] }
    this.reserved = Object.freeze(reservedTokens(spec, commands.names, options.reserve ?? 'structural'))
    this.vocabSize = spec.pieces.types.length + commands.names.length
    this.model = spec.model
    this.semantics = spec.semantics
    const controls = controlTable(spec, this.reserved, commands)
    this.#controlNames = controls.map((control) => control.name)
    this.#native = compile(spec, {
      key: modelKey(spec, this.reserved, commands),
      pieceBytes: spec.pieces.bytes,
      offsets: spec.pieces.offsets,
      scores: spec.pieces.scores,
      types: spec.pieces.types,
      reserved: Uint32Array.from(
        this.reserved.filter((token) => token.id < spec.pieces.types.length),
        (token) => token.id,
      ),
      commands: commands.names,
      controlNames: this.#controlNames,
      controlIds: Uint32Array.from(controls, (control) => control.id),
      controlInText: Uint8Array.from(controls, (control) => (control.inText ? 1 : 0)),
      ...spec.normalizer,
      byteFallback: spec.byteFallback,
      unkSurface: spec.unkSurface,
    })
  }

  /**
   * Loads a tokenizer from a folder (with `tokenizer.model`) or a SentencePiece BPE `.model` file.
   *
   * @throws ModelNotFoundError when nothing is there; a path that looks like a hub id is explained
   * @throws TokenizerFileError when the file is malformed, saying what is wrong and where
   * @throws UnsupportedTokenizerError when it holds something that cannot be reproduced exactly
   */
  static async load(modelPath: string, options: TokenizerOptions = {}): Promise<Tokenizer> {
    if (typeof modelPath !== 'string') {
      throw new InvalidArgumentError(`Tokenizer.load: a path was expected, not ${typeof modelPath}`)
    }
    const { spec, config } = await readModelFiles(modelPath)
    return Tokenizer.fromSpec(spec, { ...options, commands: options.commands ?? commandsFor(config) })
  }

  /**
   * Makes a tokenizer from the bytes of a `.model` file.
   *
   * @throws TokenizerFileError, UnsupportedTokenizerError as {@link Tokenizer.load}
   */
  static from(bytes: Uint8Array, options: TokenizerOptions = {}): Tokenizer {
    if (!(bytes instanceof Uint8Array)) {
      throw new InvalidArgumentError('Tokenizer.from: the bytes of a model file were expected (a Uint8Array)')
    }
    return Tokenizer.fromSpec(readTokenizer(bytes, '<bytes>'), options)
  }

  /** @internal Compiles what a reader gave. */
  static fromSpec(spec: TokenizerSpec, options: TokenizerOptions): Tokenizer {
    return new Tokenizer(spec, options)
  }

  /**
   * Encodes text or parts. Plain strings are data and never give a reserved id; no special tokens are added.
   * A lone surrogate becomes U+FFFD.
   *
   * @throws UnknownControlTokenError for a `control()` that this tokenizer does not have
   * @throws InvalidArgumentError for a value that is no part
   * @example tokenizer.encode([control('<|user|>'), '\n', question])
   */
  encode(input: EncodeInput): Uint32Array {
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

  /** The piece of an id as the vocabulary spells it (`▁hello`, `<0x0A>`), or undefined outside the vocabulary. */
  idToToken(id: number): string | undefined {
    return Number.isInteger(id) && id >= 0 ? native(() => this.#native.idToToken(id)) : undefined
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

/** Equal for models that compile to the same tables, in whatever thread and from whatever file. */
function modelKey(spec: TokenizerSpec, reserved: readonly ReservedToken[], commands: CommandSet): string {
  const { pieces, source: _, ...rules } = spec
  const hash = createHash('sha256')
  for (const table of [pieces.offsets, pieces.bytes, pieces.scores, pieces.types]) {
    hash.update(new Uint8Array(table.buffer, table.byteOffset, table.byteLength))
  }
  return hash.update(JSON.stringify([rules, reserved, commands])).digest('base64')
}

interface Control {
  readonly name: string
  readonly id: number
  /** Whether trusted text may spell it. */
  readonly inText: boolean
}

/**
 * The names under which control tokens are known. Where a model has commands, they and their aliases are all, as
 * in ChatGLM3's `get_command`; else every reserved token goes by its own name.
 */
function controlTable(
  spec: TokenizerSpec,
  reserved: readonly ReservedToken[],
  commands: CommandSet,
): Control[] {
  const pieces = spec.pieces.types.length
  if (commands.names.length === 0) {
    return reserved.map(({ id, name }) => {
      const type = spec.pieces.types[id]
      return { id, name, inText: type !== PieceType.UNKNOWN && type !== PieceType.UNUSED }
    })
  }
  const aliases = Object.entries(commands.aliases ?? {})
  return [
    ...commands.names.map((name, i) => ({ name, id: pieces + i, inText: true })),
    ...aliases.map(([name, id]) => ({ name, id, inText: false })),
  ]
}

function compile(spec: TokenizerSpec, nativeSpec: binding.NativeSpec): binding.NativeTokenizer {
  try {
    return new addon.NativeTokenizer(nativeSpec)
  } catch (error) {
    if ((error as { code?: string }).code === 'INVALID_MODEL') {
      const [where = '', ...reason] = (error as Error).message.split(': ')
      throw new TokenizerFileError(spec.source, where, reason.join(': '), { cause: error })
    }
    throw typedError(error)
  }
}
