import { TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import { decodeBase64 } from './base64.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { quoted } from './quoted.js'
import { rankPipeline } from './rank-pipeline.js'
import { MAX_ID, TokenKind } from './token-table.js'
import { TokenTableBuilder } from './token-table-builder.js'
import { Fields } from './tokenizer-json/fields.js'
import { JsonReader, type JsonValue } from './tokenizer-json/json-reader.js'
import { TokenIndex } from './tokenizer-json/token-index.js'

const VERSIONS: ReadonlyMap<string, number> = new Map(
  [1, 2, 3, 7, 11, 13, 15].map((version) => [`v${version}`, version]),
)
/** The control tokens of files that name none; newer versions must name theirs. */
const LAST_VERSION_WITH_DEFAULTS = 7
const DEFAULT_SPECIAL_TOKENS =
  '<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]'.split(
    ' ',
  )

/**
 * Reads Mistral's `tekken.json`: ranks as in a rank file, the pattern and the control tokens. Control tokens have the
 * first ids; the id of rank `r` is `r` plus their number. Ranks that do not fit `default_vocab_size` are not used.
 *
 * @param bytes the whole file; it is only read
 * @param source its name, for messages
 * @throws TokenizerFileError when the file is malformed; `where` is the JSON path, or line and column
 * @throws UnsupportedTokenizerError for versions that are not known
 *
 * Source of behaviour: mistral-common 1.13.1. The other fields describe images, audio and settings of chats.
 */
export function readTekken(bytes: Uint8Array, source: string): PipelineSpec {
  const reader = new JsonReader(bytes, source)
  const places = reader.fields('$')
  reader.end()
  const value = (name: string): JsonValue | undefined => {
    const place = places.get(name)
    return place === undefined ? undefined : reader.valueAt(place)
  }
  const config = new Fields(source, '$.config', value('config'))
  const pattern = config.string('pattern')
  const specialCount = config.integer('default_num_special_tokens')
  const size = config.integer('default_vocab_size')
  if (size > MAX_ID)
    throw config.error('default_vocab_size', `at most ${MAX_ID} tokens are supported, not ${size}`)
  if (size - specialCount < 256) {
    throw config.error(
      'default_vocab_size',
      `${size} leaves no place for 256 bytes and the ${specialCount} of default_num_special_tokens`,
    )
  }
  const version = config.string('version')
  if (!VERSIONS.has(version)) {
    throw new UnsupportedTokenizerError(
      source,
      `version ${quoted(version)}`,
      `$.config.version: known are ${[...VERSIONS.keys()].join(', ')}`,
    )
  }
  const names = specialNames(source, value('special_tokens'), VERSIONS.get(version) ?? 0, specialCount)
  const place = places.get('vocab')
  if (place === undefined) throw reader.error('$.vocab', 'it is missing: this is not a tekken.json')
  const builder = new TokenTableBuilder()
  names.forEach((name, id) => {
    builder.add(id, TokenKind.ADDED, new TextEncoder().encode(name))
  })
  readVocab(reader, place, size - specialCount, specialCount, builder)
  const tokens = builder.finish((_, message) => reader.error('$.vocab', message))
  return rankPipeline(
    source,
    tokens,
    { regex: pattern, path: config.pathOf('pattern') },
    names.map((name, id) => [name, id]),
  )
}

/** In bytes: native/core/pattern_matcher looks no further. */
const MAX_NAME = 1024

/** The names of the control tokens by id. Those that the file does not name are called `<SPECIAL_20>`. */
function specialNames(
  source: string,
  value: JsonValue | undefined,
  version: number,
  count: number,
): string[] {
  let names: string[]
  if (value !== undefined && value !== null) {
    const list = new Fields(source, '$', new Map([['special_tokens', value]])).list('special_tokens')
    names = list.map((item, i) => {
      const token = new Fields(source, `$.special_tokens[${i}]`, item)
      if (token.integer('rank') !== i)
        throw token.error('rank', `${i} was expected, the token's place in the list`)
      return token.string('token_str')
    })
  } else if (version <= LAST_VERSION_WITH_DEFAULTS) names = [...DEFAULT_SPECIAL_TOKENS]
  else
    throw new TokenizerFileError(
      source,
      '$.special_tokens',
      `it is missing, and version v${version} needs it`,
    )

  if (names.length > count) {
    throw new TokenizerFileError(
      source,
      '$.special_tokens',
      `there are ${names.length}, more than the ${count} of default_num_special_tokens`,
    )
  }
  for (let id = names.length; id < count; id++) names.push(`<SPECIAL_${id}>`)
  const seen = new Set<string>()
  names.forEach((name, id) => {
    if (name === '' || seen.has(name)) {
      throw new TokenizerFileError(
        source,
        `$.special_tokens[${id}]`,
        `a name of its own was expected, not ${quoted(name)}`,
      )
    }
    if (Buffer.byteLength(name) > MAX_NAME) {
      throw new TokenizerFileError(
        source,
        `$.special_tokens[${id}]`,
        `at most ${MAX_NAME} bytes are supported`,
      )
    }
    seen.add(name)
  })
  return names
}

/** Adds the first `count` tokens. The first 256 are the single bytes. */
function readVocab(
  reader: JsonReader,
  place: number,
  count: number,
  firstId: number,
  builder: TokenTableBuilder,
): void {
  const index = new TokenIndex() // to see that no token occurs twice
  let token: Uint8Array = new Uint8Array(64)
  let length = -1
  let rank = -1
  let total = 0
  const field = (): void => {
    if (reader.is('rank')) rank = reader.integer()
    else if (reader.is('token_bytes') && reader.next === '"') {
      reader.string()
      const size = reader.textEnd - reader.textStart
      if (size > token.length) token = new Uint8Array(2 * size)
      length = decodeBase64(reader.textBytes, reader.textStart, reader.textEnd, token)
    } else reader.skip()
  }
  reader.at = place
  if (reader.next !== '[') throw reader.error('$.vocab', 'a list was expected')
  reader.elements((i) => {
    total++
    if (i >= count) {
      reader.skip()
      return
    }
    const path = `$.vocab[${i}]`
    if (reader.next !== '{') throw reader.error(path, 'an object was expected')
    rank = -1
    length = -1
    reader.members(field)
    if (rank !== i) throw reader.error(`${path}.rank`, `${i} was expected, the token's place in the list`)
    if (length <= 0) throw reader.error(`${path}.token_bytes`, 'a token in base64 was expected')
    if (i < 256 && (length !== 1 || token[0] !== i)) {
      throw reader.error(
        `${path}.token_bytes`,
        `the first 256 tokens must be the single bytes, so ${i} was expected`,
      )
    }
    if (!index.add(token, 0, length, i)) throw reader.error(`${path}.token_bytes`, 'the token occurs twice')
    builder.add(firstId + i, TokenKind.MODEL, token, 0, length)
  })
  if (total < count) {
    throw reader.error('$.vocab', `default_vocab_size needs ${count} tokens, but there are ${total}`)
  }
}
