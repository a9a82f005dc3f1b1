declare namespace binding {
  /** What the native compiler needs of a model: see native/core/model_spec.hpp. */
  interface NativeSpec {
    /** Tells apart all that compiling depends on: models with the same key are one in the process. */
    key: string
    /** 1 Unigram, 2 BPE, 3 words, 4 characters. */
    algorithm: number
    /** Of Unigram: the arithmetic of SentencePiece 0.2.2, else that of the versions before it. */
    floatSums: boolean
    pieceBytes: Uint8Array
    offsets: Uint32Array
    scores: Float32Array
    types: Uint8Array
    reserved: Uint32Array
    commands: readonly string[]
    controlNames: readonly string[]
    controlIds: Uint32Array
    controlInText: Uint8Array
    /** The normalizer's precompiled_charsmap, or no bytes. */
    charsmap: Uint8Array
    addDummyPrefix: boolean
    removeExtraWhitespaces: boolean
    escapeWhitespaces: boolean
    treatWhitespaceAsSuffix: boolean
    byteFallback: boolean
    unkSurface: string
  }

  /** The same for a tokenizer.json or a rank file: see native/core/pipeline_spec.hpp. */
  interface NativePipelineSpec {
    key: string
    tokenBytes: Uint8Array
    offsets: Uint32Array
    kinds: Uint8Array
    model: NativeModel
    /** The file spells tokens in GPT-2's printable alphabet. */
    printableTokens: boolean
    /** `TokenColumns` of src/load/token-columns.ts. */
    addedTokens: { units: Uint16Array; lengths: Uint32Array; ids: Uint32Array; flags: Uint8Array }
    reserved: Uint32Array
    controlNames: readonly string[]
    controlIds: Uint32Array
    controlInText: Uint8Array
    /** Reserved added tokens have their contents for names, too. */
    namedByContent: boolean
    normalizers: readonly NativeNormalizerStep[]
    preTokenizers: readonly NativePreTokenizer[]
    /** `add_prefix_space` of each post-processor ByteLevel that trims offsets. */
    trimOffsets: readonly boolean[]
    /** 0 bytes, 1 tokens with spaces between, 2 Llama's chain of decoders, 3 `decoders`. */
    decoder: number
    byteLevelDecoder: boolean
    stripLeadingSpaces: number
    decoders: readonly NativeDecoder[]
    /** What `storedTables` gave for the same tokens and the same model. */
    stored: readonly Uint8Array[] | undefined
    /** Where `stored` lies, to be used there; else it is copied. */
    mapping: NativeFileMapping | undefined
    /** The same, where it was read. */
    memory: NativeMemory | undefined
  }

  /** See native/core/pipeline_spec.hpp. */
  type NativeModel =
    | NativeBpe
    | { type: 'wordpiece'; unkId: number; continuingSubwordPrefix: string; maxCharacters: number }
    | { type: 'wordlevel'; unkId: number }
    /** `scores` by id, of the model's vocabulary. */
    | { type: 'unigram'; scores: Float64Array; byteFallback: boolean; unkId: number | undefined }

  interface NativeBpe {
    type: 'bpe'
    bytes: boolean
    byRank: boolean
    /** They are not given: where `stored` cannot be used, a MERGES_NEEDED asks for them. */
    mergesLeftOut: boolean
    merges: Uint32Array
    ignoreMerges: boolean
    byteFallback: boolean
    fuseUnk: boolean
    unkId: number | undefined
    continuingSubwordPrefix: string
    endOfWordSuffix: string
  }

  type NativePreTokenizer =
    | { prefixSpace: true }
    | { byteLevel: true }
    | { rawBytes: true }
    | { scripts: true }
    /** Pieces of so many characters. */
    | { length: number }
    /** `prepend`: 0 always, 1 first, 2 never. */
    | { metaspace: string; prepend: number }
    /** `scanned`: the pattern's number in native/core/scanners/word_scanner.hpp, 0 when it has none. */
    | { program: Uint32Array; scanned: number; behaviour: number; invert: boolean }
    | { characters: 'punctuation' | 'numeric'; behaviour: number; invert: boolean }

  /** See native/core/decoder_chain.hpp for what each kind reads. */
  interface NativeDecoder {
    /** 0 ByteLevel, 1 ByteFallback, 2 Fuse, 3 Metaspace, 4 BPEDecoder, 5 Strip, 6 Replace, 7 WordPiece, 8 CTC. */
    kind: number
    text?: string
    start?: number
    stop?: number
    dropsFirst?: boolean
    delimiter?: string
    cleanup?: boolean
    program?: Uint32Array
  }

  type NativeDecodedPart = { type: 'text'; text: string } | { type: 'control'; id: number; name: string }

  /** Ids, and for each of them two numbers: in UTF-16 units and in bytes of all parts' texts, one after the other. */
  interface NativeEncoding {
    ids: Uint32Array
    offsets: Uint32Array
    byteOffsets: Uint32Array
  }

  /** See native/core/stretch_memo.hpp. */
  interface NativeMemoStatistics {
    hits: number
    misses: number
    reusedBytes: number
    returned: number
    entries: number
    bytes: number
    limit: number
    capacity: number
  }

  /** A file in memory without being read: see native/binding/file_mapping.hpp. */
  interface NativeFileMapping {
    /** Only to be read: the process ends with a write. */
    bytes(): Uint8Array
  }

  /** So many bytes of zeros, which stay when the object is gone as long as a model uses them. */
  interface NativeMemory {
    bytes(): Uint8Array
    /**
     * Fills it with the beginning of a file, on another thread, and sums up what is there from a place on. Until then nobody
     * may look at it.
     */
    read(path: string, from: number): Promise<NativeSums>
  }

  interface NativeColumnFacts {
    /** Where each token begins in `units`. */
    readonly starts: Uint32Array
    /** Each id is greater than the one before. */
    readonly ascending: boolean
    /** Flags that some token has. */
    readonly someFlags: number
  }

  /** What `checksum` and `secretFingerprint` give. */
  interface NativeSums {
    readonly checksum: Uint8Array
    readonly secret: Uint8Array
  }

  interface NativeTokenizer {
    /** One data text. Ids, or how many there are, when they fit into `fewIds` and are there. */
    encode(text: string): Uint32Array | number
    /** The same into `target` from `offset` on, as many as fit. How many there are. */
    encodeInto(text: string, target: Uint32Array, offset: number): number
    /** Takes the same as `buildChatInput`. */
    encodeWithOffsets(parts: Uint32Array, text: string): NativeEncoding
    /**
     * `parts` holds pairs: kind (0 control, 1 trusted, 2 data, 3 cut), then id or length in UTF-16 units. Gives what `encode`
     * does.
     *
     * @param count so many numbers of `parts` are meant; all without it
     */
    buildChatInput(parts: Uint32Array, text: string, count?: number): Uint32Array | number
    /** On a libuv thread. */
    buildChatInputAsync(parts: Uint32Array, text: string, offsets: false): Promise<Uint32Array>
    buildChatInputAsync(parts: Uint32Array, text: string, offsets: true): Promise<NativeEncoding>
    count(parts: Uint32Array, text: string): number
    /** Undefined for more than `limit` ids; then it may end early. */
    count(parts: Uint32Array, text: string, limit: number): number | undefined
    /** The same for one data text. */
    countText(text: string): number
    countText(text: string, limit: number): number | undefined
    /**
     * Several texts on a libuv thread. `parts` and `text` are of all of them, `ends` tells behind which part each ends.
     * Ids come one after the other, and where those of each text end.
     */
    encodeBatchAsync(
      parts: Uint32Array,
      text: string,
      ends: Uint32Array,
    ): Promise<{ ids: Uint32Array; ends: Uint32Array }>
    /** On a libuv thread. */
    countAsync(parts: Uint32Array, text: string, limit: number): Promise<number | undefined>
    decode(ids: Uint32Array, separateRuns: boolean, lenient: boolean, skipReserved: boolean): string
    decodeParts(ids: Uint32Array): NativeDecodedPart[]
    decodeStream(separateRuns: boolean, lenient: boolean, skipReserved: boolean): NativeDecodeStream
    /** Pairs: where in the text, in UTF-16 units, a reserved token is spelled, and its id. */
    findReserved(text: string): Uint32Array
    getCommand(name: string): number | undefined
    idToToken(id: number): string | undefined
    /** One for each token; none where there is no such token. */
    tokensToIds(tokens: readonly string[]): (number | undefined)[]
    /** Tables that another process need not make again: see native/core/stored_tables.hpp. */
    storedTables(): Uint8Array[] | undefined
    memoStatistics(): NativeMemoStatistics
    /** Lets go of the model. Other methods then throw an error with the code DISPOSED. */
    dispose(): void
  }

  /** A program of `compileSplitPattern` alone, for tests. Borders are in UTF-16 units: begin, end, begin, end ... */
  interface NativeSplitPattern {
    /** All matches. */
    split(text: string): Uint32Array
    /** What HF's `Split` leaves. Behaviours: 0 removed, 1 isolated, 2 merged with previous, 3 with next, 4 contiguous. */
    pieces(text: string, behaviour: number, invert: boolean): Uint32Array
  }

  /** A scanner alone, for tests: numbers of patterns, as `scanned` of `NativePreTokenizer`. */
  interface NativeWordScanner {
    /** The words, as borders in UTF-16 units. */
    split(text: string): Uint32Array
  }

  interface NativeDecodeStream {
    push(ids: Uint32Array): string
    pushId(id: number): string
    end(): string
    /** Whether an id that has a surface would give that now, and change nothing. Of two such ids in a row, too. */
    isPlain(): boolean
    /** The text of an id that stands for nothing else, whatever the options; undefined where it has none. */
    surface(id: number): string | undefined
  }

  /** A normalizer by its name in a tokenizer.json, and what it needs. */
  type NativeNormalizerStep =
    | readonly ['NFC' | 'NFD' | 'NFKC' | 'NFKD' | 'Lowercase' | 'StripAccents' | 'ByteLevel']
    | readonly ['Strip', left: boolean, right: boolean]
    | readonly ['Replace', pattern: string, content: string]
    | readonly ['ReplaceRegex', program: Uint32Array, content: string]
    | readonly ['Prepend', prefix: string]
    /** Parts of BertNormalizer. */
    | readonly ['CleanText' | 'SpaceAroundChinese' | 'StripNonspacing']
    | readonly ['Nmt']
    | readonly ['Precompiled', charsmap: Uint8Array]

  /** The big tables of a tokenizer.json: see native/core/json/json_vocabulary.hpp. */
  interface NativeJsonVocabulary {
    /**
     * Reads an object from tokens to ids below `mostId`, of JSON that is valid UTF-8: the place behind it, or -1 when it
     * is not as expected.
     */
    read(bytes: Uint8Array, at: number, mostId: number): number
    /** Triples of ids (left, right, result) and the place behind the list; undefined when it is not as expected. */
    readMerges(
      bytes: Uint8Array,
      at: number,
      prefix: Uint8Array,
    ): { triples: Uint32Array; end: number } | undefined
    /** The id of a token, or -1. */
    find(text: Uint8Array): number
    count(): number
    /** Tokens by id, and added ones; undefined when ids contradict each other. */
    layOut(
      byteLevel: boolean,
      ids: Uint32Array,
      texts: readonly string[],
    ): { bytes: Uint8Array; offsets: Uint32Array; kinds: Uint8Array } | undefined
  }

  interface NativeNormalizer {
    normalize(text: string): string
    /** Two numbers for each byte of the result in UTF-8: which bytes of the text it stands for. */
    normalizeWithOffsets(text: string): { text: string; offsets: Uint32Array; changed: boolean }
  }
}

declare const binding: {
  /** `cmake` or `node-gyp`. */
  readonly buildInfo: string
  /** Where `encode` and `buildChatInput` leave few ids; the next call overwrites them. One for each thread. */
  readonly fewIds: Uint32Array
  /** How many models are in memory in this process, all threads together. */
  readonly liveModels: () => number
  /** Asks for large pages, for memory that nobody has written to yet. */
  readonly useLargePages: (bytes: Uint8Array) => void
  /** The size of a file and so many of its first bytes; undefined for a shorter one, and for all that is no plain file. */
  readonly fileHead: (path: string, count: number) => { size: number; head: Uint8Array } | undefined
  /** 16 bytes that are the same in every process. */
  readonly checksum: (bytes: Uint8Array) => Uint8Array
  /** 16 bytes that tell bytes apart in this process, which nobody can forge. */
  readonly secretFingerprint: (bytes: Uint8Array) => Uint8Array
  /** Both, in one pass. */
  readonly sums: (bytes: Uint8Array) => binding.NativeSums
  /** Of `TokenColumns`; undefined when they do not fit together. */
  readonly columnFacts: (
    units: Uint16Array,
    lengths: Uint32Array,
    ids: Uint32Array,
    flags: Uint8Array,
  ) => binding.NativeColumnFacts | undefined
  /**
   * For each token of `TokenColumns`: 1 when it is special, or `marks` and it is a bracketed mark, 0 when it is not, 2 when
   * that is not told at once.
   */
  readonly structuralTokens: (
    units: Uint16Array,
    lengths: Uint32Array,
    flags: Uint8Array,
    marks: boolean,
  ) => Uint8Array
  /**
   * The places of chosen tokens among which are all that begin in one of the others or at its end; with `exactly` no other
   * ones, unless they are very many.
   */
  readonly namesThatMayMeet: (
    units: Uint16Array,
    lengths: Uint32Array,
    chosen: Uint8Array,
    exactly?: boolean,
  ) => Uint32Array
  /** The place of the first token of each name; 2 ** 32 - 1 where there is none. */
  readonly findNames: (units: Uint16Array, lengths: Uint32Array, names: readonly string[]) => Uint32Array
  /**
   * For each spelling, a character for each byte, 1 when it is a token of the model's vocabulary. The tables are those of
   * `TokenTable`.
   */
  readonly spelledTokens: (
    bytes: Uint8Array,
    offsets: Uint32Array,
    kinds: Uint8Array,
    spellings: readonly string[],
  ) => Uint8Array
  /** The ids of chosen tokens; undefined unless each is greater than the one before. */
  readonly chosenIds: (ids: Uint32Array, chosen: Uint8Array) => Uint32Array | undefined
  readonly unitsOf: (text: string) => Uint16Array
  /** The place behind a JSON value that begins at `at`, or -1 when it is none or nested deeper than `depth`. */
  readonly skipJson: (bytes: Uint8Array, at: number, depth: number) => number
  readonly NativeJsonVocabulary: new () => binding.NativeJsonVocabulary
  readonly NativeSplitPattern: new (program: Uint32Array) => binding.NativeSplitPattern
  readonly NativeWordScanner: new (patterns: readonly number[]) => binding.NativeWordScanner
  readonly NativeFileMapping: new (path: string) => binding.NativeFileMapping
  /** `bytes` throws where V8 refuses memory outside of its own. */
  readonly NativeMemory: new (
    size: number,
  ) => binding.NativeMemory
  readonly NativeTokenizer: new (
    spec: binding.NativeSpec | binding.NativePipelineSpec,
    /** How much memory the handle may take to remember stretches; 0: none. */
    memoBytes: number,
  ) => binding.NativeTokenizer
  readonly NativeNormalizer: new (steps: readonly binding.NativeNormalizerStep[]) => binding.NativeNormalizer
}
export = binding
