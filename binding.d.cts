declare namespace binding {
  /** What the native compiler needs of a model: see native/core/model_spec.hpp. */
  interface NativeSpec {
    /** Tells apart all that compiling depends on: models with the same key are one in the process. */
    key: string
    pieceBytes: Uint8Array
    offsets: Uint32Array
    scores: Float32Array
    types: Uint8Array
    reserved: Uint32Array
    commands: readonly string[]
    controlNames: readonly string[]
    controlIds: Uint32Array
    controlInText: Uint8Array
    addDummyPrefix: boolean
    removeExtraWhitespaces: boolean
    escapeWhitespaces: boolean
    treatWhitespaceAsSuffix: boolean
    byteFallback: boolean
    unkSurface: string
  }

  type NativeDecodedPart = { type: 'text'; text: string } | { type: 'control'; id: number; name: string }

  interface NativeTokenizer {
    /** One data text. */
    encode(text: string): Uint32Array
    /** `parts` holds pairs: kind (0 control, 1 trusted, 2 data, 3 cut), then id or length in UTF-16 units. */
    buildChatInput(parts: Uint32Array, text: string): Uint32Array
    /** On a libuv thread. */
    buildChatInputAsync(parts: Uint32Array, text: string): Promise<Uint32Array>
    count(parts: Uint32Array, text: string): number
    decode(ids: Uint32Array, separateRuns: boolean, lenient: boolean, skipReserved: boolean): string
    decodeParts(ids: Uint32Array): NativeDecodedPart[]
    decodeStream(separateRuns: boolean, lenient: boolean, skipReserved: boolean): NativeDecodeStream
    getCommand(name: string): number | undefined
    idToToken(id: number): string | undefined
    /** Lets go of the model. Other methods then throw an error with the code DISPOSED. */
    dispose(): void
  }

  interface NativeDecodeStream {
    push(ids: Uint32Array): string
    end(): string
  }
}

declare const binding: {
  /** `cmake` or `node-gyp`. */
  readonly buildInfo: string
  /** How many models are in memory in this process, all threads together. */
  readonly liveModels: () => number
  readonly NativeTokenizer: new (spec: binding.NativeSpec) => binding.NativeTokenizer
}
export = binding
