import type binding from '../../binding.cjs'
import { InvalidArgumentError } from '../errors.js'
import type {
  DecoderStep,
  NormalizerStep,
  PipelineSpec,
  PreTokenizerStep,
  SplitBehavior,
  TextPattern,
} from '../load/pipeline-spec.js'
import { compileSplitPattern } from '../load/split-pattern/compile.js'
import { TokenKind } from '../load/token-table.js'
import { type CompileInput, NO_TEMPLATE, nativeControls } from './compile-input.js'
import {
  isBracketedMark,
  type ReservedToken,
  type ReservePolicy,
  type ReserveReason,
} from './reserve-policy.js'

/** The built-in pattern of ByteLevel with `use_regex`: GPT-2's. */
const GPT2_PATTERN = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

const BEHAVIOURS: readonly SplitBehavior[] = [
  'removed',
  'isolated',
  'mergedWithPrevious',
  'mergedWithNext',
  'contiguous',
]

/** Kinds of decoders, as native/core/pipeline_spec.hpp numbers them. */
const DECODER = { bytes: 0, spaces: 1, llama: 2, chain: 3 } as const

/** Decoders, as native/core/decoder_chain.hpp numbers them. */
const DECODER_STEP = {
  ByteLevel: 0,
  ByteFallback: 1,
  Fuse: 2,
  Metaspace: 3,
  BPEDecoder: 4,
  Strip: 5,
  Replace: 6,
} as const satisfies Record<DecoderStep['type'], number>

const PREPEND = { always: 0, first: 1, never: 2 } as const

/**
 * What a pipeline compiles to.
 *
 * @throws UnsupportedTokenizerError for a pattern that the native pipeline cannot reproduce
 */
export function pipelineInput(spec: PipelineSpec, policy: ReservePolicy): CompileInput {
  const reserved = reservedTokens(spec, policy)
  const controls = reserved.map(({ id, name }) => ({ id, name, inText: true }))
  const { bpe, tokens } = spec
  return {
    source: spec.source,
    model: spec.model,
    semantics: spec.semantics,
    reserved,
    vocabSize: tokens.kinds.length,
    controls,
    template: spec.postProcessor ?? NO_TEMPLATE,
    native: {
      tokenBytes: tokens.bytes,
      offsets: tokens.offsets,
      kinds: tokens.kinds,
      bpe: {
        bytes: bpe.alphabet === 'bytes',
        byRank: bpe.merges === 'ranks',
        merges: bpe.merges === 'ranks' ? new Uint32Array() : bpe.merges,
        ignoreMerges: bpe.ignoreMerges,
        byteFallback: bpe.byteFallback,
        fuseUnk: bpe.fuseUnk,
        unkId: bpe.unkId,
        continuingSubwordPrefix: bpe.continuingSubwordPrefix,
        endOfWordSuffix: bpe.endOfWordSuffix,
      },
      printableTokens: bpe.alphabet === 'bytes' && spec.semantics === 'huggingface',
      addedTokens: spec.addedTokens,
      reserved: Uint32Array.from(reserved, ({ id }) => id),
      ...nativeControls(controls),
      normalizers: spec.normalizers.map((step) => nativeNormalizer(spec, step)),
      preTokenizers: [
        ...spec.preTokenizers.flatMap((step) => nativePreTokenizers(spec, step)),
        // Added tokens are looked for in the characters that the normalizer makes of bytes; the model sees bytes.
        ...(bpe.alphabet === 'bytes' && spec.normalizers.some(({ type }) => type === 'ByteLevel')
          ? [{ rawBytes: true as const }]
          : []),
      ],
      ...nativeDecoder(spec),
    },
  }
}

/**
 * The reserved ids of a pipeline, in order of id: added tokens that are special, that are bracketed marks whatever
 * their flags say, or that the post-processor adds. Other added tokens (runs of spaces, single letters) are text.
 */
function reservedTokens(spec: PipelineSpec, policy: ReservePolicy): ReservedToken[] {
  const template = new Set(
    [...(spec.postProcessor?.single ?? []), ...(spec.postProcessor?.pair ?? [])].flatMap((item) =>
      'id' in item ? [item.id] : [],
    ),
  )
  const listed = new Set(typeof policy === 'string' ? [] : policy)
  const unk = needsUnk(spec) ? spec.bpe.unkId : undefined
  for (const entry of listed) {
    if (!spec.addedTokens.some(({ id, content }) => id === entry || content === entry)) {
      throw new InvalidArgumentError(
        `reserve: ${JSON.stringify(entry)} is not an added token of ${spec.source}`,
      )
    }
  }
  const reserved = new Map<number, ReservedToken>()
  for (const { id, content, special } of spec.addedTokens) {
    const reason = reasonFor(id, content, special)
    if (reason !== undefined && id !== unk) reserved.set(id, { id, name: content, reason })
  }
  return [...reserved.values()].sort((a, b) => a.id - b.id)

  function reasonFor(id: number, content: string, special: boolean): ReserveReason | undefined {
    if (special) return 'special added token'
    if (template.has(id)) return 'token of the post-processor'
    if (policy === 'all-added') return 'added token'
    if (policy === 'structural' && isBracketedMark(content)) return 'added token that is a bracketed mark'
    return listed.has(id) || listed.has(content) ? 'listed by the caller' : undefined
  }
}

/** Whether some text can only be written with unk, which then cannot be reserved. */
function needsUnk(spec: PipelineSpec): boolean {
  const { bpe, tokens } = spec
  if (bpe.continuingSubwordPrefix !== '' || bpe.endOfWordSuffix !== '') return true
  if (bpe.alphabet === 'characters' && !bpe.byteFallback) return true
  const latin1 = new TextDecoder('latin1')
  const wanted = new Set<string>()
  for (let byte = 0; byte < 256; byte++) {
    wanted.add(
      bpe.alphabet === 'bytes'
        ? latin1.decode(Uint8Array.of(byte))
        : `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    )
  }
  for (let id = 0; id < tokens.kinds.length && wanted.size > 0; id++) {
    const start = tokens.offsets[id] as number
    const end = tokens.offsets[id + 1] as number
    if (tokens.kinds[id] === TokenKind.MODEL && end - start <= 6)
      wanted.delete(latin1.decode(tokens.bytes.subarray(start, end)))
  }
  return wanted.size > 0
}

function nativeNormalizer(spec: PipelineSpec, step: NormalizerStep): binding.NativeNormalizerStep {
  switch (step.type) {
    case 'Strip':
      return ['Strip', step.left, step.right]
    case 'Prepend':
      return ['Prepend', step.text]
    case 'Replace':
      if ('literal' in step.pattern) return ['Replace', step.pattern.literal, step.content]
      return ['ReplaceRegex', compilePattern(spec, step.pattern), step.content]
    default:
      return [step.type]
  }
}

function nativePreTokenizers(spec: PipelineSpec, step: PreTokenizerStep): binding.NativePreTokenizer[] {
  const split = (
    pattern: TextPattern | string,
    behavior: SplitBehavior,
    invert = false,
  ): binding.NativePreTokenizer => ({
    program: compilePattern(spec, typeof pattern === 'string' ? { regex: pattern } : pattern),
    behaviour: BEHAVIOURS.indexOf(behavior),
    invert,
  })
  switch (step.type) {
    case 'ByteLevel':
      return [
        ...(step.addPrefixSpace ? [{ prefixSpace: true as const }] : []),
        ...(step.useRegex ? [split(GPT2_PATTERN, 'isolated')] : []),
        // A model that sees bytes needs no characters for them.
        ...(spec.bpe.alphabet === 'characters' ? [{ byteLevel: true as const }] : []),
      ]
    case 'Split':
      return [split(step.pattern, step.behavior, step.invert)]
    case 'WhitespaceSplit':
      return [split('\\s', 'removed')]
    case 'Whitespace': // what is no match goes; the pattern is one of Rust's
      return [
        {
          program: compileSplitPattern('\\w+|[^\\w\\s]+', 'tiktoken', spec.source),
          behaviour: BEHAVIOURS.indexOf('removed'),
          invert: true,
        },
      ]
    case 'Metaspace':
      return [
        { metaspace: step.replacement, prepend: PREPEND[step.prepend] },
        ...(step.split ? [split({ literal: step.replacement }, 'mergedWithNext')] : []),
      ]
    case 'Punctuation':
      return [{ characters: 'punctuation', behaviour: BEHAVIOURS.indexOf(step.behavior), invert: false }]
    case 'Digits':
      return [
        {
          characters: 'numeric',
          behaviour: BEHAVIOURS.indexOf(step.individual ? 'isolated' : 'contiguous'),
          invert: false,
        },
      ]
  }
}

function compilePattern(spec: PipelineSpec, pattern: TextPattern): Uint32Array {
  const regex = 'regex' in pattern ? pattern.regex : pattern.literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return compileSplitPattern(regex, spec.semantics === 'tiktoken' ? 'tiktoken' : 'oniguruma', spec.source)
}

function nativeDecoder(
  spec: PipelineSpec,
): Pick<binding.NativePipelineSpec, 'decoder' | 'byteLevelDecoder' | 'stripLeadingSpaces' | 'decoders'> {
  const { decoders, semantics, bpe } = spec
  const none = { byteLevelDecoder: false, stripLeadingSpaces: 0, decoders: [] }
  if (semantics === 'tiktoken') return { ...none, decoder: DECODER.bytes }
  if (decoders.length === 0) return { ...none, decoder: DECODER.spaces }
  if (decoders.length === 1 && decoders[0]?.type === 'ByteLevel') {
    return { ...none, decoder: DECODER.bytes, byteLevelDecoder: true }
  }
  const [replace, fallback, fuse, strip, ...more] = decoders
  const isLlama =
    bpe.alphabet === 'characters' &&
    replace?.type === 'Replace' &&
    'literal' in replace.pattern &&
    replace.pattern.literal === '▁' &&
    replace.content === ' ' &&
    fallback?.type === 'ByteFallback' &&
    fuse?.type === 'Fuse' &&
    isLeadingSpaceStrip(strip) &&
    more.length === 0
  if (isLlama) {
    return {
      ...none,
      decoder: DECODER.llama,
      stripLeadingSpaces: strip?.type === 'Strip' ? uint32(strip.start) : 0,
    }
  }
  return {
    ...none,
    decoder: DECODER.chain,
    decoders: decoders.map((step) => nativeDecoderStep(spec, step)),
  }
}

function nativeDecoderStep(spec: PipelineSpec, step: DecoderStep): binding.NativeDecoder {
  const kind = DECODER_STEP[step.type]
  switch (step.type) {
    case 'Metaspace':
      return { kind, text: step.replacement, dropsFirst: step.prepend !== 'never' }
    case 'BPEDecoder':
      return { kind, text: step.suffix }
    case 'Strip':
      return { kind, text: step.content, start: uint32(step.start), stop: uint32(step.stop) }
    case 'Replace':
      return { kind, text: step.content, program: compilePattern(spec, step.pattern) }
    default:
      return { kind }
  }
}

function isLeadingSpaceStrip(step: DecoderStep | undefined): boolean {
  return step === undefined || (step.type === 'Strip' && step.content === ' ' && step.stop === 0)
}

/** So many characters at most. */
const uint32 = (count: number): number => Math.min(count, 0xffffffff)
