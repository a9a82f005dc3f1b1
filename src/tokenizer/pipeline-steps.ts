import type binding from '../../binding.cjs'
import type {
  DecoderStep,
  NormalizerStep,
  PipelineSpec,
  PreTokenizerStep,
  SplitBehavior,
  TextPattern,
} from '../load/pipeline-spec.js'
import { compileSplitPattern, type SplitPatternFlavour } from '../load/split-pattern/compile.js'
import { knownProgram } from '../load/split-pattern/known-programs.js'
import { literalProgram } from '../load/split-pattern/program.js'
import { scannedPattern } from '../load/split-pattern/scanned.js'
import { seesBytes } from './pipeline-model.js'

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
  WordPiece: 7,
  CTC: 8,
} as const satisfies Record<DecoderStep['type'], number>

const PREPEND = { always: 0, first: 1, never: 2 } as const

export function nativeNormalizers(
  spec: PipelineSpec,
  step: NormalizerStep,
): readonly binding.NativeNormalizerStep[] {
  switch (step.type) {
    case 'Strip':
      return [['Strip', step.left, step.right]]
    case 'Prepend':
      return [['Prepend', step.text]]
    case 'Replace':
      if ('literal' in step.pattern) return [['Replace', step.pattern.literal, step.content]]
      return [['ReplaceRegex', compilePattern(spec, step.pattern), step.content]]
    case 'Precompiled':
      return [['Precompiled', step.charsmap]]
    case 'BertNormalizer':
      return [
        ...(step.cleanText ? [['CleanText'] as const] : []),
        ...(step.handleChineseChars ? [['SpaceAroundChinese'] as const] : []),
        ...(step.stripAccents ? [['NFD'] as const, ['StripNonspacing'] as const] : []),
        ...(step.lowercase ? [['Lowercase'] as const] : []),
      ]
    default:
      return [[step.type]]
  }
}

/** `spelled`: what comes behind ByteLevel sees characters for bytes. A model that sees bytes needs none. */
export function nativePreTokenizers(
  spec: PipelineSpec,
  step: PreTokenizerStep,
  spelled: boolean,
): binding.NativePreTokenizer[] {
  const split = (
    wanted: TextPattern | string,
    behavior: SplitBehavior,
    invert = false,
  ): binding.NativePreTokenizer => {
    const pattern = typeof wanted === 'string' ? { regex: wanted } : wanted
    return {
      program: compilePattern(spec, pattern),
      scanned: 'regex' in pattern ? scannedPattern(pattern.regex) : 0,
      behaviour: BEHAVIOURS.indexOf(behavior),
      invert,
    }
  }
  switch (step.type) {
    case 'ByteLevel':
      return [
        ...(step.addPrefixSpace ? [{ prefixSpace: true as const }] : []),
        ...(step.useRegex ? [split(GPT2_PATTERN, 'isolated')] : []),
        ...(spelled ? [{ byteLevel: true as const }] : []),
      ]
    case 'Split':
      return [split(step.pattern, step.behavior, step.invert)]
    case 'WhitespaceSplit':
      return [split('\\s', 'removed')]
    case 'Whitespace': // what is no match goes; the pattern is one of Rust's
      return [
        {
          program: compileOnce(spec, '\\w+|[^\\w\\s]+', 'tiktoken'),
          scanned: 0,
          behaviour: BEHAVIOURS.indexOf('removed'),
          invert: true,
        },
      ]
    case 'BertPreTokenizer':
      return [
        split('\\s', 'removed'),
        { characters: 'punctuation', behaviour: BEHAVIOURS.indexOf('isolated'), invert: false },
      ]
    case 'CharDelimiterSplit':
      return [split({ literal: step.delimiter }, 'removed')]
    case 'UnicodeScripts':
      return [{ scripts: true }]
    case 'FixedLength':
      return [{ length: step.length }]
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
  const flavour = spec.semantics === 'tiktoken' ? 'tiktoken' : 'oniguruma'
  if ('regex' in pattern) return compileOnce(spec, pattern.regex, flavour, pattern.path)
  const key = `literal ${pattern.literal}`
  const program = spec.programs?.get(key) ?? literalProgram(pattern.literal)
  if (program !== undefined) {
    spec.programs?.set(key, program)
    return program
  }
  const escaped = pattern.literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return compileOnce(spec, escaped, flavour)
}

/**
 * Loading the compiler takes longer than what it does, and that some milliseconds: programs of patterns that many models
 * have are known, and a compiled model holds the others.
 */
function compileOnce(
  { programs, source }: PipelineSpec,
  regex: string,
  flavour: SplitPatternFlavour,
  path?: string,
): Uint32Array {
  const key = `${flavour} ${regex}`
  const program =
    programs?.get(key) ?? knownProgram(regex) ?? compileSplitPattern(regex, flavour, source, path)
  programs?.set(key, program)
  return program
}

export function nativeDecoder(
  spec: PipelineSpec,
): Pick<binding.NativePipelineSpec, 'decoder' | 'byteLevelDecoder' | 'stripLeadingSpaces' | 'decoders'> {
  const { decoders, semantics, model } = spec
  const none = { byteLevelDecoder: false, stripLeadingSpaces: 0, decoders: [] }
  if (semantics === 'tiktoken') return { ...none, decoder: DECODER.bytes }
  if (decoders.length === 0) return { ...none, decoder: DECODER.spaces }
  if (decoders.length === 1 && decoders[0]?.type === 'ByteLevel') {
    return { ...none, decoder: DECODER.bytes, byteLevelDecoder: true }
  }
  const [replace, fallback, fuse, strip, ...more] = decoders
  const isLlama =
    !seesBytes(model) &&
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
    case 'WordPiece':
      return { kind, text: step.prefix, cleanup: step.cleanup }
    case 'CTC':
      return { kind, text: step.padToken, delimiter: step.wordDelimiterToken, cleanup: step.cleanup }
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
