import type binding from '../../binding.cjs'
import {
  CertificateError,
  InvalidArgumentError,
  InvalidTokenIdError,
  SafetokensError,
  TokenizerFileError,
  UnknownControlTokenError,
} from '../errors.js'
import { readModelFiles, readTokenizer } from '../load/model-files.js'
import { PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import addon from '../native.js'
import { type EncodeInput, packParts } from '../prompt/parts.js'
import { type CommandSet, commandsFor } from './commands.js'
import { type ReservedToken, type ReservePolicy, reservedTokens } from './reserve-policy.js'

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

/** Token ids, as `encode` gives them or as a plain array. */
export type TokenIds = Uint32Array | readonly number[]

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
    const transformers = options.rules === 'transformers'
    const skip = options.skipSpecialTokens ?? false
    return native(() => this.#native.decode(idArray(ids), !transformers, transformers, skip))
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
   * The id of a control token by name.
   *
   * @throws UnknownControlTokenError when there is none of that name
   */
  getCommand(name: string): number {
    const id = typeof name === 'string' ? this.#native.getCommand(name) : undefined
    if (id === undefined) throw new UnknownControlTokenError(String(name), this.#controlNames)
    return id
  }

  /** The piece of an id as the vocabulary spells it (`▁hello`, `<0x0A>`), or undefined outside the vocabulary. */
  idToToken(id: number): string | undefined {
    return Number.isInteger(id) && id >= 0 ? this.#native.idToToken(id) : undefined
  }
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

/** Calls into the addon, whose errors become ours. */
function native<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw typedError(error)
  }
}

function typedError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SafetokensError) return error
  const code = (error as { code?: string }).code
  switch (code) {
    case 'CERTIFICATE':
      return new CertificateError(error.message)
    case 'INVALID_TOKEN_ID':
      return new InvalidTokenIdError(Number(/^id (\d+)/.exec(error.message)?.[1]), error.message)
    case undefined:
      return error instanceof TypeError || error instanceof RangeError
        ? new InvalidArgumentError(error.message, { cause: error })
        : error
    default:
      return new SafetokensError(code, error.message, { cause: error })
  }
}

function idArray(ids: TokenIds): Uint32Array {
  if (ids instanceof Uint32Array) return ids
  if (!Array.isArray(ids))
    throw new InvalidArgumentError('ids: a Uint32Array or an array of numbers was expected')
  const array = new Uint32Array(ids.length)
  ids.forEach((id, i) => {
    if (!Number.isInteger(id) || id < 0 || id > 0xffffffff) {
      throw new InvalidTokenIdError(id, `ids[${i}]: a token id was expected, not ${String(id)}`)
    }
    array[i] = id
  })
  return array
}
