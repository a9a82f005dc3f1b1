import type { LoadWarning, NamedToken } from '../load/load-warning.js'
import type { AddedTokenSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { quoted } from '../load/quoted.js'
import type { FolderTokens } from '../load/special-tokens.js'
import {
  addedColumns,
  contentOf,
  contentsAmong,
  listedColumns,
  placesAmong,
  someHave,
  type TokenColumns,
  TokenFlag,
} from '../load/token-columns.js'
import { PieceType, pieceText, type TokenizerSpec } from '../load/tokenizer-spec.js'
import addon from '../native.js'
import { overlapWarnings, type Spelling } from './overlaps.js'
import { neededUnk } from './pipeline-model.js'
import type { ReservedTokens } from './reserve-policy.js'

/** What a user should know about the tokenizer's own file, given what is reserved in it. */
export function tokenizerWarnings(
  spec: TokenizerSpec | PipelineSpec,
  reserved: ReservedTokens,
): LoadWarning[] {
  const unk = 'pieces' in spec ? unknownPiece(spec) : unknownToken(spec)
  const [spellings, texts, special] =
    'pieces' in spec
      ? [spellingsOf(reserved), userDefinedPieces(spec, reserved), []]
      : addedTokens(spec, reserved)
  return [
    ...(spellings.length > 0 && texts.length > 0 ? overlapWarnings(spellings, texts) : []),
    ...special.filter(({ id }) => id !== unk?.id).map((token) => notReserved('SPECIAL_NOT_RESERVED', token)),
    ...(unk === undefined ? [] : [notReserved('UNK_NOT_RESERVED', unk)]),
  ]
}

/**
 * Where the configs of a folder say other things of added tokens than the tokenizer does.
 *
 * @param spec of the tokenizer's own file, if it has added tokens: of some models thousands, which the configs list once more
 * @param idsOf gives the ids of tokens, where the tokenizer has them
 */
export function addedTokenWarnings(
  tokens: FolderTokens,
  spec: PipelineSpec | undefined,
  idsOf: (contents: readonly string[]) => readonly (number | undefined)[],
): LoadWarning[] {
  const same = spec !== undefined && isSame(listedColumns(tokens), addedColumns(spec))
  const added = spec === undefined || same ? [] : spec.addedTokens
  let next = 0
  const open = (same ? [] : tokens.listed).filter(({ id, content }) => {
    while (next < added.length && (added[next] as AddedTokenSpec).id < id) next++ // both are mostly in order of id
    return added[next]?.id !== id || added[next]?.content !== content
  })
  const others = new Set(tokens.special.map(({ content }) => content))
  for (const content of contentsAmong(listedColumns(tokens), [...others])) others.delete(content)
  const wanted = new Set([...open.map(({ content }) => content), ...others])
  const idByName = new Map<string, number | undefined>()
  if (spec !== undefined && others.size > 0) {
    const columns = addedColumns(spec)
    for (const [name, place] of placesAmong(columns, [...others])) {
      wanted.delete(name)
      idByName.set(name, columns.ids[place])
    }
  }
  for (const { id, content } of added) if (wanted.delete(content)) idByName.set(content, id)
  const asked = [...wanted]
  const ids = asked.length > 0 ? idsOf(asked) : []
  for (const [i, name] of asked.entries()) idByName.set(name, ids[i])
  const missing = (name: string): LoadWarning => ({
    code: 'ADDED_TOKEN_MISSING',
    name,
    message: `the folder's configs have the token ${quoted(name)}, but the tokenizer does not`,
  })
  const listed = open.flatMap(({ content: name, id: configId }): LoadWarning[] => {
    const id = name === '' ? configId : idByName.get(name)
    if (id === configId) return []
    if (id === undefined) return [missing(name)]
    const message = `the id of ${quoted(name)} is ${id}, not ${configId} as the folder's configs say`
    return [{ code: 'ADDED_TOKEN_ID', token: { id, name }, configId, message }]
  })
  const unknown = [...others].filter((name) => name !== '' && idByName.get(name) === undefined)
  return [...listed, ...unknown.map(missing)]
}

function notReserved(
  code: 'SPECIAL_NOT_RESERVED' | 'UNK_NOT_RESERVED',
  { id, name }: NamedToken,
): LoadWarning {
  const message = `${quoted(name)} (id ${id}) is not reserved: the model has no other way to write some characters`
  return { code, token: { id, name }, message }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Ids and contents. */
function isSame(a: TokenColumns, b: TokenColumns): boolean {
  const same = (a: Uint16Array | Uint32Array, b: Uint16Array | Uint32Array): boolean =>
    Buffer.compare(bytesOf(a), bytesOf(b)) === 0
  return same(a.units, b.units) && same(a.ids, b.ids) && same(a.lengths, b.lengths)
}

/**
 * Of the reserved tokens those that may overlap with one that is text, of which there are mostly few; the added tokens that
 * are text; and those of them that are special.
 */
function addedTokens(
  spec: PipelineSpec,
  reserved: ReservedTokens,
): [reserved: readonly Spelling[], texts: readonly Spelling[], special: readonly NamedToken[]] {
  const columns = addedColumns(spec)
  const { units, lengths, ids, flags } = columns
  const chosen = reserved.chosen ?? chosenById(ids, reserved.ids, spec.tokens.kinds.length)
  const others: number[] = []
  for (let i = chosen.indexOf(0); i >= 0; i = chosen.indexOf(0, i + 1)) others.push(i)
  const has = (i: number, flag: number): boolean => ((flags[i] as number) & flag) !== 0
  const spelling = (i: number): Spelling => {
    return { id: ids[i] as number, name: contentOf(columns, i), normalized: has(i, TokenFlag.NORMALIZED) }
  }
  const special = others.filter((i) => has(i, TokenFlag.SPECIAL)).map(spelling)
  if (others.length === 0) return [[], [], special]
  if (reserved.areAdded) {
    const exactly = !someHave(columns, TokenFlag.NORMALIZED)
    const meeting = addon.namesThatMayMeet(units, lengths, chosen, exactly)
    const none = meeting.length === 0
    return [Array.from(meeting, spelling), none ? [] : others.map(spelling), special]
  }
  const texts = others.map(spelling)
  const normalized = Array.from(ids.keys()).filter((i) => has(i, TokenFlag.NORMALIZED))
  return [spellingsOf(reserved, new Set(normalized.map((i) => ids[i] as number))), texts, special]
}

/** A one for each token whose id is reserved. */
function chosenById(ids: Uint32Array, reserved: Uint32Array, size: number): Uint8Array {
  const isReserved = new Uint8Array(size)
  for (const id of reserved) isReserved[id] = 1
  return Uint8Array.from(ids, (id) => isReserved[id] as number)
}

function spellingsOf(reserved: ReservedTokens, normalized: ReadonlySet<number> = new Set()): Spelling[] {
  return reserved.list.map(({ id, name }) => ({ id, name, normalized: normalized.has(id) }))
}

/** Those that are text. */
function userDefinedPieces({ pieces }: TokenizerSpec, reserved: ReservedTokens): Spelling[] {
  const isReserved = new Set(reserved.ids)
  const ids = Array.from(pieces.types.keys()).filter((id) => pieces.types[id] === PieceType.USER_DEFINED)
  const texts = ids.filter((id) => !isReserved.has(id))
  return texts.map((id) => ({ id, name: pieceText(pieces, id), normalized: false }))
}

function unknownToken(spec: PipelineSpec): NamedToken | undefined {
  const id = neededUnk(spec)
  const { bytes, offsets } = spec.tokens
  return id === undefined
    ? undefined
    : { id, name: utf8.decode(bytes.subarray(offsets[id], offsets[id + 1])) }
}

function unknownPiece({ pieces, byteFallback }: TokenizerSpec): NamedToken | undefined {
  const id = byteFallback ? -1 : pieces.types.indexOf(PieceType.UNKNOWN)
  return id < 0 ? undefined : { id, name: pieceText(pieces, id) }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
