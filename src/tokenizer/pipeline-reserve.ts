import { InvalidArgumentError, UnsupportedTokenizerError } from '../errors.js'
import { isBracketedMark, isPipedMark } from '../load/bracketed-mark.js'
import type { NamedToken } from '../load/load-warning.js'
import type { AddedTokenSpec, ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { addedColumns, type TokenColumns, TokenFlag, tokensOfColumns } from '../load/token-columns.js'
import { TokenKind, type TokenTable, tokenText } from '../load/token-table.js'
import addon from '../native.js'
import { unicodePattern } from '../unicode-pattern.js'
import { neededIds, neededUnk } from './pipeline-model.js'
import {
  type ReservedToken,
  ReservedTokens,
  type ReservePolicy,
  type ReserveReason,
} from './reserve-policy.js'

/** Models for which a word that is in the vocabulary is one token. */
const WORD_MODELS: readonly ModelSpec['type'][] = ['wordlevel', 'wordpiece']

/**
 * The reserved ids of a pipeline, in order of id:
 * - added tokens that are special, or that are bracketed marks whatever their flags say; other added tokens (runs of
 *   spaces, single letters) are text
 * - what the post-processor adds, be it an added token or not
 * - of WordLevel and WordPiece, words of the vocabulary such as `<|im_end|>`; words in other brackets may be text, as
 *   `[C@H]` is in a vocabulary of molecules
 *
 * Tokens without which some text cannot be written are text, as a pad token "!".
 *
 * @param literals texts that a chat template or format writes: with the policy `structural`, an added token that they
 *   spell is structure too, if it has a letter and the model alone cannot emit it (Gemma's `\n\n` is text)
 * @throws UnsupportedTokenizerError when the post-processor adds unk, and text cannot do without it
 * @throws InvalidArgumentError when the policy names what is no such token, or what text cannot do without
 */
export function reservedTokens(
  spec: PipelineSpec,
  policy: ReservePolicy,
  literals: readonly string[] = [],
): ReservedTokens {
  const { tokens, model, source } = spec
  const columns = addedColumns(spec)
  const template = templateIds(spec)
  const needed = neededIds(spec)
  const listed = new Set(typeof policy === 'string' ? [] : policy)
  const words = policy === 'structural' || policy === 'all-added'
  const marks = policy === 'structural' ? addon.bracketedMarks(columns.contents, columns.lengths) : undefined
  const found: FoundTokens = { tokens: [], reasons: [], others: [] }
  for (let i = 0, at = 0; i < columns.ids.length; i++) {
    const length = columns.lengths[i] as number
    const reason = reasonFor(i, at, length)
    if (listed.size > 0 || (reason !== undefined && needed.size > 0)) {
      const id = columns.ids[i] as number
      if (isReserved(id, columns.contents.slice(at, at + length), reason)) add(i, reason)
    } else if (reason !== undefined) add(i, reason)
    at += length
  }
  for (const id of template) {
    if (!columns.ids.includes(id)) reserveOther(id, 'token of the post-processor')
  }
  if (WORD_MODELS.includes(model.type) && (words || listed.size > 0)) {
    const added = new Set(columns.ids)
    for (const id of wordsOf(tokens, listed.size > 0)) {
      if (added.has(id) || template.has(id)) continue
      const isMark = words && isPipedMark(tokenText(tokens, id))
      reserveOther(id, isMark ? 'word that is a bracketed mark' : undefined)
    }
  }
  for (const entry of listed) {
    throw new InvalidArgumentError(`reserve: ${JSON.stringify(entry)} is not an added token of ${source}`)
  }
  return asReserved(found, columns)

  /** Whether it may be reserved, for this reason or since the policy lists it. */
  function isReserved(id: number, name: string, reason: ReserveReason | undefined): boolean {
    const isListed = listed.size > 0 && [listed.delete(id), listed.delete(name)].includes(true)
    if (!needed.has(id)) return reason !== undefined || isListed
    if (!isListed) return false
    throw new InvalidArgumentError(
      `reserve: ${JSON.stringify(name)} cannot be reserved: text that no other token covers needs it`,
    )
  }

  function add(token: number, reason: ReserveReason | undefined): void {
    found.tokens.push(token)
    found.reasons.push(reason ?? 'listed by the caller')
  }

  /** A token that is no added token. */
  function reserveOther(id: number, reason: ReserveReason | undefined): void {
    if (reason === undefined && listed.size === 0) return
    const name = tokenText(tokens, id)
    if (!isReserved(id, name, reason)) return
    add(-1 - found.others.length, reason)
    found.others.push({ id, name })
  }

  function reasonFor(i: number, at: number, length: number): ReserveReason | undefined {
    if (((columns.flags[i] as number) & TokenFlag.SPECIAL) !== 0) return 'special added token'
    const id = columns.ids[i] as number
    if (template.has(id)) return 'token of the post-processor'
    if (policy === 'all-added') return 'added token'
    if (marks === undefined) return undefined
    if (marks[i] === 1) return 'added token that is a bracketed mark'
    const content = columns.contents.slice(at, at + length)
    if (marks[i] === 2 && isBracketedMark(content)) return 'added token that is a bracketed mark'
    return isWritten(id, content) ? 'written by the chat template' : undefined
  }

  function isWritten(id: number, content: string): boolean {
    const ownId = tokens.kinds[id] === TokenKind.ADDED
    return ownId && literals.some((literal) => literal.includes(content)) && letter().test(content)
  }
}

/** Reserved tokens in the order in which they were found. */
interface FoundTokens {
  /** Which of the added tokens each is, or -1 - which of `others`. */
  readonly tokens: number[]
  readonly reasons: ReserveReason[]
  readonly others: NamedToken[]
}

/** In order of id. Of two with one id the last counts. */
function asReserved({ tokens, reasons, others }: FoundTokens, columns: TokenColumns): ReservedTokens {
  const list = (): ReservedToken[] => {
    const added = tokensOfColumns(columns)
    const byId = new Map<number, ReservedToken>()
    for (const [i, token] of tokens.entries()) {
      const { id, name } =
        token < 0 ? (others[-1 - token] as NamedToken) : nameOf(added[token] as AddedTokenSpec)
      byId.set(id, { id, name, reason: reasons[i] as ReserveReason })
    }
    return [...byId.values()].sort((a, b) => a.id - b.id)
  }
  if (others.length > 0) return ReservedTokens.of(list())
  const ids = new Uint32Array(tokens.length)
  let ascending = true
  for (let i = 0, last = -1; i < ids.length; i++) {
    const id = columns.ids[tokens[i] as number] as number
    ascending &&= id > last
    last = id
    ids[i] = id
  }
  return ascending ? new ReservedTokens(ids, list, true) : ReservedTokens.of(list())
}

function nameOf({ id, content }: AddedTokenSpec): NamedToken {
  return { id, name: content }
}

const letter = unicodePattern(String.raw`\p{L}`)

/** What the post-processor adds. */
function templateIds(spec: PipelineSpec): Set<number> {
  const { single = [], pair = [] } = spec.postProcessor ?? {}
  const ids = new Set([...single, ...pair].flatMap((item) => ('id' in item ? [item.id] : [])))
  const unk = neededUnk(spec)
  if (unk === undefined || !ids.has(unk)) return ids
  throw new UnsupportedTokenizerError(
    spec.source,
    `unk_token ${JSON.stringify(tokenText(spec.tokens, unk))}`,
    'the post-processor adds it too, so that unknown words would be control tokens',
  )
}

/** The ids of the model's vocabulary, or of those words that begin with `<`. */
function* wordsOf({ bytes, offsets, kinds }: TokenTable, all: boolean): Generator<number> {
  for (let id = 0; id < kinds.length; id++) {
    if (kinds[id] === TokenKind.MODEL && (all || bytes[offsets[id] as number] === 0x3c)) yield id
  }
}
