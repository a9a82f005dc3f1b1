import type { NormalizerStep, PreTokenizerStep, SplitBehavior } from '../pipeline-spec.js'
import * as regex from './split-patterns.js'

/**
 * What `tokenizer.ggml.pre` stands for: the rules of the original model's tokenizer.json that a GGUF file does not hold.
 * docs/gguf.md has the source of each.
 */
export interface PreTokenizer {
  readonly normalizers: readonly NormalizerStep[]
  readonly steps: readonly PreTokenizerStep[]
  /** A word that is a token is that token. */
  readonly ignoreMerges: boolean
  /** The original is a rank file: where the file has no merges, the ids say what merges first. */
  readonly ranks: boolean
  /** What holds where `tokenizer.ggml.add_bos_token` is missing. */
  readonly addBos: boolean
  /** What begins the second of two texts, where the file adds it to one: eos in RoBERTa. */
  readonly secondBegin: 'bos_token' | 'eos_token' | 'nothing'
  /** The mask token takes the white space before it. */
  readonly maskStripsLeft: boolean
}

const DIGITS: PreTokenizerStep = { type: 'Digits', individual: true }
const ONE_TO_THREE_DIGITS = String.raw`\p{N}{1,3}`

const GPT2 = [byteLevel(true)]
const STARCODER = [DIGITS, byteLevel(true)]
const LLAMA3 = patterns(regex.LLAMA3)
const QWEN2 = patterns(regex.QWEN2)
const O200K = patterns(regex.O200K)
const BLOOM = patterns(regex.BLOOM)
const BAILING = patterns(regex.BAILING)
const DEEPSEEK3 = patterns(ONE_TO_THREE_DIGITS, regex.CJK, regex.DEEPSEEK3_WORDS)
const TINY_AYA = patterns(regex.TINY_AYA_NUMBERS, regex.O200K)

/** By name. What is left out of an entry is none or false. */
const ENTRIES: readonly (readonly [
  names: string,
  steps: readonly PreTokenizerStep[],
  Partial<Omit<PreTokenizer, 'steps'>>?,
])[] = [
  ['gpt-2 phi-2 gigachat jais trillion granite-docling mellum exaone4 a.x-4.0', GPT2],
  ['jina-es jina-de jina-v2-es jina-v2-de', GPT2],
  ['mpt olmo gpt-neox', GPT2, { normalizers: [{ type: 'NFC' }] }],
  ['modern-bert', GPT2, { normalizers: [{ type: 'NFC' }], secondBegin: 'nothing', maskStripsLeft: true }],
  ['roberta-bpe jina-v1-en jina-v2-code', GPT2, { secondBegin: 'eos_token', maskStripsLeft: true }],
  ['starcoder refact smollm codeshell exaone minerva-7b mellum2', STARCODER],
  ['command-r', STARCODER, { normalizers: [{ type: 'NFC' }] }],
  [
    'falcon',
    [
      { type: 'Punctuation', behavior: 'contiguous' },
      byteLevel(true),
      { type: 'Digits', individual: false },
      split('[0-9][0-9][0-9]'),
    ],
  ],
  ['llama3 llama-v3 llama-bpe', LLAMA3, { ignoreMerges: true, addBos: true }],
  ['falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano', LLAMA3, { ignoreMerges: true, addBos: true }],
  ['dbrx smaug-bpe chatglm-bpe glm4', LLAMA3],
  ['jais-2', patterns(regex.JAIS2)],
  ['qwen2 deepseek-r1-qwen f2llmv2 hunyuan', QWEN2, { normalizers: [{ type: 'NFC' }] }],
  ['megrez kormo stablelm2 solar-open grok-2', QWEN2],
  ['qwen35', patterns(regex.QWEN35), { normalizers: [{ type: 'NFC' }] }],
  ['ufakzeka', patterns(regex.UFAKZEKA)],
  ['laguna', [split(String.raw`(?:\r?\n)+(?!\r?\n)`, 'mergedWithNext'), ...QWEN2]],
  ['minicpm5', patterns(ONE_TO_THREE_DIGITS, regex.MINICPM5), { ignoreMerges: true }],
  ['gpt-4o llama4 kanana2 talkie minimax-m2', O200K],
  ['granite-embed-multi-97m', O200K, { ignoreMerges: true }],
  ['tekken', patterns(regex.TEKKEN), { ignoreMerges: true, addBos: true }],
  ['kimi-k2', patterns(regex.KIMI_K2), { ignoreMerges: true, ranks: true }],
  ['tiny_aya cohere2moe', TINY_AYA],
  ['bailingmoe bailingmoe2 llada-moe', BAILING],
  ['seed-coder', patterns(regex.SEED_CODER)],
  ['exaone-moe', patterns(regex.EXAONE_MOE)],
  [
    'deepseek-llm',
    [
      ...['[\r\n]', regex.DEEPSEEK_LETTERS, regex.DEEPSEEK_SYMBOLS, '\\s+$', regex.CJK_AND_HANGUL].map(
        (pattern) => split(pattern),
      ),
      DIGITS,
      byteLevel(false),
    ],
  ],
  [
    'deepseek-coder',
    [
      ...['[\r\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', regex.CJK_AND_HANGUL].map((pattern) => split(pattern)),
      DIGITS,
      byteLevel(false),
    ],
  ],
  ['deepseek-v3 hunyuan-dense joyai-llm hy_v4', DEEPSEEK3],
  ['spark2_5', patterns(ONE_TO_THREE_DIGITS, regex.CJK, regex.SPARK_WORDS, '\\p{N}')],
  ['youtu', patterns(regex.YOUTU_SCRIPTS, regex.YOUTU), { ignoreMerges: true }],
  ['afmoe', patterns(regex.AFMOE_NUMBERS, regex.AFMOE_SCRIPTS, regex.DEEPSEEK3_WORDS)],
  ['bloom poro-chat gpt3-finnish', BLOOM],
  ['viking', [split(regex.BLOOM), DIGITS, byteLevel(false)]],
  ['superbpe', patterns('\\p{N}+', '(?=(\\d{3})+(?!\\d))')],
  [
    'chameleon',
    [
      ...['<sentinel:[0-9]+>', '(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z', '([\\t\\n]|    |  )'].map((pattern) =>
        split(pattern),
      ),
      DIGITS,
      { type: 'Punctuation', behavior: 'isolated' },
      byteLevel(true),
    ],
    { addBos: true },
  ],
]

/** All known names of `tokenizer.ggml.pre` whose tokenizer is byte-level, and `gpt-neox`, which no file names. */
export const PRE_TOKENIZERS: ReadonlyMap<string, PreTokenizer> = new Map(
  ENTRIES.flatMap(([names, steps, details]) => {
    const none = {
      normalizers: [],
      ignoreMerges: false,
      ranks: false,
      addBos: false,
      secondBegin: 'bos_token' as const,
      maskStripsLeft: false,
    }
    return names.split(' ').map((name): [string, PreTokenizer] => [name, { ...none, steps, ...details }])
  }),
)

/**
 * Files from before April 2024 name no pre-tokenizer. Where all models of an architecture share one, it is that one; the
 * architecture `llama`, for example, has many.
 */
const BY_ARCHITECTURE: ReadonlyMap<string, string> = new Map([
  ['gpt2', 'gpt-2'],
  ['gptneox', 'gpt-neox'],
  ['falcon', 'falcon'],
  ['mpt', 'mpt'],
  ['bloom', 'bloom'],
  ['starcoder', 'starcoder'],
  ['starcoder2', 'starcoder'],
  ['refact', 'refact'],
  ['codeshell', 'codeshell'],
  ['phi2', 'phi-2'],
  ['qwen', 'qwen2'],
  ['qwen2', 'qwen2'],
])

/** Where the file names none. */
export function preTokenizerOf(architecture: string): PreTokenizer | undefined {
  return PRE_TOKENIZERS.get(BY_ARCHITECTURE.get(architecture) ?? '')
}

function byteLevel(useRegex: boolean): PreTokenizerStep {
  return { type: 'ByteLevel', addPrefixSpace: false, useRegex }
}

function split(pattern: string, behavior: SplitBehavior = 'isolated'): PreTokenizerStep {
  return { type: 'Split', pattern: { regex: pattern }, behavior, invert: false }
}

/** Parts text by one pattern after the other, into bytes. */
function patterns(...all: readonly string[]): readonly PreTokenizerStep[] {
  return [...all.map((pattern) => split(pattern)), byteLevel(false)]
}
