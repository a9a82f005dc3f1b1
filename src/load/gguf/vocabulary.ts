import { isBracketedMark } from '../bracketed-mark.js'
import { PieceType } from '../tokenizer-spec.js'
import type { StringTable } from './container.js'
import { type Metadata, tableText } from './metadata.js'
import { templateLiterals } from './template-literals.js'

/** Keys of ids with a role, by the name of the role. The last three are old names of the ones before. */
const ROLES: ReadonlyMap<string, string> = new Map(
  [
    ['bos_token', 'bos_token_id'],
    ['eos_token', 'eos_token_id'],
    ['eot_token', 'eot_token_id'],
    ['eom_token', 'eom_token_id'],
    ['unk_token', 'unknown_token_id'],
    ['sep_token', 'seperator_token_id'], // so it is spelled
    ['pad_token', 'padding_token_id'],
    ['cls_token', 'cls_token_id'],
    ['mask_token', 'mask_token_id'],
    ['fim_prefix_token', 'fim_pre_token_id'],
    ['fim_suffix_token', 'fim_suf_token_id'],
    ['fim_middle_token', 'fim_mid_token_id'],
    ['fim_pad_token', 'fim_pad_token_id'],
    ['fim_repo_token', 'fim_rep_token_id'],
    ['fim_separator_token', 'fim_sep_token_id'],
    ['fim_prefix_token', 'prefix_token_id'],
    ['fim_suffix_token', 'suffix_token_id'],
    ['fim_middle_token', 'middle_token_id'],
  ].map(([role, key]) => [`tokenizer.ggml.${key}`, role as string]),
)

/** Ids where a file does not name them, as llama.cpp takes them; here they count for control tokens only. */
const DEFAULT_IDS: ReadonlyMap<string, readonly (readonly [role: string, id: number])[]> = new Map([
  [
    'llama',
    [
      ['bos_token', 1],
      ['eos_token', 2],
    ],
  ],
  [
    't5',
    [
      ['eos_token', 1],
      ['pad_token', 0],
    ],
  ],
])

/** Names of tokens that end a turn, as llama.cpp knows them: files often name just one of a model's. */
const END_NAMES: ReadonlySet<string> = new Set(
  (
    '<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> ' +
    '<EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> ' +
    '<｜end▁of▁sentence｜> [e~['
  ).split(' '),
)

/** Characters of templates times tokens that are looked for in them. In real files there are some millions. */
const MAX_SEARCHED = 2 ** 30

/**
 * What a token is. Types in GGUF files are unreliable, so names, ids with a role and the chat templates count too.
 * - `text`: made by the model
 * - `control`: special, never made from text
 * - `added`: found in text before the model sees it, unless it is reserved
 * - `padding`: no token at all, but a row of the model's matrix
 */
export type TokenRole = 'text' | 'control' | 'added' | 'byte' | 'unknown' | 'unused' | 'padding'

/** The tokens of a GGUF file, whatever its tokenizer is. */
export class Vocabulary {
  readonly tokens: StringTable
  /** Ids by role, such as `eos_token`. */
  readonly specials: ReadonlyMap<string, number>
  readonly #types: Float64Array | undefined
  readonly #specialIds: ReadonlySet<number>
  readonly #metadata: Metadata
  /** What the chat templates write, with U+0000 between. */
  readonly #literals: string
  #searched = 0

  constructor(metadata: Metadata, templates: readonly string[]) {
    this.tokens = metadata.tokens()
    this.#types = readTypes(metadata, this.tokens.count)
    this.specials = readSpecials(metadata, this.tokens.count, (id) => this.type(id) === PieceType.CONTROL)
    const ids = [...this.specials].flatMap(([role, id]) => (role === 'unk_token' ? [] : [id]))
    this.#specialIds = new Set(ids)
    this.#metadata = metadata
    this.#literals = templates.flatMap(templateLiterals).join('\0')
  }

  get size(): number {
    return this.tokens.count
  }

  text(id: number): string {
    return tableText(this.tokens, id)
  }

  type(id: number): number {
    return this.#types?.[id] ?? PieceType.NORMAL
  }

  /**
   * Roles by id. A token that the model makes of ordinary text is text, even if it looks like a mark, unless the file
   * gives it a role as well.
   *
   * @param emits whether the model by itself may make a token of text
   */
  roles(emits: (id: number) => boolean): TokenRole[] {
    return Array.from({ length: this.size }, (_, id) => this.#role(id, emits))
  }

  /** What ends a turn: the ids that the file names, and tokens that are known to. In order of id. */
  endIds(roles: readonly TokenRole[]): number[] {
    const ids = new Set<number>()
    for (const role of ['eos_token', 'eot_token', 'eom_token']) {
      const id = this.specials.get(role)
      if (id !== undefined) ids.add(id)
    }
    const named = new Map<string, number>()
    roles.forEach((role, id) => {
      if (role !== 'control' && role !== 'added') return
      const text = this.text(id)
      if (END_NAMES.has(text)) named.set(text, id)
    })
    for (const name of notEnds(named)) named.delete(name)
    for (const id of named.values()) ids.add(id)
    return [...ids].sort((a, b) => a - b)
  }

  #role(id: number, emits: (id: number) => boolean): TokenRole {
    const type = this.type(id)
    if (type === PieceType.BYTE) return 'byte'
    const special = this.#specialIds.has(id)
    // Nearly all tokens are normal, and their text is not looked at without need.
    if (type === PieceType.NORMAL && !special && !this.#mayBeMark(id)) return 'text'
    const text = this.text(id)
    if (!special && (text === `[PAD${id}]` || (type === PieceType.UNUSED && /^\[PAD\d+\]$/.test(text)))) {
      return 'padding'
    }
    switch (type) {
      case PieceType.CONTROL:
        return 'control'
      case PieceType.UNKNOWN:
        return 'unknown'
      case PieceType.UNUSED:
        return special ? 'control' : 'unused'
    }
    const mark = isBracketedMark(text)
    if (special && (mark || (/\p{L}/u.test(text) && !emits(id)))) return 'control'
    if (type === PieceType.USER_DEFINED)
      return !mark && this.#isWritten(text) && !emits(id) ? 'control' : 'added'
    return mark && !emits(id) ? 'added' : 'text'
  }

  /** Whether a chat template writes it as a word of its own language. */
  #isWritten(text: string): boolean {
    if (!/\p{L}/u.test(text)) return false
    this.#searched += this.#literals.length
    if (this.#searched <= MAX_SEARCHED) return this.#literals.includes(text)
    throw this.#metadata.error('tokenizer.chat_template', 'it is too long for so many user-defined tokens')
  }

  /** A bracket at both ends. */
  #mayBeMark(id: number): boolean {
    const { bytes, offsets } = this.tokens
    const first = bytes[offsets[id] as number]
    const last = bytes[(offsets[id + 1] as number) - 1]
    return (first === 0x3c && last === 0x3e) || (first === 0x5b && last === 0x5d)
  }
}

function readTypes(metadata: Metadata, count: number): Float64Array | undefined {
  const key = 'tokenizer.ggml.token_type'
  const types = metadata.optionalNumbers(key, count)
  types?.forEach((type, id) => {
    if (Number.isInteger(type) && type >= 0 && type <= PieceType.BYTE) return
    throw metadata.error(key, `number ${id}: a type from 0 to ${PieceType.BYTE} was expected, not ${type}`)
  })
  return types?.map((type) => type || PieceType.NORMAL)
}

/** Ids outside of the vocabulary are written for tokens that there are not; llama.cpp passes over them too. */
function readSpecials(
  metadata: Metadata,
  count: number,
  isControl: (id: number) => boolean,
): ReadonlyMap<string, number> {
  const specials = new Map<string, number>()
  for (const [key, role] of ROLES) {
    const id = metadata.integer(key)
    if (id !== undefined && id < count && !specials.has(role)) specials.set(role, id)
  }
  const defaults = DEFAULT_IDS.get(metadata.optionalString('tokenizer.ggml.model') ?? '') ?? []
  for (const [role, id] of defaults) {
    if (!specials.has(role) && id < count && isControl(id)) specials.set(role, id)
  }
  return specials
}

/** Harmony's and Solar's `<|end|>` ends a message, not the turn; Gemma 4 does not use `</s>`. */
function notEnds(named: ReadonlyMap<string, number>): string[] {
  const has = (...names: string[]) => names.every((name) => named.has(name))
  return [
    ...(has('<|return|>', '<|call|>') || (has('<|flush|>') && (has('<|call|>') || has('<|calls|>')))
      ? ['<|end|>']
      : []),
    ...(has('<|tool_response>') ? ['</s>'] : []),
  ]
}
