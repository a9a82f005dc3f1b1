import type binding from '../../binding.cjs'
import { InvalidArgumentError, UnknownControlTokenError } from '../errors.js'
import { readCompiled } from '../load/compiled/compiled-model.js'
import { isCompiled } from '../load/compiled/header.js'
import type { LoadWarning } from '../load/load-warning.js'
import type { PipelineSpec, TemplateItem } from '../load/pipeline-spec.js'
import { readTokenizer } from '../load/read-tokenizer.js'
import type { TokenizerSpec } from '../load/tokenizer-spec.js'
import { type EncodeInput, type PackedParts, packParts } from '../prompt/parts.js'
import { type PromptValue, promptParts } from '../prompt/tagged-template.js'
import { type AsyncBatchOptions, type AsyncOptions, abortable, encodeRows } from './async-rows.js'
import { CleanUpStream, cleanUp } from './clean-up.js'
import { commandsFor } from './commands.js'
import type { CompileInput } from './compile-input.js'
import { type DecodeSource, DecodeStream, decodeSource, SurfaceTable } from './decode-stream.js'
import { cutEncoding, type Encoding, fillTemplate, fillTemplateWithOffsets } from './encoding.js'
import {
  idArray,
  idsOf,
  type LentIds,
  lentIds,
  native,
  nativeAsync,
  nativeDecodeOptions,
  type TokenIds,
  typedError,
} from './native-call.js'
import { nativeModelOf } from './native-model.js'
import { checkBatch, type EncodedBatch, padBatch, unpadded } from './padding.js'
import { pipelineInput } from './pipeline-input.js'
import { readModel } from './read-model.js'
import type { ReservedToken } from './reserve-policy.js'
import { fromPieces } from './sentencepiece-folder.js'
import type { DecodedPart, FoundToken } from './token-parts.js'
import type {
  DecodeOptions,
  EncodeBatchOptions,
  EncodeOptions,
  LoadedWith,
  MemoStatistics,
  TokenizerOptions,
  WithOffsets,
  WithoutOffsets,
} from './tokenizer-options.js'
import { checkTokens, type TextTruncation, truncateText, truncateTextAsync } from './truncate-text.js'
import { addedCount, keptTokens, truncated } from './truncation.js'
import { addedTokenWarnings, tokenizerWarnings } from './warnings.js'

export type { TokenIds } from './native-call.js'
export type {
  DecodeOptions,
  EncodeBatchOptions,
  EncodeOptions,
  MemoStatistics,
  TokenizerOptions,
} from './tokenizer-options.js'

const DEFAULT_MEMO_BYTES = 32 * 2 ** 20

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
  /** How many ids there are: pieces and commands. */
  readonly vocabSize: number
  /** The algorithm. */
  readonly model: CompileInput['model']
  /** Whose behaviour is reproduced: a model has other ids as `.model` than as `tokenizer.json`. */
  readonly semantics: CompileInput['semantics']
  /** @internal See `CompileInput`. */
  readonly foundInNormalized: readonly number[]
  readonly #native: binding.NativeTokenizer
  #warnings: readonly LoadWarning[] | (() => readonly LoadWarning[])
  readonly #reserved: CompileInput['reserved']
  readonly #controlNames: CompileInput['controlNames']
  /** Some models have thousands, so that they are listed when one is asked for. */
  #reservedNames: ReadonlyMap<number, string> | undefined
  /** Those that were asked for, which a chat does once for each message. */
  readonly #commands: Map<string, number> = new Map()

  readonly #template: CompileInput['template']
  readonly #cleansUp: boolean
  #surfaces: SurfaceTable | undefined
  readonly #padToken: string | undefined

  private constructor(
    input: CompileInput,
    { memoBytes = DEFAULT_MEMO_BYTES }: TokenizerOptions,
    { folder, added }: LoadedWith & { added?: PipelineSpec },
    warnings: () => readonly LoadWarning[],
  ) {
    this.#reserved = input.reserved
    this.vocabSize = input.vocabSize
    this.model = input.model
    this.semantics = input.semantics
    this.foundInNormalized = input.foundInNormalized ?? []
    this.#template = input.template
    this.#controlNames = input.controlNames
    this.#native = nativeModelOf(input, memoBytes)
    this.#cleansUp =
      (folder?.cleanUp.spaces ?? false) && (input.model !== 'bpe' || folder?.cleanUp.bpeToo === true)
    this.#padToken = folder?.tokens.named.get('pad_token')
    const idsOf = (tokens: readonly string[]): (number | undefined)[] => this.#native.tokensToIds(tokens)
    const all = (): readonly LoadWarning[] => [
      ...warnings(),
      ...(folder ? addedTokenWarnings(folder.tokens, added, idsOf) : []),
    ]
    // Of a compiled model, which is in memory anyway, they are worked out when they are asked for.
    this.#warnings = added?.stored === undefined ? Object.freeze(all()) : all
  }

  /** What the model's files made worth knowing: overlapping tokens, contradictions between files. */
  get warnings(): readonly LoadWarning[] {
    if (typeof this.#warnings === 'function') this.#warnings = Object.freeze(this.#warnings())
    return this.#warnings
  }

  /** Every id that no text can produce, with the reason; in order of id. */
  get reserved(): readonly ReservedToken[] {
    return this.#reserved.list
  }

  /**
   * Loads a tokenizer from a folder or a file: `tokenizer.json`, SentencePiece `.model`, tiktoken rank file, Mistral's
   * `tekken.json`, or GGUF, whose header alone is read. In a folder the files beside it count as in transformers 5.23.0:
   * docs/model-folders.md.
   *
   * @throws ModelNotFoundError when nothing is there; a path that looks like a hub id is explained
   * @throws TokenizerFileError when the file is malformed, saying what is wrong and where
   * @throws UnsupportedTokenizerError when it holds something that cannot be reproduced exactly
   */
  static async load(modelPath: string, options: TokenizerOptions = {}): Promise<Tokenizer> {
    if (typeof modelPath !== 'string') {
      throw new InvalidArgumentError(`Tokenizer.load: a path was expected, not ${typeof modelPath}`)
    }
    const { encoding, cacheFolder, map } = options
    const { spec, config, ...loadedWith } = await readModel(modelPath, encoding, cacheFolder, map)
    return Tokenizer.fromSpec(
      spec,
      { ...options, commands: options.commands ?? commandsFor(config) },
      loadedWith,
    )
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
    if (!isCompiled(bytes))
      return Tokenizer.fromSpec(readTokenizer(bytes, '<bytes>', options.encoding), options)
    const { spec, config, ...loadedWith } = readCompiled(bytes, '<bytes>')
    return Tokenizer.fromSpec(
      spec,
      { ...options, commands: options.commands ?? commandsFor(config) },
      loadedWith,
    )
  }

  /** @internal Compiles what a reader gave. */
  static fromSpec(
    spec: TokenizerSpec | PipelineSpec,
    options: TokenizerOptions,
    loadedWith: LoadedWith = {},
  ): Tokenizer {
    const { reserve = 'structural', commands, sentencePieceVersion } = options
    if (!('pieces' in spec) && commands !== undefined && commands.names.length > 0) {
      throw new InvalidArgumentError(`${spec.source}: commands stand behind a SentencePiece vocabulary only`)
    }
    const { folder, warnings = [], literals } = loadedWith
    if ('pieces' in spec) {
      const { completed, input, flags } = fromPieces(spec, commands, folder, reserve, sentencePieceVersion)
      const all = () => [...warnings, ...flags, ...tokenizerWarnings(completed, input.reserved)]
      return new Tokenizer(input, options, { folder }, all)
    }
    const input = pipelineInput(spec, reserve, literals)
    const all = () => [...warnings, ...tokenizerWarnings(spec, input.reserved)]
    return new Tokenizer(input, options, { folder, added: spec }, all)
  }

  /**
   * Encodes text or parts. Plain strings are data and never give a reserved id. A lone surrogate becomes U+FFFD.
   * With `addSpecialTokens` the file's post-processor puts its special tokens around the text, with `offsets` it is
   * told where each id comes from.
   *
   * @throws UnknownControlTokenError for a `control()` that this tokenizer does not have
   * @throws InvalidArgumentError for a value that is no part, and for a truncation that cannot be done
   * @example tokenizer.encode([control('<|user|>'), '\n', question])
   * @example
   * const { ids, offsets } = tokenizer.encode(text, { offsets: true })
   * text.slice(offsets[0], offsets[1])  // what the first id stands for
   */
  encode(input: EncodeInput, options: WithOffsets): Encoding
  encode(input: EncodeInput, options?: WithoutOffsets): Uint32Array
  encode(input: EncodeInput, options?: EncodeOptions): Uint32Array | Encoding
  encode(input: EncodeInput, options: EncodeOptions = {}): Uint32Array | Encoding {
    const { addSpecialTokens = false, pair, offsets = false, truncation } = options
    if (offsets) {
      const second = pair === undefined ? undefined : this.#encodeWithOffsets(pair)
      return this.#placeWithOffsets(this.#encodeWithOffsets(input), second, options)
    }
    const ids = this.#encode(input)
    if (!addSpecialTokens && pair === undefined && truncation === undefined) return ids
    return this.#place(ids, pair === undefined ? undefined : this.#encode(pair), options)
  }

  /**
   * Encodes several texts, or pairs of them: rows of ids with their attention masks, equally long with `padding`.
   *
   * @throws InvalidArgumentError for options that make no sense, for a row that is longer than `padding.length`, and
   *   for padding without an id to pad with
   * @example tokenizer.encodeBatch(texts, { truncation: { maxLength: 512 }, padding: { side: 'left' } })
   */
  encodeBatch(inputs: readonly EncodeInput[], options: EncodeBatchOptions = {}): EncodedBatch {
    const { pairs, padding, ...each } = options
    checkBatch(inputs, pairs)
    const rows = inputs.map((input: EncodeInput, i) => this.encode(input, { ...each, pair: pairs?.[i] }))
    return padding === undefined ? unpadded(rows) : padBatch(rows, padding, this.#padId())
  }

  /**
   * As {@link encodeBatch}, on other threads, so that the event loop goes on meanwhile: for many texts, or long ones.
   * Rows come in the order of the texts. Those of several texts may share one buffer.
   *
   * @throws InvalidArgumentError as `encodeBatch`; the reason of `signal` when that is aborted
   * @example const { ids } = await tokenizer.encodeBatchAsync(texts, { signal: AbortSignal.timeout(1000) })
   */
  async encodeBatchAsync(
    inputs: readonly EncodeInput[],
    options: EncodeBatchOptions & AsyncBatchOptions = {},
  ): Promise<EncodedBatch> {
    const { pairs, padding, addSpecialTokens, truncation, ...async } = options
    checkBatch(inputs, pairs)
    const packed = [...inputs, ...(pairs ?? [])].map((input) => this.#pack(input))
    const encoded = await encodeRows(this.#native, packed, async)
    const isPlain = !addSpecialTokens && pairs === undefined && truncation === undefined
    const rows = isPlain
      ? encoded
      : inputs.map((_, i) => {
          const second = pairs === undefined ? undefined : encoded[inputs.length + i]
          return this.#place(encoded[i] as Uint32Array, second, {
            addSpecialTokens,
            truncation,
            pair: pairs?.[i],
          })
        })
    return padding === undefined ? unpadded(rows) : padBatch(rows, padding, this.#padId())
  }

  #padId(): number | undefined {
    return this.#padToken === undefined ? undefined : this.tokenToId(this.#padToken)
  }

  #encode(input: EncodeInput): Uint32Array {
    if (typeof input === 'string') return idsOf(native(() => this.#native.encode(input)))
    return this.encodePacked(this.#pack(input))
  }

  /** @internal Encodes parts that are packed already. */
  encodePacked({ parts, text }: PackedParts): Uint32Array {
    return idsOf(native(() => this.#native.buildChatInput(parts, text)))
  }

  /**
   * @internal The same without a copy of their own: they are read before anything else is encoded.
   *
   * @param count so many numbers of the parts are meant; all without it
   */
  lendPacked({ parts, text }: PackedParts, count: number = parts.length): LentIds {
    return lentIds(native(() => this.#native.buildChatInput(parts, text, count)))
  }

  /** @internal How many ids `encodePacked` would give. */
  countPacked({ parts, text }: PackedParts): number {
    return native(() => this.#native.count(parts, text))
  }

  /** @internal The same if it is no more than `limit`, which may be known early. */
  countPackedUpTo({ parts, text }: PackedParts, limit: number): number | undefined {
    return native(() => this.#native.count(parts, text, limit))
  }

  /** @internal The offsets of the ids that `encodePacked` would give, in UTF-16 units of the text. */
  packedOffsets({ parts, text }: PackedParts): Uint32Array {
    return native(() => this.#native.encodeWithOffsets(parts, text)).offsets
  }

  #encodeWithOffsets(input: EncodeInput): binding.NativeEncoding {
    const { parts, text } = this.#pack(input)
    return native(() => this.#native.encodeWithOffsets(parts, text))
  }

  /**
   * As {@link encode}, on another thread: for long texts, which would keep the event loop waiting. Short ones are
   * faster without it.
   *
   * @throws the reason of `signal` when that is aborted
   */
  encodeAsync(input: EncodeInput, options: WithOffsets & AsyncOptions): Promise<Encoding>
  encodeAsync(input: EncodeInput, options?: WithoutOffsets & AsyncOptions): Promise<Uint32Array>
  encodeAsync(input: EncodeInput, options?: EncodeOptions & AsyncOptions): Promise<Uint32Array | Encoding>
  async encodeAsync(
    input: EncodeInput,
    options: EncodeOptions & AsyncOptions = {},
  ): Promise<Uint32Array | Encoding> {
    const { signal, ...rest } = options
    if (signal === undefined) return this.#encodeAsync(input, rest)
    signal.throwIfAborted()
    return abortable(this.#encodeAsync(input, rest), signal)
  }

  async #encodeAsync(input: EncodeInput, options: EncodeOptions): Promise<Uint32Array | Encoding> {
    const inputs: readonly EncodeInput[] = options.pair === undefined ? [input] : [input, options.pair]
    const packed = inputs.map((one) => this.#pack(one))
    try {
      if (options.offsets) {
        const [a, b] = (await Promise.all(
          packed.map(({ parts, text }) => this.#native.buildChatInputAsync(parts, text, true)),
        )) as [binding.NativeEncoding, binding.NativeEncoding?]
        return this.#placeWithOffsets(a, b, options)
      }
      const [a, b] = (await Promise.all(
        packed.map(({ parts, text }) => this.#native.buildChatInputAsync(parts, text, false)),
      )) as [Uint32Array, Uint32Array?]
      return this.#place(a, b, options)
    } catch (error) {
      throw typedError(error)
    }
  }

  /** Cuts one text or two, and puts them in their places in the template. */
  #place(a: Uint32Array, b: Uint32Array | undefined, options: EncodeOptions): Uint32Array {
    const template = this.#templateFor(options)
    const [A, B] = truncated(a, b, addedCount(template), options.truncation)
    return fillTemplate(template, { A, B })
  }

  #placeWithOffsets(
    a: binding.NativeEncoding,
    b: binding.NativeEncoding | undefined,
    options: EncodeOptions,
  ): Encoding {
    const { truncation } = options
    const template = this.#templateFor(options)
    if (truncation === undefined) return fillTemplateWithOffsets(template, { A: a, B: b ?? a })
    const lengths = b === undefined ? ([a.ids.length] as const) : ([a.ids.length, b.ids.length] as const)
    const [first, second] = keptTokens(lengths, addedCount(template), truncation)
    const A = cutEncoding(a, first)
    return fillTemplateWithOffsets(template, { A, B: b === undefined ? A : cutEncoding(b, second) })
  }

  #pack(input: EncodeInput): PackedParts {
    return packParts(input, (name) => this.getCommand(name))
  }

  /** What goes around the text or the two texts; without special tokens only the texts, in the template's order. */
  #templateFor({ addSpecialTokens = false, pair }: EncodeOptions): readonly TemplateItem[] {
    const template = this.#template[pair === undefined ? 'single' : 'pair']
    return addSpecialTokens ? template : template.filter((item) => 'text' in item)
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

  /**
   * As {@link encode} for one text, into memory of the caller's. Nothing is allocated.
   *
   * @param target where the ids go, from `offset` on, as many as there is room for
   * @returns how many ids the text has, which may be more than there was room for
   * @throws InvalidArgumentError when `offset` is no place in `target`
   * @example
   * const count = tokenizer.encodeInto(text, buffer)
   * if (count <= buffer.length) send(buffer.subarray(0, count))
   */
  encodeInto(text: string, target: Uint32Array, offset = 0): number {
    return native(() => this.#native.encodeInto(text, target, offset))
  }

  /** How many tokens `encode` would give. */
  count(input: EncodeInput): number {
    if (typeof input === 'string') return native(() => this.#native.countText(input))
    return this.countPacked(this.#pack(input))
  }

  /** As {@link count}, on another thread. */
  async countAsync(input: EncodeInput): Promise<number> {
    return (await this.countUpToAsync(input, Number.MAX_SAFE_INTEGER)) as number
  }

  /** How many tokens each of several texts has. */
  countBatch(inputs: readonly EncodeInput[]): number[] {
    return inputs.map((input) => this.count(input))
  }

  /**
   * How many tokens `encode` would give, if they are no more than `limit`; undefined when they are more. It stops there,
   * so that a long text costs no more than a short one.
   *
   * @throws InvalidArgumentError for a limit that is no number of tokens
   * @example if (tokenizer.countUpTo(text, 8192) === undefined) throw new Error('too long')
   */
  countUpTo(input: EncodeInput, limit: number): number | undefined {
    checkTokens('limit', limit)
    if (typeof input === 'string') return native(() => this.#native.countText(input, limit))
    return this.countPackedUpTo(this.#pack(input), limit)
  }

  /** As {@link countUpTo}, on another thread. */
  async countUpToAsync(input: EncodeInput, limit: number): Promise<number | undefined> {
    checkTokens('limit', limit)
    const { parts, text } = this.#pack(input)
    return nativeAsync(() => this.#native.countAsync(parts, text, limit))
  }

  /**
   * A text cut so that it has at most `maxTokens` tokens. It is cut between two tokens that are also a border of
   * characters, and what comes out is counted: encoding it again gives no more than `maxTokens`. A text that fits stays
   * as it is.
   *
   * @throws InvalidArgumentError for options that make no sense, and when the marker alone has more tokens
   * @example tokenizer.truncate(page, 512, { side: 'middle', marker: '\n[…]\n' })
   */
  truncate(text: string, maxTokens: number, options: TextTruncation = {}): string {
    return truncateText(this, text, maxTokens, options)
  }

  /** As {@link truncate}, on another thread as far as texts are long. */
  truncateAsync(text: string, maxTokens: number, options: TextTruncation = {}): Promise<string> {
    return truncateTextAsync(this, text, maxTokens, options)
  }

  /** As {@link truncate}, for several texts. */
  truncateBatch(texts: readonly string[], maxTokens: number, options: TextTruncation = {}): string[] {
    return texts.map((text) => this.truncate(text, maxTokens, options))
  }

  /**
   * Turns ids back into text. The result is for reading: encoding it again would take control tokens' names for
   * text, which is safe, but not the same prompt. {@link decodeParts} keeps them apart.
   *
   * @throws InvalidTokenIdError for an id outside the vocabulary, unless `rules` is `transformers`
   */
  decode(ids: TokenIds, options: DecodeOptions = {}): string {
    const text = native(() => this.#native.decode(idArray(ids), ...nativeDecodeOptions(options)))
    return this.#cleansUpWith(options) ? cleanUp(text) : text
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
    const options = source ? second : (first as DecodeOptions)
    const nativeStream = native(() => this.#native.decodeStream(...nativeDecodeOptions(options)))
    this.#surfaces ??= new SurfaceTable(this.vocabSize)
    const stream = new DecodeStream(
      nativeStream,
      this.#surfaces,
      this.#cleansUpWith(options) ? new CleanUpStream() : undefined,
    )
    return source ? decodeSource(stream, source) : stream
  }

  #cleansUpWith({ cleanUpTokenizationSpaces = this.#cleansUp }: DecodeOptions): boolean {
    return cleanUpTokenizationSpaces
  }

  /**
   * The id of a control token by name.
   *
   * @throws UnknownControlTokenError when there is none of that name
   */
  getCommand(name: string): number {
    const id = this.#findCommand(name)
    if (id === undefined) throw new UnknownControlTokenError(String(name), this.#controlNames())
    return id
  }

  /** Whether there is a control token of this name. */
  hasCommand(name: string): boolean {
    return this.#findCommand(name) !== undefined
  }

  #findCommand(name: string): number | undefined {
    if (typeof name !== 'string') return undefined
    const known = this.#commands.get(name)
    if (known !== undefined) return known
    const id = native(() => this.#native.getCommand(name))
    if (id !== undefined) this.#commands.set(name, id)
    return id
  }

  /**
   * Where a text spells reserved tokens, as it stands or after normalization: a sign of an attack, or of talk about
   * tokens. Encoding the text gives none of them.
   *
   * @returns the tokens from left to right; `offset` is in UTF-16 units
   * @example tokenizer.findReserved('a<|user|>')  // [{ token: '<|user|>', id: 8006, offset: 1 }]
   */
  findReserved(text: string): FoundToken[] {
    const found = native(() => this.#native.findReserved(text))
    return Array.from({ length: found.length / 2 }, (_, i) => {
      const id = found[2 * i + 1] as number
      return { token: this.controlName(id), id, offset: found[2 * i] as number }
    })
  }

  /** Whether an id is one that no text can produce. */
  isReserved(id: number): boolean {
    return this.#namesOfReserved().has(id)
  }

  /** @internal The name of a reserved id. */
  controlName(id: number): string {
    return this.#namesOfReserved().get(id) ?? ''
  }

  #namesOfReserved(): ReadonlyMap<number, string> {
    this.#reservedNames ??= new Map(this.reserved.map(({ id, name }) => [id, name]))
    return this.#reservedNames
  }

  /** The token of an id as its file spells it (`▁hello`, `Ġhello`, `<0x0A>`), or undefined where there is none. */
  idToToken(id: number): string | undefined {
    return Number.isInteger(id) && id >= 0 ? native(() => this.#native.idToToken(id)) : undefined
  }

  /** The id of a token as its file spells it, or undefined. For control tokens use {@link getCommand}. */
  tokenToId(token: string): number | undefined {
    return typeof token === 'string' ? native(() => this.#native.tokensToIds([token])[0]) : undefined
  }

  /**
   * What is remembered of the text between control tokens (option `memoBytes`).
   *
   * @example tokenizer.memoStatistics  // { hits: 198, misses: 101, reusedBytes: 81233, ... }
   */
  get memoStatistics(): MemoStatistics {
    return this.#native.memoStatistics()
  }

  /**
   * Lets go of the model at once, rather than when the garbage collector comes by. Other tokenizers of the same
   * model, encodings under way and open streams keep it. Using this one afterwards is a DisposedError.
   */
  dispose(): void {
    this.#commands.clear()
    void this.warnings // which may ask for ids
    this.#native.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
