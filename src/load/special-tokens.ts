import type { FolderFiles } from './folder-file.js'
import type { AddedTokenSpec } from './pipeline-spec.js'
import { MAX_ID } from './token-table.js'
import { Fields } from './tokenizer-json/fields.js'

/** An added token of a config. Its id is the tokenizer's to give. */
export type FolderToken = Omit<AddedTokenSpec, 'id'>

/** What the configs of a folder say about special and added tokens. */
export interface FolderTokens {
  /** Special tokens by the names that chat templates know: `bos_token`, `eos_token`, `image_token`. */
  readonly named: ReadonlyMap<string, string>
  /** Special tokens without a name: `extra_special_tokens`, once called `additional_special_tokens`. */
  readonly extra: readonly string[]
  /** Added tokens with the ids that the config gives them, in order of id. Of two with one id the last counts. */
  readonly listed: readonly (FolderToken & { readonly id: number })[]
  /** `listed` is of `added_tokens.json`, where it yields to tokens of `tokenizer.json` with the same ids. */
  readonly yields: boolean
  /** The tokens of `named` and `extra`, for those that nothing else has added. */
  readonly special: readonly FolderToken[]
}

/** The names that every tokenizer has, in the order in which their tokens are added. */
const NAMES: readonly string[] =
  'bos_token eos_token unk_token sep_token pad_token cls_token mask_token'.split(' ')
const EXTRA = 'extra_special_tokens'
/** As it was called before. */
const ADDITIONAL = 'additional_special_tokens'

/**
 * Reads the special and added tokens of a folder. Where `tokenizer_config.json` has `added_tokens_decoder` it has all;
 * else `special_tokens_map.json` overrides what it names, and `added_tokens.json` lists added tokens.
 *
 * Source of behaviour: `PreTrainedTokenizerBase._from_pretrained` and `TokenizersBackend` of transformers 5.23.0, run
 * on the folders of test/load/golden/model-folders.json. One thing is taken for what it says where that fails: added
 * tokens that are objects without `"__type": "AddedToken"`.
 *
 * @throws TokenizerFileError for a token that is neither a string nor an object, with its JSON path
 */
export function readFolderTokens(files: FolderFiles): FolderTokens {
  const decoder = files.tokenizerConfig?.get('added_tokens_decoder')
  const special = new SpecialTokens()
  if (files.tokenizerConfig !== undefined) special.readConfig(files.tokenizerConfig)
  if (decoder === undefined && files.specialTokensMap !== undefined) special.readMap(files.specialTokensMap)
  const listed =
    decoder === undefined
      ? readAddedTokensFile(files.addedTokens, special.early())
      : readDecoder(files.tokenizerConfig as Fields)
  const named = special.named(new Map(listed.map((token) => [token.content, token])))
  const names = new Set([...named.values()].map(({ content }) => content))
  const withSpecial = <T extends FolderToken>(token: T): T => ({
    ...token,
    special: token.special || names.has(token.content),
  })
  const byId = new Map(listed.map((token) => [token.id, withSpecial(token)]))
  const byValue = new Map([...named.values(), ...special.extra].map((token) => [keyOf(token), token]))
  return {
    named: new Map([...named].map(([name, { content }]) => [name, content])),
    extra: special.extra.map(({ content }) => content),
    listed: [...byId.values()].sort((a, b) => a.id - b.id),
    yields: decoder === undefined,
    special: [...byValue.values()].map(withSpecial),
  }
}

class SpecialTokens {
  /** Without names. */
  extra: readonly FolderToken[] = []
  /** Whether `tokenizer_config.json` has tokens without names, be it an empty list. */
  #configHasExtra = false
  readonly #standard = new Map<string, FolderToken>()
  /** Names that are not standard: those found in the end, and those that `tokenizer_config.json` has as strings. */
  readonly #found = new Map<string, FolderToken>()
  readonly #given = new Map<string, FolderToken>()
  /** Objects of `tokenizer_config.json`, which for the reference are no tokens yet when it reads `added_tokens.json`. */
  readonly #late = new Set<FolderToken>()

  readConfig(config: Fields): void {
    for (const name of config.names) {
      const value = config.get(name)
      if (NAMES.includes(name)) this.#setStandard(name, config)
      else if (!name.endsWith('_token')) continue
      else if (typeof value === 'string') this.#given.set(name, specialToken(value))
      else if (value instanceof Map && value.has('__type')) {
        this.#found.set(name, readToken(config.object(name)))
      }
    }
    this.#configHasExtra = config.get(EXTRA) !== undefined || config.get(ADDITIONAL) !== undefined
    this.extra = this.#readExtra(config, isEmpty(config, EXTRA) ? ADDITIONAL : EXTRA)
    for (const token of [...this.#standard.values(), ...this.extra]) {
      if (!STRINGS.has(token)) this.#late.add(token)
    }
  }

  readMap(map: Fields): void {
    for (const name of map.names) {
      const value = map.get(name)
      if (NAMES.includes(name)) this.#setStandard(name, map, true)
      else if (name.endsWith('_token') && (typeof value === 'string' || value instanceof Map)) {
        this.#found.set(name, namedToken(map, name, true))
      }
    }
    if (map.get(EXTRA) instanceof Map) this.extra = this.#readExtra(map, EXTRA)
    else if (Array.isArray(map.get(EXTRA))) {
      const known = new Set(this.extra.map(keyOf))
      const more = new Map(readList(map, EXTRA, true).map((token) => [keyOf(token), token]))
      this.extra = [...this.extra, ...[...more].flatMap(([key, token]) => (known.has(key) ? [] : [token]))]
    } else if (!this.#configHasExtra) {
      this.extra = this.#readExtra(map, ADDITIONAL, true)
      for (const token of this.extra) this.#late.add(token)
    }
  }

  /** By name, in the order in which they are added. Those with standard names have the flags of listed ones. */
  named(listed: ReadonlyMap<string, FolderToken>): Map<string, FolderToken> {
    const standard = NAMES.flatMap((name): [string, FolderToken][] => {
      const token = this.#standard.get(name)
      return token === undefined ? [] : [[name, listed.get(token.content) ?? token]]
    })
    return new Map([...standard, ...this.#found, ...this.#given])
  }

  /** The tokens that the reference knows when it reads `added_tokens.json`. */
  early(): Set<string> {
    const tokens = [...this.#standard.values(), ...this.extra].filter((token) => !this.#late.has(token))
    return new Set(tokens.map(({ content }) => content))
  }

  #setStandard(name: string, fields: Fields, inMap = false): void {
    if (fields.get(name) === null) this.#standard.delete(name)
    else this.#standard.set(name, namedToken(fields, name, inMap))
  }

  /** As an object, it gives the tokens names. */
  #readExtra(fields: Fields, name: string, inMap = false): readonly FolderToken[] {
    const value = fields.get(name)
    if (value === undefined || value === null) return []
    if (!(value instanceof Map)) return readList(fields, name, inMap)
    const tokens = fields.object(name)
    for (const key of tokens.names) this.#given.set(key, namedToken(tokens, key, inMap))
    return []
  }
}

/** Tokens that were given as strings. The reference tells them from objects that say the same. */
const STRINGS = new WeakSet<FolderToken>()

function keyOf(token: FolderToken): string {
  return `${STRINGS.has(token)} ${JSON.stringify(token)}`
}

function isEmpty(fields: Fields, name: string): boolean {
  const value = fields.get(name)
  if (Array.isArray(value)) return value.length === 0
  return value instanceof Map ? value.size === 0 : value === undefined || value === null
}

function namedToken(fields: Fields, name: string, inMap: boolean): FolderToken {
  const value = fields.get(name)
  if (typeof value === 'string') return specialToken(value)
  if (value instanceof Map) return { ...readToken(fields.object(name), inMap), special: true }
  throw fields.wrongType(name, 'a token, as a string or an object,', value)
}

function readList(fields: Fields, name: string, inMap: boolean): FolderToken[] {
  return fields.list(name).map((value, i) => {
    const path = `${fields.pathOf(name)}[${i}]`
    return typeof value === 'string'
      ? specialToken(value)
      : readToken(new Fields(fields.source, path, value), inMap)
  })
}

function specialToken(content: string): FolderToken {
  const token = { content, singleWord: false, lstrip: false, rstrip: false, normalized: false, special: true }
  STRINGS.add(token)
  return token
}

/**
 * Flags that are missing are off, but `normalized`, which is on where `special` is off.
 *
 * @param inMap whether it is one of `special_tokens_map.json`, which are special unless they are marked as tokens
 */
function readToken(fields: Fields, inMap = false): FolderToken {
  const special = (inMap && fields.get('__type') === undefined) || fields.boolean('special', false)
  return {
    content: fields.string('content'),
    singleWord: fields.boolean('single_word', false),
    lstrip: fields.boolean('lstrip', false),
    rstrip: fields.boolean('rstrip', false),
    normalized: fields.boolean('normalized', !special),
    special,
  }
}

function readDecoder(config: Fields): (FolderToken & { readonly id: number })[] {
  const decoder = config.object('added_tokens_decoder')
  return decoder.names.map((key) => {
    const id = /^\d{1,8}$/.test(key) ? Number(key) : MAX_ID
    if (id >= MAX_ID) throw decoder.error(key, `an id below ${MAX_ID} was expected as the key`)
    return { id, ...readToken(decoder.object(key)) }
  })
}

function readAddedTokensFile(
  file: Fields | undefined,
  special: ReadonlySet<string>,
): (FolderToken & { readonly id: number })[] {
  if (file === undefined) return []
  return file.names.map((content) => {
    const id = file.integer(content)
    const isSpecial = special.has(content)
    return { id, ...specialToken(content), normalized: !isSpecial, special: isSpecial }
  })
}
