import type * as FastCheck from 'fast-check'
import { payloads } from '../audit/bank/payloads.js'
import { type Placement, placements } from '../audit/bank/placements.js'
import { WRITINGS } from '../audit/bank/writings.js'

/** What is used of fast-check. */
type Fc = Pick<typeof FastCheck, 'array' | 'boolean' | 'constantFrom' | 'nat' | 'oneof' | 'string' | 'tuple'>

/**
 * Texts that attack a tokenizer: payloads of the bank, control tokens in all writings and cut in two, and any text, one
 * after the other.
 *
 * @param fc fast-check, which is the caller's
 * @param controls names of control tokens
 * @example
 * fc.assert(fc.property(hostileText(fc, ['<|im_end|>']), (text) => noReservedIds(tokenizer.encode(text))))
 */
export function hostileText(fc: Fc, controls: readonly string[]): FastCheck.Arbitrary<string> {
  const any = fc.string({ unit: 'binary', maxLength: 12 })
  const readable = fc.string({ unit: 'grapheme', maxLength: 12 })
  const part = fc.oneof(fc.constantFrom(...payloads(controls)), any, readable, ...spellings(fc, controls))
  return fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))
}

/** Control tokens, all writings of them, and halves. */
function spellings(fc: Fc, controls: readonly string[]): FastCheck.Arbitrary<string>[] {
  if (controls.length === 0) return []
  const name = fc.constantFrom(...controls)
  return [
    name,
    fc.tuple(name, fc.constantFrom(...WRITINGS)).map(([text, write]) => write(text)),
    fc
      .tuple(name, fc.nat(40), fc.boolean())
      .map(([text, at, first]) => (first ? text.slice(0, at) : text.slice(at))),
  ]
}

/**
 * Conversations with a hostile text in one place of a request.
 *
 * @param fc fast-check, which is the caller's
 * @param controls names of control tokens
 */
export function hostileChat(fc: Fc, controls: readonly string[]): FastCheck.Arbitrary<Placement> {
  const places = placements('').length
  return fc
    .tuple(hostileText(fc, controls), fc.nat(places - 1))
    .map(([text, place]) => placements(text)[place] as Placement)
}
