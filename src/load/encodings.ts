import type { NormalizerStep } from './pipeline-spec.js'

/** What a rank file does not say about its tokenizer. */
export interface RankEncoding {
  /** The regular expression whose matches are the words of a text; text between matches is dropped. */
  readonly pattern: string
  /** Ids of control tokens by name. */
  readonly specialTokens: Readonly<Record<string, number>>
  /** What happens to a text first. Default nothing. */
  readonly normalizers?: readonly NormalizerStep[]
}

export type EncodingName =
  | 'r50k_base'
  | 'p50k_base'
  | 'p50k_edit'
  | 'cl100k_base'
  | 'o200k_base'
  | 'o200k_harmony'
  | 'llama3'
  | 'llama4'
  | 'glm4'
  | 'qwen'

/** An encoding whose rank file is known. */
export interface BuiltInEncoding extends RankEncoding {
  /** How many tokens its rank file has. */
  readonly ranks: number
  /** SHA-256 of its rank file, in hexadecimal digits; absent where another encoding is the usual one for the file. */
  readonly sha256?: string
}

/*
 * tiktoken now writes these patterns with possessive quantifiers, for speed, which match the same. They stand here in
 * their first form, as `\p{N}{1,3}+` means something else in Oniguruma.
 */
const R50K_PATTERN = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
const CL100K_PATTERN = cl100kPattern(String.raw`\p{N}{1,3}`)
const QWEN_PATTERN = cl100kPattern(String.raw`\p{N}`)
const O200K_PATTERN = [
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  String.raw`\p{N}{1,3}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  String.raw`\s*[\r\n]+`,
  String.raw`\s+(?!\S)`,
  String.raw`\s+`,
].join('|')

function cl100kPattern(numbers: string): string {
  return [
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    numbers,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|')
}

const range = (count: number, name: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => name(i))

/** Names with ids that count up from `first`. */
function numbered(first: number, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, first + i]))
}

const P50K_SHA256 = '94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069'
const O200K_SHA256 = '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d'

/** Long lists of tokens are made when they are asked for. Sources: openai/tiktoken `openai_public.py`; Meta's llama-models; GLM-4's and Qwen's tokenization code. */
export const ENCODINGS: Readonly<Record<EncodingName, BuiltInEncoding>> = {
  r50k_base: {
    pattern: R50K_PATTERN,
    specialTokens: { '<|endoftext|>': 50256 },
    ranks: 50256,
    sha256: '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930',
  },
  p50k_base: {
    pattern: R50K_PATTERN,
    specialTokens: { '<|endoftext|>': 50256 },
    ranks: 50280,
    sha256: P50K_SHA256,
  },
  p50k_edit: {
    pattern: R50K_PATTERN,
    specialTokens: {
      '<|endoftext|>': 50256,
      '<|fim_prefix|>': 50281,
      '<|fim_middle|>': 50282,
      '<|fim_suffix|>': 50283,
    },
    ranks: 50280,
  },
  cl100k_base: {
    pattern: CL100K_PATTERN,
    specialTokens: {
      ...numbered(100257, ['<|endoftext|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>']),
      '<|endofprompt|>': 100276,
    },
    ranks: 100256,
    sha256: '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7',
  },
  o200k_base: {
    pattern: O200K_PATTERN,
    specialTokens: { '<|endoftext|>': 199999, '<|endofprompt|>': 200018 },
    ranks: 199998,
    sha256: O200K_SHA256,
  },
  o200k_harmony: {
    pattern: O200K_PATTERN,
    get specialTokens() {
      return harmonyTokens()
    },
    ranks: 199998,
  },
  llama3: {
    pattern: CL100K_PATTERN,
    get specialTokens() {
      return llama3Tokens()
    },
    ranks: 128000,
    sha256: '82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55',
  },
  llama4: {
    pattern: O200K_PATTERN,
    get specialTokens() {
      return llama4Tokens()
    },
    ranks: 200000,
    sha256: 'd0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed',
  },
  glm4: {
    pattern: CL100K_PATTERN,
    specialTokens: numbered(151329, [
      ...['<|endoftext|>', '[MASK]', '[gMASK]', '[sMASK]', '<sop>', '<eop>'],
      ...['<|system|>', '<|user|>', '<|assistant|>', '<|observation|>'],
      ...['<|begin_of_image|>', '<|end_of_image|>', '<|begin_of_video|>', '<|end_of_video|>'],
    ]),
    ranks: 151329,
    sha256: '5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716',
  },
  qwen: {
    pattern: QWEN_PATTERN,
    specialTokens: numbered(151643, [
      ...['<|endoftext|>', '<|im_start|>', '<|im_end|>'],
      ...range(205, (i) => `<|extra_${i}|>`),
    ]),
    normalizers: [{ type: 'NFC' }],
    ranks: 151643,
    sha256: 'b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186',
  },
}

/** tiktoken has two names for 200018. The other, `<|reserved_200018|>`, is left out. */
function harmonyTokens(): Record<string, number> {
  const named = new Map([
    [199998, '<|startoftext|>'],
    [199999, '<|endoftext|>'],
    [200002, '<|return|>'],
    [200003, '<|constrain|>'],
    [200005, '<|channel|>'],
    [200006, '<|start|>'],
    [200007, '<|end|>'],
    [200008, '<|message|>'],
    [200012, '<|call|>'],
    [200018, '<|endofprompt|>'],
  ])
  const first = 199998
  const names = range(201088 - first, (i) => named.get(first + i) ?? `<|reserved_${first + i}|>`)
  return numbered(first, names)
}

/** The names of Llama 3.2. Llama 3.0 has the same ids, and calls some of them reserved. */
function llama3Tokens(): Record<string, number> {
  return numbered(128000, [
    ...[
      '<|begin_of_text|>',
      '<|end_of_text|>',
      '<|reserved_special_token_0|>',
      '<|reserved_special_token_1|>',
    ],
    ...['<|finetune_right_pad_id|>', '<|step_id|>', '<|start_header_id|>', '<|end_header_id|>'],
    ...['<|eom_id|>', '<|eot_id|>', '<|python_tag|>', '<|image|>'],
    ...range(244, (i) => `<|reserved_special_token_${i + 2}|>`),
  ])
}

function llama4Tokens(): Record<string, number> {
  const reserved = (name: string, first: number, count: number): string[] =>
    range(count, (i) => `<|${name}reserved_special_token_${first + i}|>`)
  const names = [
    ...['<|begin_of_text|>', '<|end_of_text|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>'],
    ...['<|header_start|>', '<|header_end|>', '<|eom|>', '<|eot|>', '<|step|>'],
    ...reserved('text_post_train_', 0, 6),
    ...['<|python_start|>', '<|python_end|>', '<|finetune_right_pad|>'],
    ...reserved('text_post_train_', 8, 61),
    ...['<|image_start|>', '<|image_end|>'],
    ...reserved('vision_', 0, 2),
    ...['<|tile_x_separator|>', '<|tile_y_separator|>'],
    ...reserved('vision_', 2, 4),
    '<|image|>',
    ...reserved('vision_', 6, 1),
    '<|patch|>',
    ...reserved('vision_', 7, 1041),
    ...reserved('reasoning_', 0, 8),
    ...['<|reasoning_thinking_start|>', '<|reasoning_thinking_end|>'],
  ]
  return numbered(200000, [...names, ...reserved('', 0, 2048 - names.length)])
}
