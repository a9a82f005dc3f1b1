import type { LoadWarning, NamedToken } from '../load/load-warning.js'
import type { AddedTokenSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { quoted } from '../load/quoted.js'
import type { FolderTokens } from '../load/special-tokens.js'
import { PieceType, pieceText, type TokenizerSpec } from '../load/tokenizer-spec.js'
import { overlapWarnings, type Spelling } from './overlaps.js'
import { neededUnk } from './pipeline-model.js'
import type { ReservedToken } from './reserve-policy.js'

/** What a user should know about the tokenizer's own file, given what is reserved in it. */
export function tokenizerWarnings(
  spec: TokenizerSpec | PipelineSpec,
  reserved: readonly ReservedToken[],
): LoadWarning[] {
  const reservedIds = new Set(reserved.map(({ id }) => id))
  const added = 'pieces' in spec ? userDefinedPieces(spec) : addedTokens(spec)
  const normalized = new Set(added.filter((token) => token.normalized).map(({ id }) => id))
  const overlaps = overlapWarnings(
    reserved.map(({ id, name }) => ({ id, name, normalized: normalized.has(id) })),
    added.filter(({ id }) => !reservedIds.has(id)),
  )
  const unk = 'pieces' in spec ? unknownPiece(spec) : unknownToken(spec)
  const special = 'pieces' in spec ? [] : specialTokens(spec)
  const open = special.filter(({ id }) => !reservedIds.has(id) && id !== unk?.id)
  return [
    ...overlaps,
    ...open.map((token) => notReserved('SPECIAL_NOT_RESERVED', token)),
    ...(unk === undefined ? [] : [notReserved('UNK_NOT_RESERVED', unk)]),
  ]
}

/**
 * Where the configs of a folder say other things of added tokens than the tokenizer does.
 *
 * @param added those of the tokenizer's own file: of some models thousands, which the configs list once more
 * @param idsOf gives the ids of tokens, where the tokenizer has them
 */
export function addedTokenWarnings(
  tokens: FolderTokens,
  added: readonly AddedTokenSpec[],
  idsOf: (contents: readonly string[]) => readonly (number | undefined)[],
): LoadWarning[] {
  let next = 0
  const open = tokens.listed.filter(({ id, content }) => {
    while (next < added.length && (added[next] as AddedTokenSpec).id < id) next++ // both are mostly in order of id
    return added[next]?.id !== id || added[next]?.content !== content
  })
  const others = new Set(tokens.special.map(({ content }) => content))
  for (const { content } of tokens.listed) others.delete(content)
  const wanted = new Set([...open.map(({ content }) => content), ...others])
  const idByName = new Map<string, number | undefined>()
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

function specialTokens(spec: PipelineSpec): NamedToken[] {
  return spec.addedTokens.flatMap(({ id, content, special }) => (special ? [{ id, name: content }] : []))
}

function addedTokens(spec: PipelineSpec): Spelling[] {
  return spec.addedTokens.map(({ id, content, normalized }) => ({ id, name: content, normalized }))
}

function userDefinedPieces({ pieces }: TokenizerSpec): Spelling[] {
  const ids = Array.from(pieces.types.keys()).filter((id) => pieces.types[id] === PieceType.USER_DEFINED)
  return ids.map((id) => ({ id, name: pieceText(pieces, id), normalized: false }))
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
