import { InvalidArgumentError } from '../errors.js'
import { isBracketedMark } from '../load/bracketed-mark.js'
import type { PipelineSpec } from '../load/pipeline-spec.js'
import { TokenKind } from '../load/token-table.js'
import { neededIds } from './pipeline-model.js'
import type { ReservedToken, ReservePolicy, ReserveReason } from './reserve-policy.js'

/**
 * The reserved ids of a pipeline, in order of id: added tokens that are special, that are bracketed marks whatever
 * their flags say, or that the post-processor adds. Other added tokens (runs of spaces, single letters) are text, and so
 * are those without which some text cannot be written, as a pad token "!".
 *
 * @param literals texts that a chat template or format writes: with the policy `structural`, an added token that they
 *   spell is structure too, if it has a letter and the model alone cannot emit it (Gemma's `\n\n` is text)
 * @throws InvalidArgumentError when the policy names what is no added token, or what text cannot do without
 */
export function reservedTokens(
  spec: PipelineSpec,
  policy: ReservePolicy,
  literals: readonly string[] = [],
): ReservedToken[] {
  const template = new Set(
    [...(spec.postProcessor?.single ?? []), ...(spec.postProcessor?.pair ?? [])].flatMap((item) =>
      'id' in item ? [item.id] : [],
    ),
  )
  const listed = new Set(typeof policy === 'string' ? [] : policy)
  const needed = neededIds(spec)
  for (const entry of listed) {
    if (!spec.addedTokens.some(({ id, content }) => id === entry || content === entry)) {
      throw new InvalidArgumentError(
        `reserve: ${JSON.stringify(entry)} is not an added token of ${spec.source}`,
      )
    }
    if (spec.addedTokens.some(({ id, content }) => (id === entry || content === entry) && needed.has(id))) {
      throw new InvalidArgumentError(
        `reserve: ${JSON.stringify(entry)} cannot be reserved: text that no other token covers needs it`,
      )
    }
  }
  const reserved = new Map<number, ReservedToken>()
  for (const { id, content, special } of spec.addedTokens) {
    const reason = reasonFor(id, content, special)
    if (reason !== undefined && !needed.has(id)) reserved.set(id, { id, name: content, reason })
  }
  return [...reserved.values()].sort((a, b) => a.id - b.id)

  function reasonFor(id: number, content: string, special: boolean): ReserveReason | undefined {
    if (special) return 'special added token'
    if (template.has(id)) return 'token of the post-processor'
    if (policy === 'all-added') return 'added token'
    if (policy === 'structural' && isBracketedMark(content)) return 'added token that is a bracketed mark'
    if (policy === 'structural' && isWritten(id, content)) return 'written by the chat template'
    return listed.has(id) || listed.has(content) ? 'listed by the caller' : undefined
  }

  function isWritten(id: number, content: string): boolean {
    const ownId = spec.tokens.kinds[id] === TokenKind.ADDED
    return ownId && /\p{L}/u.test(content) && literals.some((literal) => literal.includes(content))
  }
}
