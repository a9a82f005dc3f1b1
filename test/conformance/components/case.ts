// Small tokenizer.json files for tests of single components.
export type Component = { readonly type: string; readonly [field: string]: unknown }

export interface AddedToken {
  readonly content: string
  readonly single_word?: boolean
  readonly lstrip?: boolean
  readonly rstrip?: boolean
  readonly normalized?: boolean
  readonly special?: boolean
}

export interface Case {
  readonly normalizer?: Component
  readonly preTokenizer?: Component
  readonly postProcessor?: Component
  readonly decoder?: Component
  /** Fields of the model, which is a BPE unless they say otherwise. */
  readonly model?: { readonly [field: string]: unknown }
  /** The file does not name the type of its model, as old ones do. */
  readonly untyped?: boolean
  /** Tokens of byte fallback that the vocabulary has. */
  readonly bytes?: 'all' | 'some' | 'none'
  readonly added?: readonly AddedToken[]
  /** The added tokens are in the model's vocabulary, so that it finds them itself. */
  readonly addedInVocabulary?: boolean
  /** The reference counts bytes of affixes, so that its offsets run past the word and mean nothing there. */
  readonly overrun?: boolean
}

export const ADDED: readonly AddedToken[] = [
  { content: '<s>', special: true },
  { content: '</s>', special: true },
  { content: '<|user|>', special: true },
  { content: '[plain]', normalized: true },
  { content: 'tokenizer', normalized: false },
]

const sequence = (field: string, ...steps: Component[]): Component => ({ type: 'Sequence', [field]: steps })
export const normalizers = (...steps: Component[]): Component => sequence('normalizers', ...steps)
export const preTokenizers = (...steps: Component[]): Component => sequence('pretokenizers', ...steps)
export const decoders = (...steps: Component[]): Component => sequence('decoders', ...steps)
export const processors = (...steps: Component[]): Component => sequence('processors', ...steps)
export const step = (type: string, fields: object = {}): Component => ({ type, ...fields })
export const metaspace = (prepend_scheme: string, split = true, replacement = '▁'): Component =>
  step('Metaspace', { replacement, prepend_scheme, split })
export const byteLevel = (add_prefix_space: boolean, use_regex: boolean): Component =>
  step('ByteLevel', { add_prefix_space, trim_offsets: true, use_regex })
export const split = (pattern: object, behavior = 'Isolated', invert = false): Component =>
  step('Split', { pattern, behavior, invert })
export const replace = (pattern: object | string, content: string): Component =>
  step('Replace', { pattern: typeof pattern === 'string' ? { String: pattern } : pattern, content })
export const strip = (content: string, start: number, stop: number): Component =>
  step('Strip', { content, start, stop })
export const bpeDecoder = (suffix: string): Component => step('BPEDecoder', { suffix })
export const wordPieceDecoder = (prefix: string, cleanup: boolean): Component =>
  step('WordPiece', { prefix, cleanup })
export const ctc = (pad_token: string, word_delimiter_token: string, cleanup: boolean): Component =>
  step('CTC', { pad_token, word_delimiter_token, cleanup })
export const punctuation = (behavior = 'Isolated'): Component => step('Punctuation', { behavior })
export const digits = (individual_digits: boolean): Component => step('Digits', { individual_digits })
export const bertNormalizer = (flags: object = {}): Component =>
  step('BertNormalizer', {
    ...{ clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    ...flags,
  })

export const BEHAVIORS: readonly string[] = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
]
export const SCHEMES: readonly string[] = ['always', 'first', 'never']

/** The type and the fields. */
export function nameOf({ type, ...fields }: Component): string {
  const values = Object.values(fields).map((value) => JSON.stringify(value))
  return [type, ...values].join(' ')
}

export const named = <T>(
  list: readonly T[],
  name: (item: T) => string,
  make: (item: T) => Case,
): Readonly<Record<string, Case>> => Object.fromEntries(list.map((item) => [name(item), make(item)]))
