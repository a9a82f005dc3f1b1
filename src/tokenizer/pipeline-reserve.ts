import { InvalidArgumentError, UnsupportedTokenizerError } from '../errors.js'
import { isBracketedMark, isPipedMark } from '../load/bracketed-mark.js'
import type { ModelSpec, PipelineSpec } from '../load/pipeline-spec.js'
import { TokenKind, type TokenTable, tokenText } from '../load/token-table.js'
import { unicodePattern } from '../unicode-pattern.js'
import { neededIds, neededUnk } from './pipeline-model.js'
import type { ReservedToken, ReservePolicy, ReserveReason } from './reserve-policy.js'

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
): ReservedToken[] {
  const { addedTokens, tokens, model, source } = spec
  const template = templateIds(spec)
  const needed = neededIds(spec)
  const listed = new Set(typeof policy === 'string' ? [] : policy)
  const marks = policy === 'structural' || policy === 'all-added'
  const added = new Set(addedTokens.map(({ id }) => id))
  const reserved = new Map<number, ReservedToken>()
  for (const { id, content, special } of addedTokens) reserve(id, content, reasonFor(id, content, special))
  for (const id of template) {
    if (!added.has(id)) reserve(id, tokenText(tokens, id), 'token of the post-processor')
  }
  if (WORD_MODELS.includes(model.type) && (marks || listed.size > 0)) {
    for (const id of wordsOf(tokens, listed.size > 0)) {
      if (added.has(id) || template.has(id)) continue
      const name = tokenText(tokens, id)
      reserve(id, name, marks && isPipedMark(name) ? 'word that is a bracketed mark' : undefined)
    }
  }
  for (const entry of listed) {
    throw new InvalidArgumentError(`reserve: ${JSON.stringify(entry)} is not an added token of ${source}`)
  }
  return [...reserved.values()].sort((a, b) => a.id - b.id)

  function reserve(id: number, name: string, reason: ReserveReason | undefined): void {
    const isListed = listed.size > 0 && [listed.delete(id), listed.delete(name)].includes(true)
    if (reason === undefined && !isListed) return
    if (!needed.has(id)) reserved.set(id, { id, name, reason: reason ?? 'listed by the caller' })
    else if (isListed) {
      throw new InvalidArgumentError(
        `reserve: ${JSON.stringify(name)} cannot be reserved: text that no other token covers needs it`,
      )
    }
  }

  function reasonFor(id: number, content: string, special: boolean): ReserveReason | undefined {
    if (special) return 'special added token'
    if (template.has(id)) return 'token of the post-processor'
    if (policy === 'all-added') return 'added token'
    if (policy === 'structural' && isBracketedMark(content)) return 'added token that is a bracketed mark'
    return policy === 'structural' && isWritten(id, content) ? 'written by the chat template' : undefined
  }

  function isWritten(id: number, content: string): boolean {
    const ownId = tokens.kinds[id] === TokenKind.ADDED
    return ownId && letter().test(content) && literals.some((literal) => literal.includes(content))
  }
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
