import { InvalidArgumentError } from '../errors.js'
import { isBracketedMark } from '../load/bracketed-mark.js'
import { PieceType, pieceText, type TokenizerSpec } from '../load/tokenizer-spec.js'
import type { ReservedToken, ReservePolicy, ReserveReason } from './reserve-policy.js'

/**
 * The reserved ids of a tokenizer, in order of id. Commands are the names of the ids behind the vocabulary.
 *
 * @throws InvalidArgumentError when the policy names a piece that does not exist or that text cannot do without
 */
export function reservedTokens(
  spec: TokenizerSpec,
  commands: readonly string[],
  policy: ReservePolicy,
): ReservedToken[] {
  const { pieces, byteFallback } = spec
  const listed = typeof policy === 'string' ? new Set<number>() : listedIds(spec, policy)
  const reserved: ReservedToken[] = []
  for (let id = 0; id < pieces.types.length; id++) {
    const reason = reasonFor(id)
    if (reason !== undefined) reserved.push({ id, name: pieceText(pieces, id), reason })
  }
  commands.forEach((name, i) => {
    reserved.push({ id: pieces.types.length + i, name, reason: 'command' })
  })
  return reserved

  function reasonFor(id: number): ReserveReason | undefined {
    switch (pieces.types[id]) {
      case PieceType.CONTROL:
        return 'control piece'
      case PieceType.UNUSED:
        return 'unused piece'
      case PieceType.UNKNOWN:
        return byteFallback ? 'unknown piece, which byte fallback replaces' : undefined
      case PieceType.USER_DEFINED:
        if (policy === 'all-added') return 'user-defined piece'
        if (policy === 'structural' && isBracketedMark(pieceText(pieces, id)))
          return 'user-defined piece that is a bracketed mark'
    }
    return listed.has(id) ? 'listed by the caller' : undefined
  }
}

function listedIds(spec: TokenizerSpec, list: readonly (string | number)[]): Set<number> {
  const { pieces } = spec
  const names = new Map<string, number>()
  if (list.some((entry) => typeof entry === 'string')) {
    for (let id = 0; id < pieces.types.length; id++) names.set(pieceText(pieces, id), id)
  }
  const ids = new Set<number>()
  for (const entry of list) {
    const id = typeof entry === 'string' ? names.get(entry) : entry
    if (id === undefined || !Number.isInteger(id) || id < 0 || id >= pieces.types.length) {
      throw new InvalidArgumentError(`reserve: ${JSON.stringify(entry)} is not a piece of ${spec.source}`)
    }
    if (
      pieces.types[id] === PieceType.BYTE ||
      (pieces.types[id] === PieceType.UNKNOWN && !spec.byteFallback)
    ) {
      throw new InvalidArgumentError(
        `reserve: ${JSON.stringify(entry)} cannot be reserved: text that no other piece covers needs it`,
      )
    }
    ids.add(id)
  }
  return ids
}
