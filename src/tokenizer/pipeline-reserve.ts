import { InvalidArgumentError, UnsupportedTokenizerError } from '../errors.js'
import { isBracketedMark, isPipedMark } from '../load/bracketed-mark.js'
import type { AddedTokenSpec, ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
import {
  addedColumns,
  areAscending,
  contentOf,
  type TokenColumns,
  tokensOfColumns,
} from '../load/token-columns.js'
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
  const { ids } = columns
  const template = templateIds(spec)
  const needed = neededIds(spec)
  const listed = new Set(typeof policy === 'string' ? [] : policy)
  const words = policy === 'structural' || policy === 'all-added'
  const chosen = chosenTokens()
  const others: ReservedToken[] = []
  for (const id of template) {
    if (!ids.includes(id)) reserveOther(id, 'token of the post-processor')
  }
  if (WORD_MODELS.includes(model.type) && (words || listed.size > 0)) {
    const added = new Set(ids)
    for (const id of wordsOf(tokens, listed.size > 0)) {
      if (added.has(id) || template.has(id)) continue
      const isMark = words && isPipedMark(tokenText(tokens, id))
      reserveOther(id, isMark ? 'word that is a bracketed mark' : undefined)
    }
  }
  for (const entry of listed) {
    throw new InvalidArgumentError(`reserve: ${JSON.stringify(entry)} is not an added token of ${source}`)
  }
  const list = (): ReservedToken[] => inOrder([...tokensThatAre(chosen, columns, reasonOf), ...others])
  const inColumns = others.length > 0 ? undefined : addon.chosenIds(ids, chosen)
  return inColumns === undefined
    ? ReservedTokens.of(list())
    : new ReservedTokens(inColumns, list, areAscending(columns) ? chosen : 'added')

  /** A one for each added token that is reserved. */
  function chosenTokens(): Uint8Array {
    const { units, lengths, flags } = columns
    const chosen = addon.structuralTokens(units, lengths, flags, policy === 'structural')
    if (policy === 'all-added') chosen.fill(1)
    for (const i of placesOf(chosen, 2)) chosen[i] = +isBracketedMark(contentOf(columns, i))
    for (const id of template) for (const i of placesOf(ids, id)) chosen[i] = 1
    if (policy === 'structural' && literals.length > 0) {
      for (const i of placesOf(chosen, 0)) chosen[i] = +isWritten(ids[i] as number, contentOf(columns, i))
    }
    if (listed.size > 0) {
      for (const [i, id] of ids.entries()) chosen[i] = +isReserved(id, contentOf(columns, i), chosen[i] === 1)
    } else if (ids.length > 0) {
      for (const id of needed) for (const i of placesOf(ids, id)) chosen[i] = 0
    }
    return chosen
  }

  /** Whether it may be reserved, since there is a reason or the policy lists it. */
  function isReserved(id: number, name: string, hasReason: boolean): boolean {
    const isListed = listed.size > 0 && [listed.delete(id), listed.delete(name)].includes(true)
    if (!needed.has(id)) return hasReason || isListed
    if (!isListed) return false
    throw new InvalidArgumentError(
      `reserve: ${JSON.stringify(name)} cannot be reserved: text that no other token covers needs it`,
    )
  }

  /** A token that is no added token. */
  function reserveOther(id: number, reason: ReserveReason | undefined): void {
    if (reason === undefined && listed.size === 0) return
    const name = tokenText(tokens, id)
    if (isReserved(id, name, reason !== undefined)) {
      others.push({ id, name, reason: reason ?? 'listed by the caller' })
    }
  }

  /** Of an added token that is reserved. */
  function reasonOf({ id, content, special }: AddedTokenSpec): ReserveReason {
    if (special) return 'special added token'
    if (template.has(id)) return 'token of the post-processor'
    if (policy === 'all-added') return 'added token'
    if (policy !== 'structural') return 'listed by the caller'
    return isBracketedMark(content) ? 'added token that is a bracketed mark' : 'written by the chat template'
  }

  function isWritten(id: number, content: string): boolean {
    const ownId = tokens.kinds[id] === TokenKind.ADDED
    return ownId && literals.some((literal) => literal.includes(content)) && letter().test(content)
  }
}

/** Where a table has a number: a search of V8's own is much faster than code that runs once. */
function placesOf(table: Uint8Array | Uint32Array, number: number): readonly number[] {
  const places: number[] = []
  for (let i = table.indexOf(number); i >= 0; i = table.indexOf(number, i + 1)) places.push(i)
  return places
}

function tokensThatAre(
  chosen: Uint8Array,
  columns: TokenColumns,
  reasonOf: (token: AddedTokenSpec) => ReserveReason,
): ReservedToken[] {
  const tokens = tokensOfColumns(columns).filter((_, i) => chosen[i] === 1)
  return tokens.map((token) => ({ id: token.id, name: token.content, reason: reasonOf(token) }))
}

/** In order of id. Of two with one id the last counts. */
function inOrder(found: readonly ReservedToken[]): ReservedToken[] {
  const byId = new Map(found.map((token) => [token.id, token]))
  return [...byId.values()].sort((a, b) => a.id - b.id)
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
