import { createHash } from 'node:crypto'
import { InvalidArgumentError, TokenizerFileError, UnsupportedTokenizerError } from '../errors.js'
import { decodeBase64 } from './base64.js'
import { type BuiltInEncoding, ENCODINGS, type EncodingName, type RankEncoding } from './encodings.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { quoted } from './quoted.js'
import { rankPipeline } from './rank-pipeline.js'
import { MAX_ID, TokenKind, type TokenTable } from './token-table.js'
import { TokenTableBuilder } from './token-table-builder.js'
import { TokenIndex } from './tokenizer-json/token-index.js'

const SPACE = 32
const NEWLINE = 10
const RETURN = 13

/**
 * Reads a rank file of `tiktoken`: lines of a token in base64, a space, and its rank, which is its id.
 *
 * @param bytes the whole file; it is only read
 * @param source its name, for messages
 * @param encoding what the file does not say. Without it, it must be a file that is known by its hash
 * @throws TokenizerFileError when the file is malformed; `where` is the line
 * @throws UnsupportedTokenizerError when no encoding is given and the file is not known
 * @throws InvalidArgumentError when the encoding does not fit the file
 *
 * @example
 * readRankFile(bytes, 'my.tiktoken', { pattern: '\\p{L}+|\\P{L}+', specialTokens: { '<|end|>': 50000 } })
 *
 * Source of behaviour: tiktoken 0.14. A word that is a token is that token; else any two neighbours merge that are a
 * token together, the one with the lowest rank first.
 */
export function readRankFile(
  bytes: Uint8Array,
  source: string,
  encoding?: EncodingName | RankEncoding,
): PipelineSpec {
  const builder = new TokenTableBuilder()
  const lines = readRanks(bytes, source, builder)
  const { pattern, specialTokens, normalizers } = resolveEncoding(bytes, source, builder.count, encoding)
  const specials = Object.entries(specialTokens)
  for (const [name, id] of specials) {
    if (name === '' || !Number.isInteger(id) || id < 0 || id >= MAX_ID) {
      throw new InvalidArgumentError(
        `specialTokens[${quoted(name)}]: a name and an id from 0 to ${MAX_ID - 1} were expected, not ${id}`,
      )
    }
    builder.add(id, TokenKind.ADDED, utf8.encode(name))
  }
  const tokens = builder.finish((entry, message) => {
    const special = specials[entry - lines.length]
    return special === undefined
      ? new TokenizerFileError(source, `line ${lines[entry]}`, message)
      : new InvalidArgumentError(`${source}: specialTokens[${quoted(special[0])}]: ${message}`)
  })
  checkBytes(source, tokens)
  return rankPipeline(source, tokens, { regex: pattern }, specials, normalizers)
}

/** Gives the line of each token, counted from 1. */
function readRanks(bytes: Uint8Array, source: string, builder: TokenTableBuilder): number[] {
  const index = new TokenIndex() // of raw bytes, to see that no token occurs twice
  const lines: number[] = []
  let token = new Uint8Array(64)
  for (let start = 0, line = 1; start < bytes.length; line++) {
    let end = bytes.indexOf(NEWLINE, start)
    if (end < 0) end = bytes.length
    const next = end + 1
    if (end > start && bytes[end - 1] === RETURN) end--
    if (end > start) {
      const error = (message: string) => new TokenizerFileError(source, `line ${line}`, message)
      const space = bytes.subarray(start, end).indexOf(SPACE) + start
      if (space < start) throw error('a token in base64, a space and a rank were expected')
      if (space - start > token.length) token = new Uint8Array(2 * (space - start))
      const length = decodeBase64(bytes, start, space, token)
      if (length <= 0) throw error('the token is not base64')
      const rank = readRank(bytes, space + 1, end)
      if (rank < 0)
        throw error(`a rank was expected behind the token: a whole number from 0 to ${MAX_ID - 1}`)
      if (!index.add(token, 0, length, rank)) throw error('the token occurs twice')
      builder.add(rank, TokenKind.MODEL, token, 0, length)
      lines.push(line)
    }
    start = next
  }
  if (lines.length === 0)
    throw new TokenizerFileError(source, 'line 1', 'there are no tokens: this is not a rank file')
  return lines
}

function readRank(bytes: Uint8Array, start: number, end: number): number {
  let rank = 0
  if (start === end || end - start > 8) return -1
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 48
    if (digit < 0 || digit > 9) return -1
    rank = rank * 10 + digit
  }
  return rank < MAX_ID ? rank : -1
}

function resolveEncoding(
  bytes: Uint8Array,
  source: string,
  count: number,
  encoding: EncodingName | RankEncoding | undefined,
): RankEncoding {
  if (encoding === undefined) return recognize(bytes, source)
  if (typeof encoding !== 'string') {
    if (typeof encoding.pattern !== 'string' || encoding.pattern === '') {
      throw new InvalidArgumentError('pattern: a regular expression was expected, as a string')
    }
    return encoding
  }
  if (!Object.hasOwn(ENCODINGS, encoding)) {
    throw new InvalidArgumentError(
      `encoding: ${quoted(encoding)} is not known; known are ${Object.keys(ENCODINGS).join(', ')}`,
    )
  }
  const known = ENCODINGS[encoding]
  if (known.ranks !== count) {
    throw new InvalidArgumentError(
      `${source}: it has ${count} tokens, but the rank file of ${encoding} has ${known.ranks}`,
    )
  }
  return known
}

function recognize(bytes: Uint8Array, source: string): RankEncoding {
  const hash = createHash('sha256').update(bytes).digest('hex')
  const found = Object.values<BuiltInEncoding>(ENCODINGS).find((encoding) => encoding.sha256 === hash)
  if (found !== undefined) return found
  throw new UnsupportedTokenizerError(
    source,
    'unknown rank file',
    'a rank file holds neither the pattern that splits text nor the control tokens; give { pattern, specialTokens },' +
      ` or the name of its encoding: ${Object.keys(ENCODINGS).join(', ')}`,
  )
}

/** Words begin as single bytes, so each must be a token. */
function checkBytes(source: string, { bytes, offsets, kinds }: TokenTable): void {
  const seen = new Set<number>()
  for (let id = 0; id < kinds.length; id++) {
    const start = offsets[id] as number
    if (kinds[id] === TokenKind.MODEL && offsets[id + 1] === start + 1) seen.add(bytes[start] as number)
  }
  for (let byte = 0; byte < 256; byte++) {
    if (seen.has(byte)) continue
    const name = `0x${byte.toString(16).padStart(2, '0').toUpperCase()}`
    throw new TokenizerFileError(source, 'tokens', `the byte ${name} has no token of its own`)
  }
}

const utf8 = new TextEncoder()
